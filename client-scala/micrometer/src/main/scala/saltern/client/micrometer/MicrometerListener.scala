package saltern.client.micrometer

import io.micrometer.core.instrument.{Counter, Gauge, MeterRegistry, Timer}
import java.util.concurrent.atomic.AtomicInteger
import saltern.client.{BreakerState, ClientListener, FallbackReason, Origin, SalternError}
import scala.concurrent.duration.FiniteDuration

/** Reports the client's events as Micrometer meters. The names are fixed:
  *
  * - `saltern.client.calls` (timer; tags `operation`, `outcome` = remote, local or an error's name)
  * - `saltern.client.fallback` (counter; tag `reason`): its rate divided by that of
  *   `saltern.client.calls` is the fallback rate. Set an alarm on it.
  * - `saltern.client.shed` (counter): calls that local hashing rejected
  * - `saltern.client.login.beyond.floor` (counter): logins that took longer than the floor. If it
  *   grows, set a higher floor.
  * - `saltern.client.local.wait` (timer): from the fallback to the start of the local hash
  * - `saltern.client.sends` (counter) and `saltern.client.batched` (counter of the calls in them)
  * - `saltern.client.retries` (counter)
  * - `saltern.client.breaker` (gauge; 0 closed, 1 half-open, 2 open)
  * - `saltern.client.policy.drift` (counter)
  *
  * @param registry the registry in which the constructor registers the meters
  */
final class MicrometerListener(registry: MeterRegistry) extends ClientListener {
  import MicrometerListener.*

  private val breaker = new AtomicInteger(0)
  private val fallbacks: Map[FallbackReason, Counter] =
    // Registered before the first event, so that a rate starts at zero and is not missing.
    FallbackReason.all.map(reason => reason -> registry.counter(Fallback, "reason", reason.name)).toMap
  private val shed = registry.counter(Shed)
  private val beyondFloor = registry.counter(BeyondFloor)
  private val localWait = registry.timer(LocalWait)
  private val sends = registry.counter(Sends)
  private val batched = registry.counter(Batched)
  private val retries = registry.counter(Retries)
  private val drift = registry.counter(Drift)
  Gauge.builder(Breaker, breaker, (state: AtomicInteger) => state.get.toDouble).register(registry)

  override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit = record(operation, origin.name, total)

  override def onError(operation: String, error: SalternError, total: FiniteDuration): Unit =
    record(operation, outcomeOf(error), total)

  override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = fallbacks(reason).increment()
  override def onLocalStart(waited: FiniteDuration): Unit = localWait.record(waited.length, waited.unit)
  override def onLoginBeyondFloor(by: FiniteDuration): Unit = beyondFloor.increment()
  override def onShed(): Unit = shed.increment()
  override def onSend(calls: Int): Unit = { sends.increment(); batched.increment(calls.toDouble) }
  override def onRetry(): Unit = retries.increment()
  override def onPolicyDrift(remoteDigest: String, localDigest: String): Unit = drift.increment()

  override def onBreaker(state: BreakerState): Unit = breaker.set(state match {
    case BreakerState.Closed   => 0
    case BreakerState.HalfOpen => 1
    case BreakerState.Open     => 2
  })

  private def record(operation: String, outcome: String, total: FiniteDuration): Unit =
    Timer.builder(Calls).tag("operation", operation).tag("outcome", outcome).register(registry).record(total.length, total.unit)
}

object MicrometerListener {

  /** Timer of calls; tags `operation` and `outcome`. */
  val Calls: String = "saltern.client.calls"

  /** Counter of calls that fell back to local hashing; tag `reason`. */
  val Fallback: String = "saltern.client.fallback"

  /** Counter of calls that local hashing rejected. */
  val Shed: String = "saltern.client.shed"

  /** Counter of logins that took longer than the floor. */
  val BeyondFloor: String = "saltern.client.login.beyond.floor"

  /** Timer from the fallback to the start of the local hash. */
  val LocalWait: String = "saltern.client.local.wait"

  /** Counter of exchanges. */
  val Sends: String = "saltern.client.sends"

  /** Counter of the calls in the exchanges. */
  val Batched: String = "saltern.client.batched"

  /** Counter of second attempts. */
  val Retries: String = "saltern.client.retries"

  /** Gauge: 0 closed, 1 half-open, 2 open. */
  val Breaker: String = "saltern.client.breaker"

  /** Counter of the service's policy documents that differ from the client's. */
  val Drift: String = "saltern.client.policy.drift"

  private def outcomeOf(error: SalternError): String = error match {
    case _: SalternError.Refused             => "refused"
    case _: SalternError.NotSent             => "not_sent"
    case _: SalternError.MaybeSent           => "maybe_sent"
    case _: SalternError.Overloaded          => "overloaded"
    case _: SalternError.Cancelled           => "cancelled"
    case _: SalternError.DeadlineExceeded    => "deadline_exceeded"
    case _: SalternError.NotAvailableLocally => "not_available_locally"
    case _: SalternError.Unreadable          => "unreadable"
  }
}
