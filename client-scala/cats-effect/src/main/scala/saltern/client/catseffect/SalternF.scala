package saltern.client.catseffect

import cats.effect.{Async, IO, Resource}
import cats.syntax.functor.*
import saltern.client.{ClientConfig, Hashed, Password, Saltern, Transport, Verified}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration

/** Saltern for any effect that cats-effect knows. Each method is the one of `Saltern`, as a value: nothing
  * happens before it runs, and it may run again.
  *
  *   - An error is a `SalternError` in `F`, never a mismatch.
  *   - Cancelling the fiber cancels the call: it leaves the local queue or its batch, or closes its connection.
  *   - No thread waits. The answer comes by a callback, and the fiber goes on where it ran before.
  *
  * The password is read when the effect runs: wipe it after that, not before.
  */
final class SalternF[F[_]] private (client: Saltern)(implicit F: Async[F]) {

  /** A new hash under the current policy. */
  def hash(password: Password): F[Hashed] = call(_.hash(password))

  /** A new hash under a named policy. */
  def hash(password: Password, policy: String): F[Hashed] = call(_.hash(password, policy))

  /** Whether the password is the stored one. */
  def verify(password: Password, stored: String): F[Verified] = call(_.verify(password, stored))

  /** The same, and the hash to store instead where one is due: by compare-and-swap on the old one. */
  def verifyAndUpgrade(password: Password, stored: String): F[Verified] = call(_.verifyAndUpgrade(password, stored))

  /** For a login whose user may be unknown: without a stored hash it takes the time of one and is a mismatch. */
  def verifyOrDecoy(password: Password, stored: Option[String], upgrade: Boolean = false): F[Verified] =
    call(_.verifyOrDecoy(password, stored, upgrade))

  /** The same client, with another deadline (1 ms to 60 s) for the calls made through it. */
  def withDeadline(deadline: FiniteDuration): SalternF[F] = new SalternF(client.withDeadline(deadline))

  private def call[A](start: Saltern => Future[A]): F[A] =
    F.async[A] { resume =>
      F.delay {
        val answer = start(client)
        answer.onComplete(result => resume(result.toEither))(ExecutionContext.parasitic)
        Some(F.delay(client.cancel(answer)).void)
      }
    }
}

object SalternF {

  /** A client that is closed with the resource. Wrong settings are an `IllegalArgumentException` in `F`. It connects to nothing. */
  def resource[F[_]: Async](config: ClientConfig): Resource[F, SalternF[F]] = closing(Saltern(config))

  /** Over another transport, such as the testkit's. */
  def resource[F[_]: Async](config: ClientConfig, transport: Transport): Resource[F, SalternF[F]] =
    closing(Saltern(config, transport))

  /** A client that somebody else closes. */
  def of[F[_]: Async](client: Saltern): SalternF[F] = new SalternF(client)

  /** Blocking, because the policy document may be read from a file. */
  private def closing[F[_]](client: => Saltern)(implicit F: Async[F]): Resource[F, SalternF[F]] =
    Resource.make(F.blocking(client))(made => F.blocking(made.close())).map(of(_))
}

/** [[SalternF]] for `IO`. */
object SalternIO {

  /** A client that is closed with the resource. */
  def resource(config: ClientConfig): Resource[IO, SalternIO] = SalternF.resource[IO](config)

  /** Over another transport. */
  def resource(config: ClientConfig, transport: Transport): Resource[IO, SalternIO] = SalternF.resource[IO](config, transport)
}
