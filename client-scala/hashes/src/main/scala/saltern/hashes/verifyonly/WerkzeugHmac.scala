package saltern.hashes
package verifyonly

/** Werkzeug before 3.0: `sha256$<salt>$<hex>`, HMAC keyed with the salt, which is used as the text
  * that it is. `sha1$` and `md5$` were Django's too, and are not read as Werkzeug's. Source:
  * Werkzeug `src/werkzeug/security.py`.
  */
private[hashes] case object WerkzeugHmac extends Scheme("werkzeug-hmac") {
  override def isWeak: Boolean = true

  /** A string with more fields than salt and output is not Werkzeug's: the Node package
    * password-hash prints four.
    */
  def claims(stored: String): Boolean =
    functions.keys.exists(name => stored.startsWith(name + "$")) && stored.count(_ == '$') == 2

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(stored, '$', 3)
      hash <- functions.get(parts(0)).toRight(ParseError.Invalid)
      salt <- Text.salt(parts(1))
      output <- LowerHex.decode(parts(2))
      encoded <- EncodedHash(this, new Digest(hash, Digest.SaltAsKey, salt), output) { bytes =>
        s"${parts(0)}$$${parts(1)}$$${LowerHex.encode(bytes)}"
      }
    } yield encoded

  private val functions = Map("sha256" -> Digest.Sha256, "sha512" -> Digest.Sha512)
}
