package saltern.client.resilience

import saltern.client.{BreakerState, FallbackReason}
import scala.concurrent.duration.*

/** Decides which share of the calls goes to the service. Every step is a function of its arguments;
  * the caller provides the time and the random numbers.
  *
  * The share shrinks by a factor when the service is overloaded, and grows with time. It soon
  * returns to the share before, stays there for a while, and then grows faster and faster.
  *
  * If the service is silent, or fails several times in a row, the share is 0. Then one call at a
  * time is sent as a probe. The first answer brings a small share back. ADR 15 has the reasons.
  */
private[saltern] final case class Share(settings: ShareSettings, phase: Share.Phase) {
  import Share.*

  def state: BreakerState = phase match {
    case up: Up if up.share >= 1 => BreakerState.Closed
    case _: Up                   => BreakerState.HalfOpen
    case _: Down                 => BreakerState.Open
  }

  /** Decides about a call that arrives now. `random` in [0, 1). */
  def admit(now: Long, random: Double): (Share, Admission) = phase match {
    case up: Up =>
      val grown = up.grown(now)
      (copy(phase = grown), if (random < grown.share) Admission.Send else Admission.Keep(up.reason))
    case down: Down if now - down.probeAt >= 0 =>
      // If the probe's result is lost, the next probe follows.
      (copy(phase = down.copy(probeAt = now + ProbeLease)), Admission.Probe)
    case _: Down => (this, Admission.Keep(FallbackReason.BreakerOpen))
  }

  /** Returns whether calls that wait for a connection are not sent any more. */
  def isDown: Boolean = phase match { case _: Down => true; case _: Up => false }

  /** Records the result of an exchange.
    *
    * @param sent the time at which the exchange began
    * @param random in [0, 1); it spreads the steps of many clients
    */
  def record(sent: Long, probe: Boolean, signal: Signal, now: Long, random: Double): Share = (phase, signal) match {
    case (down: Down, _: Signal.Answer)        => copy(phase = returned(down.share, now))
    case (down: Down, Signal.Nothing) if probe => copy(phase = down.copy(probeAt = now))
    case (down: Down, _) if probe              => copy(phase = rest(down.share, down.times + 1, now, random))
    case (_: Down, _)                          => this
    case (up: Up, Signal.Silent)               => copy(phase = rest(up.known, 0, now, random))
    case (up: Up, Signal.Failed)               =>
      val failing = up.failing.fold(Failing(1, now))(known => known.copy(count = known.count + 1))
      copy(phase =
        if (failing.count >= settings.failuresInARow && now - failing.since >= Round) rest(up.known, 0, now, random)
        else up.copy(failing = Some(failing))
      )
    case (up: Up, Signal.Answered(waited)) =>
      val heard = up.grown(now).copy(failing = None, lastWait = waited)
      copy(phase =
        if (waited < BusyWait) heard
        // A queue that gets shorter needs no reduction, however long it still is.
        else if (waited < LongWait || waited < up.lastWait) heard.held(now)
        else heard.cut(sent, now, random)
      )
    case (up: Up, Signal.Overloaded | Signal.Slow) => copy(phase = up.grown(now).copy(failing = None).cut(sent, now, random))
    case (up: Up, Signal.Unable)                   => copy(phase = up.grown(now).copy(failing = None))
    case (_: Up, Signal.Nothing)                   => this
  }

  /** The share before the failure is reached fast. Then the share grows as after an overload. */
  private def returned(known: Double, now: Long): Up =
    Up(math.max(LeastShare, FirstPart * known), now, now - FullSpeedAfter, now, None, FallbackReason.BreakerOpen, Some(known), Duration.Zero)

  private def rest(known: Double, times: Int, now: Long, random: Double): Down = {
    val doubled = settings.openFor.toNanos << math.min(times, 20)
    val longest = math.min(math.max(doubled, 0L), settings.maxOpenFor.toNanos)
    // One half is fixed, so that the service gets a rest; the other half is random.
    Down(now + longest / 2 + (longest / 2 * random).toLong, times, known)
  }
}

