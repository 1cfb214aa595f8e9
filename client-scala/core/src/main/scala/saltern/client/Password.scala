package saltern.client

import java.util.Arrays

/** A password: its UTF-8 bytes, not normalised and never shown.
  *
  * Making a password never fails. A password that the service does not take (an unpaired surrogate,
  * more than [[Password.MaxBytes]]) fails the call, as a failed future like every other refusal.
  * Each call takes a copy and wipes it at its end. So [[wipe]] may be called as soon as the call
  * has returned its future.
  */
final class Password private (private var state: Password.State) {
  import Password.*

  /** Overwrites the bytes. Later calls with this password are refused. */
  def wipe(): Unit = synchronized {
    state match {
      case Readable(bytes) => Arrays.fill(bytes, 0.toByte)
      case _: Unreadable   => ()
    }
    state = Unreadable(RefusalCode.PasswordWiped)
  }

  private[saltern] def copy(): Password = synchronized(new Password(state match {
    case Readable(bytes)        => Readable(bytes.clone())
    case unreadable: Unreadable => unreadable
  }))

  private[saltern] def copyBytes(): Either[String, Array[Byte]] = synchronized {
    state match {
      case Readable(bytes)  => Right(bytes.clone())
      case Unreadable(code) => Left(code)
    }
  }

  override def toString: String = "Password(..)"
}

object Password {

  /** The longest password, in bytes of UTF-8 (HTTP contract). */
  val MaxBytes: Int = 1024

  /** Returns the password of a `String`, which cannot be wiped. Use the other method if the
    * characters are available.
    */
  def apply(text: CharSequence): Password = encode(text.length, text.charAt(_))

  /** Returns the password of an array of characters. The caller still owns the array and should
    * wipe it.
    */
  def apply(characters: Array[Char]): Password = encode(characters.length, characters(_))

  /** Makes a password for `use` and wipes it afterwards. */
  private[saltern] def during[A](text: CharSequence)(use: Password => A): A = {
    val password = Password(text)
    try use(password)
    finally password.wipe()
  }

  private sealed trait State
  private final case class Readable(bytes: Array[Byte]) extends State
  private final case class Unreadable(code: String) extends State

  /** Encoded by hand: no intermediate copy is left behind, and no character is replaced by `?`. */
  private def encode(length: Int, char: Int => Char): Password = {
    // A UTF-16 unit takes at most three bytes. Nothing is kept beyond the limit.
    val buffer = new Array[Byte](math.min(length.toLong * 3, (MaxBytes + 4).toLong).toInt)
    var size = 0
    var i = 0
    var problem: String = null
    def put(byte: Int): Unit = { buffer(size) = byte.toByte; size += 1 }
    while (i < length && problem == null) {
      val c = char(i)
      if (c < 0x80) put(c.toInt)
      else if (c < 0x800) { put(0xc0 | c >> 6); put(0x80 | c & 0x3f) }
      else if (!Character.isSurrogate(c)) { put(0xe0 | c >> 12); put(0x80 | c >> 6 & 0x3f); put(0x80 | c & 0x3f) }
      else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(char(i + 1))) {
        val point = Character.toCodePoint(c, char(i + 1))
        put(0xf0 | point >> 18); put(0x80 | point >> 12 & 0x3f); put(0x80 | point >> 6 & 0x3f); put(0x80 | point & 0x3f)
        i += 1
      } else problem = RefusalCode.UnpairedSurrogate
      if (size > MaxBytes) problem = RefusalCode.PasswordTooLong
      i += 1
    }
    val state = if (problem == null) Readable(Arrays.copyOf(buffer, size)) else Unreadable(problem)
    Arrays.fill(buffer, 0.toByte)
    new Password(state)
  }
}
