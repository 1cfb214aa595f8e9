package saltern.testkit

import java.util.concurrent.ConcurrentLinkedQueue
import saltern.client.{BreakerState, ClientListener, FallbackReason, Origin, SalternError}
import scala.concurrent.duration.FiniteDuration
import scala.jdk.CollectionConverters.*

/** Keeps all events of a client, in order. */
final class RecordingListener extends ClientListener {
  import RecordingListener.Event

  private val kept = new ConcurrentLinkedQueue[Event]

  /** All events, oldest first. */
  def events: Vector[Event] = kept.asScala.toVector

  /** The reasons of all fallbacks, oldest first. */
  def fallbacks: Vector[FallbackReason] = events.collect { case Event.Fallback(reason, _) => reason }

  /** The states that the breaker changed to, oldest first. */
  def breakerStates: Vector[BreakerState] = events.collect { case Event.Breaker(state) => state }

  /** Removes all events. */
  def clear(): Unit = kept.clear()

  override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit =
    keep(Event.Answer(operation, origin))
  override def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = keep(Event.Error(operation, error))
  override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = keep(Event.Fallback(reason, detail))
  override def onLocalStart(waited: FiniteDuration): Unit = keep(Event.LocalStart(waited))
  override def onLoginBeyondFloor(by: FiniteDuration): Unit = keep(Event.LoginBeyondFloor(by))
  override def onShed(): Unit = keep(Event.Shed)
  override def onSend(calls: Int): Unit = keep(Event.Send(calls))
  override def onRetry(): Unit = keep(Event.Retry)
  override def onBreaker(state: BreakerState): Unit = keep(Event.Breaker(state))
  override def onPolicyDrift(remoteDigest: String, localDigest: String): Unit =
    keep(Event.PolicyDrift(remoteDigest, localDigest))

  private def keep(event: Event): Unit = { val _ = kept.add(event) }
}

object RecordingListener {

  /** One call of a `ClientListener`'s method, without durations and ids, which a test cannot predict. */
  sealed trait Event
  object Event {

    /** @param operation `hash` or `verify`
      * @param origin the side that did the work
      */
    final case class Answer(operation: String, origin: Origin) extends Event

    /** @param operation `hash` or `verify`
      * @param error of the call
      */
    final case class Error(operation: String, error: SalternError) extends Event

    /** @param reason of the fallback
      * @param detail for logs
      */
    final case class Fallback(reason: FallbackReason, detail: String) extends Event

    /** @param waited since the fallback */
    final case class LocalStart(waited: FiniteDuration) extends Event

    /** @param by how much longer than the floor the login took */
    final case class LoginBeyondFloor(by: FiniteDuration) extends Event

    /** Local hashing rejected a call. */
    case object Shed extends Event

    /** @param calls in one exchange */
    final case class Send(calls: Int) extends Event

    /** A request is tried again after a failed connect. */
    case object Retry extends Event

    /** @param state after the change */
    final case class Breaker(state: BreakerState) extends Event

    /** @param remoteDigest of the service
      * @param localDigest of the client
      */
    final case class PolicyDrift(remoteDigest: String, localDigest: String) extends Event
  }
}
