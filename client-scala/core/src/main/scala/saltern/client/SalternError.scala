package saltern.client

import scala.concurrent.duration.FiniteDuration

/** Why a call has no answer, by what the caller may assume.
  *
  * None of them says anything about the password: an overload is never a mismatch. `safe` may be shown to whoever asked;
  * `detailed` is for logs. Neither holds a password, a hash or a body, and no cause is attached, because the texts of
  * foreign exceptions are not ours to vouch for.
  *
  * @param safe a sentence without anything of the request, the same for every error of its kind
  * @param detailed the same with the reason; for people to read, and not promised from one version to the next
  */
sealed abstract class SalternError(val safe: String, val detailed: String)
    extends RuntimeException(safe, null, false, false) {
  override def toString: String = s"${getClass.getSimpleName}: $safe"
}

object SalternError {

  /** The request itself is wrong, and would be wrong anywhere: do not repeat it.
    *
    * @param code the contract's, or one of the client's own: see [[RefusalCode]]
    * @param origin who refused it
    */
  final class Refused private[saltern] (val code: String, val origin: Origin, detail: String)
      extends SalternError("the request was refused", s"refused by the ${origin.name} side: $code$detail")

  /** The service did no work: the request never left. Only where local hashing is off or the client is closed. */
  final class NotSent private[saltern] (reason: String)
      extends SalternError("the password service could not be reached", s"not sent: $reason")

  /** The service may have done the work; nobody has the answer. */
  final class MaybeSent private[saltern] (reason: String)
      extends SalternError("the password service did not answer", s"maybe sent: $reason")

  /** Neither side can take the work now, and nobody computed anything. Answer 503.
    *
    * @param retryAfter what to say in `Retry-After`: 1 s or more from local hashing, 100 ms to 5 s from the service
    */
  final class Overloaded private[saltern] (val retryAfter: FiniteDuration, reason: String)
      extends SalternError("too many passwords are being checked right now", s"overloaded: $reason")

  /** The call's deadline passed, or the work alone does not fit into it. */
  final class DeadlineExceeded private[saltern] (where: String)
      extends SalternError("checking the password took too long", s"deadline exceeded: $where")

  /** The service cannot be reached, and this host cannot compute the stored hash's scheme. Never a mismatch. */
  final class NotAvailableLocally private[saltern] (reason: String)
      extends SalternError("the password service could not be reached", s"not available locally: $reason")

  /** Something answered, and not as the contract says. Only where local hashing is off. */
  final class Unreadable private[saltern] (reason: String)
      extends SalternError("the password service did not answer as agreed", s"unreadable answer: $reason")
}

/** The codes of a refusal: the contract's (it may gain some), and three of the client's own. */
object RefusalCode {

  /** The stored hash, or the policy's, costs more than a ceiling of the policy document. */
  val CostOutOfBounds: String = "cost_out_of_bounds"

  /** The stored hash does not have the one form of its scheme, or is longer than 1,024 bytes. */
  val InvalidHash: String = "invalid_hash"

  /** A new hash under bcrypt, which software on C strings would cut off at the NUL. */
  val PasswordHasNul: String = "password_has_nul"

  /** More than 1,024 bytes of UTF-8; for a new hash under bcrypt more than 72. */
  val PasswordTooLong: String = "password_too_long"

  /** The named policy is for verifying only. */
  val PolicyNotForHashing: String = "policy_not_for_hashing"

  /** No policy has the name. */
  val UnknownPolicy: String = "unknown_policy"

  /** A scheme that is switched off, or that nobody here reads. */
  val UnsupportedHash: String = "unsupported_hash"

  /** The client's own: the text is not Unicode. The service would answer 400 to it. */
  val UnpairedSurrogate: String = "unpaired_surrogate"

  /** The client's own: the password was wiped before the call. */
  val PasswordWiped: String = "password_wiped"

  /** The client's own: the stored hash or the policy's name is not text that JSON can carry. */
  val InvalidText: String = "invalid_text"
}
