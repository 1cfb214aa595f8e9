package saltern.client.resilience

import scala.concurrent.duration.FiniteDuration

/** Decides how long one exchange may take, including the wait for its connection. */
private[saltern] object Attempt {

  /** Returns the configured time. If local hashing may follow, at most half of the time left: local
    * hashing then has as much time as the silent service took.
    *
    * `Saltern-Deadline-Ms` still carries the call's whole time, because nothing is hashed locally
    * after the service answers `deadline_exceeded`.
    *
    * @param timeLeft of the call's own deadline
    * @param set by `withAttemptTimeout`
    */
  def longest(timeLeft: FiniteDuration, set: FiniteDuration, fallback: Boolean): FiniteDuration =
    set.min(if (fallback) timeLeft / 2 else timeLeft)
}
