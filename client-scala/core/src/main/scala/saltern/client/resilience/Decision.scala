package saltern.client.resilience

import saltern.client.{FallbackReason, TransportFailure}
import scala.concurrent.duration.*

/** The result of one exchange for one call, parsed but not yet judged. */
private[saltern] sealed trait Outcome[+A]
private[saltern] object Outcome {
  final case class Answered[A](answer: A) extends Outcome[A]

  /** A problem document of the service. */
  final case class Problem(status: Int, code: String, field: Option[String], retryAfter: Option[FiniteDuration])
      extends Outcome[Nothing]

  /** An error status without a problem document of the service: from a platform, a proxy, or a
    * redirect.
    */
  final case class Foreign(status: Int, retryAfter: Option[FiniteDuration]) extends Outcome[Nothing]

  /** Status 200 with a body that is not the contract's. `what` is fixed text. */
  final case class Unreadable(what: String) extends Outcome[Nothing]
  final case class Failed(kind: TransportFailure.Kind, detail: String) extends Outcome[Nothing]

  /** No connection became free in time. Nothing was sent. */
  case object NoConnection extends Outcome[Nothing]

  /** The caller has cancelled or ended the call. It says nothing about the service. */
  case object Abandoned extends Outcome[Nothing]

  /** The breaker or a `Retry-After` keeps calls from the service. Nothing was sent. */
  final case class NotTried(reason: FallbackReason) extends Outcome[Nothing]
}

/** The next step for the call. */
private[saltern] sealed trait Decision[+A]
private[saltern] object Decision {
  final case class Answer[A](answer: A) extends Decision[A]

  /** The call has ended; no answer is needed. */
  case object Drop extends Decision[Nothing]
  case object Retry extends Decision[Nothing]
  final case class GoLocal(reason: FallbackReason, detail: String) extends Decision[Nothing]
  final case class Refuse(code: String, field: Option[String]) extends Decision[Nothing]
  final case class DeadlineExceeded(where: String) extends Decision[Nothing]

  /** The whole table of the contract's error semantics.
    *
    * @param timeLeft of the call's own deadline
    * @param mayRetry whether this is the first attempt and the budget has a token
    */
  def after[A](outcome: Outcome[A], timeLeft: FiniteDuration, mayRetry: Boolean): Decision[A] = {
    import Outcome.*
    import TransportFailure.Kind
    outcome match {
      case Answered(answer)                                 => Answer(answer)
      case Abandoned                                        => Drop
      case Problem(_, "deadline_exceeded", _, _)            => DeadlineExceeded("at the service")
      case Problem(422 | 400, code, field, _)               => Refuse(code, field)
      case _ if timeLeft <= Duration.Zero                   => DeadlineExceeded("while waiting for the service")
      case Problem(401, code, _, _)                         => GoLocal(FallbackReason.CredentialsFailed, code)
      case Problem(429, code, _, _)                         => GoLocal(FallbackReason.Throttled, code)
      case Problem(_, "overloaded", _, _)                   => GoLocal(FallbackReason.Throttled, "overloaded")
      case Problem(status, code, _, _) if status >= 500     => GoLocal(FallbackReason.ServerError, code)
      case Problem(status, code, field, _) if status >= 400 => Refuse(code, field)
      case Problem(status, _, _, _)                         => GoLocal(FallbackReason.AnswerNotOurs, s"status $status")
      case Foreign(429, _)                                  => GoLocal(FallbackReason.Throttled, "status 429")
      case Foreign(status, _) if status >= 500              => GoLocal(FallbackReason.ServerError, s"status $status")
      case Foreign(status, _)                               => GoLocal(FallbackReason.AnswerNotOurs, s"status $status")
      case Unreadable(what)                                 => GoLocal(FallbackReason.AnswerNotOurs, what)
      case Failed(Kind.ConnectFailed, _) if mayRetry        => Retry
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

  /** Returns the result as the breaker counts it. */
  def health(outcome: Outcome[Any], took: FiniteDuration, settings: BreakerSettings): CallResult = {
    import Outcome.*
    outcome match {
      case Answered(_) if took >= settings.slowCall                           => CallResult.Slow
      case Answered(_)                                                        => CallResult.Success
      case Problem(_, "overloaded" | "deadline_exceeded", _, _)               => CallResult.Neutral
      case Problem(429, _, _, _) | Foreign(429, _)                            => CallResult.Neutral
      case Problem(401, _, _, _)                                              => CallResult.Failure
      case Problem(status, _, _, _) if status < 500                           => CallResult.Success
      case Abandoned | NoConnection | NotTried(_)                             => CallResult.Neutral
      case Problem(_, _, _, _) | Foreign(_, _) | Unreadable(_) | Failed(_, _) => CallResult.Failure
    }
  }

  /** Returns how long later calls are kept from the service, if the answer asks for it. */
  def pause(outcome: Outcome[Any]): Option[FiniteDuration] = {
    val asked = outcome match {
      case Outcome.Problem(_, "overloaded", _, after) => Some(after)
      case Outcome.Problem(429, _, _, after)          => Some(after)
      case Outcome.Foreign(429, after)                => Some(after)
      case _                                          => None
    }
    asked.map(_.getOrElse(PauseUnlessTold).min(LongestPause))
  }

  /** For a throttled answer without a `Retry-After` (Lambda's 429 has none). */
  val PauseUnlessTold: FiniteDuration = 100.millis

  /** The longest `Retry-After` that is obeyed. A longer one would switch the service off for this
    * client.
    */
  val LongestPause: FiniteDuration = 5.seconds
}
