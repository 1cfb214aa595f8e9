package saltern.hashes

/** argon2id over a weak hash, made without knowing the password:
  * `$saltern-wrap$argon2id$v=19$m=…,t=…,p=…$<salt>$<output>$<inner>`.
  *
  * `<inner>` is the stored hash that was wrapped, with zeros for its output. argon2id's password is
  * the original hash, byte for byte. So a login computes the inner hash of the given password,
  * prints it as its scheme does, and hashes that string with argon2id (`functions/encoded`,
  * `wrapped.rs`).
  */
private[hashes] case object WrappedScheme extends Scheme("wrapped") {
  def claims(stored: String): Boolean = stored.startsWith(Prefix + "$")

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      layers <- Text.after(Prefix, stored)
      // The fields of a PHC string with its version: the dollar sign after them ends the outer
      // layer.
      end <- nthDollar(layers, OuterFields).toRight(ParseError.Invalid)
      (outerText, innerText) = (layers.substring(0, end), layers.substring(end + 1))
      _ <- Scheme.oneOf(Seq(Argon2Scheme), outerText)
      outer <- Argon2Scheme.parse(outerText)
      inner <- EncodedHash.parse(innerText)
      _ <- Text.valid(canBeInner(inner) && inner.output.forall(_ == 0))
      setting <- outer.setting match {
        case own: Setting.Argon2 if isFresh(own) => Right(own)
        case _                                   => Left(ParseError.Invalid)
      }
      encoded <- EncodedHash(this, Setting.Wrapped(setting, inner), outer.output) { bytes =>
        s"$Prefix${setting.print(bytes)}$$${inner.print}"
      }
    } yield encoded

  /** The form in which the service wraps. No other form was ever written. */
  private def isFresh(outer: Setting.Argon2): Boolean =
    outer.params.variant == Params.Variant.Id && outer.params.version == Params.Version.V19 &&
      outer.spelling == Setting.Argon2.Spelling.Canonical &&
      outer.salt.length == Setting.NewSaltBytes && outer.outputBytes == Setting.NewOutputBytes

  private def canBeInner(inner: EncodedHash): Boolean = inner.setting match {
    case _: Setting.Wrapped | _: Setting.OfProject => false
    case _                                         => true
  }

  private def nthDollar(text: String, number: Int): Option[Int] =
    text.indices.filter(text.charAt(_) == '$').lift(number)

  private val Prefix = "$saltern-wrap"

  /** `$argon2id$v=19$m=…$<salt>$<output>` */
  private val OuterFields = 5
}
