package saltern.hashes

import java.util.Base64

/** A text encoding of bytes. Every byte string has exactly one text: decoded text prints the same
  * again.
  */
private[hashes] sealed abstract class Encoding {
  def encode(bytes: Array[Byte]): String

  final def decode(text: String): Either[ParseError, Array[Byte]] =
    loose(text).filter(encode(_) == text).toRight(ParseError.Invalid)

  /** May accept text that is never printed. */
  protected def loose(text: String): Option[Array[Byte]]
}

/** Standard Base64 with its padding. */
private[hashes] object PaddedBase64 extends Encoding {
  def encode(bytes: Array[Byte]): String = Base64.getEncoder.encodeToString(bytes)

  protected[hashes] def loose(text: String): Option[Array[Byte]] =
    try Some(Base64.getDecoder.decode(text))
    catch { case _: IllegalArgumentException => None }
}

/** Base64 without padding in a given alphabet, the highest bits first: that of the PHC string
  * format, bcrypt, passlib or DES crypt.
  */
private[hashes] sealed abstract class BareBase64(protected val alphabet: String) extends Encoding {
  private val standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  def encode(bytes: Array[Byte]): String =
    Base64.getEncoder.withoutPadding.encodeToString(bytes).map(c => alphabet.charAt(standard.indexOf(c.toInt)))

  /** Bits beyond the last byte are dropped. */
  protected[hashes] def loose(text: String): Option[Array[Byte]] =
    if (!text.forall(c => alphabet.indexOf(c.toInt) >= 0)) None
    else PaddedBase64.loose(text.map(c => standard.charAt(alphabet.indexOf(c.toInt))))
}

private[hashes] object PhcBase64 extends BareBase64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

/** passlib's "adapted Base64": a point in place of the plus. */
private[hashes] object AdaptedBase64 extends BareBase64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./")

/** The output of DES crypt(3). */
private[hashes] object DesBase64 extends BareBase64(CryptBase64.Alphabet)

private[hashes] object BcryptBase64 extends BareBase64("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") {

  /** 22 characters carry 132 bits, four more than the salt has. */
  private val SaltPaddingBits = 0xf

  def decodeSalt(text: String): Either[ParseError, Array[Byte]] = loose(text).toRight(ParseError.Invalid)

  def paddingOfSalt(last: Char): Int = alphabet.indexOf(last.toInt) & SaltPaddingBits

  def withPadding(salt: String, padding: Int): String =
    s"${salt.init}${alphabet.charAt(alphabet.indexOf(salt.last.toInt) | padding)}"
}

/** The encoding of crypt(3)'s schemes: six bits a character, the lowest bits first
  * (`functions/encoded`, `crypt.rs`).
  */
private[hashes] object CryptBase64 extends Encoding {
  final val Alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

  /** Three bytes take four characters. One or two remaining bytes take two or three. */
  def encode(bytes: Array[Byte]): String = bytes.grouped(3).map { group =>
    numberText(group.foldRight(0L)((byte, number) => number << 8 | (byte & 0xff)), group.length + 1)
  }.mkString

  protected def loose(text: String): Option[Array[Byte]] =
    Option.when(isInAlphabet(text))(text.grouped(4).flatMap { group =>
      val number = numberOf(group)
      (0 until group.length - 1).map(place => (number >> (8 * place)).toByte)
    }.toArray)

  def isInAlphabet(text: String): Boolean = text.forall(c => Alphabet.indexOf(c.toInt) >= 0)

  /** Returns a number of at most five characters. */
  def number(text: String): Either[ParseError, Long] = Either.cond(isInAlphabet(text), numberOf(text), ParseError.Invalid)

  def numberText(number: Long, characters: Int): String = (0 until characters).map(place => Alphabet.charAt((number >> (6 * place) & 0x3f).toInt)).mkString

  private def numberOf(text: String): Long =
    text.foldRight(0L)((c, number) => number << 6 | Alphabet.indexOf(c.toInt).toLong)

  /** Returns whether crypt(3) takes every character in a salt that it hashes as text. The
    * characters must be printable. Separators of crypt(3) and of `/etc/shadow` are not allowed, nor
    * are the marks of a locked account.
    */
  def isSalt(text: String): Boolean = Text.isGraphic(text) && !text.exists(c => "$!*:;\\".indexOf(c.toInt) >= 0)

  /** Returns the bytes in the order in which a scheme prints them: `order` has the index of each
    * printed byte.
    */
  def encodeInOrder(bytes: Array[Byte], order: Seq[Int]): String = encode(order.map(bytes(_)).toArray)

  /** Decodes so many bytes from the text of [[encodeInOrder]]. If a byte is printed twice, both
    * values must be equal.
    */
  def decodeInOrder(text: String, order: Seq[Int], outputBytes: Int): Either[ParseError, Array[Byte]] =
    for {
      printed <- decode(text)
      _ <- Text.valid(printed.length == order.length)
      bytes = { val bytes = new Array[Byte](outputBytes); order.zip(printed).foreach { case (at, byte) => bytes(at) = byte }; bytes }
      _ <- Text.valid(encodeInOrder(bytes, order) == text)
    } yield bytes
}

