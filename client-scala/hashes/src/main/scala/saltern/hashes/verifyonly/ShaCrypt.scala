package saltern.hashes
package verifyonly

import java.security.MessageDigest
import java.util.Arrays

/** sha-crypt: `$6$[rounds=<rounds>$]<salt>$<86 characters>` and `$5$…` with 43. Source: Ulrich
  * Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6; the numbers below are its steps.
  */
private[hashes] object ShaCrypt {

  /** @param order the index in the digest of each printed byte (step 22) */
  sealed abstract class Variant(name: String, head: String, val digest: String, val order: Vector[Int]) extends PrefixedScheme(name, head) {
    override def reading: Reading = Reading.OfCStrings

    def parseRest(rest: String): Either[ParseError, EncodedHash] =
      for {
        stated <-
          if (!rest.startsWith(RoundsName)) Right((None, rest))
          else
            for {
              parts <- Text.splitOnce(rest.substring(RoundsName.length), '$')
              rounds <- Text.decimal(parts._1)
            } yield (Some(rounds), parts._2)
        (rounds, saltAndOutput) = stated
        parts <- Text.splitOnce(saltAndOutput, '$')
        (salt, outputText) = parts
        // A salt that begins like this would be read as rounds.
        _ <- Text.valid(salt.length <= MaxSaltBytes && CryptBase64.isSalt(salt) && !salt.startsWith(RoundsName))
        _ <- Text.valid(rounds.forall(_ <= MaxRounds))
        output <- CryptBase64.decodeInOrder(outputText, order, order.length)
        computed = rounds.fold(DefaultRounds)(math.max(_, MinRounds))
        encoded <- EncodedHash(this, new OwnSetting(this, salt, computed), output) { bytes =>
          s"$prefix${rounds.fold("")(n => s"$RoundsName$n$$")}$salt$$${CryptBase64.encodeInOrder(bytes, order)}"
        }
      } yield encoded
  }

  case object Sha256 extends Variant("sha256-crypt", "$5$", "SHA-256", Sha256Order)
  case object Sha512 extends Variant("sha512-crypt", "$6$", "SHA-512", Sha512Order)
  val schemes: Seq[Scheme] = Seq(Sha256, Sha512)

  private final class OwnSetting(variant: Variant, saltText: String, rounds: Long)
      extends Setting.InRounds(variant.name, rounds) {
    val salt: Array[Byte] = Text.utf8(saltText)
    def outputBytes: Int = variant.order.length
    override def lengthFactor(passwordBytes: Int): Int = 1 + passwordBytes / (if (outputBytes == 64) 256 else 192)

    def compute(password: Array[Byte]): Array[Byte] = {
      val sha = MessageDigest.getInstance(variant.digest)
      val digest = first(sha, password)
      val p = sequence(sha, password, password.length, password.length)
      val s = sequence(sha, salt, 16 + (digest(0) & 0xff), salt.length)
      // Step 21.
      try MdCrypt.inRounds(sha, rounds, digest, p, s)
      finally Arrays.fill(p, 0.toByte)
    }

    /** Steps 1 to 12. */
    private def first(sha: MessageDigest, password: Array[Byte]): Array[Byte] = {
      Seq(password, salt, password).foreach(sha.update)
      val b = sha.digest()
      sha.update(password)
      sha.update(salt)
      for (at <- password.indices by b.length) sha.update(b, 0, math.min(b.length, password.length - at))
      var bits = password.length
      while (bits > 0) {
        sha.update(if (bits % 2 == 1) b else password)
        bits /= 2
      }
      Arrays.fill(b, 0.toByte)
      sha.digest()
    }

    /** Steps 13 to 20: the digest of `times` times `part`, repeated to so many bytes. */
    private def sequence(sha: MessageDigest, part: Array[Byte], times: Int, bytes: Int): Array[Byte] = {
      var i = 0
      while (i < times) { sha.update(part); i += 1 }
      val digest = sha.digest()
      val sequence = Array.tabulate(bytes)(at => digest(at % digest.length))
      Arrays.fill(digest, 0.toByte)
      sequence
    }
  }

  private val RoundsName = "rounds="
  private val DefaultRounds = 5000L

  /** The string may state fewer rounds; the hash is then computed with this number. */
  private val MinRounds = 1000L
  private val MaxRounds = 999999999L
  private val MaxSaltBytes = 16

  private lazy val Sha256Order = Vector(20, 10, 0, 11, 1, 21, 2, 22, 12, 23, 13, 3, 14, 4, 24, 5, 25, 15, 26, 16, 6, 17, 7, 27, 8, 28,
    18, 29, 19, 9, 30, 31)
  private lazy val Sha512Order = Vector(
    42, 21, 0, 1, 43, 22, 23, 2, 44, 45, 24, 3, 4, 46, 25, 26, 5, 47, 48, 27, 6, 7, 49, 28, 29, 8,
    50, 51, 30, 9, 10, 52, 31, 32, 11, 53, 54, 33, 12, 13, 55, 34, 35, 14, 56, 57, 36, 15, 16, 58, 37, 38, 17, 59, 60, 39, 18, 19,
    61, 40, 41, 20, 62, 63
  )
}
