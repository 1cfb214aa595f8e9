package saltern.hashes
package verifyonly

/** Spring Security's unsalted and fast hashes. Source: Spring Security `PasswordEncoderFactories`,
  * and the encoders that are named here.
  */
private[hashes] object SpringDigests {

  /** `MessageDigestPasswordEncoder`: `{SHA-256}{<salt>}<hex>`. The braces are hashed with the salt.
    */
  final class MessageDigest(label: String, hash: Digest.Hash, name: String) extends Scheme(name) {
    override def isWeak: Boolean = true

    // The second brace begins the salt. Without it the string is not Spring Security's.
    def claims(stored: String): Boolean = stored.startsWith(label + "{")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        text <- Text.after(label + "{", stored)
        parts <- Text.fields(text, '}', 2)
        _ <- Text.salt(parts(0))
        salt = Text.utf8(s"{${parts(0)}}")
        output <- LowerHex.decode(parts(1))
        encoded <- EncodedHash(this, new Digest(hash, Digest.SaltLast, salt), output) { bytes =>
          s"$label{${parts(0)}}${LowerHex.encode(bytes)}"
        }
      } yield encoded
  }

  /** `StandardPasswordEncoder`: salt and output in hexadecimal. */
  case object Sha256 extends Scheme("spring-sha256") {
    override def isWeak: Boolean = true

    /** LDAP's hash behind the same label is Base64, and shorter. */
    def claims(stored: String): Boolean = stored.startsWith(Label) && stored.length == Label.length + 2 * (SaltBytes + 32)

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        text <- Text.after(Label, stored)
        bytes <- LowerHex.decode(text)
        parts <- Text.splitAt(bytes, SaltBytes)
        (salt, output) = parts
        encoded <- EncodedHash(this, new Digest(Digest.Sha256, Digest.SaltFirst, salt, Passes), output) { bytes =>
          Label + LowerHex.encode(salt ++ bytes)
        }
      } yield encoded

    private val Label = "{sha256}"

    /** `KeyGenerators.secureRandom()`. */
    private val SaltBytes = 8

    /** `StandardPasswordEncoder.DEFAULT_ITERATIONS`. */
    private val Passes = 1024
  }

  val all: Seq[Scheme] = Seq(
    new MessageDigest("{MD5}", Digest.Md5, "spring-md5"),
    new MessageDigest("{SHA-1}", Digest.Sha1, "spring-sha-1"),
    new MessageDigest("{SHA-256}", Digest.Sha256, "spring-sha-256"),
    Sha256
  )
}
