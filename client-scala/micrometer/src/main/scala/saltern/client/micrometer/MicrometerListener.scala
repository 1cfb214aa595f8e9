package saltern.client.micrometer

import io.micrometer.core.instrument.{Counter, Gauge, Meter, MeterRegistry, Tag, Tags, Timer}
import java.util.concurrent.atomic.AtomicInteger
import saltern.client.{BreakerState, ClientListener, FallbackReason, Origin, SalternError}
import scala.concurrent.duration.FiniteDuration
import scala.jdk.CollectionConverters.*

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
  * @param client the value of the tag `client` on every meter. Programs with several clients give
  *   each a name; otherwise the gauge of the breaker is that of the client that was made last.
  */
final class MicrometerListener(registry: MeterRegistry, client: String) extends ClientListener {
  import MicrometerListener.*

  /** For a program with one client: without the tag. */
  def this(registry: MeterRegistry) = this(registry, "")

  private val tags = (if (client.isEmpty) Nil else List(Tag.of("client", client))).asJava

  private val breaker = new AtomicInteger(0)
  private val fallbacks: Map[FallbackReason, Counter] =
    // Registered before the first event, so that a rate starts at zero and is not missing.
    FallbackReason.all.map(reason => reason -> registry.counter(Fallback, Tags.concat(tags, "reason", reason.name))).toMap
  private val shed = registry.counter(Shed, tags)
  private val beyondFloor = registry.counter(BeyondFloor, tags)
  private val localWait = registry.timer(LocalWait, tags)
  private val sends = registry.counter(Sends, tags)
  private val batched = registry.counter(Batched, tags)
  private val retries = registry.counter(Retries, tags)
  private val drift = registry.counter(Drift, tags)
  // A registry ignores a second gauge of one name, and would go on to show a client that was replaced.
  registry.removeByPreFilterId(new Meter.Id(Breaker, Tags.of(tags), null, null, Meter.Type.GAUGE))
  Gauge.builder(Breaker, breaker, (state: AtomicInteger) => state.get.toDouble).tags(tags).register(registry)

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
    Timer.builder(Calls).tags(tags).tag("operation", operation).tag("outcome", outcome).register(registry).record(total.length, total.unit)
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

  /** Of a refusal the codes are many. */
  private def outcomeOf(error: SalternError): String = error match {
    case _: SalternError.Refused => "refused"
    case other                   => other.code
  }
}
