package saltern.client.resilience

import scala.concurrent.duration.FiniteDuration

/** How long one exchange may take, the wait for its connection included. */
private[saltern] object Attempt {

  /** As long as was set, and where local hashing follows never more than half of what is left: a service that is silent must
    * leave it as much time as it took. The call's whole time still goes into `Saltern-Deadline-Ms`, because nobody hashes after a
    * service that says `deadline_exceeded`.
    *
    * @param timeLeft of the call's own deadline
    * @param set by `withAttemptTimeout`
    */
  def longest(timeLeft: FiniteDuration, set: FiniteDuration, fallback: Boolean): FiniteDuration =
    set.min(if (fallback) timeLeft / 2 else timeLeft)
}
