package saltern.client.resilience

import saltern.client.FallbackReason

/** All that the client remembers about the service, in one immutable value. */
private[saltern] final case class Health(breaker: Breaker, budget: RetryBudget, pausedUntil: Option[Long]) {

  /** Returns why a call that arrives now is kept from the service, if it is. Changes nothing. */
  def keptAway(now: Long): Option[FallbackReason] =
    if (pausedUntil.exists(_ - now > 0)) Some(FallbackReason.Throttled)
    else if (breaker.wouldAdmit(now)) None
    else Some(FallbackReason.BreakerOpen)

  def admit(now: Long): (Health, Either[FallbackReason, Breaker.Epoch]) =
    if (pausedUntil.exists(_ - now > 0)) (this, Left(FallbackReason.Throttled))
    else {
      val (next, epoch) = breaker.admit(now)
      (copy(breaker = next, pausedUntil = None), epoch.toRight(FallbackReason.BreakerOpen))
    }

  def takeRetry: (Health, Boolean) = budget.take match {
    case Some(less) => (copy(budget = less), true)
    case None       => (this, false)
  }

  def record(epoch: Breaker.Epoch, outcome: Outcome[Any], result: CallResult, now: Long, random: Double): Health = {
    val pause = Decision.pause(outcome).map(now + _.toNanos)
    val later = (pausedUntil ++ pause).reduceOption((a, b) => if (a - b > 0) a else b)
    Health(
      breaker.record(epoch, result, now, random),
      if (result == CallResult.Success) budget.refill else budget,
      later
    )
  }
}
