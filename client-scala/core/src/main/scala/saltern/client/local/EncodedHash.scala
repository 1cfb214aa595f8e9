package saltern.client.local

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

/** The text of a stored hash: strict parse and print, no cryptography. The same forms as the service's own parser reads
  * (`functions/encoded`): a string is accepted only in the one form that its scheme's reference software prints, so that
  * `parse(s)` succeeds only if printing gives `s` again.
  */
private[saltern] final class EncodedHash(val setting: Setting, val output: Array[Byte]) {
  def print: String = setting.print(output)
  override def toString: String = s"EncodedHash(${setting.params}, ..)"
}

private[saltern] object EncodedHash {

  /** Longest stored hash that is looked at, in bytes (HTTP contract, "Passwords and hashes"). */
  val MaxBytes: Int = 1024

  def parse(stored: String): Either[ParseError, EncodedHash] =
    if (isTooLong(stored)) Left(ParseError.Invalid)
    else if (!stored.startsWith("$")) Left(ParseError.UnknownScheme)
    else
      splitOnce(stored.substring(1), '$') match {
        case None                 => Left(ParseError.UnknownScheme)
        case Some((scheme, rest)) => parseScheme(scheme, rest)
      }

  /** Counted in bytes of UTF-8, and not encoded where the characters alone are too many. */
  def isTooLong(stored: String): Boolean = stored.length > MaxBytes || stored.getBytes(UTF_8).length > MaxBytes

  private def parseScheme(scheme: String, rest: String): Either[ParseError, EncodedHash] = scheme match {
    case "2a" | "2b" | "2y"                           => parseBcrypt(scheme, rest)
    case "argon2d" | "argon2i" | "argon2id"           => parseArgon2(scheme, rest)
    case "pbkdf2" | "pbkdf2-sha256" | "pbkdf2-sha512" => parsePbkdf2(scheme, rest)
    case "scrypt"                                     => parseScrypt(rest)
    // Its sign-extension bug makes it another algorithm, and the contract refuses it by name.
    case "2x" => Left(ParseError.Unsupported)
    case _    => Left(ParseError.UnknownScheme)
  }

  private def parseBcrypt(prefix: String, rest: String): Either[ParseError, EncodedHash] =
    for {
      parts <- splitOnce(rest, '$').toRight(ParseError.Invalid)
      (costText, body) = parts
      _ <- valid(costText.length == 2 && digits(costText) && body.length == 53)
      params <- Params.Bcrypt(costText.toInt).toRight(ParseError.Invalid)
      salt <- BcryptBase64.decode(body.substring(0, 22), ignorePadding = true).toRight(ParseError.Invalid)
      output <- BcryptBase64.decode(body.substring(22), ignorePadding = false).toRight(ParseError.Invalid)
      padding = BcryptBase64.paddingOfSalt(body.charAt(21))
    } yield new EncodedHash(Setting.Bcrypt(prefix, params, salt, padding), output)

  private def parseArgon2(variantName: String, rest: String): Either[ParseError, EncodedHash] =
    for {
      variant <- Params.Variant.named(variantName).toRight(ParseError.Invalid)
      parts <- splitOnce(rest, '$').toRight(ParseError.Invalid)
      (first, afterFirst) = parts
      versioned <-
        if (!first.startsWith("v=")) Right((None, first, afterFirst))
        else
          for {
            number <- field(first, "v")
            version <- Params.Version.numbered(number).toRight(ParseError.Unsupported)
            costsAndRest <- splitOnce(afterFirst, '$').toRight(ParseError.Invalid)
          } yield (Some(version), costsAndRest._1, costsAndRest._2)
      (version, costs, saltAndOutput) = versioned
      // Argon2id is younger than the field: nothing ever printed it without.
      _ <- valid(version.isDefined || variant != Params.Variant.Id)
      // A secret key or associated data changes what is computed; without them every password would be wrong.
      _ <- if (costs.contains(",keyid=") || costs.contains(",data=")) Left(ParseError.Unsupported) else Right(())
      spelling = Setting.Argon2.spellingOf(version.isDefined, costs)
      values <- fields(costs, spelling.order*)
      value = spelling.order.zip(values).toMap
      params <- Params
        .Argon2(variant, version.getOrElse(Params.Version.V16), value("m"), value("t"), value("p"))
        .toRight(ParseError.Invalid)
      so <- saltAndOutputOf(saltAndOutput)
      _ <- valid(so._2.length >= Params.Argon2.MinOutputBytes)
    } yield new EncodedHash(Setting.Argon2(params, so._1, so._2.length, spelling), so._2)

  private def parsePbkdf2(prfName: String, rest: String): Either[ParseError, EncodedHash] =
    for {
      prf <- Params.Prf.all.find(_.scheme == prfName).toRight(ParseError.Invalid)
      parts <- splitOnce(rest, '$').toRight(ParseError.Invalid)
      il <- fields(parts._1, "i", "l")
      params <- Params.Pbkdf2(prf, il(0)).toRight(ParseError.Invalid)
      so <- saltAndOutputOf(parts._2)
      _ <- valid(il(1) == so._2.length && so._2.length >= MinOutputBytes)
    } yield new EncodedHash(Setting.Pbkdf2(params, so._1, so._2.length), so._2)

  private def parseScrypt(rest: String): Either[ParseError, EncodedHash] =
    for {
      parts <- splitOnce(rest, '$').toRight(ParseError.Invalid)
      costs <- fields(parts._1, "ln", "r", "p")
      params <- Params.Scrypt(costs(0), costs(1), costs(2)).toRight(ParseError.Invalid)
      so <- saltAndOutputOf(parts._2)
      _ <- valid(so._2.length >= MinOutputBytes)
    } yield new EncodedHash(Setting.Scrypt(params, so._1, so._2.length), so._2)

  private def valid(condition: Boolean): Either[ParseError, Unit] =
    if (condition) Right(()) else Left(ParseError.Invalid)

  private def splitOnce(text: String, separator: Char): Option[(String, String)] = text.indexOf(separator.toInt) match {
    case -1 => None
    case i  => Some((text.substring(0, i), text.substring(i + 1)))
  }

  /** Exactly these fields, in this order. */
  private def fields(text: String, names: String*): Either[ParseError, Vector[Long]] = {
    // Limit -1 keeps empty fields at the end: "m=8,t=1,p=1," has four.
    val parts = text.split(",", -1)
    if (parts.length != names.length) Left(ParseError.Invalid)
    else
      names.indices.foldLeft[Either[ParseError, Vector[Long]]](Right(Vector.empty)) { (read, i) =>
        read.flatMap(values => field(parts(i), names(i)).map(values :+ _))
      }
  }

  /** `name=<decimal>` and nothing else. */
  private def field(text: String, name: String): Either[ParseError, Long] =
    if (text.startsWith(name + "=")) decimal(text.substring(name.length + 1)) else Left(ParseError.Invalid)

  /** A decimal in its one spelling: digits, no sign, no leading zero, at most 2^32 - 1. */
  private[local] def decimal(text: String): Either[ParseError, Long] = {
    val canonical = text.nonEmpty && text.length <= 10 && digits(text) && (text.length == 1 || text.charAt(0) != '0')
    if (!canonical) Left(ParseError.Invalid)
    else Right(text.toLong).filterOrElse(_ <= MaxField, ParseError.Invalid)
  }

  private def digits(text: String): Boolean = text.forall(c => c >= '0' && c <= '9')

  private def saltAndOutputOf(text: String): Either[ParseError, (Array[Byte], Array[Byte])] =
    for {
      parts <- splitOnce(text, '$').toRight(ParseError.Invalid)
      salt <- PhcBase64.decode(parts._1).toRight(ParseError.Invalid)
      output <- PhcBase64.decode(parts._2).toRight(ParseError.Invalid)
      _ <- valid(salt.length >= MinSaltBytes)
    } yield (salt, output)

  /** Shortest salt that is read, in bytes (RFC 8018 §4.1, RFC 9106 §3.1: eight octets). */
  private val MinSaltBytes = 8

  /** Shortest output that is read where the scheme sets no bound of its own, in bytes (PHC string format: 80 bits). */
  private val MinOutputBytes = 10

  /** Fields are 32 bits wide. */
  private val MaxField = 0xffffffffL
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

/** Unpadded standard Base64 whose unused trailing bits are zero. */
private[local] object PhcBase64 {
  def encode(bytes: Array[Byte]): String = Base64.getEncoder.withoutPadding.encodeToString(bytes)

  def decode(text: String): Option[Array[Byte]] =
    if (text.indexOf('=') >= 0) None
    else
      try Some(Base64.getDecoder.decode(text)).filter(encode(_) == text)
      catch { case _: IllegalArgumentException => None }
}

/** bcrypt's own Base64: another alphabet, no padding. */
private[local] object BcryptBase64 {
  private val Own = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  private val Standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /** 22 characters carry 132 bits, four more than the salt has. */
  private val SaltPaddingBits = 0xf

  def encode(bytes: Array[Byte]): String = PhcBase64.encode(bytes).map(c => Own.charAt(Standard.indexOf(c.toInt)))

  def decode(text: String, ignorePadding: Boolean): Option[Array[Byte]] =
    if (!text.forall(c => Own.indexOf(c.toInt) >= 0)) None
    else {
      val standard = text.map(c => Standard.charAt(Own.indexOf(c.toInt)))
      val bytes =
        try Some(Base64.getDecoder.decode(standard))
        catch { case _: IllegalArgumentException => None }
      bytes.filter(ignorePadding || encode(_) == text)
    }

  def paddingOfSalt(last: Char): Int = Own.indexOf(last.toInt) & SaltPaddingBits

  def withPadding(salt: String, padding: Int): String =
    s"${salt.init}${Own.charAt(Own.indexOf(salt.last.toInt) | padding)}"
}
