package saltern.hashes

import saltern.client.StoredText

/** The text of a stored hash: strict parse and print, no cryptography. It reads the same forms as
  * the service's parser (`functions/encoded`). A string is accepted only in the form that its
  * scheme's reference software prints: `parse(s)` succeeds only if printing the result gives `s`
  * again.
  *
  * @param form prints an output under this setting, in the form that was read
  * @param sitePreparation what the site did with the password before the hash
  */
private[saltern] final class EncodedHash private (
    val scheme: Scheme,
    val setting: Setting,
    val output: Array[Byte],
    form: Array[Byte] => String,
    val sitePreparation: Option[SitePreparation] = None
) {
  def print: String = form(output)

  /** Returns the same setting in the same form with another output of the same length. */
  def withOutput(other: Array[Byte]): EncodedHash = new EncodedHash(scheme, setting, other, form, sitePreparation)

  /** The innermost hash of a wrapped one, or this hash. */
  def innermost: EncodedHash = setting match {
    case Setting.Wrapped(_, inner) => inner
    case _                         => this
  }

  /** Returns this hash in another scheme's form: `before`, followed by this one's text. */
  private[hashes] def behind(before: String, other: Scheme = scheme): EncodedHash =
    new EncodedHash(other, setting, output, bytes => before + form(bytes))

  /** Returns this hash behind the text that names a site's preparation. */
  private[hashes] def preparedBy(preparation: SitePreparation, before: String): EncodedHash =
    new EncodedHash(scheme, setting, output, bytes => before + form(bytes), Some(preparation))

  /** Whether the scheme or the site prepared the password. */
  def isPrepared: Boolean = sitePreparation.isDefined || scheme.reading.preparation != Preparation.None

  override def toString: String = s"EncodedHash(${scheme.name}, ${setting.params}, ..)"
}

private[saltern] object EncodedHash {

  def parse(stored: String): Either[ParseError, EncodedHash] =
    if (StoredText.isTooLong(stored, StoredText.MaxBytes)) Left(ParseError.Invalid)
    else
      SitePreparation
        .parse(stored)
        .orElse(Label.parse(stored))
        .getOrElse(Scheme.of(stored).toRight(Scheme.unread(stored)).flatMap(_.parse(stored)))
        // Accepts only the one form, even if a scheme's parser accepts more.
        .filterOrElse(_.print == stored, ParseError.Invalid)

  /** Returns Invalid if the output does not have the length that the setting names. */
  private[hashes] def apply(scheme: Scheme, setting: Setting, output: Array[Byte])(
      form: Array[Byte] => String
  ): Either[ParseError, EncodedHash] =
    Either.cond(output.length == setting.outputBytes, new EncodedHash(scheme, setting, output, form), ParseError.Invalid)
}

/** The reason why a stored hash was not read. It contains nothing of the string. */
private[saltern] sealed trait ParseError
private[saltern] object ParseError {

  /** The scheme is known, but the rest is not in the form that its reference software prints. */
  case object Invalid extends ParseError

  /** A variant that the contract refuses everywhere. */
  case object Unsupported extends ParseError

  /** This client does not compute the scheme. The service may. */
  case object UnknownScheme extends ParseError
}
