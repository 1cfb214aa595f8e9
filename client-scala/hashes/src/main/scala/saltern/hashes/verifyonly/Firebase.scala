package saltern.hashes
package verifyonly

import javax.crypto.Cipher
import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}

/** Firebase's scrypt: `$fbscrypt$v=1,n=14,r=8,p=1$<salt>$<output>`. The output is the project's
  * secret signer key, encrypted with AES-256 in counter mode under a key that scrypt derives from
  * the password.
  *
  * The form is Supabase Auth's without its two optional fields. The project's separator and key are
  * settings, and a string that carries them is not read. Source:
  * <https://github.com/firebase/scrypt>; Supabase Auth `internal/crypto/password.go`.
  */
private[hashes] case object Firebase extends PrefixedScheme("firebase-scrypt", "$fbscrypt$") {
  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      costsAndRest <- Text.splitOnce(rest, '$')
      costs = costsAndRest._1
      _ <- Either.cond(!costs.contains(",ss=") && !costs.contains(",sk="), (), ParseError.Unsupported)
      parts <- Text.fields(costsAndRest._2, '$', 2)
      values <- Text.named(costs, "v", "n", "r", "p")
      _ <- Text.valid(values(0) == 1)
      params <- Params.Scrypt(values(1), values(2), values(3)).toRight(ParseError.Invalid)
      salt <- PaddedBase64.decode(parts(0))
      _ <- Text.valid(salt.nonEmpty)
      output <- PaddedBase64.decode(parts(1))
      encoded <- EncodedHash(this, new OwnSetting(params, salt), output) { bytes =>
        val head = s"${prefix}v=1,n=${params.logN},r=${params.r},p=${params.p}"
        s"$head$$${PaddedBase64.encode(salt)}$$${PaddedBase64.encode(bytes)}"
      }
    } yield encoded

  /** @param salt with the project's separator at its end, if the project is known */
  final class OwnSetting(params: Params.Scrypt, salt: Array[Byte])
      extends Setting.OfProject("firebase-scrypt", Setting.Scrypt(params, salt, KeyBytes)) {
    def outputBytes: Int = OutputBytes

    /** Returns the key stream that was XORed with the signer key. So no kernel sees the project's
      * secret.
      */
    def encrypted(key: Array[Byte]): Array[Byte] = {
      val cipher = Cipher.getInstance("AES/CTR/NoPadding")
      // The counter starts at zero: every key encrypts only one text.
      cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(new Array[Byte](16)))
      cipher.doFinal(new Array[Byte](OutputBytes))
    }
  }

  /** AES-256's key. */
  private val KeyBytes = 32

  /** The length of a signer key and of an output. */
  val OutputBytes: Int = 64
}

/** The parameters that all accounts of a Firebase project share and that no stored hash holds. Its
  * key is a secret and is never printed.
  */
private[hashes] final class FirebaseProject private (costs: Params.Scrypt, separator: Array[Byte], signerKey: Array[Byte]) {

  /** Returns the setting to compute for an account of this project, and the output for a correct
    * password. Returns `None` if the costs are not the project's: the account belongs to another
    * project, and every password would be wrong.
    */
  def resolve(setting: Setting.OfProject, output: Array[Byte]): Option[(Setting, Array[Byte])] =
    Option.when(setting.scrypt.params == costs) {
      val stream = output.indices.map(at => (output(at) ^ signerKey(at)).toByte).toArray
      (new Firebase.OwnSetting(costs, setting.salt ++ separator), stream)
    }

  override def toString: String = "FirebaseProject(..)"
}

private[hashes] object FirebaseProject {

  /** Reads the text that the Firebase console shows as "Password hash parameters". The error
    * message quotes nothing of it.
    */
  def read(text: String): Either[String, FirebaseProject] = {
    val lines = text.split("\\R").map(_.trim).filter(_.nonEmpty).toVector
    val pairs = lines.drop(1).dropRight(1).flatMap { line =>
      line.stripSuffix(",").split(": ", 2) match {
        case Array(name, value) => Some(name -> value)
        case _                  => None
      }
    }
    val read = for {
      _ <- Option.when(lines.headOption.contains("hash_config {") && lines.last == "}")(())
      _ <- Option.when(lines.length == Names.length + 2 && pairs.map(_._1).sorted == Names.sorted)(())
      value = pairs.toMap
      _ <- Option.when(value("algorithm") == "SCRYPT")(())
      key <- PaddedBase64.loose(value("base64_signer_key")).filter(_.length == Firebase.OutputBytes)
      separator <- PaddedBase64.loose(value("base64_salt_separator"))
      r <- value("rounds").toLongOption
      logN <- value("mem_cost").toLongOption
      costs <- Params.Scrypt(logN, r, Parallelization)
    } yield new FirebaseProject(costs, separator, key)
    read.toRight(
      "copy the text that the Firebase console shows as `Password hash parameters`, from `hash_config {` to `}`: " + Names.mkString(" ")
    )
  }

  private val Names = Vector("algorithm", "base64_signer_key", "base64_salt_separator", "rounds", "mem_cost")

  /** scrypt's `p`, which Firebase's own program fixes. */
  private val Parallelization = 1L
}
