package saltern.client.silhouette

import play.silhouette.api.util.{PasswordHasher, PasswordInfo}
import saltern.client.{FrameworkEncoder, Saltern}
import scala.concurrent.duration.FiniteDuration

/** Saltern as Silhouette's `PasswordHasher`.
  *
  * It reads its own hashes and those of the hashers whose names are given. Silhouette's `bcrypt`
  * and `argon2v2` store plain bcrypt and argon2 strings, so an existing table needs no second
  * hasher. `bcrypt-sha256` hashes a digest instead: keep that hasher among the registry's
  * deprecated ones. Hashes below the current policy are deprecated, and Silhouette replaces them at
  * the login. It compares nothing: where the password is changed between Silhouette's `find` and
  * `update`, which are the floor of a login apart, the old password is the valid one again.
  *
  * The trait is synchronous, so each call blocks its thread: at most until the client's deadline
  * (10 s by default), or for [[withWait]]. Silhouette calls it on the execution context of its
  * provider, so give the provider threads that may block. A call without an answer throws its
  * `SalternError`, which fails the provider's future and is never a wrong password. Answer
  * `TryLater` with 503 and its `retryAfter`.
  *
  * For an unknown name Silhouette calls no hasher, so the time of its answer shows which names
  * exist. On an `IdentityNotFoundException` run `saltern.login(password, None)` before you answer,
  * as the example does.
  *
  * The caller closes the client.
  */
final class SalternPasswordHasher private (encoder: FrameworkEncoder, alsoReads: Set[String]) extends PasswordHasher {

  /** Hashes by this client, and reads the hashes of the hashers with these names too. */
  def this(client: Saltern, alsoReads: Set[String] = SalternPasswordHasher.SilhouettesOwn) =
    this(new FrameworkEncoder(client), alsoReads)

  /** The name that Silhouette stores beside each hash: [[SalternPasswordHasher.Id]]. */
  def id: String = SalternPasswordHasher.Id

  /** Returns the same hasher with another longest wait (1 ms to 60 s). */
  def withWait(atMost: FiniteDuration): SalternPasswordHasher =
    new SalternPasswordHasher(encoder.withDeadline(atMost), alsoReads)

  /** Returns a hash under the current policy: after a match, the one that the login brought. */
  def hash(plainPassword: String): PasswordInfo = PasswordInfo(id, encoder.encode(plainPassword), salt = None)

  /** Returns whether the password matches the stored hash, at the floor of time or later. */
  def matches(passwordInfo: PasswordInfo, suppliedPassword: String): Boolean =
    encoder.matches(suppliedPassword, passwordInfo.password)

  /** Returns whether this hasher reads the hash: its own, or one of a hasher whose name was given.
    */
  override def isSuitable(passwordInfo: PasswordInfo): Boolean =
    passwordInfo.hasher == id || alsoReads(passwordInfo.hasher)

  /** Returns whether Silhouette should replace the hash after this match. It is `false` if the
    * match brought no new hash, for example because it was computed locally. The next login asks
    * again.
    */
  def isDeprecated(passwordInfo: PasswordInfo): Option[Boolean] =
    Option.when(isSuitable(passwordInfo))(encoder.needsUpgrade(passwordInfo.password))
}

object SalternPasswordHasher {

  /** The value of `PasswordInfo.hasher`. */
  val Id: String = "saltern"

  /** Silhouette's hashers that store the algorithm's own strings: `BCryptPasswordHasher` and
    * `Argon2PasswordHasher`.
    */
  val SilhouettesOwn: Set[String] = Set("bcrypt", "argon2v2")
}
