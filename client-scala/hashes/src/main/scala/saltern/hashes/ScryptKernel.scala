package saltern.hashes

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

/** scrypt (RFC 7914). Bouncy Castle's code makes its memory anew for each hash; this code takes
  * that of a [[Workspace]].
  */
private[hashes] object ScryptKernel {

  def compute(setting: Setting.Scrypt, password: Array[Byte], memory: Workspace): Array[Byte] = {
    val p = setting.params
    val words = BlockWords * p.r.toInt
    val lanes = pbkdf2(password, setting.salt, p.p.toInt * words * 4)
    val numbers = ByteBuffer.wrap(lanes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer
    val (lane, mixed, part) = (new Array[Int](words), new Array[Int](words), new Array[Int](PartWords))
    try {
      for (number <- 0 until p.p.toInt) {
        numbers.position(number * words)
        numbers.duplicate.get(lane)
        memory.withRows(1 << p.logN, words)(mix(1 << p.logN, lane, mixed, part, _))
        numbers.duplicate.put(lane)
      }
      pbkdf2(password, lanes, setting.outputBytes)
    } finally {
      // The lanes are as secret as the password: one pass of PBKDF2 tests a guess.
      Arrays.fill(lanes, 0.toByte)
      Seq(lane, mixed, part).foreach(Arrays.fill(_, 0))
    }
  }

  private def pbkdf2(password: Array[Byte], salt: Array[Byte], outputBytes: Int): Array[Byte] =
    Pbkdf2Kernel.compute(Setting.Pbkdf2(OnePass, salt, outputBytes), password)

  /** `scryptROMix` (section 5). */
  private def mix(n: Int, lane: Array[Int], mixed: Array[Int], part: Array[Int], rows: Array[Array[Int]]): Unit = {
    var i = 0
    while (i < n) {
      System.arraycopy(lane, 0, rows(i), 0, lane.length)
      blockMix(rows(i), lane, part)
      i += 1
    }
    i = 0
    while (i < n) {
      val row = rows(lane(lane.length - PartWords) & (n - 1))
      var at = 0
      while (at < lane.length) { mixed(at) = lane(at) ^ row(at); at += 1 }
      blockMix(mixed, lane, part)
      i += 1
    }
  }

  /** `scryptBlockMix` (section 4): the even parts of the output come before the odd ones. */
  private def blockMix(from: Array[Int], into: Array[Int], part: Array[Int]): Unit = {
    System.arraycopy(from, from.length - PartWords, part, 0, PartWords)
    var even = 0
    var odd = from.length / 2
    var at = 0
    while (at < from.length) {
      var i = 0
      while (i < PartWords) { part(i) ^= from(at + i); i += 1 }
      salsa(part)
      System.arraycopy(part, 0, into, even, PartWords)
      val next = even + PartWords
      even = odd
      odd = next
      at += PartWords
    }
  }

  /** Salsa20/8 (section 3). */
  private def salsa(part: Array[Int]): Unit = {
    var x0 = part(0)
    var x1 = part(1)
    var x2 = part(2)
    var x3 = part(3)
    var x4 = part(4)
    var x5 = part(5)
    var x6 = part(6)
    var x7 = part(7)
    var x8 = part(8)
    var x9 = part(9)
    var x10 = part(10)
    var x11 = part(11)
    var x12 = part(12)
    var x13 = part(13)
    var x14 = part(14)
    var x15 = part(15)
    var round = 0
    while (round < 8) {
      x4 ^= Integer.rotateLeft(x0 + x12, 7)
      x8 ^= Integer.rotateLeft(x4 + x0, 9)
      x12 ^= Integer.rotateLeft(x8 + x4, 13)
      x0 ^= Integer.rotateLeft(x12 + x8, 18)
      x9 ^= Integer.rotateLeft(x5 + x1, 7)
      x13 ^= Integer.rotateLeft(x9 + x5, 9)
      x1 ^= Integer.rotateLeft(x13 + x9, 13)
      x5 ^= Integer.rotateLeft(x1 + x13, 18)
      x14 ^= Integer.rotateLeft(x10 + x6, 7)
      x2 ^= Integer.rotateLeft(x14 + x10, 9)
      x6 ^= Integer.rotateLeft(x2 + x14, 13)
      x10 ^= Integer.rotateLeft(x6 + x2, 18)
      x3 ^= Integer.rotateLeft(x15 + x11, 7)
      x7 ^= Integer.rotateLeft(x3 + x15, 9)
      x11 ^= Integer.rotateLeft(x7 + x3, 13)
      x15 ^= Integer.rotateLeft(x11 + x7, 18)
      x1 ^= Integer.rotateLeft(x0 + x3, 7)
      x2 ^= Integer.rotateLeft(x1 + x0, 9)
      x3 ^= Integer.rotateLeft(x2 + x1, 13)
      x0 ^= Integer.rotateLeft(x3 + x2, 18)
      x6 ^= Integer.rotateLeft(x5 + x4, 7)
      x7 ^= Integer.rotateLeft(x6 + x5, 9)
      x4 ^= Integer.rotateLeft(x7 + x6, 13)
      x5 ^= Integer.rotateLeft(x4 + x7, 18)
      x11 ^= Integer.rotateLeft(x10 + x9, 7)
      x8 ^= Integer.rotateLeft(x11 + x10, 9)
      x9 ^= Integer.rotateLeft(x8 + x11, 13)
      x10 ^= Integer.rotateLeft(x9 + x8, 18)
      x12 ^= Integer.rotateLeft(x15 + x14, 7)
      x13 ^= Integer.rotateLeft(x12 + x15, 9)
      x14 ^= Integer.rotateLeft(x13 + x12, 13)
      x15 ^= Integer.rotateLeft(x14 + x13, 18)
      round += 2
    }
    part(0) += x0
    part(1) += x1
    part(2) += x2
    part(3) += x3
    part(4) += x4
    part(5) += x5
    part(6) += x6
    part(7) += x7
    part(8) += x8
    part(9) += x9
    part(10) += x10
    part(11) += x11
    part(12) += x12
    part(13) += x13
    part(14) += x14
    part(15) += x15
  }

  /** Salsa20's 64 bytes. */
  private final val PartWords = 16

  /** scrypt's unit of 128 bytes (section 5). */
  private final val BlockWords = 2 * PartWords

  private val OnePass = Params.Pbkdf2(Params.Prf.Sha256, 1).getOrElse(throw new AssertionError)
}
