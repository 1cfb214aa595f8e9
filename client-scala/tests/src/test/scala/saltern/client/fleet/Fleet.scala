package saltern.client.fleet

import saltern.client.*
import saltern.hashes.{Admitted, Ceilings, HashKernels, OpenedKernels}
import saltern.testkit.VirtualScheduler
import scala.collection.mutable
import scala.concurrent.ExecutionContext
import scala.concurrent.duration.*
import scala.util.{Failure, Random, Success}

/** Many clients of one service in virtual time. Local hashes take their time without computing. */
private[fleet] final class Fleet(clients: Int, service: ModelService, clock: VirtualScheduler, change: ClientConfig => ClientConfig) {
  import Fleet.*

  private val random = new Random(1)
  private val policies = PolicySource.Packed
  private val members = Vector.fill(clients)(new Member)
  val ends = mutable.ArrayBuffer.empty[End]

  /** Offers Poisson arrivals of so many logins a second for a time, each at a random client. */
  def offer(perSecond: Double, time: FiniteDuration): Unit = {
    val end = clock.nanos + time.toNanos
    def next(): Unit = {
      val pause = (-math.log(1 - random.nextDouble()) / perSecond * 1e9).toLong
      if (clock.nanos + pause < end) {
        val _ = clock.after(pause.nanos) { () => members(random.nextInt(clients)).login(); next() }
      }
    }
    next()
    clock.advance(time)
  }

  private final class Member {
    // A task of the local worker runs when its hash ends. Until the kernel is called, the clock
    // shows when the hash began.
    private var ahead = 0L
    private var workerFree = 0L
    private val time = new Scheduler {
      def nanos: Long = clock.nanos - ahead
      def after(delay: FiniteDuration)(task: () => Unit): Cancellable = clock.after(delay)(task)
      def close(): Unit = ()
    }
    private val sleeper = new HashKernels {
      def hashesAtOnce(workers: Int): Int = workers
      def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new OpenedKernels {
        def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = {
          ahead = 0
          new Array[Byte](23)
        }
        def close(): Unit = ()
      }
    }
    private val worker: java.util.concurrent.Executor = { task =>
      val begins = math.max(clock.nanos, workerFree)
      workerFree = begins + LocalHash.toNanos
      val _ = clock.after((workerFree - clock.nanos).nanos) { () =>
        ahead = LocalHash.toNanos
        task.run()
        ahead = 0
      }
    }
    private val client = Saltern.wired(
      change(ClientConfig("https://service.invalid").withPolicies(policies).withDeadline(2.seconds).withoutCoalescing.withLocalWorkers(1))
        .withLocalKernels(sleeper)
        .withCompletionExecutor(_.run()),
      service.transport,
      time,
      _ => worker,
      () => random.nextDouble()
    )

    def login(): Unit = {
      val began = clock.nanos
      client.verify(secret, Stored).onComplete { result =>
        val how = result match {
          case Success(verified) if verified.origin == Origin.Remote => Remote
          case Success(_)                                            => Local
          case Failure(_: SalternError.DeadlineExceeded)             => Late
          case Failure(_: SalternError)                              => Refused
          case Failure(other)                                        => throw other
        }
        val took = (clock.nanos - began).nanos
        val atHome = result.toOption.filter(_ => how == Local).map(v => v.timing.queue.get + v.timing.hash.get)
        ends += End(began.nanos, clock.nanos.nanos, how, took - atHome.getOrElse(Duration.Zero))
      }(ExecutionContext.parasitic)
    }
  }
}

private[fleet] object Fleet {
  sealed trait How
  case object Remote extends How
  case object Local extends How
  case object Refused extends How
  case object Late extends How

  /** @param waited for the service */
  final case class End(began: FiniteDuration, at: FiniteDuration, how: How, waited: FiniteDuration) {
    def took: FiniteDuration = at - began
  }

  /** A bcrypt-10 hash on one core of a host. */
  val LocalHash: FiniteDuration = 60.millis
  private val Stored = "$2b$10$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"
  private val secret = Password("secret")

  /** The figures of the ends between two times. */
  final class Figures(all: Iterable[End], from: FiniteDuration, until: FiniteDuration) {
    private val ends = all.filter(e => e.at >= from && e.at < until).toVector
    private val seconds = (until - from).toMillis / 1000.0
    def perSecond(how: How): Double = ends.count(_.how == how) / seconds

    /** Standard deviation over mean of the remote answers per second. */
    def swing: Double = {
      val counts = (from.toSeconds until until.toSeconds).map(s => ends.count(e => e.how == Remote && e.at.toSeconds == s).toDouble)
      val mean = counts.sum / counts.size
      math.sqrt(counts.map(c => (c - mean) * (c - mean)).sum / counts.size) / mean
    }

    def p99: FiniteDuration = {
      val times = ends.collect { case e if e.how == Remote || e.how == Local => e.took }.sorted
      times((times.size * 0.99).toInt)
    }
    override def toString: String =
      f"remote ${perSecond(Remote)}%.0f/s, local ${perSecond(Local)}%.0f/s, refused ${perSecond(Refused)}%.0f/s, " +
        f"late ${perSecond(Late)}%.0f/s, swing ${swing * 100}%.0f %%, p99 ${p99.toMillis}%d ms"
  }
}
