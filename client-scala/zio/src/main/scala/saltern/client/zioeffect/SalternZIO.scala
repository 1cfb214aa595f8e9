package saltern.client.zioeffect

import saltern.client.{ClientConfig, Hashed, Password, Report, Saltern, SalternError, Transport, Verified}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.{FiniteDuration, NANOSECONDS}
import scala.util.{Failure, Success}
import zio.{Duration, IO, Scope, Task, ZIO, ZLayer}

/** Saltern for ZIO. Each method does the same as the method of `Saltern`, as a value: nothing
  * happens before it runs, and it may run again.
  *
  * - The error is a `SalternError` in the type, never a mismatch.
  * - Interrupting the fiber cancels the call: it leaves the local queue or its batch, or closes its
  *   connection.
  * - No thread is blocked. The answer comes by a callback, and the fiber continues on its own
  *   executor.
  *
  * The password is read when the effect runs. Do not wipe it before.
  *
  * It is a trait for the tests of programs. Later versions may add methods.
  */
trait SalternZIO {

  /** Returns a new hash under the current policy. */
  def hash(password: Password): IO[SalternError, Hashed]

  /** Returns a new hash under a named policy. */
  def hash(password: Password, policy: String): IO[SalternError, Hashed]

  /** Checks the password of a login whose user may be unknown. It brings a new hash if the stored
    * one should be replaced: store it by compare-and-swap on the old one. Every answer comes at the
    * floor of time or later.
    */
  def login(password: Password, stored: Option[String]): IO[SalternError, Verified]

  /** Returns whether the password matches the stored hash, as soon as it is known. */
  def verify(password: Password, stored: String): IO[SalternError, Verified]

  /** Returns a report about each point of the setup. Run it when the program starts. */
  def check: IO[SalternError, Report]

  /** Returns the same client for the calls of one user, whose hash is sealed. */
  def withContext(context: String): SalternZIO

  /** Returns the same client with another deadline (1 ms to 60 s) for the calls made through it. */
  def withDeadline(deadline: Duration): SalternZIO

  /** Returns the same client for the calls of one request, which send its `x-request-id`. */
  def withRequestId(id: String): SalternZIO

  /** Returns the same client for the calls within one span, which send its `traceparent`. */
  def withTraceparent(value: String): SalternZIO
}

object SalternZIO {

  /** Makes a client that is closed with the layer's scope. It opens no connection. Invalid settings
    * are an `IllegalArgumentException`.
    */
  def layer(config: ClientConfig): ZLayer[Any, Throwable, SalternZIO] = ZLayer.scoped(closing(Saltern(config)))

  /** Makes a client over another transport, such as the testkit's. */
  def layer(config: ClientConfig, transport: Transport): ZLayer[Any, Throwable, SalternZIO] =
    ZLayer.scoped(closing(Saltern(config, transport)))

  /** Makes the same client in the caller's scope. */
  def scoped(config: ClientConfig): ZIO[Scope, Throwable, SalternZIO] = closing(Saltern(config))

  /** Wraps a client. The caller closes it. */
  def of(client: Saltern): SalternZIO = new SalternZIO {
    def hash(password: Password): IO[SalternError, Hashed] = call(_.hash(password))
    def hash(password: Password, policy: String): IO[SalternError, Hashed] = call(_.hash(password, policy))
    def login(password: Password, stored: Option[String]): IO[SalternError, Verified] = call(_.login(password, stored))
    def verify(password: Password, stored: String): IO[SalternError, Verified] = call(_.verify(password, stored))
    def check: IO[SalternError, Report] = call(_.check())
    def withContext(context: String): SalternZIO = of(client.withContext(context))
    def withDeadline(deadline: Duration): SalternZIO = of(client.withDeadline(FiniteDuration(deadline.toNanos, NANOSECONDS)))
    def withRequestId(id: String): SalternZIO = of(client.withRequestId(id))
    def withTraceparent(value: String): SalternZIO = of(client.withTraceparent(value))

    private def call[A](start: Saltern => Future[A]): IO[SalternError, A] =
      ZIO.asyncInterrupt[Any, SalternError, A] { resume =>
        val answer = start(client)
        answer.onComplete {
          case Success(made)                => resume(ZIO.succeed(made))
          case Failure(error: SalternError) => resume(ZIO.fail(error))
          case Failure(fault)               => resume(ZIO.die(fault))
        }(ExecutionContext.parasitic)
        Left(ZIO.succeed(client.cancel(answer)))
      }
  }

  /** Blocking, because the policy document may be read from a file. */
  private def closing(client: => Saltern): ZIO[Scope, Throwable, SalternZIO] = {
    val made: Task[Saltern] = ZIO.attemptBlocking(client)
    ZIO.acquireRelease(made)(open => ZIO.attemptBlocking(open.close()).orDie).map(of)
  }
}
