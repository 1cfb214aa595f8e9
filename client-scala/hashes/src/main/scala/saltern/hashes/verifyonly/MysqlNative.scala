package saltern.hashes
package verifyonly

/** MySQL since 4.1 and MariaDB: `*` and the SHA-1 of the SHA-1 in upper-case hexadecimal. Source:
  * MariaDB `sql/password.c`.
  */
private[hashes] case object MysqlNative extends PrefixedScheme("mysql-native", "*") {
  override def isWeak: Boolean = true

  /** The marks of locked accounts begin so, too. */
  override def claims(stored: String): Boolean = super.claims(stored) && stored.length == prefix.length + 2 * Digest.Sha1.outputBytes

  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      output <- UpperHex.decode(rest)
      setting = new Digest(Digest.Sha1, Digest.SaltFirst, Array.emptyByteArray, Passes)
      encoded <- EncodedHash(this, setting, output)(bytes => prefix + UpperHex.encode(bytes))
    } yield encoded

  private val Passes = 2
}