private[saltern] object Share {
  def full(settings: ShareSettings, now: Long): Share =
    Share(settings, Up(1, now, now - FullSpeedAfter, now - Round, None, FallbackReason.Throttled, None, Duration.Zero))

  sealed trait Phase

  /** @param share of the calls that are sent, at time `at`
    * @param calmSince the start of the curve of growth
    * @param lastCut the time of the last reduction
    * @param failing the failures since the last answer
    * @param reason of the fallback of the calls that are not sent
    * @param goal the share before the service was unreachable, until it is reached again
    * @param lastWait of an answered call for a worker of the service
    */
  final case class Up(
      share: Double,
      at: Long,
      calmSince: Long,
      lastCut: Long,
      failing: Option[Failing],
      reason: FallbackReason,
      goal: Option[Double],
      lastWait: FiniteDuration
  ) extends Phase {
    def known: Double = math.max(share, goal.getOrElse(0.0))

    def grown(now: Long): Up =
      if (now - at <= 0) this
      else {
        val next = math.min(1, share * math.exp(growth(now - calmSince) - growth(at - calmSince)))
        goal.filter(_ <= next).fold(copy(share = next, at = now))(g => copy(share = g, at = now, calmSince = now - PlateauAfter, goal = None))
      }

    /** The answers of one round trip tell the same overload, so only the first one counts. */
    def cut(sent: Long, now: Long, random: Double): Up =
      if (sent - lastCut < 0 || now - lastCut < Round) held(now)
      else {
        val less = math.max(LeastShare, share * (1 - Cut * (0.5 + random)))
        copy(share = less, calmSince = now, lastCut = now, reason = FallbackReason.Throttled, goal = None)
      }

    /** A sign that the service has enough work: the share does not grow beyond the plateau. */
    def held(now: Long): Up = if (now - calmSince <= PlateauAfter) this else copy(calmSince = now - PlateauAfter)

    /** The exponent of growth: CUBIC's curve until full speed, then a line. */
    private def growth(calm: Long): Double = {
      val t = math.max(0, calm) / 1e9
      val full = FullSpeedAfter / 1e9
      val after = PlateauAfter / 1e9
      def cubic(t: Double): Double = Steepness * (math.pow(t - after, 3) + math.pow(after, 3))
      if (t < full) cubic(t) else cubic(full) + 3 * Steepness * math.pow(full - after, 2) * (t - full)
    }
  }

  /** Failures in a row. Connections that break together are one event, so the time counts too. */
  final case class Failing(count: Int, since: Long)

  /** No call is sent, except for a probe from `probeAt` on.
    *
    * @param times the probes that have failed
    * @param share before the service was unreachable
    */
  final case class Down(probeAt: Long, times: Int, share: Double) extends Phase

  sealed trait Admission
  object Admission {
    case object Send extends Admission
    case object Probe extends Admission
    final case class Keep(reason: FallbackReason) extends Admission
  }

  /** A service that returns first gets this part of the share that it had. */
  private val FirstPart = 0.1

  /** Full speed is reached after this time without a sign of overload: thirteenfold in a second. */
  private val FullSpeedAfter = 4.seconds.toNanos

  /** The mean part by which an overload reduces the share. A smaller one needs more round trips and
    * refusals. A larger one leaves the service idle until the share has grown again.
    */
  private val Cut = 0.2

  /** The time from a reduction until the share before it is reached again. Near that share the
    * growth stops: there the service was full. A longer time leaves the service idle, a shorter one
    * brings more refusals.
    */
  private val PlateauAfter = 1250.millis.toNanos

  /** A mean reduction is made good at the plateau. */
  private val Steepness = -math.log(1 - Cut) / math.pow(PlateauAfter / 1e9, 3)

  /** The share is reduced at most once in this time, and failures in a row last as long. */
  private val Round = 100.millis.toNanos

  /** With such a wait for a worker the service has enough work, and the share does not grow beyond
    * the plateau. Less than the wait that the service permits under lasting overload.
    */
  private val BusyWait = 75.millis

  /** A wait that grows beyond this reduces the share, before the service must refuse. */
  private val LongWait = 150.millis

  /** More than the longest exchange. */
  private val ProbeLease = 61.seconds.toNanos

  /** Enough to notice the end of an overload. */
  private val LeastShare = 0.01
}

/** The result of an exchange as far as the service's health is concerned. */
private[saltern] sealed trait Signal
private[saltern] object Signal {

  /** The service has answered. */
  sealed trait Answer extends Signal

  /** @param waited for a worker, as the service reports it; 0 if it does not */
  final case class Answered(waited: FiniteDuration) extends Answer

  /** The service refused work for lack of capacity. */
  case object Overloaded extends Answer

  /** The service could not do this work in its time. */
  case object Unable extends Answer

  /** No answer in time, while other exchanges were answered. */
  case object Slow extends Signal

  /** No answer, or an answer that is not the service's. */
  case object Failed extends Signal

  /** No exchange was answered while this one was waiting. */
  case object Silent extends Signal

  /** No statement about health. */
  case object Nothing extends Signal
}

private[saltern] final case class ShareSettings(
    silence: FiniteDuration,
    failuresInARow: Int,
    openFor: FiniteDuration,
    maxOpenFor: FiniteDuration
)

private[saltern] object ShareSettings {
  val Default: ShareSettings = ShareSettings(
    // More than a login takes at a service that answers, less than its caller notices.
    silence = 1.second,
    // Few, so that a dead service costs few connect attempts. Enough, so that one lost packet does
    // not count.
    failuresInARow = 5,
    openFor = 250.millis,
    maxOpenFor = 500.millis
  )
}
