package saltern.client.silhouette

import play.silhouette.api.util.{PasswordHasher, PasswordInfo}
import saltern.client.{Password, Saltern}
import scala.concurrent.duration.FiniteDuration

/** Saltern as Silhouette's `PasswordHasher`.
  *
  * It reads its own hashes and those of the hashers whose names are given. Silhouette's `bcrypt`
  * and `argon2v2` store plain bcrypt and argon2 strings, so an existing table needs no second
  * hasher. `bcrypt-sha256` hashes a digest instead: keep that hasher among the registry's
  * deprecated ones. Hashes below the current policy are deprecated, and Silhouette replaces them at
  * the login.
  *
  * The trait is synchronous, so each call blocks its thread: at most until the client's deadline
  * (10 s by default), or for [[withWait]]. Silhouette calls it on the execution context of its
  * provider, so give the provider threads that may block. A call without an answer throws its
  * `SalternError`, which fails the provider's future and is never a wrong password. Answer
  * `Overloaded` with 503 and its `retryAfter`.
  *
  * The caller closes the client.
  */
final class SalternPasswordHasher(client: Saltern, alsoReads: Set[String] = SalternPasswordHasher.SilhouettesOwn)
    extends PasswordHasher {
  private val blocking = client.blocking

  /** The name that Silhouette stores beside each hash: [[SalternPasswordHasher.Id]]. */
  def id: String = SalternPasswordHasher.Id

  /** Returns the same hasher with another longest wait (1 ms to 60 s). */
  def withWait(atMost: FiniteDuration): SalternPasswordHasher =
    new SalternPasswordHasher(client.withDeadline(atMost), alsoReads)

  /** Returns a new hash under the current policy. */
  def hash(plainPassword: String): PasswordInfo =
    PasswordInfo(id, Password.during(plainPassword)(blocking.hash(_).encoded), salt = None)

  /** Returns whether the password matches the stored hash. */
  def matches(passwordInfo: PasswordInfo, suppliedPassword: String): Boolean =
    Password.during(suppliedPassword)(blocking.matches(_, passwordInfo.password))

  /** Returns whether this hasher reads the hash: its own, or one of a hasher whose name was given.
    */
  override def isSuitable(passwordInfo: PasswordInfo): Boolean =
    passwordInfo.hasher == id || alsoReads(passwordInfo.hasher)

  /** Returns whether Silhouette should hash the password again after this match. It is `false` if
    * the match ignored part of the password, or was computed locally; the next login asks again.
    */
  def isDeprecated(passwordInfo: PasswordInfo): Option[Boolean] =
    Option.when(isSuitable(passwordInfo))(blocking.needsRehash(passwordInfo.password))
}

object SalternPasswordHasher {

  /** The value of `PasswordInfo.hasher`. */
  val Id: String = "saltern"

  /** Silhouette's hashers that store the algorithm's own strings: `BCryptPasswordHasher` and
    * `Argon2PasswordHasher`.
    */
  val SilhouettesOwn: Set[String] = Set("bcrypt", "argon2v2")
}
