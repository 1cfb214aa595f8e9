package saltern.hashes
package verifyonly

/** Werkzeug before 3.0: `sha256$<salt>$<hex>`, HMAC keyed with the salt. `sha1$` and `md5$` were
  * Django's too, and are not read as Werkzeug's. Source: Werkzeug `src/werkzeug/security.py`.
  */
private[hashes] case object WerkzeugHmac
    extends SaltAndHex("werkzeug-hmac", Map("sha256" -> Digest.Sha256, "sha512" -> Digest.Sha512), Digest.SaltAsKey) {

  /** A string with more fields than salt and output is not Werkzeug's: the Node package
    * password-hash prints four.
    */
  override def claims(stored: String): Boolean = super.claims(stored) && stored.count(_ == '$') == 2
}
