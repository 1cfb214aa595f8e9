package saltern.client

import java.util.concurrent.ThreadFactory
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
}
