package saltern.client.resilience

import scala.concurrent.duration.*

/** Decides how long one exchange may take, including the wait for its connection. */
private[saltern] object Attempt {

  /** Returns the configured time. If local hashing may follow, at most half of the time left: local
    * hashing then has as much time as the silent service took.
    *
    * @param timeLeft of the call's own deadline
    * @param set by `withAttemptTimeout`
    */
  def longest(timeLeft: FiniteDuration, set: FiniteDuration, fallback: Boolean): FiniteDuration =
    set.min(if (fallback) timeLeft / 2 else timeLeft)

  /** Returns the value of `Saltern-Deadline-Ms`: the time in which this exchange's answer is still
    * wanted, less the time that request and answer travel. An answer on the last millisecond would
    * come too late, and its work would be wasted.
    */
  def millisForService(exchange: FiniteDuration): Long =
    math.max(1L, (exchange - (exchange / TravelShare).min(LongestTravel)).toMillis)

  /** For short exchanges, travel has this part of the time. */
  private val TravelShare = 20L

  /** More than a round trip between two regions' zones and a pause of the garbage collector. */
  private val LongestTravel = 50.millis
}
