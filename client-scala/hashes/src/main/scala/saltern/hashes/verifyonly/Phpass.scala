package saltern.hashes
package verifyonly

import java.security.MessageDigest
import java.util.Arrays

/** phpass's portable hashes: `$P$<cost><8 characters of salt><22 characters>`, with `$H$` if phpBB
  * 3 made them; and Drupal 7's variant with SHA-512, `$S$<cost><salt><43 characters>`. A `U` in
  * front of either means that Drupal 7 hashed the text of the MD5 digest that Drupal 6 had stored.
  * Source: Openwall phpass `PasswordHash.php` 0.5; Drupal 7 `includes/password.inc`.
  */
private[hashes] object Phpass {
  case object Portable extends Scheme("phpass") {
    def claims(stored: String): Boolean = stored.startsWith("$P$") || stored.startsWith("$H$")
    def parse(stored: String): Either[ParseError, EncodedHash] = Phpass.parse(this, stored)
  }
  case object Drupal7 extends Scheme("drupal7") {
    def claims(stored: String): Boolean = stored.startsWith("$S$")
    def parse(stored: String): Either[ParseError, EncodedHash] = Phpass.parse(this, stored)
  }
  case object Drupal7Updated extends Scheme("drupal7-updated") {
    override val reading: Reading = Reading(preparation = Preparation.HexMd5)
    def claims(stored: String): Boolean = stored.startsWith("U$")
    def parse(stored: String): Either[ParseError, EncodedHash] =
      Phpass.parse(this, stored.substring(1)).map(_.behind("U"))
  }
  val schemes: Seq[Scheme] = Seq(Portable, Drupal7, Drupal7Updated)

  private def parse(scheme: Scheme, stored: String): Either[ParseError, EncodedHash] =
    for {
      variant <- variants.find(v => stored.startsWith(v.prefix)).toRight(ParseError.Invalid)
      rest <- Text.after(variant.prefix, stored)
      _ <- Text.valid(rest.length == 1 + SaltBytes + variant.outputCharacters)
      logRounds <- CryptBase64.number(rest.substring(0, 1))
      salt = rest.substring(1, 1 + SaltBytes)
      _ <- Text.valid(logRounds >= MinLogRounds && logRounds <= MaxLogRounds && CryptBase64.isInAlphabet(salt))
      // The bits that Drupal cuts off are zero if the last byte has only the kept bits.
      output <- CryptBase64.decode(rest.substring(1 + SaltBytes) + variant.cutOff)
      encoded <- EncodedHash(scheme, new OwnSetting(variant, 1L << logRounds, salt), output) { bytes =>
        val text = CryptBase64.encode(bytes).take(variant.outputCharacters)
        s"${variant.prefix}${CryptBase64.numberText(logRounds, 1)}$salt$text"
      }
    } yield encoded

  private final class OwnSetting(variant: Variant, rounds: Long, saltText: String)
      extends Setting.InRounds(variant.algorithm, rounds) {
    val salt: Array[Byte] = Text.utf8(saltText)
    def outputBytes: Int = variant.outputBytes
    override def lengthFactor(passwordBytes: Int): Int = 1 + passwordBytes / variant.bytesOfARound

    def compute(password: Array[Byte]): Array[Byte] = {
      val hash = MessageDigest.getInstance(variant.digest)
      hash.update(salt)
      // Overwritten in each round: the first digest would be as quick to guess from as a bare
      // digest.
      val digest = hash.digest(password)
      var round = 0L
      while (round < rounds) {
        hash.update(digest)
        hash.update(password)
        val _ = hash.digest(digest, 0, digest.length)
        round += 1
      }
      // The object keeps its last input, which for Drupal is a digest that replaces the password.
      hash.reset()
      val kept = Arrays.copyOf(digest, outputBytes)
      kept(outputBytes - 1) = (kept(outputBytes - 1) & variant.lastByteMask).toByte
      kept
    }
  }

  /** @param lastByteMask the bits of the output's last byte that are kept: Drupal cuts its text
    *   after 55 characters
    */
  private final case class Variant(
      prefix: String,
      algorithm: String,
      digest: String,
      outputBytes: Int,
      outputCharacters: Int,
      cutOff: String,
      lastByteMask: Int,
      bytesOfARound: Int
  )
  private val variants = Seq(
    Variant("$P$", "phpass", "MD5", 16, 22, "", 0xff, 96),
    Variant("$H$", "phpass", "MD5", 16, 22, "", 0xff, 96),
    Variant("$S$", "phpass-sha512", "SHA-512", 33, 43, ".", 0x3, 192)
  )
  private val SaltBytes = 8
  private val MinLogRounds = 7L
  private val MaxLogRounds = 30L
}
