package saltern.hashes

import java.security.MessageDigest
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

/** A digest that is as secret as its input. The caller wipes it. */
private[hashes] object SecretDigest {
  def apply(name: String, secret: Array[Byte]): Array[Byte] = {
    val hash = MessageDigest.getInstance(name)
    val digest = hash.digest(secret)
    // The JDK's object keeps the digest as its state until it is used again.
    hash.reset()
    digest
  }

  /** HMAC over the digest with this name. The key is not secret. */
  def keyed(name: String, key: Array[Byte], secret: Array[Byte]): Array[Byte] = {
    val mac = Mac.getInstance("Hmac" + name.replace("-", ""))
    mac.init(new SecretKeySpec(key, mac.getAlgorithm))
    mac.doFinal(secret)
  }
}
