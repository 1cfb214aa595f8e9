package saltern.client.zioeffect

import saltern.client.{ClientConfig, Hashed, Password, Saltern, SalternError, Transport, Verified}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.{FiniteDuration, NANOSECONDS}
import scala.util.{Failure, Success}
import zio.{Duration, IO, Scope, Task, ZIO, ZLayer}

/** Saltern for ZIO. Each method is the one of `Saltern`, as a value: nothing happens before it runs, and it may
  * run again.
  *
  *   - The error is a `SalternError` in the type, never a mismatch.
  *   - Interrupting the fiber cancels the call: it leaves the local queue or its batch, or closes its connection.
  *   - No thread waits. The answer comes by a callback, and the fiber goes on where it ran before.
  *
  * The password is read when the effect runs: wipe it after that, not before.
  */
final class SalternZIO private (client: Saltern) {

  /** A new hash under the current policy. */
  def hash(password: Password): IO[SalternError, Hashed] = call(_.hash(password))

  /** A new hash under a named policy. */
  def hash(password: Password, policy: String): IO[SalternError, Hashed] = call(_.hash(password, policy))

  /** Whether the password is the stored one. */
  def verify(password: Password, stored: String): IO[SalternError, Verified] = call(_.verify(password, stored))

  /** The same, and the hash to store instead where one is due: by compare-and-swap on the old one. */
  def verifyAndUpgrade(password: Password, stored: String): IO[SalternError, Verified] =
    call(_.verifyAndUpgrade(password, stored))

  /** For a login whose user may be unknown: without a stored hash it takes the time of one and is a mismatch. */
  def verifyOrDecoy(password: Password, stored: Option[String], upgrade: Boolean = false): IO[SalternError, Verified] =
    call(_.verifyOrDecoy(password, stored, upgrade))

  /** The same client, with another deadline (1 ms to 60 s) for the calls made through it. */
  def withDeadline(deadline: Duration): SalternZIO =
    new SalternZIO(client.withDeadline(FiniteDuration(deadline.toNanos, NANOSECONDS)))

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

object SalternZIO {

  /** A client that is closed with the layer's scope. Wrong settings are an `IllegalArgumentException`. It connects to nothing. */
  def layer(config: ClientConfig): ZLayer[Any, Throwable, SalternZIO] = ZLayer.scoped(closing(Saltern(config)))

  /** Over another transport, such as the testkit's. */
  def layer(config: ClientConfig, transport: Transport): ZLayer[Any, Throwable, SalternZIO] =
    ZLayer.scoped(closing(Saltern(config, transport)))

  /** The same for a scope of one's own. */
  def scoped(config: ClientConfig): ZIO[Scope, Throwable, SalternZIO] = closing(Saltern(config))

  /** A client that somebody else closes. */
  def of(client: Saltern): SalternZIO = new SalternZIO(client)

  /** Blocking, because the policy document may be read from a file. */
  private def closing(client: => Saltern): ZIO[Scope, Throwable, SalternZIO] = {
    val made: Task[Saltern] = ZIO.attemptBlocking(client)
    ZIO.acquireRelease(made)(open => ZIO.attemptBlocking(open.close()).orDie).map(of)
  }
}
