package saltern.client.resilience

import saltern.client.{FallbackReason, TransportFailure}
import scala.concurrent.duration.*

/** The result of one exchange for one call, parsed but not yet judged. */
private[saltern] sealed trait Outcome[+A]
private[saltern] object Outcome {
  final case class Answered[A](answer: A) extends Outcome[A]
  sealed trait NoAnswer extends Outcome[Nothing]

  /** A problem document of the service. */
  final case class Problem(status: Int, code: String, field: Option[String], retryAfter: Option[FiniteDuration])
      extends NoAnswer

  /** An error status without a problem document of the service: from a platform, a proxy, or a
    * redirect.
    */
  final case class Foreign(status: Int, retryAfter: Option[FiniteDuration]) extends NoAnswer

  /** Status 200 with a body that is not the contract's. `what` is fixed text. */
  final case class Unreadable(what: String) extends NoAnswer
  final case class Failed(kind: TransportFailure.Kind, detail: String) extends NoAnswer

  /** No connection became free in time. Nothing was sent. */
  case object NoConnection extends NoAnswer

  /** The caller has cancelled or ended the call. It says nothing about the service. */
  case object Abandoned extends NoAnswer

  /** The service became unreachable while the call waited for a connection. Nothing was sent. */
  final case class NotTried(reason: FallbackReason) extends NoAnswer
}

/** The next step for the call. */
private[saltern] sealed trait Decision[+A]
private[saltern] object Decision {
  final case class Answer[A](answer: A) extends Decision[A]

  /** The call has ended; no answer is needed. */
  case object Drop extends Decision[Nothing]

  /** @param retryAfter for the caller, if nothing is hashed locally */
  final case class GoLocal(reason: FallbackReason, detail: String, retryAfter: FiniteDuration = RetryUnlessTold)
      extends Decision[Nothing]
  final case class Refuse(code: String, field: Option[String]) extends Decision[Nothing]
  final case class DeadlineExceeded(where: String) extends Decision[Nothing]

  /** The whole table of the contract's error semantics.
    *
    * @param timeLeft of the call's own deadline
    */
  def after[A](outcome: Outcome[A], timeLeft: FiniteDuration): Decision[A] = {
    import Outcome.*
    import TransportFailure.Kind
    outcome match {
      case Answered(answer)                                 => Answer(answer)
      case Abandoned                                        => Drop
      case Problem(422 | 400, code, field, _)               => Refuse(code, field)
      case _ if timeLeft <= Duration.Zero                   => DeadlineExceeded("while waiting for the service")
      case Problem(_, "deadline_exceeded", _, _)            => GoLocal(FallbackReason.AttemptTimeout, "deadline_exceeded")
      case Problem(408, code, _, _)                         => GoLocal(FallbackReason.AttemptTimeout, code)
      case Problem(401, code, _, _)                         => GoLocal(FallbackReason.CredentialsFailed, code)
      case Problem(403, Forbidden, _, _)                    => GoLocal(FallbackReason.Misconfigured, Forbidden)
      case Problem(403, code, _, _)                         => GoLocal(FallbackReason.CredentialsFailed, code)
      case Problem(404 | 405 | 413 | 415, code, _, _)       => GoLocal(FallbackReason.Misconfigured, code)
      case Problem(429, code, _, after)                     => throttled(code, after)
      case Problem(_, "overloaded", _, after)               => throttled("overloaded", after)
      case Problem(status, code, _, _) if status >= 500     => GoLocal(FallbackReason.ServerError, code)
      case Problem(status, code, field, _) if status >= 400 => Refuse(code, field)
      case Problem(status, _, _, _)                         => GoLocal(FallbackReason.AnswerNotOurs, s"status $status")
      case Foreign(429, after)                              => throttled("status 429", after)
      case Foreign(504, _)                                  => GoLocal(FallbackReason.AttemptTimeout, "status 504")
      case Foreign(status, _) if status >= 500              => GoLocal(FallbackReason.ServerError, s"status $status")
      case Foreign(status, _)                               => GoLocal(FallbackReason.AnswerNotOurs, s"status $status")
      case Unreadable(what)                                 => GoLocal(FallbackReason.AnswerNotOurs, what)
      case Failed(Kind.ConnectFailed, detail)               => GoLocal(FallbackReason.ConnectFailed, detail)
      case Failed(Kind.TlsFailed, detail)                   => GoLocal(FallbackReason.TlsFailed, detail)
      case Failed(Kind.CredentialsFailed, detail)           => GoLocal(FallbackReason.CredentialsFailed, detail)
      case Failed(Kind.Broken, detail)                      => GoLocal(FallbackReason.ConnectionBroken, detail)
      case Failed(Kind.TimedOut, detail)                    => GoLocal(FallbackReason.AttemptTimeout, detail)
      case Failed(Kind.TooLarge, detail)                    => GoLocal(FallbackReason.AnswerNotOurs, detail)
      case NoConnection                                     => GoLocal(FallbackReason.ConnectionsBusy, "no free connection")
      case NotTried(reason)                                 => GoLocal(reason, "not tried")
    }
  }

  /** Returns whether the outcomes of a group allow a second attempt. Only a failed connect does. It
    * concerns every call of the group, so the whole group is sent again.
    */
  def sendAgain(outcomes: Seq[Outcome[Any]]): Boolean = outcomes.forall {
    case Outcome.Failed(TransportFailure.Kind.ConnectFailed, _) => true
    case _                                                      => false
  }

  private def throttled(detail: String, after: Option[FiniteDuration]): Decision[Nothing] =
    GoLocal(FallbackReason.Throttled, detail, after.fold(RetryUnlessTold)(_.min(LongestRetry)))

  /** Returns what an exchange says about the service's health.
    *
    * @param waited for a worker, as the service reports it
    * @param silent whether no exchange was answered while this one was waiting
    */
  def signal(outcome: Outcome[Any], waited: Option[FiniteDuration], silent: Boolean): Signal = {
    import Outcome.*
    outcome match {
      case Answered(_)                                            => Signal.Answered(waited.getOrElse(Duration.Zero))
      case Problem(429, _, _, _) | Problem(_, "overloaded", _, _) => Signal.Overloaded
      case Problem(_, "deadline_exceeded", _, _)                  => Signal.Unable
      // A property of the stored hash: other hashes may have another key.
      case Problem(_, "key_unavailable", _, _) => Signal.Unable
      // A property of the operation: the token has the scope of others.
      case Problem(403, Forbidden, _, _)                                      => Signal.Unable
      case Problem(401 | 403 | 404 | 405 | 413 | 415, _, _, _)                => Signal.Failed
      case Problem(status, _, _, _) if status < 500                           => Signal.Answered(Duration.Zero)
      case Foreign(429, _)                                                    => Signal.Overloaded
      case Foreign(504, _)                                                    => Signal.Slow
      case Failed(TransportFailure.Kind.TimedOut, _) if silent                => Signal.Silent
      case Failed(TransportFailure.Kind.TimedOut, _)                          => Signal.Slow
      case Abandoned | NoConnection | NotTried(_)                             => Signal.Nothing
      case Problem(_, _, _, _) | Foreign(_, _) | Unreadable(_) | Failed(_, _) => Signal.Failed
    }
  }

  /** The contract's code for an operation outside the token's scopes. */
  val Forbidden: String = "forbidden"

  /** For a throttled answer without a `Retry-After`, and for a call that was not sent. */
  val RetryUnlessTold: FiniteDuration = 1.second

  /** The longest `Retry-After` that is passed on. */
  val LongestRetry: FiniteDuration = 5.seconds
}
