package saltern.hashes

/** `{PBKDF2-SHA256}<iterations>$<salt>$<output>`. Source: OpenLDAP `contrib/slapd-modules/passwd`;
  * passlib `ldap_pbkdf2_digests`; 389 Directory Server `src/plugins/pwdchan/src/lib.rs`.
  */
private[hashes] final class LdapPbkdf2(name: String, prf: Params.Prf, heads: String*) extends Scheme(name, "ldap-pbkdf2") {
  def claims(stored: String): Boolean = heads.exists(stored.startsWith)

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      head <- heads.find(stored.startsWith).toRight(ParseError.Invalid)
      parts <- Text.fields(stored.substring(head.length), '$', 3)
      encoded <- PasslibPbkdf2.parse(this, head, prf, parts(0), parts(1), parts(2), LdapPbkdf2.encodingOf(parts(2)))
    } yield encoded
}

private[hashes] object LdapPbkdf2 {

  /** 389 Directory Server pads (`functions/encoded`, deviations). No block is without padding. */
  private def encodingOf(output: String): Encoding = if (output.endsWith("=")) PaddedBase64 else AdaptedBase64

  val schemes: Seq[Scheme] = Seq(
    new LdapPbkdf2("ldap-pbkdf2", Params.Prf.Sha1, "{PBKDF2}", "{PBKDF2-SHA1}"),
    new LdapPbkdf2("ldap-pbkdf2-sha256", Params.Prf.Sha256, "{PBKDF2-SHA256}"),
    new LdapPbkdf2("ldap-pbkdf2-sha512", Params.Prf.Sha512, "{PBKDF2-SHA512}")
  )
}
