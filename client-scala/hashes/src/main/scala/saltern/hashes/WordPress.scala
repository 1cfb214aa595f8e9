package saltern.hashes

/** WordPress 6.8 and later: `$wp$2y$…`, bcrypt of a keyed digest of the password. Source: WordPress
  * `wp-includes/pluggable.php`.
  */
private[hashes] case object WordPress extends Scheme("wordpress") {

  /** PHP's `trim` removes these from new passwords and from passwords to verify. */
  private val Trimmed = " \t\n\r\u0000\u000b"
  override val reading: Reading = Reading(trims = Trimmed, preparation = Preparation.WordPress)

  def claims(stored: String): Boolean = stored.startsWith("$wp$")

  def parse(stored: String): Either[ParseError, EncodedHash] =
    BcryptScheme.parseBehind("$wp", this, stored).filterOrElse(_ => stored.startsWith("$wp$2y$"), ParseError.Invalid)
}
