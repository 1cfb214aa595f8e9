package saltern.client.resilience

/** All that the client remembers about the service, in one immutable value. */
private[saltern] final case class Health(share: Share, budget: RetryBudget) {

  def admit(now: Long, random: Double): (Health, Share.Admission) = {
    val (next, admission) = share.admit(now, random)
    (copy(share = next), admission)
  }

  def takeRetry: (Health, Boolean) = budget.take match {
    case Some(less) => (copy(budget = less), true)
    case None       => (this, false)
  }

  def record(sent: Long, probe: Boolean, signal: Signal, now: Long, random: Double): Health =
    Health(
      share.record(sent, probe, signal, now, random),
      signal match { case Signal.Answered(_) => budget.refill; case _ => budget }
    )
}
