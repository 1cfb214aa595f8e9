package saltern.client.local

import java.nio.charset.StandardCharsets.UTF_8

/** The text of a stored hash: strict parse and print, no cryptography. The same forms as the service's own parser reads
  * (`functions/encoded`): a string is accepted only in the one form that its scheme's reference software prints, so that
  * `parse(s)` succeeds only if printing gives `s` again.
  *
  * @param form prints an output under this setting, in the form that was read
  */
private[saltern] final class EncodedHash private (
    val scheme: Scheme,
    val setting: Setting,
    val output: Array[Byte],
    form: Array[Byte] => String
) {
  def print: String = form(output)

  /** The same setting in the same form with another output of the same length. */
  def withOutput(other: Array[Byte]): EncodedHash = new EncodedHash(scheme, setting, other, form)

  /** The hash beneath, where one is wrapped. */
  def innermost: EncodedHash = setting match {
    case Setting.Wrapped(_, inner) => inner
    case _                         => this
  }

  /** The same in another scheme's form: `before`, and what this one prints. */
  private[local] def behind(before: String, other: Scheme = scheme): EncodedHash =
    new EncodedHash(other, setting, output, bytes => before + form(bytes))

  override def toString: String = s"EncodedHash(${scheme.name}, ${setting.params}, ..)"
}

private[saltern] object EncodedHash {

  /** Longest stored hash that is looked at, in bytes (HTTP contract, "Passwords and hashes"). */
  val MaxBytes: Int = 1024

  def parse(stored: String): Either[ParseError, EncodedHash] =
    if (isTooLong(stored)) Left(ParseError.Invalid)
    else
      Label.parse(stored).getOrElse(Scheme.of(stored).toRight(Scheme.unread(stored)).flatMap(_.parse(stored)))
        // Whatever a scheme's parser let pass, here is the one form.
        .filterOrElse(_.print == stored, ParseError.Invalid)

  /** Counted in bytes of UTF-8, and not encoded where the characters alone are too many. */
  def isTooLong(stored: String): Boolean = stored.length > MaxBytes || stored.getBytes(UTF_8).length > MaxBytes

  /** Invalid where the output has not the length that the setting names. */
  private[local] def apply(scheme: Scheme, setting: Setting, output: Array[Byte])(
      form: Array[Byte] => String
  ): Either[ParseError, EncodedHash] =
    Either.cond(output.length == setting.outputBytes, new EncodedHash(scheme, setting, output, form), ParseError.Invalid)
}

/** Why a stored hash was not read. It carries nothing of the string. */
private[saltern] sealed trait ParseError
private[saltern] object ParseError {

  /** The scheme is known; the rest is not the one form that its reference software prints. */
  case object Invalid extends ParseError

  /** A variant that the contract refuses everywhere. */
  case object Unsupported extends ParseError

  /** Not a scheme that this client computes. The service may. */
  case object UnknownScheme extends ParseError
}
