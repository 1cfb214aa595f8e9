package saltern.testkit

import java.util.concurrent.ConcurrentLinkedQueue
import saltern.client.{BreakerState, ClientListener, FallbackReason, Origin, SalternError}
import scala.concurrent.duration.FiniteDuration
import scala.jdk.CollectionConverters.*

/** Keeps all that the client tells, in order. */
final class RecordingListener extends ClientListener {
  import RecordingListener.Event

  private val kept = new ConcurrentLinkedQueue[Event]

  /** All, oldest first. */
  def events: Vector[Event] = kept.asScala.toVector

  /** Why calls went local, oldest first. */
  def fallbacks: Vector[FallbackReason] = events.collect { case Event.Fallback(reason) => reason }

  /** What the breaker became, oldest first. */
  def breakerStates: Vector[BreakerState] = events.collect { case Event.Breaker(state) => state }

  /** Forgets them. */
  def clear(): Unit = kept.clear()

  override def onAnswer(operation: String, origin: Origin, total: FiniteDuration): Unit = keep(Event.Answer(operation, origin))
  override def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = keep(Event.Error(operation, error))
  override def onFallback(reason: FallbackReason): Unit = keep(Event.Fallback(reason))
  override def onLocalStart(waited: FiniteDuration): Unit = keep(Event.LocalStart(waited))
  override def onShed(): Unit = keep(Event.Shed)
  override def onSend(calls: Int): Unit = keep(Event.Send(calls))
  override def onRetry(): Unit = keep(Event.Retry)
  override def onBreaker(state: BreakerState): Unit = keep(Event.Breaker(state))
  override def onPolicyDrift(remoteDigest: String, localDigest: String): Unit =
    keep(Event.PolicyDrift(remoteDigest, localDigest))

  private def keep(event: Event): Unit = { val _ = kept.add(event) }
}

object RecordingListener {

  /** One call of a `ClientListener`'s method, without durations that no test could expect. */
  sealed trait Event
  object Event {

    /** @param operation `hash` or `verify`
      * @param origin who did the work
      */
    final case class Answer(operation: String, origin: Origin) extends Event

    /** @param operation `hash` or `verify`
      * @param error what the call ended in
      */
    final case class Error(operation: String, error: SalternError) extends Event

    /** @param reason why the call goes local */
    final case class Fallback(reason: FallbackReason) extends Event

    /** @param waited since it was decided */
    final case class LocalStart(waited: FiniteDuration) extends Event

    /** Local hashing had no room. */
    case object Shed extends Event

    /** @param calls in one exchange */
    final case class Send(calls: Int) extends Event

    /** A connect failure is tried again. */
    case object Retry extends Event

    /** @param state what it became */
    final case class Breaker(state: BreakerState) extends Event

    /** @param remoteDigest the service's
      * @param localDigest the client's
      */
    final case class PolicyDrift(remoteDigest: String, localDigest: String) extends Event
  }
}
