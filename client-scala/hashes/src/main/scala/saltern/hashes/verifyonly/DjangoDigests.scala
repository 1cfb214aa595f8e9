package saltern.hashes
package verifyonly

/** Django's unsalted and fast hashes.
  *
  * `sha1$<salt>$<hex>` is not read because it is ambiguous. In Django before 5.1 it is SHA-1 of
  * salt and password. In Werkzeug before 0.9 it is HMAC-SHA-1 keyed with the salt. Source: Django
  * `django/contrib/auth/hashers.py`.
  */
private[hashes] object DjangoDigests {

  /** `md5$<salt>$<hex>`: MD5 of salt and password. */
  case object Md5 extends SaltAndHex("django-md5", Map("md5" -> Digest.Md5), Digest.SaltFirst)

  /** `sha1$$<hex>`: SHA-1 of the password alone. Only Django marks a missing salt in this way. */
  case object UnsaltedSha1 extends PrefixedScheme("django-unsalted-sha1", "sha1$$") {
    override def isWeak: Boolean = true

    def parseRest(rest: String): Either[ParseError, EncodedHash] =
      for {
        output <- LowerHex.decode(rest)
        encoded <- EncodedHash(this, new Digest(Digest.Sha1, Digest.SaltFirst, Array.emptyByteArray), output) { bytes =>
          prefix + LowerHex.encode(bytes)
        }
      } yield encoded
  }

  val all: Seq[Scheme] = Seq(Md5, UnsaltedSha1)
}
