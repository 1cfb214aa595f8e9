package saltern.hashes
package verifyonly

import java.security.MessageDigest
import java.util.Arrays

/** md5-crypt: `$1$<salt>$<22 characters>`, and Apache's variant of it with `$apr1$`. Source:
  * Poul-Henning Kamp, FreeBSD `crypt-md5.c`; Apache `apr_md5.c`.
  */
private[hashes] object MdCrypt {

  /** @param head stands in front of the salt, and is hashed before it */
  sealed abstract class Variant(name: String, head: String) extends PrefixedScheme(name, head) {
    override def reading: Reading = Reading.OfCStrings

    def parseRest(rest: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.splitOnce(rest, '$')
        (salt, outputText) = parts
        _ <- Text.valid(salt.length <= MaxSaltBytes && CryptBase64.isSalt(salt))
        output <- CryptBase64.decodeInOrder(outputText, Order, OutputBytes)
        encoded <- EncodedHash(this, new OwnSetting(this, salt), output) { bytes =>
          s"$prefix$salt$$${CryptBase64.encodeInOrder(bytes, Order)}"
        }
      } yield encoded
  }
  case object Apache extends Variant("apr1", "$apr1$")
  case object FreeBsd extends Variant("md5-crypt", "$1$")

  private final class OwnSetting(variant: Variant, saltText: String) extends Setting.InRounds("md5-crypt", Rounds) {
    val salt: Array[Byte] = Text.utf8(saltText)
    def outputBytes: Int = OutputBytes
    override def lengthFactor(passwordBytes: Int): Int = 1 + passwordBytes / 96

    def compute(password: Array[Byte]): Array[Byte] = {
      val md5 = MessageDigest.getInstance("MD5")
      val digest = first(md5, password)
      inRounds(md5, Rounds, digest, password, salt)
    }

    /** The digest that the rounds start with. */
    private def first(md5: MessageDigest, password: Array[Byte]): Array[Byte] = {
      Seq(password, salt, password).foreach(md5.update)
      val alternate = md5.digest()
      Seq(password, Text.utf8(variant.prefix), salt).foreach(md5.update)
      for (at <- password.indices by OutputBytes) md5.update(alternate, 0, math.min(OutputBytes, password.length - at))
      var bits = password.length
      while (bits > 0) {
        // The first byte of a buffer that the original had cleared just before.
        md5.update(if (bits % 2 == 1) 0.toByte else password(0))
        bits /= 2
      }
      Arrays.fill(alternate, 0.toByte)
      md5.digest()
    }
  }

  /** Overwrites the digest in each round, and returns it. sha-crypt took the rounds over. */
  def inRounds(hash: MessageDigest, rounds: Long, digest: Array[Byte], password: Array[Byte], salt: Array[Byte]): Array[Byte] = {
    var round = 0L
    while (round < rounds) {
      val odd = round % 2 == 1
      hash.update(if (odd) password else digest)
      if (round % 3 != 0) hash.update(salt)
      if (round % 7 != 0) hash.update(password)
      hash.update(if (odd) digest else password)
      val _ = hash.digest(digest, 0, digest.length)
      round += 1
    }
    digest
  }

  /** The rounds of every hash: the scheme has no cost parameter. */
  private val Rounds = 1000L
  private val MaxSaltBytes = 8
  val OutputBytes: Int = 16

  /** The index in the digest of each printed byte. */
  val Order: Seq[Int] = Vector(12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11)
}