private[hashes] sealed abstract class Hex(digits: String) extends Encoding {
  def encode(bytes: Array[Byte]): String =
    bytes.iterator.flatMap(b => Iterator(digits.charAt(b >> 4 & 0xf), digits.charAt(b & 0xf))).mkString

  /** The same as bytes, for callers that must not leave a string behind. */
  def encodeToBytes(bytes: Array[Byte]): Array[Byte] = {
    val text = new Array[Byte](2 * bytes.length)
    for (at <- bytes.indices) {
      text(2 * at) = digits.charAt(bytes(at) >> 4 & 0xf).toByte
      text(2 * at + 1) = digits.charAt(bytes(at) & 0xf).toByte
    }
    text
  }

  protected def loose(text: String): Option[Array[Byte]] =
    Option.when(text.length % 2 == 0 && text.forall(c => digits.indexOf(c.toInt) >= 0))(
      text.grouped(2).map(pair => (digits.indexOf(pair.charAt(0).toInt) << 4 | digits.indexOf(pair.charAt(1).toInt)).toByte).toArray
    )
}
private[hashes] object LowerHex extends Hex("0123456789abcdef")
private[hashes] object UpperHex extends Hex("0123456789ABCDEF")

/** Splits stored strings into their parts. */
private[hashes] object Text {
  import java.nio.charset.StandardCharsets.UTF_8

  def valid(condition: Boolean): Either[ParseError, Unit] = Either.cond(condition, (), ParseError.Invalid)

  def utf8(text: String): Array[Byte] = text.getBytes(UTF_8)

  /** Returns the rest of the text behind `head`. */
  def after(head: String, text: String): Either[ParseError, String] =
    Either.cond(text.startsWith(head), text.substring(math.min(head.length, text.length)), ParseError.Invalid)

  def splitOnce(text: String, separator: Char): Either[ParseError, (String, String)] = text.indexOf(separator.toInt) match {
    case -1 => Left(ParseError.Invalid)
    case i  => Right((text.substring(0, i), text.substring(i + 1)))
  }

  def splitAt(text: String, at: Int): Either[ParseError, (String, String)] =
    Either.cond(text.length >= at, text.splitAt(at), ParseError.Invalid)

  def splitAt(bytes: Array[Byte], at: Int): Either[ParseError, (Array[Byte], Array[Byte])] =
    Either.cond(bytes.length >= at, bytes.splitAt(at), ParseError.Invalid)

  /** Returns exactly so many fields. */
  def fields(text: String, separator: Char, count: Int): Either[ParseError, Vector[String]] = {
    val fields = text.split(java.util.regex.Pattern.quote(separator.toString), -1).toVector
    Either.cond(fields.length == count, fields, ParseError.Invalid)
  }

  /** Returns the decimals of exactly these names, in this order and separated by commas. */
  def named(text: String, names: String*): Either[ParseError, Vector[Long]] =
    fields(text, ',', names.length).flatMap { parts =>
      parts.zip(names).foldLeft[Either[ParseError, Vector[Long]]](Right(Vector.empty)) { case (read, (part, name)) =>
        read.flatMap(values => field(part, name).map(values :+ _))
      }
    }

  /** Returns the value of exactly `name=<decimal>`. */
  def field(text: String, name: String): Either[ParseError, Long] = after(name + "=", text).flatMap(decimal)

  /** Returns a decimal in its one spelling: digits, no sign, no leading zero, at most 2^32 - 1. */
  def decimal(text: String): Either[ParseError, Long] = {
    val canonical = text.nonEmpty && text.length <= 10 && digits(text) && (text.length == 1 || text.charAt(0) != '0')
    if (!canonical) Left(ParseError.Invalid)
    else Right(text.toLong).filterOrElse(_ <= MaxField, ParseError.Invalid)
  }

  def digits(text: String): Boolean = text.forall(c => c >= '0' && c <= '9')

  def isGraphic(text: String): Boolean = text.forall(c => c > 0x20 && c < 0x7f)

  /** Returns a salt that is used as text. It must not contain characters that separate the parts of
    * a string.
    */
  def salt(text: String): Either[ParseError, Array[Byte]] =
    Either.cond(text.nonEmpty && isGraphic(text), utf8(text), ParseError.Invalid)

  /** Returns the logarithm of a number that software writes in full and that must be a power of
    * two.
    */
  def log2(number: Long): Either[ParseError, Long] =
    Either.cond(java.lang.Long.bitCount(number) == 1, java.lang.Long.numberOfTrailingZeros(number).toLong, ParseError.Invalid)

  /** Fields are 32 bits wide. */
  private val MaxField = 0xffffffffL
}
