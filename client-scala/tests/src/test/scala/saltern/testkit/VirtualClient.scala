package saltern.testkit

import saltern.client.{ClientConfig, Saltern, Transport}
import scala.collection.mutable
import scala.concurrent.duration.*

/** A client under virtual time. Everything happens on the test's own thread, only when the test
  * calls for it, and in the same order every time. Random values are fixed too.
  *
  * @param config of the client; its workers are not used, because local hashes wait for `runLocal`
  * @param transport such as an `InMemoryService`
  * @param chance the value of every random draw, in [0, 1)
  */
final class VirtualClient(config: ClientConfig, transport: Transport, chance: Double = 0.5) {
  private val scheduler = new VirtualScheduler
  private val localTasks = mutable.Queue.empty[Runnable]

  /** The client. Its futures are completed on the test's thread. */
  val client: Saltern =
    Saltern.wired(config.withCompletionExecutor(_.run()), transport, scheduler, _ => task => { localTasks.enqueue(task); () }, () => chance, _.run())

  /** Advances the time and runs the tasks that become due, one after the other. */
  def advance(by: FiniteDuration): Unit = scheduler.advance(by)

  /** Lets time pass in which the host runs nothing. */
  def pause(time: FiniteDuration): Unit = scheduler.pause(time)

  /** The client's time since the start. */
  def now: FiniteDuration = scheduler.nanos.nanos

  /** The number of local hashes that wait for a thread. */
  def localWaiting: Int = localTasks.size

  /** Runs all waiting local hashes, one after the other. */
  def runLocal(): Unit = while (localTasks.nonEmpty) localTasks.dequeue().run()
}
