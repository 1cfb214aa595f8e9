package saltern.client.resilience

import saltern.client.BreakerState
import scala.concurrent.duration.*

/** Decides when calls are kept from the service. Every step is a function of its arguments; the
  * caller provides the time.
  *
  * A step returns the breaker that follows it. An admission carries the epoch in which it was
  * given. An answer that arrives after the state has changed belongs to an earlier epoch and does
  * not count.
  */
private[saltern] final case class Breaker(settings: BreakerSettings, phase: Breaker.Phase, epoch: Long) {
  import Breaker.*

  def state: BreakerState = phase match {
    case _: Counting => BreakerState.Closed
    case _: Resting  => BreakerState.Open
    case _: Probing  => BreakerState.HalfOpen
  }

  /** Returns whether a call that arrives now would be let through. */
  def wouldAdmit(now: Long): Boolean = phase match {
    case _: Counting      => true
    case resting: Resting => now - resting.until >= 0
    case probing: Probing => probing.mayProbe(now)
  }

  def admit(now: Long): (Breaker, Option[Epoch]) = phase match {
    case _: Counting                                  => (this, Some(epoch))
    case resting: Resting if now - resting.until >= 0 =>
      enter(Probing(now + settings.probeInterval.toNanos, 0, resting.times)).admitted
    case probing: Probing if probing.mayProbe(now) =>
      copy(phase = probing.copy(nextProbe = now + settings.probeInterval.toNanos)).admitted
    case _ => (this, None)
  }

  /** `random` in [0, 1) spreads the probes of many clients. */
  def record(of: Epoch, result: CallResult, now: Long, random: Double): Breaker =
    if (of != epoch) this
    else
      (phase, result) match {
        case (_, CallResult.Neutral) => this
        case (counting: Counting, _) => closed(counting.plus(result, now, settings), now, random)
        case (probing: Probing, CallResult.Success) if probing.successes + 1 >= settings.probesToClose =>
          enter(Counting.Empty)
        case (probing: Probing, CallResult.Success) =>
          // This probe was answered, so the next one need not wait.
          copy(phase = probing.copy(nextProbe = now, successes = probing.successes + 1))
        case (probing: Probing, _) => open(probing.times + 1, now, random)
        case (_: Resting, _)       => this
      }

  private def admitted: (Breaker, Option[Epoch]) = (this, Some(epoch))

  private def closed(counting: Counting, now: Long, random: Double): Breaker =
    if (counting.tooBad(settings)) open(0, now, random) else copy(phase = counting)

  private def open(times: Int, now: Long, random: Double): Breaker = {
    val doubled = settings.openFor.toNanos << math.min(times, 20)
    val longest = math.min(math.max(doubled, 0L), settings.maxOpenFor.toNanos)
    // One half is fixed, so that the service gets a rest; the other half is random.
    val rest = longest / 2 + (longest / 2 * random).toLong
    enter(Resting(now + rest, times))
  }

  private def enter(next: Phase): Breaker = copy(phase = next, epoch = epoch + 1)
}

private[saltern] object Breaker {
  type Epoch = Long

  def apply(settings: BreakerSettings): Breaker = Breaker(settings, Counting.Empty, 0)

  sealed trait Phase

  /** Closed: the last results, newest last, each with its time. */
  final case class Counting(results: Vector[(Long, CallResult)]) extends Phase {
    def plus(result: CallResult, now: Long, settings: BreakerSettings): Counting = {
      val fresh = results.dropWhile { case (at, _) => now - at > settings.windowAge.toNanos }
      Counting((fresh :+ (now -> result)).takeRight(settings.window))
    }

    def tooBad(settings: BreakerSettings): Boolean = {
      def share(bad: CallResult => Boolean): Double = results.count { case (_, r) => bad(r) }.toDouble / results.size
      results.size >= settings.minimumCalls &&
      (share(_ == CallResult.Failure) >= settings.failureRate ||
        // A failure also counts as slow if it took as long.
        share(_ != CallResult.Success) >= settings.slowRate)
    }
  }
  object Counting {
    val Empty: Counting = Counting(Vector.empty)
  }

  /** Open, for the `times`th time in a row. */
  final case class Resting(until: Long, times: Int) extends Phase

  /** Half-open: one probe in each interval, answered or not. */
  final case class Probing(nextProbe: Long, successes: Int, times: Int) extends Phase {
    def mayProbe(now: Long): Boolean = now - nextProbe >= 0
  }
}

/** The result of an exchange as far as the service's health is concerned. */
private[saltern] sealed trait CallResult
private[saltern] object CallResult {
  case object Success extends CallResult

  /** Answered, but later than `slowCall`. */
  case object Slow extends CallResult
  case object Failure extends CallResult

  /** No statement about health: an overload is handled by `Retry-After`, and a deadline is the
    * caller's.
    */
  case object Neutral extends CallResult
}

private[saltern] final case class BreakerSettings(
    window: Int,
    windowAge: FiniteDuration,
    minimumCalls: Int,
    failureRate: Double,
    slowCall: FiniteDuration,
    slowRate: Double,
    openFor: FiniteDuration,
    maxOpenFor: FiniteDuration,
    probeInterval: FiniteDuration,
    probesToClose: Int
)

private[saltern] object BreakerSettings {
  val Default: BreakerSettings = BreakerSettings(
    window = 50,
    windowAge = 30.seconds,
    // Few, so that a dead service costs few connect attempts. Enough, so that one lost packet does
    // not open the breaker.
    minimumCalls = 10,
    failureRate = 0.5,
    slowCall = 1500.millis,
    slowRate = 0.8,
    openFor = 250.millis,
    // Two more probes follow it, so that calls are remote again within 2 s of the recovery.
    maxOpenFor = 1.second,
    probeInterval = 250.millis,
    probesToClose = 2
  )
}
