package saltern.example

import java.security.SecureRandom
import java.util.concurrent.ConcurrentHashMap
import org.bouncycastle.crypto.generators.OpenBSDBCrypt

/** A user table in memory with one user, `ada`. */
final class Users(ofAda: String) {
  private val hashes = new ConcurrentHashMap[String, String]
  hashes.put("ada", ofAda)

  def storedHash(user: String): Option[String] = Option(hashes.get(user))

  /** Compare and swap: a password that was changed in the meantime stays changed. */
  def replace(user: String, old: String, made: String): Unit = { val _ = hashes.replace(user, old, made) }

  /** On the calling thread, as backends without Saltern do it. */
  def verifyHere(user: String, password: String): Boolean =
    storedHash(user).exists(stored => OpenBSDBCrypt.checkPassword(stored, password.toCharArray))
}

object Users {

  /** The password as an older system stored it. */
  def bcrypt(cost: Int, password: String = "secret"): String = {
    val salt = new Array[Byte](16)
    new SecureRandom().nextBytes(salt)
    OpenBSDBCrypt.generate("2b", password.toCharArray, salt, cost)
  }
}
