package saltern.hashes
package verifyonly

import javax.crypto.Mac

/** sha1-crypt: `$sha1$<rounds>$<salt>$<28 characters>`, HMAC-SHA-1 applied repeatedly to its own
  * output. Source: NetBSD `crypt-sha1.c`.
  */
private[hashes] case object Sha1Crypt extends PrefixedScheme("sha1-crypt", "$sha1$") {
  override def reading: Reading = Reading.OfCStrings
  override def claims(stored: String): Boolean = super.claims(stored) && !KratosDigest.claims(stored)

  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(rest, '$', 3)
      rounds <- Text.decimal(parts(0))
      salt = parts(1)
      _ <- Text.valid(rounds > 0 && salt.nonEmpty && salt.length <= MaxSaltBytes && CryptBase64.isInAlphabet(salt))
      output <- CryptBase64.decodeInOrder(parts(2), Order, OutputBytes)
      encoded <- EncodedHash(this, new OwnSetting(rounds, salt), output) { bytes =>
        s"$prefix$rounds$$$salt$$${CryptBase64.encodeInOrder(bytes, Order)}"
      }
    } yield encoded

  private final class OwnSetting(rounds: Long, saltText: String) extends Setting.InRounds(name, rounds) {
    val salt: Array[Byte] = Text.utf8(saltText)
    def outputBytes: Int = OutputBytes

    def compute(password: Array[Byte]): Array[Byte] = {
      val mac = Mac.getInstance("HmacSHA1")
      mac.init(new PasswordKey(password))
      val digest = mac.doFinal(Text.utf8(s"$saltText$prefix$rounds"))
      var round = 1L
      while (round < rounds) { mac.update(digest); mac.doFinal(digest, 0); round += 1 }
      digest
    }
  }

  /** The password as a key. `SecretKeySpec` takes no empty one. */
  private final class PasswordKey(password: Array[Byte]) extends javax.crypto.SecretKey {
    def getAlgorithm: String = "HmacSHA1"
    def getFormat: String = "RAW"
    override def getEncoded: Array[Byte] = password.clone
  }

  private val MaxSaltBytes = 64
  private val OutputBytes = 20

  /** The index in the digest of each printed byte. The first byte is printed again at the end, to
    * fill a group of three.
    */
  private val Order = Vector(2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 17, 16, 15, 0, 19, 18)
}
