package saltern.client

import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}
import scala.concurrent.duration.FiniteDuration

/** Time, as the client sees it: one clock that only counts elapsed nanoseconds, and tasks that run later on it. The wall
  * clock has no part in any decision, so that setting it changes none. Tests bring their own.
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

  /** One daemon thread: tasks only decide and hand over, they never hash or wait. */
  def system(): Scheduler = new Scheduler {
    private val executor = new ScheduledThreadPoolExecutor(1, Threads.named("saltern-timer"))
    executor.setRemoveOnCancelPolicy(true)
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false)

    def nanos: Long = System.nanoTime()

    def after(delay: FiniteDuration)(task: () => Unit): Cancellable =
      try {
        val future = executor.schedule((() => task()): Runnable, delay.toNanos, TimeUnit.NANOSECONDS)
        () => { val _ = future.cancel(false) }
      } catch {
        // After close: every call has been answered by then.
        case _: java.util.concurrent.RejectedExecutionException => () => ()
      }

    def close(): Unit = { val _ = executor.shutdownNow() }
  }
}
