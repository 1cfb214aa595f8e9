package saltern.client

import java.util.concurrent.ThreadFactory
import java.util.concurrent.atomic.AtomicInteger

private[saltern] object Threads {

  /** Daemons, so that a forgotten client keeps no JVM alive. */
  def named(prefix: String): ThreadFactory = {
    val count = new AtomicInteger
    task => {
      val thread = new Thread(task, s"$prefix-${count.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  }
}
