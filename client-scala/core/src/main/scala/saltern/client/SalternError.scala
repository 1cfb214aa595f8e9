package saltern.client

import scala.concurrent.duration.FiniteDuration

/** The reason why a call has no answer. The subclasses differ in what the caller may assume.
  *
  * No error says anything about the password: an overload is never a mismatch. `safe` may be shown
  * to the end user; `detailed` is for logs. Neither contains a password, a hash or a body. No cause
  * is attached, because the messages of other libraries' exceptions may contain them.
  *
  * @param safe a sentence without data of the request, the same for every error of its kind
  * @param detailed the same with the reason; for people to read, it may change between versions
  */
sealed abstract class SalternError(val safe: String, val detailed: String)
    extends RuntimeException(safe, null, false, false) {
  override def toString: String = s"${getClass.getSimpleName}: $safe"
}

object SalternError {

  /** The request itself is wrong. Do not repeat it: every later attempt fails too.
    *
    * @param code the contract's, or one of the client's own: see [[RefusalCode]]
    * @param origin the side that refused it
    */
  final class Refused private[saltern] (val code: String, val origin: Origin, detail: String)
      extends SalternError("the request was refused", s"refused by the ${origin.name} side: $code$detail")

  /** The request was not sent, so the service did no work. Only if local hashing is off or the
    * client is closed.
    */
  final class NotSent private[saltern] (reason: String)
      extends SalternError("the password service could not be reached", s"not sent: $reason")

  /** The request may have been sent, and the service may have done the work. The answer is lost. */
  final class MaybeSent private[saltern] (reason: String)
      extends SalternError("the password service did not answer", s"maybe sent: $reason")

  /** Neither side can take the work now, and no hash was computed. Answer 503 to your own caller.
    *
    * @param retryAfter the value for `Retry-After`: 1 s or more from local hashing, 100 ms to 5 s
    *   from the service
    */
  final class Overloaded private[saltern] (val retryAfter: FiniteDuration, reason: String)
      extends SalternError("too many passwords are being checked right now", s"overloaded: $reason")

  /** The caller cancelled the call, by [[Saltern.cancel]] or through its effect. The service may
    * have done the work.
    */
  final class Cancelled private[saltern] () extends SalternError("the call was cancelled", "cancelled by the caller")

  /** The call's deadline passed, or the work needs more time than the deadline leaves. */
  final class DeadlineExceeded private[saltern] (where: String)
      extends SalternError("checking the password took too long", s"deadline exceeded: $where")

  /** The service cannot be reached, and this host cannot compute the stored hash's scheme. Or it
    * must not make a new hash, because the policy documents differ. Never a mismatch.
    */
  final class NotAvailableLocally private[saltern] (reason: String)
      extends SalternError("the password service could not be reached", s"not available locally: $reason")

  /** The answer does not follow the contract. Only if local hashing is off. */
  final class Unreadable private[saltern] (reason: String)
      extends SalternError("the answer of the password service was invalid", s"unreadable answer: $reason")
}

/** The codes of a refusal: the contract's (later versions may add some), and three of the client's
  * own.
  */
object RefusalCode {

  /** The cost of the stored hash, or of the policy, is over a ceiling of the policy document. */
  val CostOutOfBounds: String = "cost_out_of_bounds"

  /** The stored hash is not in the one form of its scheme, or is longer than 1,024 bytes. */
  val InvalidHash: String = "invalid_hash"

  /** The password of a new bcrypt hash contains a NUL. Software with C strings would ignore the
    * rest of it.
    */
  val PasswordHasNul: String = "password_has_nul"

  /** The password has more than 1,024 bytes of UTF-8; for a new bcrypt hash, more than 72. */
  val PasswordTooLong: String = "password_too_long"

  /** The named policy is for verifying only. */
  val PolicyNotForHashing: String = "policy_not_for_hashing"

  /** No policy has the name. */
  val UnknownPolicy: String = "unknown_policy"

  /** The scheme is switched off, or neither side reads it. */
  val UnsupportedHash: String = "unsupported_hash"

  /** The client's own: the text is not valid Unicode. The service would answer 400. */
  val UnpairedSurrogate: String = "unpaired_surrogate"

  /** The client's own: the password was wiped before the call. */
  val PasswordWiped: String = "password_wiped"

  /** The client's own: the stored hash or the policy's name contains characters that JSON cannot
    * carry.
    */
  val InvalidText: String = "invalid_text"
}
