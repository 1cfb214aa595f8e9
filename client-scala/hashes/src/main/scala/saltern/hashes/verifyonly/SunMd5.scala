package saltern.hashes
package verifyonly

import java.security.MessageDigest

/** Sun's MD5: `$md5[,rounds=<rounds>]$<salt>$$<22 characters>`. With two dollar signs before the
  * output, Solaris hashed one of them after the salt; with one dollar sign it did not.
  *
  * In every round a bit of the digest decides whether a text of Shakespeare is hashed too. So the
  * original takes longer for some passwords than for others. This code computes both. Source: Alec
  * Muffett, `crypt_sunmd5.c` of OpenSolaris.
  */
private[hashes] case object SunMd5 extends Scheme("sun-md5") {
  override def reading: Reading = Reading.OfCStrings
  def claims(stored: String): Boolean = (stored.startsWith(Prefix + "$") || stored.startsWith(Prefix + ",")) && !KratosDigest.claims(stored)

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      text <- Text.after(Prefix, stored)
      parts <- Text.splitOnce(text, '$')
      rounds <-
        if (parts._1.isEmpty) Right(None)
        else Text.after(RoundsName, parts._1).flatMap(Text.decimal).map(Some(_))
      _ <- Text.valid(rounds.forall(n => n > 0 && n <= MaxRounds))
      last = parts._2.lastIndexOf('$'.toInt)
      _ <- Text.valid(last >= 0)
      isClosed = last > 0 && parts._2.charAt(last - 1) == '$'
      salt = parts._2.substring(0, if (isClosed) last - 1 else last)
      _ <- Text.valid(CryptBase64.isInAlphabet(salt))
      output <- CryptBase64.decodeInOrder(parts._2.substring(last + 1), MdCrypt.Order, MdCrypt.OutputBytes)
      head = s"$Prefix${rounds.fold("")(n => s"$RoundsName$n")}$$$salt${if (isClosed) "$" else ""}"
      setting = new OwnSetting(BasicRounds + rounds.getOrElse(0L), salt, head)
      encoded <- EncodedHash(this, setting, output)(bytes => s"$head$$${CryptBase64.encodeInOrder(bytes, MdCrypt.Order)}")
    } yield encoded

  /** @param hashedText the text that is hashed after the password: the stored string up to the end
    *   of the salt
    */
  private final class OwnSetting(rounds: Long, saltText: String, hashedText: String)
      extends Setting.InRounds(name, rounds) {
    def salt: Array[Byte] = Text.utf8(saltText)
    def outputBytes: Int = MdCrypt.OutputBytes

    def compute(password: Array[Byte]): Array[Byte] = {
      val md5 = MessageDigest.getInstance("MD5")
      md5.update(password)
      val digest = md5.digest(Text.utf8(hashedText))
      var round = 0L
      while (round < rounds) {
        val number = Text.utf8(round.toString)
        md5.update(digest)
        val short = md5.digest(number)
        md5.update(digest)
        md5.update(soliloquy)
        val long = md5.digest(number)
        // Chosen without a branch.
        val mask = -coin(digest, round)
        for (at <- digest.indices) digest(at) = (short(at) & ~mask | long(at) & mask).toByte
        round += 1
      }
      digest
    }
  }

  /** The bit that decides in every round. */
  private def coin(digest: Array[Byte], round: Long): Int = {
    def number(from: Int) = (0 until 8).foldLeft(0)((bits, place) => bits | bit(digest, wandering(digest, from + place).toLong) << place)
    // Shifts in place of branches.
    val x = number(0) >> bit(digest, round)
    val y = number(8) >> bit(digest, round + 64)
    bit(digest, x.toLong) ^ bit(digest, y.toLong)
  }

  /** A byte of the digest, selected by the digest's own bytes, or half of it. */
  private def wandering(digest: Array[Byte], place: Int): Int = {
    def byte(at: Int) = digest(at % digest.length) & 0xff
    val (a, b) = (byte(place), byte(place + 3))
    byte(a >> b % 5) >> (b >> a % 8 & 1)
  }

  private def bit(digest: Array[Byte], place: Long): Int = {
    val at = (place % 128).toInt
    digest(at / 8) >> (at % 8) & 1
  }

  /** Hamlet, III. i; hashed with a NUL after it, because the original hashed the string's NUL. */
  private lazy val soliloquy: Array[Byte] = {
    val stream = getClass.getResourceAsStream("hamlet.txt")
    try stream.readAllBytes() :+ 0.toByte
    finally stream.close()
  }

  private val Prefix = "$md5"
  private val RoundsName = ",rounds="

  /** Added to the rounds that are written. */
  private val BasicRounds = 4096L

  /** The sum has 32 bits. */
  private val MaxRounds = 0xffffffffL - BasicRounds
}
