package saltern.hashes

/** A site's preparation of a password before the hash, in front of the hash that the site stored:
  * `$saltern-prep$v=1,p=<name>[,k=<site key id>]$<inner>` (`functions/encoded`, `prepared.rs`).
  */
private[saltern] sealed abstract class SitePreparation(val name: String) {

  /** The id of the pepper, if the site had one. */
  def siteKey: Option[String] = None

  /** Returns the text that the site hashed. It is as secret as the password. The caller wipes it.
    */
  def apply(siteKey: Array[Byte], password: Array[Byte]): Array[Byte]

  /** Returns the end of a password of so many bytes in the text. It is 0 if the text is a digest:
    * no part of the password is ignored with a part of the digest.
    */
  def passwordEnd(siteKeyBytes: Int, passwordBytes: Int): Int

}

private[saltern] object SitePreparation {

  /** The hash is of a digest, in text. */
  sealed abstract class OfDigest(name: String, preparation: Preparation) extends SitePreparation(name) {
    def apply(siteKey: Array[Byte], password: Array[Byte]): Array[Byte] = preparation(Array.emptyByteArray, password)
    def passwordEnd(siteKeyBytes: Int, passwordBytes: Int): Int = 0
  }
  case object Md5Hex extends OfDigest("md5-hex", Preparation.HexMd5)
  case object Sha1Hex extends OfDigest("sha1-hex", Preparation.HexSha1)
  case object Sha256Base64 extends OfDigest("sha256-base64", Preparation.Base64Sha256)

  /** The password, then the pepper. */
  final case class PepperAppend(id: String) extends SitePreparation("pepper-append") {
    override def siteKey: Option[String] = Some(id)
    def apply(siteKey: Array[Byte], password: Array[Byte]): Array[Byte] = password ++ siteKey
    def passwordEnd(siteKeyBytes: Int, passwordBytes: Int): Int = passwordBytes
  }

  /** The pepper, then the password. */
  final case class PepperPrepend(id: String) extends SitePreparation("pepper-prepend") {
    override def siteKey: Option[String] = Some(id)
    def apply(siteKey: Array[Byte], password: Array[Byte]): Array[Byte] = siteKey ++ password
    def passwordEnd(siteKeyBytes: Int, passwordBytes: Int): Int = siteKeyBytes + passwordBytes
  }

  /** Returns `None` if the string is no hash of a prepared password. */
  private[hashes] def parse(stored: String): Option[Either[ParseError, EncodedHash]] =
    Option.when(stored.startsWith(Mark)) {
      for {
        parts <- Text.splitOnce(stored.substring(Mark.length), '$')
        preparation <- named(parts._1)
        inner <- EncodedHash.parse(parts._2)
        // `saltern wrap` puts its layer around a prepared hash, and one hash is prepared once.
        _ <- Text.valid(inner.sitePreparation.isEmpty && inner.scheme != WrappedScheme)
      } yield inner.preparedBy(preparation, s"$Mark${parts._1}$$")
    }

  private def named(parameters: String): Either[ParseError, SitePreparation] = parameters match {
    case Parameters(version, name, key) =>
      Text.field(version, "v").filterOrElse(_ == 1, ParseError.Unsupported).flatMap { _ =>
        (name, Option(key)) match {
          case ("pepper-append", Some(id)) if Sealed.isKeyId(id)  => Right(PepperAppend(id))
          case ("pepper-prepend", Some(id)) if Sealed.isKeyId(id) => Right(PepperPrepend(id))
          case ("pepper-append" | "pepper-prepend", _)            => Left(ParseError.Invalid)
          case (digest, key)                                      =>
            digests.find(_.name == digest).toRight(ParseError.Unsupported).filterOrElse(_ => key.isEmpty, ParseError.Invalid)
        }
      }
    case _ => Left(ParseError.Invalid)
  }

  private lazy val digests: Seq[SitePreparation] = Seq(Md5Hex, Sha1Hex, Sha256Base64)

  private val Mark = "$saltern-prep$"
  private val Parameters = "(?s)(v=[^,]*),p=(.*?)(?:,k=(.*))?".r
}
