package saltern.client

import java.util.concurrent.TimeoutException
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*

/** The client for callers that need the answer before they continue: synchronous interfaces of
  * frameworks, and Java.
  *
  * Each method blocks the calling thread. It returns the answer, or throws the [[SalternError]] of
  * the call, at the latest at the client's deadline ([[Saltern.withDeadline]] sets another). If the
  * thread is interrupted, the method cancels its call, throws [[SalternError.Cancelled]] and leaves
  * the thread interrupted.
  */
final class BlockingSaltern private[client] (client: Saltern) {
  import BlockingSaltern.*

  private val keptAsTheyAre = new KeptAsTheyAre

  /** Returns a new hash under the current policy. */
  def hash(password: Password): Hashed = answerOf(client.hash(password))

  /** Returns whether the password matches the stored hash. */
  def verify(password: Password, stored: String): Verified = {
    val verified = answerOf(client.verify(password, stored))
    if (verified.matches) {
      val replace = verified.needsRehash && verified.origin == Origin.Remote
      keptAsTheyAre.note(stored, !replace && client.rehashReason(stored).isDefined)
    }
    verified
  }

  /** Returns the answer of [[verify]] as a Boolean. A password that is too long to be checked, or
    * is not valid Unicode, does not match. Every other [[SalternError]] is thrown: an overload is
    * never `false`.
    */
  def matches(password: Password, stored: String): Boolean =
    try verify(password, stored).matches
    catch { case refused: SalternError.Refused if NobodysPassword(refused.code) => false }

  /** Returns whether the stored hash should be replaced, after [[verify]] has found a match. It is
    * for interfaces that ask this in a separate call, without the password.
    *
    * The answer follows the client's policy document, with two exceptions. It is `false` if the
    * last match through this object ignored part of the password. It is also `false` if that match
    * was computed locally, because such a host has no capacity for a second hash. The latest 1,024
    * such matches are remembered.
    */
  def needsRehash(stored: String): Boolean = !keptAsTheyAre(stored) && client.rehashReason(stored).isDefined

  /** Returns what the service says about each point of the setup. See [[Saltern.check]]. */
  def check(): Report = answerOf(client.check())

  private def answerOf[A](call: Future[A]): A =
    try Await.result(call, LongestWait)
    catch {
      case _: InterruptedException =>
        client.cancel(call)
        Thread.currentThread.interrupt()
        throw new SalternError.Cancelled
      case _: TimeoutException =>
        client.cancel(call)
        throw new SalternError.DeadlineExceeded("and the client's timer got no CPU time")
    }
}

private object BlockingSaltern {

  /** Every call ends by its deadline. This bound only guards against a timer thread that gets no
    * CPU time.
    */
  val LongestWait: FiniteDuration = ClientConfig.LongestDeadline + 5.seconds

  /** The hashes that must not be replaced after their last match. The oldest entry is dropped
    * first.
    */
  final class KeptAsTheyAre {
    private val hashes = new java.util.LinkedHashMap[String, java.lang.Boolean] {
      override def removeEldestEntry(eldest: java.util.Map.Entry[String, java.lang.Boolean]): Boolean = size > MostKept
    }

    def note(stored: String, keep: Boolean): Unit = synchronized {
      // Removed first, because `put` alone would keep a known hash in its old place in the order.
      hashes.remove(stored)
      if (keep) { val _ = hashes.put(stored, true) }
    }

    def apply(stored: String): Boolean = synchronized(hashes.containsKey(stored))
  }

  val NobodysPassword: Set[String] = Set(RefusalCode.PasswordTooLong, RefusalCode.UnpairedSurrogate)

  /** Far more than the logins that are between a match and the question whether to replace the
    * hash.
    */
  val MostKept = 1024
}
