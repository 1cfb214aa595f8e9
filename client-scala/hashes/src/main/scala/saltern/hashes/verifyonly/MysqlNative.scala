package saltern.hashes
package verifyonly

/** MySQL since 4.1 and MariaDB: `*` and the SHA-1 of the SHA-1 in upper-case hexadecimal. Source:
  * MariaDB `sql/password.c`.
  */
private[hashes] case object MysqlNative extends Scheme("mysql-native") {
  override def isWeak: Boolean = true

  /** The marks of locked accounts begin so, too. */
  def claims(stored: String): Boolean = stored.startsWith(Mark) && stored.length == Mark.length + 2 * Digest.Sha1.outputBytes

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      text <- Text.after(Mark, stored)
      output <- UpperHex.decode(text)
      setting = new Digest(Digest.Sha1, Digest.SaltFirst, Array.emptyByteArray, Passes)
      encoded <- EncodedHash(this, setting, output)(bytes => Mark + UpperHex.encode(bytes))
    } yield encoded

  private val Mark = "*"
  private val Passes = 2
}
