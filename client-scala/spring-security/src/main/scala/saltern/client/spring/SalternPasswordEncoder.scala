package saltern.client.spring

import java.time.Duration
import org.springframework.security.crypto.password.PasswordEncoder
import saltern.client.{FrameworkEncoder, Saltern}
import scala.concurrent.duration.{FiniteDuration, NANOSECONDS}

/** Saltern as Spring Security's `PasswordEncoder`: in place of a `DelegatingPasswordEncoder`, or as
  * one of its encoders.
  *
  * It reads hashes that Spring Security stored (`{bcrypt}…`, `{argon2@SpringSecurity_v5_8}…`,
  * `{pbkdf2}…`, `{scrypt}…`) and those of other software. It writes the standard string of the
  * current policy, without an id. `{MD5}`, `{SHA-256}` and `{sha256}` need `--accept-weak` (and
  * `withAcceptedWeak`); `{noop}` is refused.
  *
  * The interface is synchronous, so each call blocks its thread: at most until the client's
  * deadline (10 s by default), or for [[withWait]]. A call without an answer throws its
  * `SalternError`. It is deliberately not an `AuthenticationException`: Spring Security answers
  * those with 401 or "bad credentials", and an overload is never a wrong password. Answer
  * `SalternError.TryLater` with 503 and its `retryAfter`.
  *
  * It copies the password and wipes the copy. The caller closes the client.
  */
final class SalternPasswordEncoder private (encoder: FrameworkEncoder) extends PasswordEncoder {
  import SalternPasswordEncoder.*

  /** Encodes by this client. */
  def this(client: Saltern) = this(new FrameworkEncoder(client))

  /** Returns the same encoder with another longest wait (1 ms to 60 s). */
  def withWait(atMost: Duration): SalternPasswordEncoder =
    new SalternPasswordEncoder(encoder.withDeadline(FiniteDuration(atMost.toNanos, NANOSECONDS)))

  /** Returns a hash under the current policy; `null` for `null`, as the interface requires. After a
    * match it is the hash that the login brought.
    */
  def encode(rawPassword: CharSequence): String =
    if (rawPassword == null) null
    // `matches` takes an empty hash for the decoy. A real one would outlive its policy and the key of its seal, and show
    // unknown users. Where only new hashes are refused, it would end every login.
    else if (rawPassword eq UserNotFound) ""
    else encoder.encode(rawPassword)

  /** Returns whether the password matches the stored hash, at the floor of time or later. Nothing
    * matches an empty password or an empty hash, as the interface requires. An empty hash takes the
    * time of a login, so that the answer does not show an account without a password.
    */
  def matches(rawPassword: CharSequence, encodedPassword: String): Boolean =
    !isEmpty(rawPassword) && encoder.matches(rawPassword, if (isEmpty(encodedPassword)) null else encodedPassword)

  /** Returns whether Spring Security should replace the hash after this match. It is `false` if the
    * match brought no new hash, for example because it was computed locally; the next login asks
    * again.
    */
  override def upgradeEncoding(encodedPassword: String): Boolean =
    !isEmpty(encodedPassword) && encoder.needsUpgrade(encodedPassword)

  private def isEmpty(text: CharSequence): Boolean = text == null || text.length == 0
}

private object SalternPasswordEncoder {

  /** `DaoAuthenticationProvider` encodes this very object, a constant, before it looks for the first
    * user, and keeps the hash. An unknown user's password is then compared with it. A password that
    * somebody typed is another object.
    */
  private val UserNotFound = "userNotFoundPassword"
}
