package saltern.hashes
package verifyonly

import java.util.Arrays

/** DES as crypt(3) used it: `<2 characters of salt><11 characters>`, and BSDi's extension of it,
  * `_<4 characters of rounds><4 characters of salt><11 characters>`. The JDK's DES takes no salt.
  * Source: FIPS 46-3; David Burren, FreeSec `crypt-des.c`.
  *
  * No branch depends on the password's content. Like bcrypt, it reads tables (of 2 KiB) at places
  * that do.
  */
private[hashes] object DesCrypt {

  /** Eight bytes of the password, 12 bits of salt, 25 encryptions. The string has no prefix: it is
    * 13 characters of crypt(3)'s alphabet.
    */
  case object Traditional extends Scheme("des-crypt") {
    override def reading: Reading = Reading(mostBytes = Some(BlockBytes), mayStopAtNul = true, sevenBits = true)
    override def isWeak: Boolean = true

    def claims(stored: String): Boolean = stored.length == 2 + OutputCharacters && CryptBase64.isInAlphabet(stored)

    def parse(stored: String): Either[ParseError, EncodedHash] = DesCrypt.parse(this, "", 25L, stored, saltCharacters = 2)
  }

  /** BSDi's: the whole password, 24 bits of salt, a chosen number of encryptions. */
  case object Extended extends Scheme("bsdi-crypt") {
    override val reading: Reading = Reading(mayStopAtNul = true, sevenBits = true)
    def claims(stored: String): Boolean = stored.startsWith("_")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.splitAt(stored.substring(1), 4)
        encryptions <- CryptBase64.number(parts._1)
        _ <- Text.valid(encryptions > 0)
        encoded <- DesCrypt.parse(this, s"_${parts._1}", encryptions, parts._2, saltCharacters = 4)
      } yield encoded
  }

  val schemes: Seq[Scheme] = Seq(Traditional, Extended)

  private def parse(
      scheme: Scheme,
      head: String,
      encryptions: Long,
      text: String,
      saltCharacters: Int
  ): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.splitAt(text, saltCharacters)
      (salt, outputText) = parts
      saltBits <- CryptBase64.number(salt)
      output <- DesBase64.decode(outputText)
      setting = new OwnSetting(scheme, encryptions, salt, saltBits)
      encoded <- EncodedHash(scheme, setting, output)(bytes => head + salt + DesBase64.encode(bytes))
    } yield encoded

  private final class OwnSetting(scheme: Scheme, encryptions: Long, saltText: String, saltBits: Long)
      extends Setting.InRounds("des-crypt", encryptions) {
    def salt: Array[Byte] = Text.utf8(saltText)
    def outputBytes: Int = BlockBytes

    def compute(password: Array[Byte]): Array[Byte] = {
      val key = if (scheme == Extended) extendedKey(password) else keyBlock(password)
      // Bit `i` of the salt exchanges the bits `i` and `i + 24` of the expanded half, counted from
      // the left.
      val mask = (Integer.reverse(saltBits.toInt) >>> 8).toLong
      java.nio.ByteBuffer.allocate(BlockBytes).putLong(encrypt(key, 0, mask, encryptions)).array
    }
  }

  /** Returns the key from the whole password. Each further eight bytes are added to the key so far,
    * after it was encrypted under itself.
    */
  private def extendedKey(password: Array[Byte]): Long = (BlockBytes until password.length by BlockBytes).foldLeft(keyBlock(password)) { (block, from) =>
    encrypt(block, block, 0, 1) ^ keyBlock(password, from)
  }

  /** Returns eight bytes of a password as a key: seven bits of each, in front of the parity bit
    * that DES ignores.
    */
  private def keyBlock(password: Array[Byte], from: Int = 0): Long = (from until from + BlockBytes).foldLeft(0L) { (block, i) =>
    block << 8 | (if (i < password.length) password(i) << 1 & 0xff else 0).toLong
  }

  private def roundKeys(block: Long): Array[Long] = {
    val chosen = permute(block, 64, PermutedChoice1)
    var (left, right) = (chosen >>> KeyHalfBits, chosen & KeyHalf)
    Shifts.map { shift =>
      left = rotateKeyHalf(left, shift)
      right = rotateKeyHalf(right, shift)
      permute(left << KeyHalfBits | right, 2 * KeyHalfBits, PermutedChoice2)
    }
  }

  private def rotateKeyHalf(half: Long, shift: Int): Long = (half << shift | half >>> (KeyHalfBits - shift)) & KeyHalf

  /** The round keys hold the bits of the password in another order. */
  private def encrypt(key: Long, block: Long, salt: Long, times: Long): Long = {
    val keys = roundKeys(key)
    try encrypt(keys, block, salt, times)
    finally Arrays.fill(keys, 0L)
  }

  /** Encrypts a block so many times. The final permutation and the next initial one cancel each
    * other out.
    */
  private def encrypt(keys: Array[Long], block: Long, salt: Long, times: Long): Long = {
    val permuted = permute(block, 64, InitialPermutation)
    var left = (permuted >>> 32).toInt
    var right = permuted.toInt
    var time = 0L
    while (time < times) {
      var round = 0
      while (round < keys.length) {
        val next = left ^ mixed(right, keys(round), salt)
        left = right
        right = next
        round += 1
      }
      val swapped = left
      left = right
      right = swapped
      time += 1
    }
    permute(left.toLong << 32 | right & 0xffffffffL, 64, FinalPermutation)
  }

  /** DES's function of a half and a round key, with the salt's exchange between expansion and key.
    */
  private def mixed(half: Int, key: Long, salt: Long): Int = {
    var expanded = 0L
    var number = 0
    while (number < Boxes) {
      expanded = expanded << 6 | (Integer.rotateLeft(half, 4 * number + 5) & SixBits).toLong
      number += 1
    }
    val exchanged = (expanded >>> QuarterBits ^ expanded) & salt
    val keyed = expanded ^ exchanged ^ exchanged << QuarterBits ^ key
    var mixed = 0
    number = 0
    while (number < Boxes) {
      mixed |= PermutedBoxes(number)((keyed >>> (6 * (Boxes - 1 - number))).toInt & SixBits)
      number += 1
    }
    mixed
  }

  /** Returns the bits that a table names. Bit 1 is the first of `bits`. */
  private def permute(value: Long, bits: Int, table: Array[Int]): Long =
    table.foldLeft(0L)((permuted, place) => permuted << 1 | value >>> (bits - place) & 1)

  private val BlockBytes = 8
  private val OutputCharacters = 11
  private val Boxes = 8
  private val SixBits = 0x3f

  /** Returns one half of the expansion of a half. */
  private val QuarterBits = 24
  private val KeyHalfBits = 28
  private val KeyHalf = (1L << KeyHalfBits) - 1

  /** FIPS 46-3, "Enciphering". */
  private val InitialPermutation = Array(
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24,
    16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39,
    31, 23, 15, 7
  )
  private val FinalPermutation: Array[Int] = Array.tabulate(64)(at => InitialPermutation.indexOf(at + 1) + 1)

  /** FIPS 46-3, function P. */
  private val Permutation = Array(
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25
  )

  /** FIPS 46-3, functions PC-1 and PC-2, and the left shifts of the rounds. */
  private val PermutedChoice1 = Array(
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36, 63, 55,
    47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4
  )
  private val PermutedChoice2 = Array(
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37, 47, 55, 30,
    40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32
  )
  private val Shifts = Array(1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1)

  /** FIPS 46-3, functions S1 to S8, row by row. */
  private val SBoxes = Array(
    Array(
      14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8, 4, 1,
      14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13
    ),
    Array(
      15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5, 0, 14,
      7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9
    ),
    Array(
      10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1, 13, 6,
      4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12
    ),
    Array(
      7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9, 10, 6,
      9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14
    ),
    Array(
      2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6, 4, 2,
      1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3
    ),
    Array(
      12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8, 9, 14,
      15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13
    ),
    Array(
      4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6, 1, 4,
      11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12
    ),
    Array(
      13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2, 7, 11,
      4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11
    )
  )

  /** The S-boxes, each with the permutation that follows it: the bits that a box adds to the mixed
    * half for its six bits.
    */
  private val PermutedBoxes: Array[Array[Int]] = Array.tabulate(Boxes, 64) { (number, six) =>
    // The outer bits are the row, the inner ones the column.
    val (row, column) = (six >> 4 & 2 | six & 1, six >> 1 & 0xf)
    permute(SBoxes(number)(row * 16 + column).toLong << (4 * (Boxes - 1 - number)), 32, Permutation).toInt
  }
}
