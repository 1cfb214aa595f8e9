package saltern.client.local

/** `{SSHA}` and the Base64 of digest and salt, one after the other. A salt has any length: OpenLDAP has drawn 4 and 8 bytes,
  * others 16. Source: RFC 2307 §5.3; OpenLDAP `libraries/liblutil/passwd.c`; passlib `ldap_digests`.
  */
private[local] final class LdapDigest(label: String, hash: Digest.Hash, salted: Boolean)
    extends Scheme("ldap-" + label.toLowerCase(java.util.Locale.ROOT)) {
  override def isWeak: Boolean = true

  /** In upper case, or as RFC 2307 has it in its examples. */
  private val heads = Seq(s"{$label}", s"{${label.toLowerCase(java.util.Locale.ROOT)}}")

  def claims(stored: String): Boolean = heads.exists(stored.startsWith) && !Spring.digests.exists(_.claims(stored))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      head <- heads.find(stored.startsWith).toRight(ParseError.Invalid)
      bytes <- PaddedBase64.decode(stored.substring(head.length))
      parts <- Text.splitAt(bytes, hash.outputBytes)
      (output, salt) = parts
      _ <- Text.valid(salt.nonEmpty == salted)
      encoded <- EncodedHash(this, new Digest(hash, Digest.SaltLast, salt), output)(bytes => head + PaddedBase64.encode(bytes ++ salt))
    } yield encoded
}

private[local] object LdapDigest {
  val schemes: Seq[Scheme] = Seq(
    new LdapDigest("MD5", Digest.Md5, salted = false),
    new LdapDigest("SHA", Digest.Sha1, salted = false),
    new LdapDigest("SHA256", Digest.Sha256, salted = false),
    new LdapDigest("SHA512", Digest.Sha512, salted = false),
    new LdapDigest("SMD5", Digest.Md5, salted = true),
    new LdapDigest("SSHA", Digest.Sha1, salted = true),
    new LdapDigest("SSHA256", Digest.Sha256, salted = true),
    new LdapDigest("SSHA512", Digest.Sha512, salted = true)
  )
}

/** `{PBKDF2-SHA256}<iterations>$<salt>$<output>`. Source: OpenLDAP `contrib/slapd-modules/passwd`; passlib
  * `ldap_pbkdf2_digests`.
  */
private[local] final class LdapPbkdf2(name: String, prf: Params.Prf, heads: String*) extends Scheme(name) {
  def claims(stored: String): Boolean = heads.exists(stored.startsWith)

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      head <- heads.find(stored.startsWith).toRight(ParseError.Invalid)
      parts <- Text.fields(stored.substring(head.length), '$', 3)
      encoded <- PasslibPbkdf2.parse(this, head, prf, parts(0), parts(1), parts(2))
    } yield encoded
}

private[local] object LdapPbkdf2 {
  val schemes: Seq[Scheme] = Seq(
    new LdapPbkdf2("ldap-pbkdf2", Params.Prf.Sha1, "{PBKDF2}", "{PBKDF2-SHA1}"),
    new LdapPbkdf2("ldap-pbkdf2-sha256", Params.Prf.Sha256, "{PBKDF2-SHA256}"),
    new LdapPbkdf2("ldap-pbkdf2-sha512", Params.Prf.Sha512, "{PBKDF2-SHA512}")
  )
}
