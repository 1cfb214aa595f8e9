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

  /** The longest pause before the second attempt. A restarting listener needs a few of these pauses;
    * a lost SYN needs none.
    */
  val Longest: FiniteDuration = 20.millis

  /** Full jitter: between zero and the longest pause. `random` is in [0, 1). */
  def fullJitter(random: Double): FiniteDuration = (Longest.toNanos * random).toLong.nanos
}
