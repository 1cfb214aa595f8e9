package saltern.testkit

import java.util.TreeSet
import saltern.client.{Cancellable, Scheduler}
import scala.concurrent.duration.*

/** A time that only a test advances. Tasks run on the test's thread, in the order of their times.
  * Tasks of one time run in the order in which they were added.
  */
private[saltern] final class VirtualScheduler extends Scheduler {
  private final class Task(val at: Long, val number: Long, val run: () => Unit)

  private var time = 0L
  private var added = 0L
  private val tasks = new TreeSet[Task](java.util.Comparator.comparingLong[Task](_.at).thenComparingLong(_.number))

  def nanos: Long = time

  def after(delay: FiniteDuration)(task: () => Unit): Cancellable = {
    added += 1
    val next = new Task(time + math.max(0L, delay.toNanos), added, task)
    tasks.add(next)
    () => { val _ = tasks.remove(next) }
  }

  def close(): Unit = tasks.clear()

  /** Lets time pass in which nothing runs. */
  def pause(time: FiniteDuration): Unit = this.time += time.toNanos

  def advance(by: FiniteDuration): Unit = {
    val end = time + by.toNanos
    while (!tasks.isEmpty && tasks.first.at <= end) {
      val next = tasks.pollFirst()
      time = math.max(time, next.at)
      next.run()
    }
    time = end
  }
}
