package saltern.hashes

/** Spring Security's hashes that have no prefix except the id of an encoder in braces. For PBKDF2
  * only the id fixes the costs. Hashes of bcrypt and Argon2 have another prefix too: see [[Label]].
  * Source: Spring Security `PasswordEncoderFactories`, and the encoders that are named here.
  */
private[hashes] object Spring {

  /** `Pbkdf2PasswordEncoder`: salt and output in hexadecimal, or in Base64 after
    * `setEncodeHashAsBase64(true)`.
    */
  final class Pbkdf2(name: String, label: String, prf: Params.Prf, iterations: Long, saltBytes: Int, encoding: Encoding)
      extends PrefixedScheme(name, label, "spring-pbkdf2") {
    // A Base64 text may have the length of a hexadecimal one of two thirds of the bytes. Text that
    // can be read as hexadecimal is hexadecimal.
    override def claims(stored: String): Boolean =
      super.claims(stored) && LowerHex.decode(stored.substring(label.length)).isRight == (encoding == LowerHex)

    def parseRest(rest: String): Either[ParseError, EncodedHash] =
      for {
        bytes <- encoding.decode(rest)
        parts <- Text.splitAt(bytes, saltBytes)
        (salt, output) = parts
        encoded <- Pbkdf2Scheme.in(this, prf, iterations, salt, OutputBytes, output) { bytes =>
          label + encoding.encode(salt ++ bytes)
        }
      } yield encoded
  }

  /** `SCryptPasswordEncoder`: `$<costs>$<salt>$<output>`. The costs are one hexadecimal number,
    * `log2(N)·2^16 + r·2^8 + p`: `$e0801` is N = 2^14, r = 8, p = 1.
    */
  case object Scrypt extends Scheme("spring-scrypt") {
    private val labels = Seq("{scrypt}", "{scrypt@SpringSecurity_v5_8}")
    def claims(stored: String): Boolean = labels.exists(stored.startsWith)

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        label <- labels.find(stored.startsWith).toRight(ParseError.Invalid)
        parts <- Text.fields(stored.substring(label.length), '$', 4)
        _ <- Text.valid(parts(0).isEmpty && parts(1).nonEmpty && parts(1).length <= 8 && parts(1).forall(isHexDigit))
        costs = java.lang.Long.parseLong(parts(1), 16)
        salt <- PaddedBase64.decode(parts(2))
        _ <- Text.valid(salt.nonEmpty)
        output <- PaddedBase64.decode(parts(3))
        encoded <- ScryptScheme.in(this, costs >> 16, costs >> 8 & 0xff, costs & 0xff, salt, OutputBytes, output) { bytes =>
          s"$label$$${costs.toHexString}$$${PaddedBase64.encode(salt)}$$${PaddedBase64.encode(bytes)}"
        }
      } yield encoded
  }

  /** `defaultsForSpringSecurity_v5_5` and `_v5_8`. */
  private val pbkdf2: Seq[Scheme] = for {
    (name, label, prf, iterations, saltBytes) <- Seq(
      ("spring-pbkdf2", "{pbkdf2}", Params.Prf.Sha1, 185000L, 8),
      ("spring-pbkdf2-v5-8", "{pbkdf2@SpringSecurity_v5_8}", Params.Prf.Sha256, 310000L, 16)
    )
    (suffix, encoding) <- Seq("" -> LowerHex, "-base64" -> PaddedBase64)
  } yield new Pbkdf2(name + suffix, label, prf, iterations, saltBytes, encoding)

  lazy val schemes: Seq[Scheme] = pbkdf2 :+ Scrypt

  private def isHexDigit(c: Char): Boolean = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')

  /** The arguments `hashWidth` of PBKDF2 and `keyLength` of scrypt. */
  private val OutputBytes = 32
}
