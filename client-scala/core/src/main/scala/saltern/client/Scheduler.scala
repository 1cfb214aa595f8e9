package saltern.client

import java.util.concurrent.{RejectedExecutionException, ScheduledThreadPoolExecutor, TimeUnit}
import scala.concurrent.duration.FiniteDuration

/** The client's time: a clock that counts elapsed nanoseconds, and tasks that run later on it. No
  * decision uses the wall clock, so setting the wall clock changes nothing. Tests provide their own
  * scheduler.
  */
private[saltern] trait Scheduler {
  def nanos: Long
  def after(delay: FiniteDuration)(task: () => Unit): Cancellable
  def close(): Unit
}

private[saltern] trait Cancellable {
  def cancel(): Unit
}

private[saltern] object Scheduler {

  /** One daemon thread. Tasks only decide and hand over; they never hash or wait. */
  def system(): Scheduler = new Scheduler {
    private val executor = new ScheduledThreadPoolExecutor(1, Threads.named("saltern-timer"))
    executor.setRemoveOnCancelPolicy(true)
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false)
    // Now, and not in the first call: every call needs it, and a host may have no thread to give later.
    executor.prestartCoreThread()

    def nanos: Long = System.nanoTime()

    def after(delay: FiniteDuration)(task: () => Unit): Cancellable =
      try {
        val future = executor.schedule((() => task()): Runnable, delay.toNanos, TimeUnit.NANOSECONDS)
        () => { val _ = future.cancel(false) }
      }
      // After close. Every call has been answered by then.
      catch { case _: RejectedExecutionException => () => () }

    def close(): Unit = { val _ = executor.shutdownNow() }
  }
}
