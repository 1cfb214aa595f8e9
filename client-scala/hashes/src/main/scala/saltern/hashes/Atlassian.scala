package saltern.hashes

/** Atlassian's `{PKCS5S2}` and the Base64 of salt and output. The string does not state the costs.
  * Source: `com.atlassian.security.password.PKCS5S2PasswordHashGenerator`; passlib
  * `atlassian_pbkdf2_sha1`.
  */
private[hashes] case object Atlassian extends Scheme("atlassian-pkcs5s2") {
  def claims(stored: String): Boolean = stored.startsWith(Head)

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      text <- Text.after(Head, stored)
      bytes <- PaddedBase64.decode(text)
      parts <- Text.splitAt(bytes, SaltBytes)
      (salt, output) = parts
      encoded <- Pbkdf2Scheme.in(this, Params.Prf.Sha1, Iterations, salt, OutputBytes, output) { bytes =>
        Head + PaddedBase64.encode(salt ++ bytes)
      }
    } yield encoded

  private val Head = "{PKCS5S2}"
  private val Iterations = 10000L
  private val SaltBytes = 16
  private val OutputBytes = 32
}
