package saltern.example

import java.security.SecureRandom
import java.util.concurrent.ConcurrentHashMap
import org.bouncycastle.crypto.generators.OpenBSDBCrypt

/** A user table in memory with one user, `ada`, whose password is `secret`. An older system stored
  * it as bcrypt.
  */
final class Users(cost: Int) {
  private val hashes = new ConcurrentHashMap[String, String]
  hashes.put(
    "ada", {
      val salt = new Array[Byte](16)
      new SecureRandom().nextBytes(salt)
      OpenBSDBCrypt.generate("2b", "secret".toCharArray, salt, cost)
    }
  )

  def storedHash(user: String): Option[String] = Option(hashes.get(user))

  /** Compare and swap: a password that was changed in the meantime stays changed. */
  def replace(user: String, old: String, made: String): Unit = { val _ = hashes.replace(user, old, made) }

  /** On the calling thread, as backends without Saltern do it. */
  def verifyHere(user: String, password: String): Boolean =
    storedHash(user).exists(stored => OpenBSDBCrypt.checkPassword(stored, password.toCharArray))
}
