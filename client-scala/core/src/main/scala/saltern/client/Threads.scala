package saltern.client

import java.util.concurrent.{ExecutorService, LinkedBlockingQueue, ThreadFactory, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

private[saltern] object Threads {

  /** Daemon threads, so that a client that was not closed does not keep the JVM alive. */
  def named(prefix: String): ThreadFactory = {
    val count = new AtomicInteger
    task => {
      val thread = new Thread(task, s"$prefix-${count.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  }

  /** At most so many threads, and so many tasks that wait. The threads are started on demand and end
    * when idle: a client that never hashes locally has none.
    */
  def onDemand(prefix: String, atMost: Int, waiting: Int = Int.MaxValue): ExecutorService = {
    val queue = new LinkedBlockingQueue[Runnable](waiting)
    val executor = new ThreadPoolExecutor(atMost, atMost, IdleSeconds, TimeUnit.SECONDS, queue, named(prefix))
    executor.allowCoreThreadTimeOut(true)
    executor
  }

  private val IdleSeconds = 30L
}
