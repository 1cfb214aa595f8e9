package saltern.client

import java.time.Duration
import java.util.Optional
import java.util.concurrent.TimeoutException
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.{DurationInt, FiniteDuration, NANOSECONDS}
import scala.jdk.OptionConverters.*

/** The client for callers that need the answer before they continue.
  *
  * Each method blocks the calling thread, which may be a virtual one. It returns the answer, or
  * throws the [[SalternError]] of the call, at the latest at the client's deadline
  * ([[Saltern.withDeadline]] sets another). If the thread is interrupted, the method cancels its
  * call, throws [[SalternError.Cancelled]] and leaves the thread interrupted.
  */
final class BlockingSaltern private[client] (client: Saltern) {
  import BlockingSaltern.*

  /** Returns a new hash under the current policy. */
  def hash(password: Password): Hashed = answerOf(client.hash(password))

  /** Returns a new hash under a named policy. */
  def hash(password: Password, policy: String): Hashed = answerOf(client.hash(password, policy))

  /** Checks the password of a login. See [[Saltern.login]]. */
  def login(password: Password, stored: Option[String]): Verified = answerOf(client.login(password, stored))

  /** The same, for Java. */
  def login(password: Password, stored: Optional[String]): Verified = login(password, stored.toScala)

  /** Returns whether the password matches the stored hash. See [[Saltern.verify]]. */
  def verify(password: Password, stored: String): Verified = answerOf(client.verify(password, stored))

  /** Returns what the service says about each point of the setup. See [[Saltern.check]]. */
  def check(): Report = answerOf(client.check())

  /** Returns the same client for the calls of one user. See [[Saltern.withContext]]. */
  def withContext(context: String): BlockingSaltern = client.withContext(context).blocking

  /** Returns the same client with another deadline (1 ms to 60 s) for the calls made through it. */
  def withDeadline(deadline: Duration): BlockingSaltern = client.withDeadline(FiniteDuration(deadline.toNanos, NANOSECONDS)).blocking

  /** Returns the same client for the calls of one request. See [[Saltern.withRequestId]]. */
  def withRequestId(id: String): BlockingSaltern = client.withRequestId(id).blocking

  /** Returns the same client for the calls within one span. See [[Saltern.withTraceparent]]. */
  def withTraceparent(value: String): BlockingSaltern = client.withTraceparent(value).blocking

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
}
