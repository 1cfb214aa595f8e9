package saltern.client

import java.util.concurrent.TimeoutException
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*

/** The client for callers that must have the answer before they go on: synchronous interfaces of frameworks, and Java.
  *
  * Each method waits on the calling thread until the answer, or throws the [[SalternError]] that the call ended in. That is
  * the client's deadline at the latest ([[Saltern.withDeadline]] gives another). A thread that is interrupted cancels its
  * call, throws [[SalternError.Cancelled]] and stays interrupted.
  */
final class BlockingSaltern private[client] (client: Saltern) {
  import BlockingSaltern.*

  private val keptAsTheyAre = new KeptAsTheyAre

  /** A new hash under the current policy. */
  def hash(password: Password): Hashed = answerOf(client.hash(password))

  /** Whether the password is the stored one. */
  def verify(password: Password, stored: String): Verified = {
    val verified = answerOf(client.verify(password, stored))
    if (verified.matches) {
      val replace = verified.needsRehash && verified.origin == Origin.Remote
      keptAsTheyAre.note(stored, !replace && client.rehashReason(stored).isDefined)
    }
    verified
  }

  /** The answer of [[verify]] for interfaces that know no other. A password that is longer than any that can be checked, or no
    * Unicode, is not the stored one. Every other [[SalternError]] is thrown: an overload is never `false`.
    */
  def matches(password: Password, stored: String): Boolean =
    try verify(password, stored).matches
    catch { case refused: SalternError.Refused if NobodysPassword(refused.code) => false }

  /** Whether the stored hash should be replaced now that [[verify]] has found a match: for interfaces that ask this in a call of
    * its own, without the password. It follows the client's policy document, but for hashes whose last match through here
    * said otherwise: part of the password was ignored, or the answer was made locally, on a host that has no capacity for
    * a second hash. Such a match is remembered for the latest 1,024 hashes.
    */
  def needsRehash(stored: String): Boolean = !keptAsTheyAre(stored) && client.rehashReason(stored).isDefined

  private def answerOf[A](call: Future[A]): A =
    try Await.result(call, LongestWait)
    catch {
      case _: InterruptedException =>
        client.cancel(call)
        Thread.currentThread.interrupt()
        throw new SalternError.Cancelled
      case _: TimeoutException =>
        client.cancel(call)
        throw new SalternError.DeadlineExceeded("and the client's timer did not run")
    }
}

private object BlockingSaltern {

  /** A call ends by its deadline: this only guards against a timer thread that gets no time at all. */
  val LongestWait: FiniteDuration = ClientConfig.LongestDeadline + 5.seconds

  /** The hashes whose last match said to leave them, the earliest forgotten first. */
  final class KeptAsTheyAre {
    private val hashes = new java.util.LinkedHashMap[String, java.lang.Boolean] {
      override def removeEldestEntry(eldest: java.util.Map.Entry[String, java.lang.Boolean]): Boolean = size > MostKept
    }

    def note(stored: String, keep: Boolean): Unit = synchronized {
      // Removed first: `put` alone would leave a known hash in its old place, the next to be forgotten.
      hashes.remove(stored)
      if (keep) { val _ = hashes.put(stored, true) }
    }

    def apply(stored: String): Boolean = synchronized(hashes.containsKey(stored))
  }

  val NobodysPassword: Set[String] = Set(RefusalCode.PasswordTooLong, RefusalCode.UnpairedSurrogate)

  /** Logins between a match and the question after it, many times over. */
  val MostKept = 1024
}
