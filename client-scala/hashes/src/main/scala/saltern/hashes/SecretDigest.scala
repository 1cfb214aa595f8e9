package saltern.hashes

import java.security.MessageDigest

/** A digest that is as secret as its input. The caller wipes it. */
private[hashes] object SecretDigest {
  def apply(name: String, secret: Array[Byte]): Array[Byte] = {
    val hash = MessageDigest.getInstance(name)
    val digest = hash.digest(secret)
    // The JDK's object keeps the digest as its state until it is used again.
    hash.reset()
    digest
  }
}
