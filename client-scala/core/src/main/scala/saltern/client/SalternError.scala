package saltern.client

import scala.concurrent.duration.*

/** The reason why a call has no answer. The classes say what the caller does next:
  *
  *   - [[SalternError.UserFault]]: answer 400. No user has such a password.
  *   - [[SalternError.TryLater]]: answer 503, with its `retryAfter`.
  *   - [[SalternError.BadHash]] and [[SalternError.Misconfigured]]: answer 500, and look at the row
  *     or the settings. Asking again does not help.
  *   - [[SalternError.Cancelled]]: the caller has cancelled the call.
  *
  * No error says anything about the password: an overload is never a mismatch. `safe` may be shown
  * to the end user; `detailed` is for logs. Neither contains a password, a hash or a body. No cause
  * is attached, because the messages of other libraries' exceptions may contain them.
  *
  * @param code in lower case with underscores: the contract's, or one of the client's own
  * @param safe a sentence without data of the request, the same for every error of its kind
  */
sealed abstract class SalternError(val code: String, val safe: String, reason: String) extends RuntimeException(safe, null, false, false) {
  @volatile private var request: Option[String] = None

  /** The id under which the service logged the request: the `x-request-id` of its answer, or that
    * which was sent. For a call that was not sent, the caller's own, if it gave one.
    */
  def requestId: Option[String] = request

  /** [[safe]] with the reason and the request's id; for people to read, it may change between
    * versions.
    */
  def detailed: String = reason + request.fold("")(id => s" (request $id)")

  /** Whether this host makes no new hash, while it answers logins. */
  @volatile private[saltern] var isOfNewHashes: Boolean = false

  private[client] def ofNewHashes: this.type = { isOfNewHashes = true; this }
  private[client] def of(requestId: Option[String]): this.type = { request = requestId; this }
  override def toString: String = s"${getClass.getSimpleName}: $safe"
}

object SalternError {

  /** The request itself is wrong. Do not repeat it: every later attempt fails too. The codes are
    * those of [[RefusalCode]].
    *
    * @param origin the side that refused it
    */
  sealed abstract class Refused private[saltern] (code: String, val origin: Origin, safe: String, detail: String)
      extends SalternError(code, safe, s"refused by the ${origin.name} side: $code$detail")

  /** The password is too long, is not valid text, or is a new one and breached. Answer 400: the user
    * must give another one.
    */
  final class UserFault private[saltern] (code: String, origin: Origin, detail: String)
      extends Refused(code, origin, if (code == RefusalCode.PasswordBreached) Breached else "the password is too long, or is not valid text", detail)

  /** The stored hash cannot be read, is of a scheme that is not allowed, or costs more than a
    * ceiling. Answer 500 and look at the row. Never a mismatch.
    */
  final class BadHash private[saltern] (code: String, origin: Origin, detail: String)
      extends Refused(code, origin, "the stored password cannot be checked", detail)

  /** A setting or the program is wrong: the policy's name, a path, a scope, or a wiped password.
    * Answer 500 and look at the settings.
    */
  final class Misconfigured private[saltern] (code: String, origin: Origin, detail: String)
      extends Refused(code, origin, "the password service is not set up correctly", detail)

  /** There is no answer now. Answer 503: a later attempt may succeed.
    *
    * @param retryAfter the value for `Retry-After`
    */
  sealed abstract class TryLater private[saltern] (code: String, val retryAfter: FiniteDuration, safe: String, detailed: String)
      extends SalternError(code, safe, detailed)

  /** The request was not sent, so the service did no work. Only if local hashing is off or the
    * client is closed.
    */
  final class NotSent private[saltern] (reason: String)
      extends TryLater("not_sent", Soon, "the password service could not be reached", s"not sent: $reason")

  /** The request may have been sent, and the service may have done the work. The answer is lost. */
  final class MaybeSent private[saltern] (reason: String)
      extends TryLater("maybe_sent", Soon, "the password service did not answer", s"maybe sent: $reason")

  /** Neither side can take the work now, and no hash was computed. Its `retryAfter` is 1 s or more
    * from local hashing, 100 ms to 5 s from the service.
    */
  final class Overloaded private[saltern] (retryAfter: FiniteDuration, reason: String)
      extends TryLater("overloaded", retryAfter, "too many passwords are being checked right now", s"overloaded: $reason")

