package saltern.client

import java.util.concurrent.atomic.AtomicLong
import java.util.function.Supplier
import scala.util.control.NonFatal

/** Decides which logins ask for a new hash. A login whose hash is outdated, or cannot be judged
  * here, asks within the rate. A burst is at most the upgrades of one second.
  *
  * A login with a current hash asks too, because the service may have another policy. If it brings a
  * new hash, that counts afterwards, and no login asks until the rate is kept again.
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

  /** Whether a login with a current hash asks. */
  def isOpen: Boolean = perSecond > 0 && freeAt.get - scheduler.nanos <= second

  /** Called if such a login brought a new hash. */
  def charge(): Unit = { val now = scheduler.nanos; val _ = freeAt.updateAndGet(known => (if (known - now > 0) known else now) + each) }

  /** Called if a login that has taken its upgrade brought no new hash. */
  def giveBack(): Unit = { val _ = freeAt.addAndGet(-each) }
}
