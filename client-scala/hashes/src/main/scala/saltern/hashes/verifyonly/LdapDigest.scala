package saltern.hashes
package verifyonly

/** `{SSHA}` and the Base64 of digest and salt, one after the other, or their hexadecimal. A salt
  * has any length: OpenLDAP has drawn 4 and 8 bytes, others 16. Source: RFC 2307 §5.3; OpenLDAP
  * `libraries/liblutil/passwd.c`; Dovecot `src/auth/password-scheme.c`; passlib `ldap_digests`.
  *
  * @param others further labels, each with its encoding
  */
private[hashes] final class LdapDigest(label: String, hash: Digest.Hash, salted: Boolean, others: Seq[(String, Encoding)])
    extends Scheme("ldap-" + label.toLowerCase(java.util.Locale.ROOT)) {
  override def isWeak: Boolean = true

  /** In upper case, or as in the examples of RFC 2307. */
  private val heads: Seq[(String, Encoding)] =
    Seq(label, label.toLowerCase(java.util.Locale.ROOT)).map(name => s"{$name}" -> PaddedBase64) ++ others

  def claims(stored: String): Boolean =
    heads.exists { case (head, _) => stored.startsWith(head) } && !SpringDigests.all.exists(_.claims(stored)) &&
      !stored.startsWith(Label.Md5Crypt)

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      headAndEncoding <- heads.find { case (head, _) => stored.startsWith(head) }.toRight(ParseError.Invalid)
      (head, encoding) = headAndEncoding
      bytes <- encoding.decode(stored.substring(head.length))
      parts <- Text.splitAt(bytes, hash.outputBytes)
      (output, salt) = parts
      _ <- Text.valid(salt.nonEmpty == salted)
      encoded <- EncodedHash(this, new Digest(hash, Digest.SaltLast, salt), output)(bytes => head + encoding.encode(bytes ++ salt))
    } yield encoded
}

private[hashes] object LdapDigest {
  val schemes: Seq[Scheme] = Seq(
    new LdapDigest("MD5", Digest.Md5, salted = false, ("{LDAP-MD5}" -> PaddedBase64) +: ("{PLAIN-MD5}" -> LowerHex) +: dovecot("LDAP-MD5", "PLAIN-MD5")),
    new LdapDigest("SHA", Digest.Sha1, salted = false, ("{SHA1}" -> PaddedBase64) +: (spring("SHA") ++ dovecot("SHA", "SHA1"))),
    new LdapDigest("SHA256", Digest.Sha256, salted = false, dovecot("SHA256")),
    new LdapDigest("SHA384", Digest.Sha384, salted = false, Nil),
    new LdapDigest("SHA512", Digest.Sha512, salted = false, dovecot("SHA512")),
    new LdapDigest("SMD5", Digest.Md5, salted = true, dovecot("SMD5")),
    new LdapDigest("SSHA", Digest.Sha1, salted = true, spring("SSHA") ++ dovecot("SSHA")),
    new LdapDigest("SSHA256", Digest.Sha256, salted = true, dovecot("SSHA256")),
    new LdapDigest("SSHA384", Digest.Sha384, salted = true, Nil),
    new LdapDigest("SSHA512", Digest.Sha512, salted = true, dovecot("SSHA512"))
  )

  /** Dovecot names the encoding behind the scheme. */
  private def dovecot(names: String*): Seq[(String, Encoding)] = names.flatMap { name =>
    Seq(s"{$name.HEX}" -> LowerHex, s"{$name.B64}" -> PaddedBase64, s"{$name.BASE64}" -> PaddedBase64)
  }

  /** Spring Security's `LdapShaPasswordEncoder`, under its id. */
  private def spring(name: String): Seq[(String, Encoding)] =
    Seq(name, name.toLowerCase(java.util.Locale.ROOT)).map(label => s"{ldap}{$label}" -> PaddedBase64)
}
