package saltern.client.resilience

import scala.concurrent.duration.*

/** Tokens for second attempts, shared by all calls. If the service is down, retries stop and first
  * attempts continue.
  */
private[saltern] final case class RetryBudget(tokens: Int, capacity: Int) {
  import RetryBudget.*

  def take: Option[RetryBudget] = if (tokens < CostOfRetry) None else Some(copy(tokens = tokens - CostOfRetry))

  /** Called after each answer. */
  def refill: RetryBudget = copy(tokens = math.min(capacity, tokens + RefillOfAnswer))
}

private[saltern] object RetryBudget {

  val CostOfRetry: Int = 10
  val RefillOfAnswer: Int = 1

  def full(capacity: Int): RetryBudget = RetryBudget(capacity, capacity)
}

private[saltern] object Backoff {

  /** The longest first pause. A restarting listener needs a few of these pauses; a lost SYN needs
    * none.
    */
  val Base: FiniteDuration = 20.millis
  val Longest: FiniteDuration = 200.millis

  /** Full jitter: between zero and the exponential bound. `random` is in [0, 1). */
  def fullJitter(attempt: Int, random: Double): FiniteDuration = {
    val bound = math.min(Base.toNanos << math.min(attempt, 10), Longest.toNanos)
    (bound * random).toLong.nanos
  }
}
