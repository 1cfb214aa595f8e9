package saltern.hashes

import java.util.concurrent.{Executor, ExecutorService, RejectedExecutionException, ThreadPoolExecutor}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}
import saltern.client.{Cancellable, ClientListener, Scheduler, Timing}
import saltern.client.LocalHashing.{Failure, Made}
import scala.concurrent.duration.*

/** Hashes locally on a few separate threads. Threads and queue are bounded, so local hashing cannot
  * overload the host.
  *
  * @param atOnce hashes in progress at the same time: one for each worker, or more if the kernels
  *   share a worker among several
  * @param listener drops its own exceptions
  */
private[saltern] final class LocalPool(
    workers: Int,
    atOnce: Int,
    capacity: Int,
    memoryBytes: Long,
    kernels: OpenedKernels,
    executor: Executor,
    scheduler: Scheduler,
    listener: ClientListener
) {
  import LocalPool.*

  private val estimator = new Estimator
  private val lock = new Object
  private var running = 0
  private var queued = 0
  private var backlog: FiniteDuration = Duration.Zero

  /** Calls `done` with the result or with the reason why there is none; at once if the work is not
    * taken. Cancelling gives up the place in the queue, and `done` is not called then. If the work
    * has started, cancelling stops it if the kernels can do that; otherwise the work is completed.
    * `done` is called in both cases.
    */
  def submit[A](job: LocalHasher.Job[Timing => A], deadline: Long)(done: Either[Failure, Made[A]] => Unit): Cancellable = {
    val submitted = scheduler.nanos
    val own = estimator.estimate(job.admitted, job.work)
    val admission = lock.synchronized {
      val timeLeft = (deadline - submitted).nanos
      val state = LocalQueue.State(atOnce, running, queued, capacity, backlog)
      // Each worker may need its share of memory at the same time.
      val admission =
        if (job.admitted.memoryBytes > memoryBytes / workers) None else Some(LocalQueue.admit(state, own, timeLeft))
      if (admission.contains(LocalQueue.Take)) { queued += 1; backlog += own }
      admission
    }
    admission match {
      case None                         => done(Left(Failure.NotAvailable("the hash needs more memory than this host has"))); NoPlace
      case Some(LocalQueue.Shed(after)) => done(Left(Failure.Shed(after))); NoPlace
      case Some(LocalQueue.Take)        =>
        val place = new Place(own, begun => run(job, own, submitted, deadline, begun, done))
        try executor.execute(place)
        catch {
          case _: RejectedExecutionException => if (place.leave()) done(Left(Failure.Closed))
          // The operating system starts no more threads.
          case _: OutOfMemoryError => if (place.leave()) done(Left(Failure.Shed(LocalQueue.ShortestRetryAfter)))
        }
        place
    }
  }

  /** A place in the queue. It is left once: by the thread that takes it, or by the caller that
    * cancels it. After that it refers to the started work.
    */
  private final class Place(own: FiniteDuration, work: (Cancellable => Unit) => Unit) extends Runnable with Cancellable {
    private val left = new AtomicBoolean
    private val cancelled = new AtomicBoolean
    private val underWay = new AtomicReference[Cancellable](NoPlace)

    def run(): Unit = if (left.compareAndSet(false, true)) work(begun)

    /** Either this sees the cancel, or the cancel sees the hash. */
    private def begun(hash: Cancellable): Unit = {
      underWay.set(hash)
      if (cancelled.get) throw new OpenedKernels.Stopped(Failure.Cancelled)
    }

    def leave(): Boolean = {
      val first = left.compareAndSet(false, true)
      if (first) lock.synchronized { queued -= 1; backlog -= own }
      first
    }

    def cancel(): Unit = {
      cancelled.set(true)
      if (leave()) executor match {
        case threads: ThreadPoolExecutor => val _ = threads.remove(this)
        case _                           => ()
      }
      else underWay.get.cancel()
    }
  }

  def close(): Unit = {
    executor match {
      case service: ExecutorService => val _ = service.shutdownNow()
      case _                        => ()
    }
    kernels.close()
  }

  private def run[A](
      job: LocalHasher.Job[Timing => A],
      own: FiniteDuration,
      submitted: Long,
      deadline: Long,
      begun: Cancellable => Unit,
      done: Either[Failure, Made[A]] => Unit
  ): Unit = {
    lock.synchronized { queued -= 1; running += 1 }
    val started = scheduler.nanos
    val result =
      try
        // Drops work whose time ended in the queue.
        if (deadline - started <= 0) Left(Failure.Expired)
        else {
          listener.onLocalStart((started - submitted).nanos)
          val answer = job.run((admitted, password) => kernels.compute(admitted, password, (deadline - scheduler.nanos).nanos, begun))
          val took = (scheduler.nanos - started).nanos
          estimator.learn(job.admitted, job.work, took)
          Right(new Made(answer, (started - submitted).nanos, took))
        }
      catch {
        // The host is short of memory. The password may be right.
        case _: OutOfMemoryError            => Left(Failure.Shed(LocalQueue.ShortestRetryAfter))
        case stopped: OpenedKernels.Stopped => Left(stopped.why)
        // Not only what is NonFatal: the call would wait for its deadline.
        case e: Throwable => Left(faultOf(e))
      } finally lock.synchronized { running -= 1; backlog -= own }
    done(result)
  }
}

private[saltern] object LocalPool {
  val NoPlace: Cancellable = () => ()

  def faultOf(e: Throwable): Failure.Fault = {
    // The message of such an error is the name of a class or of a method.
    val missing = Some(e).collect { case error: LinkageError => s": ${error.getMessage}; ${Kernels.Remedy}" }
    Failure.Fault(e.getClass.getSimpleName + missing.mkString)
  }
}
