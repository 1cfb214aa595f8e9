package saltern.hashes

/** The lowest cost, salt and output of a hash of a slow and salted scheme. A hash below one is
  * weak. The values come from the policy document; the checks are the same as the service's
  * (`functions/policy/src/floors.rs`).
  */
private[saltern] final class Floors(values: Map[String, Long]) {

  /** Returns the name of the first floor that a setting is below. Of a wrapped hash the outer layer
    * counts: a guess costs at least that.
    */
  def below(setting: Setting): Option[String] =
    Floors.measures(setting).collectFirst { case (name, value) if values.get(name).exists(value < _) => name }
}

private[saltern] object Floors {

  /** The floors that every document has. */
  val Names: Seq[String] = Seq(
    "argon2_memory_kib",
    "argon2_memory_passes_kib",
    "bcrypt_cost",
    "bsdi_crypt_rounds",
    "output_bytes",
    "pbkdf2_iterations",
    "phpass_rounds",
    "salt_bytes",
    "scrypt_memory_bytes",
    "scrypt_n_r_p",
    "sha1_crypt_rounds",
    "sha_crypt_rounds",
    "sun_md5_rounds"
  )

  private def measures(setting: Setting): Seq[(String, BigInt)] = {
    val output = "output_bytes" -> BigInt(setting.outputBytes)
    val costs: Seq[(String, BigInt)] = setting match {
      case Setting.Wrapped(outer, _)  => measures(outer)
      case Setting.Argon2(p, _, _, _) =>
        Seq("argon2_memory_kib" -> BigInt(p.memoryKib), "argon2_memory_passes_kib" -> BigInt(p.memoryKib) * p.passes, output)
      case Setting.Bcrypt(_, p, _, _) => Seq("bcrypt_cost" -> BigInt(p.cost))
      case s: Setting.Pbkdf2          => Seq("pbkdf2_iterations" -> BigInt(s.params.iterations), output)
      case Setting.Scrypt(p, _, _)    => ofScrypt(p) :+ output
      // Each of these outputs has one length.
      case s: Setting.VerifyOnly =>
        s.cost match {
          case Cost.Memory(p)      => ofScrypt(p)
          case Cost.Rounds(rounds) => RoundsOf.get(s.params.algorithm).map(_ -> BigInt(rounds)).toSeq
        }
    }
    costs :+ ("salt_bytes" -> BigInt(setting.salt.length))
  }

  private def ofScrypt(p: Params.Scrypt): Seq[(String, BigInt)] = {
    val blocks = (BigInt(1) << p.logN) * p.r
    Seq("scrypt_memory_bytes" -> blocks * ScryptBlockBytes, "scrypt_n_r_p" -> blocks * p.p)
  }

  /** By the algorithm. The rounds of md5-crypt are a constant. Digests are weak by their scheme. */
  private val RoundsOf = Map(
    "des-crypt" -> "bsdi_crypt_rounds",
    "phpass" -> "phpass_rounds",
    "phpass-sha512" -> "phpass_rounds",
    "sha1-crypt" -> "sha1_crypt_rounds",
    "sha256-crypt" -> "sha_crypt_rounds",
    "sha512-crypt" -> "sha_crypt_rounds",
    "sun-md5" -> "sun_md5_rounds"
  )

  /** One unit of `N·r` is a block of 128 bytes (RFC 7914 §5). */
  private val ScryptBlockBytes = 128
}
