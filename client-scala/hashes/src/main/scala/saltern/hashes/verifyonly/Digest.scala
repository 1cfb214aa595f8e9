package saltern.hashes
package verifyonly

import java.security.MessageDigest

/** The computation of the fast schemes: a digest over password and salt, once or a few times, or
  * HMAC keyed with the salt.
  */
private[hashes] final class Digest(hash: Digest.Hash, order: Digest.Order, val salt: Array[Byte], passes: Int = 1)
    extends Setting.InRounds("digest", passes.toLong) {
  def outputBytes: Int = hash.outputBytes

  def compute(password: Array[Byte]): Array[Byte] = {
    val digest = MessageDigest.getInstance(hash.digest)
    def joined(parts: Array[Byte]*) = { parts.foreach(digest.update); digest.digest() }
    val output = order match {
      case Digest.SaltAsKey        => SecretDigest.keyed(hash.digest, salt, password)
      case Digest.Template(pieces) =>
        joined(pieces.map {
          case Digest.Password    => password
          case Digest.Salt        => salt
          case Digest.Fixed(byte) => Array(byte)
        }*)
    }
    for (_ <- 1 until passes) { digest.update(output); digest.digest(output, 0, output.length) }
    output
  }
}

private[hashes] object Digest {

  sealed abstract class Hash(val digest: String, val outputBytes: Int)
  case object Md5 extends Hash("MD5", 16)
  case object Sha1 extends Hash("SHA-1", 20)
  case object Sha256 extends Hash("SHA-256", 32)
  case object Sha384 extends Hash("SHA-384", 48)
  case object Sha512 extends Hash("SHA-512", 64)

  sealed trait Order
  case object SaltAsKey extends Order

  /** The pieces, one after the other. */
  final case class Template(pieces: Seq[Piece]) extends Order
  val SaltFirst: Order = Template(Seq(Salt, Password))
  val SaltLast: Order = Template(Seq(Password, Salt))

  sealed trait Piece
  case object Password extends Piece
  case object Salt extends Piece
  final case class Fixed(byte: Byte) extends Piece
}
