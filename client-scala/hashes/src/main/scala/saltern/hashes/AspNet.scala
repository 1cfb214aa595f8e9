package saltern.hashes

import java.nio.ByteBuffer
import java.util.Base64

/** ASP.NET Identity's hashes: the Base64 of a version byte, the costs if the version states them,
  * the salt and the output. Source: ASP.NET Core `PasswordHasher.cs`.
  */
private[hashes] object AspNet {

  /** `00 ‖ salt ‖ output`: HMAC-SHA-1, 1,000 iterations. */
  case object V2 extends Scheme("aspnet-identity-v2") {

    /** The length of version 2, and its first byte. The rest must be Base64, apart from bits behind
      * the last byte. Other text may belong to any software.
      */
    def claims(stored: String): Boolean =
      stored.length == (Bytes + 2) / 3 * 4 && stored.endsWith("==") && {
        try { val bytes = Base64.getDecoder.decode(stored); bytes.length == Bytes && bytes(0) == 0 }
        catch { case _: IllegalArgumentException => false }
      }

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        bytes <- PaddedBase64.decode(stored)
        parts <- Text.splitAt(bytes.drop(1), SaltBytes)
        (salt, output) = parts
        encoded <- Pbkdf2Scheme.in(this, Params.Prf.Sha1, Iterations, salt, OutputBytes, output) { bytes =>
          PaddedBase64.encode(Array(0.toByte) ++ salt ++ bytes)
        }
      } yield encoded

    private val SaltBytes = 16
    private val OutputBytes = 32
    private val Bytes = 1 + SaltBytes + OutputBytes
    private val Iterations = 1000L
  }

  /** `01 ‖ function ‖ iterations ‖ length of the salt ‖ salt ‖ output`, numbers of 32 bits with the
    * highest byte first.
    */
  case object V3 extends Scheme("aspnet-identity-v3") {

    /** The byte of version 3 and a known function: 40 bits, which end within the seventh character.
      * 13 characters of crypt(3) are a hash of DES.
      */
    def claims(stored: String): Boolean =
      stored.matches("(?s)AQAAAA[A-L][^$]*") && !(stored.length == 13 && CryptBase64.isInAlphabet(stored))

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        bytes <- PaddedBase64.decode(stored)
        _ <- Text.valid(bytes.length >= HeadBytes)
        numbers = { val head = ByteBuffer.wrap(bytes, 1, HeadBytes - 1); Vector.fill(3)(head.getInt & 0xffffffffL) }
        prf <- Params.Prf.all.lift(numbers(0).toInt).toRight(ParseError.Invalid)
        _ <- Text.valid(numbers(2) >= LeastBytes && numbers(2) <= bytes.length)
        parts <- Text.splitAt(bytes.drop(HeadBytes), numbers(2).toInt)
        (salt, output) = parts
        _ <- Text.valid(output.length >= LeastBytes)
        encoded <- Pbkdf2Scheme.in(this, prf, numbers(1), salt, output.length, output) { bytes =>
          val whole = ByteBuffer.allocate(HeadBytes + salt.length + bytes.length).put(1.toByte)
          numbers.foreach(number => whole.putInt(number.toInt))
          PaddedBase64.encode(whole.put(salt).put(bytes).array)
        }
      } yield encoded

    private val HeadBytes = 1 + 3 * 4

    /** `VerifyHashedPasswordV3`: the shortest salt and the shortest output, in bytes. */
    private val LeastBytes = 16
  }

  val schemes: Seq[Scheme] = Seq(V2, V3)
}
