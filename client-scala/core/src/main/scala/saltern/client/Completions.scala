package saltern.client

import java.util.concurrent.{ConcurrentHashMap, Executor, ForkJoinPool, FutureTask, SynchronousQueue, ThreadPoolExecutor, TimeUnit}
import scala.concurrent.{ExecutionContext, Future}
import scala.util.control.NonFatal

/** Runs the code that callers attach to their futures, on no thread that the client needs: code
  * that blocks delays no other call.
  *
  * @param set by the caller. `None`: threads of its own, as many as run such code at once, up to
  *   [[Completions.MostThreads]]. They end when they are idle.
  */
private[client] final class Completions(set: Option[Executor]) extends ExecutionContext {
  import Completions.*

  private val own =
    new ThreadPoolExecutor(0, MostThreads, IdleSeconds, TimeUnit.SECONDS, new SynchronousQueue[Runnable], Threads.named("saltern-callback"))

  def execute(task: Runnable): Unit =
    try set.getOrElse(own).execute(task)
    // It is closed or full, or the system starts no more threads. The thread here may be the timer.
    catch {
      case NonFatal(_) | _: OutOfMemoryError =>
        // The common pool keeps a task that it has no thread for, so it may run the task later: once is enough.
        val once = new FutureTask[Unit](task, ())
        try ForkJoinPool.commonPool.execute(once)
        // An answer that delays others is better than none.
        catch { case _: OutOfMemoryError => once.run() }
    }

  private val open = ConcurrentHashMap.newKeySet[Future[?]]

  /** Returns the future that the caller gets for this one. */
  def shown[A](call: Future[A]): Future[A] = {
    val shown = call.transform(identity)(this)
    open.add(shown)
    shown.onComplete(_ => open.remove(shown))(ExecutionContext.parasitic)
    shown
  }

  /** Whether the client may have given this future to the caller: each that it gave stays here until
    * it is completed.
    */
  def mayHaveShown(call: Future[?]): Boolean = open.contains(call) || call.isCompleted

  def reportFailure(problem: Throwable): Unit = ExecutionContext.defaultReporter(problem)

  def close(): Unit = own.shutdown()
}

private object Completions {
  val MostThreads = 256
  private val IdleSeconds = 10L
}
