package saltern.client.wire

import java.util.Arrays

/** Writes a request body directly into bytes, so that a password never becomes a `String` and every
  * copy can be wiped.
  */
private[saltern] final class JsonBytes(capacity: Int) {
  private var buffer = new Array[Byte](capacity)
  private var size = 0

  /** Writes text that needs no escaping. */
  def raw(text: String): this.type = {
    ensure(text.length)
    var i = 0
    while (i < text.length) { buffer(size) = text.charAt(i).toByte; size += 1; i += 1 }
    this
  }

  def string(utf8: Array[Byte]): this.type = {
    ensure(utf8.length * LongestEscape + 2)
    put('"')
    var i = 0
    while (i < utf8.length) {
      val b = utf8(i)
      if (b == '"' || b == '\\') { put('\\'); put(b.toInt) }
      else if (b >= 0 && b < 0x20) {
        put('\\'); put('u'); put('0'); put('0'); put(hex(b >> 4)); put(hex(b & 0xf))
      } else put(b.toInt)
      i += 1
    }
    put('"')
    this
  }

  /** Returns the body and wipes the buffer. The caller wipes the body. */
  def finish(): Array[Byte] = {
    val body = Arrays.copyOf(buffer, size)
    Arrays.fill(buffer, 0.toByte)
    body
  }

  private def put(byte: Int): Unit = { buffer(size) = byte.toByte; size += 1 }

  private def hex(digit: Int): Int = "0123456789abcdef".charAt(digit).toInt

  private def ensure(more: Int): Unit =
    if (size + more > buffer.length) {
      val larger = Arrays.copyOf(buffer, math.max(buffer.length * 2, size + more))
      Arrays.fill(buffer, 0.toByte)
      buffer = larger
    }

  /** `\u0000` */
  private val LongestEscape = 6
}