  /** The call's deadline passed, or the work needs more time than the deadline leaves. */
  final class DeadlineExceeded private[saltern] (where: String)
      extends TryLater("deadline_exceeded", Soon, "checking the password took too long", s"deadline exceeded: $where")

  /** The service cannot be reached, and this host cannot compute the stored hash's scheme, or lacks
    * the key of its seal. Or it must not make a new hash, because the policy documents differ or
    * because it could not seal it. Never a mismatch.
    */
  final class NotAvailableLocally private[saltern] (reason: String)
      extends TryLater("not_available_locally", Soon, "the password service could not be reached", s"not available locally: $reason")

  /** The answer does not follow the contract. Only if local hashing is off. */
  final class Unreadable private[saltern] (reason: String)
      extends TryLater("unreadable", Soon, "the answer of the password service was invalid", s"unreadable answer: $reason")

  /** The caller cancelled the call, by [[Saltern.cancel]] or through its effect. The service may
    * have done the work.
    */
  final class Cancelled private[saltern] () extends SalternError("cancelled", "the call was cancelled", "cancelled by the caller")

  private[saltern] def refused(code: String, origin: Origin, detail: String = ""): Refused =
    if (RefusalCode.ofThePassword(code)) new UserFault(code, origin, detail)
    else if (RefusalCode.ofTheHash(code)) new BadHash(code, origin, detail)
    else new Misconfigured(code, origin, detail)

  /** The context is missing where the key of the seal wants one, or it is not one. */
  private[saltern] def ofTheContext: Refused = refused(RefusalCode.InvalidRequest, Origin.Local, " (field context)")

  private val Breached = "this password is in a list of breached passwords: choose another one"

  /** The least whole second of a `Retry-After`. */
  private val Soon = 1.second
}

/** The codes of a refusal: the contract's (later versions may add some), and three of the client's
  * own.
  */
object RefusalCode {

  /** The cost of the stored hash, or of the policy, is over a ceiling of the policy document. */
  val CostOutOfBounds: String = "cost_out_of_bounds"

  /** The stored hash is not in the one form of its scheme, or is longer than 1,024 bytes (sealed:
    * 1,457).
    */
  val InvalidHash: String = "invalid_hash"

  /** The request is not in the form of the contract. This client refuses a context that does not
    * have 1 to 256 bytes of UTF-8. It refuses a call without a context if the seal's key wants one.
    */
  val InvalidRequest: String = "invalid_request"

  /** A new password is in the service's list of breached ones: the user should choose another. */
  val PasswordBreached: String = "password_breached"

  /** The password of a new bcrypt hash contains a NUL. Software with C strings would ignore the
    * rest of it.
    */
  val PasswordHasNul: String = "password_has_nul"

  /** The password has more than 1,024 bytes of UTF-8; for a new bcrypt hash, more than 72. */
  val PasswordTooLong: String = "password_too_long"

  /** The named policy is for verifying only. */
  val PolicyNotForHashing: String = "policy_not_for_hashing"

  /** The tag of the sealed hash is wrong: it was changed, or belongs to another row. */
  val SealBroken: String = "seal_broken"

  /** No policy has the name. */
  val UnknownPolicy: String = "unknown_policy"

  /** The scheme is switched off, or neither side reads it. */
  val UnsupportedHash: String = "unsupported_hash"

  /** The client's own: the text is not valid Unicode. The service would answer 400. */
  val UnpairedSurrogate: String = "unpaired_surrogate"

  /** The client's own: the password was wiped before the call. */
  val PasswordWiped: String = "password_wiped"

  /** The client's own: the stored hash contains characters that JSON cannot carry. */
  val InvalidText: String = "invalid_text"

  private[client] def ofThePassword(code: String): Boolean = Set(PasswordTooLong, PasswordHasNul, PasswordBreached, UnpairedSurrogate)(code)

  private[client] def ofTheHash(code: String): Boolean = Set(CostOutOfBounds, InvalidHash, InvalidText, SealBroken, UnsupportedHash)(code)
}
