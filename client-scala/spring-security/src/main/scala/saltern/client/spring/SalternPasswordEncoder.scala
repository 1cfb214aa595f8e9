package saltern.client.spring

import java.time.Duration
import org.springframework.security.crypto.password.PasswordEncoder
import saltern.client.{Password, Saltern}
import scala.concurrent.duration.{FiniteDuration, NANOSECONDS}

/** Saltern as Spring Security's `PasswordEncoder`: in the place of a `DelegatingPasswordEncoder`, or as one of its encoders.
  *
  * It reads what Spring Security stored (`{bcrypt}…`, `{argon2@SpringSecurity_v5_8}…`, `{pbkdf2}…`, `{scrypt}…`) and what
  * other software did, and writes the standard string of the current policy, without an id. `{MD5}`, `{SHA-256}` and
  * `{sha256}` want `--accept-weak` (and `withAcceptedWeak`); `{noop}` is refused.
  *
  * The interface is synchronous, so each call waits on its thread: for the client's deadline at most (10 s unless told
  * otherwise), or [[withWait]]. A call without an answer throws its `SalternError`, which is no
  * `AuthenticationException` on purpose: Spring Security answers those with 401 or the login page's "bad credentials", and
  * an overload is never a wrong password. Answer `SalternError.Overloaded` with 503 and its `retryAfter`.
  *
  * It copies the password and wipes the copy. The client is the caller's to close.
  */
final class SalternPasswordEncoder(client: Saltern) extends PasswordEncoder {
  private val blocking = client.blocking

  /** The same encoder, waiting for at most this long (1 ms to 60 s). */
  def withWait(atMost: Duration): SalternPasswordEncoder =
    new SalternPasswordEncoder(client.withDeadline(FiniteDuration(atMost.toNanos, NANOSECONDS)))

  /** A new hash under the current policy; `null` for `null`, as the interface says. */
  def encode(rawPassword: CharSequence): String =
    if (rawPassword == null) null else Password.during(rawPassword)(blocking.hash(_).encoded)

  /** Whether the password is the stored one. Nothing matches an empty password or an empty hash, as the interface says. */
  def matches(rawPassword: CharSequence, encodedPassword: String): Boolean =
    !isEmpty(rawPassword) && !isEmpty(encodedPassword) && Password.during(rawPassword)(blocking.matches(_, encodedPassword))

  /** Whether Spring Security should encode the password anew after this match. Never where the match ignored part of the password,
    * or was found while the service was away: the next login asks again.
    */
  override def upgradeEncoding(encodedPassword: String): Boolean =
    !isEmpty(encodedPassword) && blocking.needsRehash(encodedPassword)

  private def isEmpty(text: CharSequence): Boolean = text == null || text.length == 0
}
