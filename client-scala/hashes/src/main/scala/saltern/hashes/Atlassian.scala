package saltern.hashes

/** Atlassian's `{PKCS5S2}` and the Base64 of salt and output. The string does not state the costs.
  * Source: `com.atlassian.security.password.PKCS5S2PasswordHashGenerator`; passlib
  * `atlassian_pbkdf2_sha1`.
  */
private[hashes] case object Atlassian extends PrefixedScheme("atlassian-pkcs5s2", "{PKCS5S2}") {
  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      bytes <- PaddedBase64.decode(rest)
      parts <- Text.splitAt(bytes, SaltBytes)
      (salt, output) = parts
      encoded <- Pbkdf2Scheme.in(this, Params.Prf.Sha1, Iterations, salt, OutputBytes, output) { bytes =>
        prefix + PaddedBase64.encode(salt ++ bytes)
      }
    } yield encoded

  private val Iterations = 10000L
  private val SaltBytes = 16
  private val OutputBytes = 32
}
