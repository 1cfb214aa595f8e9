package saltern.client

import java.time.Duration
import java.util.Optional
import java.util.concurrent.CompletableFuture
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.{FiniteDuration, NANOSECONDS}
import scala.jdk.OptionConverters.*
import scala.util.{Failure, Success}

/** The client for Java. Each method does the same as the method of [[Saltern]], with Java's types.
  *
  * A call fails with a [[SalternError]]. `cancel` of the returned future (not of one made from it)
  * cancels the call. Code after the call may block: it runs on
  * the executor of `ClientConfig.withCompletionExecutor`.
  */
final class StagedSaltern private[client] (client: Saltern) {
  import StagedSaltern.*

  /** Returns a new hash under the current policy. */
  def hash(password: Password): CompletableFuture[Hashed] = stage(client.hash(password))

  /** Returns a new hash under a named policy. */
  def hash(password: Password, policy: String): CompletableFuture[Hashed] = stage(client.hash(password, policy))

  /** Checks the password of a login. See [[Saltern.login]]. */
  def login(password: Password, stored: Optional[String]): CompletableFuture[Verified] = stage(client.login(password, stored.toScala))

  /** Returns whether the password matches the stored hash. See [[Saltern.verify]]. */
  def verify(password: Password, stored: String): CompletableFuture[Verified] = stage(client.verify(password, stored))

  /** Returns what the service says about each point of the setup. See [[Saltern.check]]. */
  def check(): CompletableFuture[Report] = stage(client.check())

  /** Returns the same client for the calls of one user. See [[Saltern.withContext]]. */
  def withContext(context: String): StagedSaltern = client.withContext(context).stages

  /** Returns the same client with another deadline (1 ms to 60 s) for the calls made through it. */
  def withDeadline(deadline: Duration): StagedSaltern = new StagedSaltern(client.withDeadline(FiniteDuration(deadline.toNanos, NANOSECONDS)))

  /** Returns the same client for the calls of one request. See [[Saltern.withRequestId]]. */
  def withRequestId(id: String): StagedSaltern = client.withRequestId(id).stages

  /** Returns the same client for the calls within one span. See [[Saltern.withTraceparent]]. */
  def withTraceparent(value: String): StagedSaltern = client.withTraceparent(value).stages

  private def stage[A](call: Future[A]): CompletableFuture[A] = {
    val made = new Call[A](client, call)
    call.onComplete {
      case Success(answer) => made.complete(answer)
      case Failure(error)  => made.completeExceptionally(error)
    }(ExecutionContext.parasitic)
    made
  }
}

private object StagedSaltern {

  private final class Call[A](client: Saltern, call: Future[A]) extends CompletableFuture[A] {
    override def cancel(mayInterrupt: Boolean): Boolean = {
      // First, so that it ends with Java's CancellationException.
      val cancelled = super.cancel(mayInterrupt)
      if (cancelled) client.cancel(call)
      cancelled
    }
  }
}
