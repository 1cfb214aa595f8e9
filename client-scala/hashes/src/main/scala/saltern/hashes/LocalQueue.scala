package saltern.hashes

import scala.concurrent.duration.*

/** Decides whether local hashing takes one more call. Pure. */
private[saltern] object LocalQueue {
  sealed trait Admission
  case object Take extends Admission

  /** The queue is full, or the wait would take too much of the time left. */
  final case class Shed(retryAfter: FiniteDuration) extends Admission

  /** @param atOnce hashes that may be in progress at the same time
    * @param backlog estimated work that was taken and has not ended
    */
  final case class State(atOnce: Int, running: Int, queued: Int, capacity: Int, backlog: FiniteDuration)

  def admit(state: State, own: FiniteDuration, timeLeft: FiniteDuration): Admission = {
    val wait = state.backlog / state.atOnce.toLong
    // If a worker is free, the work is tried even against the estimate. Otherwise a wrong estimate
    // would never be corrected. A call whose thread has not begun has a worker too.
    if (state.running + state.queued < state.atOnce) Take
    else if (state.queued >= state.capacity || wait > timeLeft / LongestWait || wait + own > timeLeft)
      Shed(wait.max(ShortestRetryAfter))
    else Take
  }

  /** The wait takes at most this part of the time left. Under lasting overload a longer queue would
    * answer no more calls, but each of them later.
    */
  private val LongestWait = 4L

  /** An earlier retry would find the same queue. */
  val ShortestRetryAfter: FiniteDuration = 1.second
}

/** Estimates how long work takes on this host: nanoseconds for one unit of each algorithm's work,
  * corrected by every hash that ends.
  */
private[saltern] final class Estimator {
  import java.util.concurrent.ConcurrentHashMap

  private val nanosPerUnit = new ConcurrentHashMap[String, java.lang.Double]

  def estimate(admitted: Admitted, work: Long): FiniteDuration = {
    val algorithm = admitted.setting.params.algorithm
    val unit = nanosPerUnit.getOrDefault(algorithm, Estimator.initial(admitted.setting.params))
    math.min(unit * work, LongestNanos).toLong.nanos
  }

  def learn(admitted: Admitted, work: Long, took: FiniteDuration): Unit = {
    val measured = took.toNanos.toDouble / work.toDouble
    val params = admitted.setting.params
    val _ = nanosPerUnit.compute(
      params.algorithm,
      (_, known) => (if (known == null) Estimator.initial(params) else known.doubleValue) * (1 - Weight) + measured * Weight
    )
  }

  /** A few hashes outweigh the first one, which ran before the JIT had compiled it. */
  private val Weight = 0.3
  private val LongestNanos = 1e15
}

private[saltern] object Estimator {

  /** Nanoseconds for one unit of work before the first measurement, as measured on JDK 17. */
  private def initial(params: Costs): Double = params match {
    case _: Params.Bcrypt                    => 75.07e6 / (1 << 10)
    case _: Params.Argon2                    => 32.84e6 / (19456 * 2)
    case Params.Pbkdf2(Params.Prf.Sha1, _)   => 156.9e6 / 600000
    case Params.Pbkdf2(Params.Prf.Sha256, _) => 147.5e6 / 600000
    case Params.Pbkdf2(Params.Prf.Sha512, _) => 220.2e6 / 210000
    case _: Params.Scrypt                    => 386.6e6 / (1 << 20)
    case Costs.VerifyOnly(_, Cost.Memory(p)) => initial(p)
    case Costs.VerifyOnly(_, _: Cost.Rounds) => NanosOfARound
    case Costs.Wrapped(outer, _)             => initial(outer)
  }

  /** A digest of a few blocks takes between a quarter of a microsecond and a few microseconds. The
    * first hash corrects the estimate.
    */
  private val NanosOfARound = 1000.0
}
