package saltern.hashes
package verifyonly

/** Spring Security's unsalted and fast hashes. Source: Spring Security `PasswordEncoderFactories`,
  * and the encoders that are named here.
  */
private[hashes] object SpringDigests {

  /** `MessageDigestPasswordEncoder`: `{SHA-256}{<salt>}<hex>`. The braces are hashed with the salt.
    * Without the second brace the string is not Spring Security's.
    */
  final class MessageDigest(label: String, hash: Digest.Hash, name: String) extends PrefixedScheme(name, label + "{") {
    override def isWeak: Boolean = true

    def parseRest(rest: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.fields(rest, '}', 2)
        _ <- Text.salt(parts(0))
        salt = Text.utf8(s"{${parts(0)}}")
        output <- LowerHex.decode(parts(1))
        encoded <- EncodedHash(this, new Digest(hash, Digest.SaltLast, salt), output) { bytes =>
          s"$prefix${parts(0)}}${LowerHex.encode(bytes)}"
        }
      } yield encoded
  }

  /** `StandardPasswordEncoder`: salt and output in hexadecimal. */
  case object Sha256 extends PrefixedScheme("spring-sha256", "{sha256}") {
    override def isWeak: Boolean = true

    /** LDAP's hash behind the same label is Base64, and shorter. */
    override def claims(stored: String): Boolean = super.claims(stored) && stored.length == prefix.length + 2 * (SaltBytes + 32)

    def parseRest(rest: String): Either[ParseError, EncodedHash] =
      for {
        bytes <- LowerHex.decode(rest)
        parts <- Text.splitAt(bytes, SaltBytes)
        (salt, output) = parts
        encoded <- EncodedHash(this, new Digest(Digest.Sha256, Digest.SaltFirst, salt, Passes), output) { bytes =>
          prefix + LowerHex.encode(salt ++ bytes)
        }
      } yield encoded

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
