package saltern.client.silhouette

import play.silhouette.api.util.{PasswordHasher, PasswordInfo}
import saltern.client.{Password, Saltern}
import scala.concurrent.duration.FiniteDuration

/** Saltern as Silhouette's `PasswordHasher`.
  *
  * It reads its own hashes and those of the hashers whose names it is given: Silhouette's `bcrypt` and `argon2v2` store plain bcrypt
  * and argon2 strings, so an existing table needs no second hasher. (`bcrypt-sha256` does not: it hashes a digest. Keep that one
  * among the registry's deprecated hashers.) What is below the current policy is deprecated, and Silhouette replaces it at
  * the login.
  *
  * The trait is synchronous, so each call waits on its thread: for the client's deadline at most (10 s unless told otherwise),
  * or [[withWait]]. Silhouette calls it on the execution context of its provider: give that one threads for it. A call without
  * an answer throws its `SalternError`, which fails the provider's future and is never a wrong password:
  * answer `Overloaded` with 503 and its `retryAfter`.
  *
  * The client is the caller's to close.
  */
final class SalternPasswordHasher(client: Saltern, alsoReads: Set[String] = SalternPasswordHasher.SilhouettesOwn)
    extends PasswordHasher {
  private val blocking = client.blocking

  /** The name that Silhouette stores beside each hash: [[SalternPasswordHasher.Id]]. */
  def id: String = SalternPasswordHasher.Id

  /** The same hasher, waiting for at most this long (1 ms to 60 s). */
  def withWait(atMost: FiniteDuration): SalternPasswordHasher =
    new SalternPasswordHasher(client.withDeadline(atMost), alsoReads)

  /** A new hash under the current policy. */
  def hash(plainPassword: String): PasswordInfo =
    PasswordInfo(id, Password.during(plainPassword)(blocking.hash(_).encoded), salt = None)

  /** Whether the password is the stored one. */
  def matches(passwordInfo: PasswordInfo, suppliedPassword: String): Boolean =
    Password.during(suppliedPassword)(blocking.matches(_, passwordInfo.password))

  /** Its own hashes and those it also reads. */
  override def isSuitable(passwordInfo: PasswordInfo): Boolean =
    passwordInfo.hasher == id || alsoReads(passwordInfo.hasher)

  /** Whether Silhouette should hash the password anew after this match. Never where the match ignored part of the password, or was
    * found while the service was away: the next login asks again.
    */
  def isDeprecated(passwordInfo: PasswordInfo): Option[Boolean] =
    Option.when(isSuitable(passwordInfo))(blocking.needsRehash(passwordInfo.password))
}

object SalternPasswordHasher {

  /** What stands in `PasswordInfo.hasher`. */
  val Id: String = "saltern"

  /** Silhouette's hashers whose strings are the algorithm's own: `BCryptPasswordHasher` and `Argon2PasswordHasher`. */
  val SilhouettesOwn: Set[String] = Set("bcrypt", "argon2v2")
}
