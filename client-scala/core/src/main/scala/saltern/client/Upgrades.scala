package saltern.client

import java.util.concurrent.atomic.AtomicLong
import java.util.function.Supplier
import scala.util.control.NonFatal

/** Decides which logins ask for a new hash. A login whose hash is outdated, or cannot be judged
  * here, asks within the rate. A burst is at most the upgrades of one second.
  *
  * @param perSecond 0 or more
  * @param allowed read at each login; no upgrades while it throws
  */
private[client] final class Upgrades(perSecond: Int, allowed: Supplier[java.lang.Boolean], scheduler: Scheduler) {
  private val second = 1000000000L
  private val each = if (perSecond == 0) 0 else second / perSecond

  /** The instant at which the whole burst is free again. */
  private val freeAt = new AtomicLong(scheduler.nanos)

  def allow: Boolean =
    try allowed.get.booleanValue
    catch { case NonFatal(_) | _: LinkageError => false }

  def take(): Boolean = perSecond > 0 && {
    val (now, known) = (scheduler.nanos, freeAt.get)
    val next = (if (known - now > 0) known else now) + each
    if (next - now > second) false else freeAt.compareAndSet(known, next) || take()
  }

  /** Called if a login that asked brought no new hash. */
  def giveBack(): Unit = { val _ = freeAt.addAndGet(-each) }
}
