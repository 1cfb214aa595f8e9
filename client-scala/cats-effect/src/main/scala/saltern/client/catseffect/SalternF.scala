package saltern.client.catseffect

import cats.effect.{Async, IO, Resource}
import cats.syntax.functor.*
import cats.~>
import saltern.client.{ClientConfig, Hashed, Password, Report, Saltern, Transport, Verified}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration

/** Saltern for any effect that cats-effect supports. Each method does the same as the method of
  * `Saltern`, as a value: nothing happens before it runs, and it may run again.
  *
  * - An error is a `SalternError` in `F`, never a mismatch.
  * - Cancelling the fiber cancels the call: it leaves the local queue or its batch, or closes its
  *   connection.
  * - No thread is blocked. The answer comes by a callback, and the fiber continues on its own
  *   execution context.
  *
  * The password is read when the effect runs. Do not wipe it before.
  *
  * It is a trait for the tests of programs. Later versions may add methods.
  */
trait SalternF[F[_]] {

  /** Returns a new hash under the current policy. */
  def hash(password: Password): F[Hashed]

  /** Returns a new hash under a named policy. */
  def hash(password: Password, policy: String): F[Hashed]

  /** Checks the password of a login whose user may be unknown. It brings a new hash if the stored
    * one should be replaced: store it by compare-and-swap on the old one. Every answer comes at the
    * floor of time or later.
    */
  def login(password: Password, stored: Option[String]): F[Verified]

  /** Returns whether the password matches the stored hash, as soon as it is known. */
  def verify(password: Password, stored: String): F[Verified]

  /** Returns a report about each point of the setup. Run it when the program starts. */
  def check: F[Report]

  /** Returns the same client for the calls of one user, whose hash is sealed. */
  def withContext(context: String): SalternF[F]

  /** Returns the same client with another deadline (1 ms to 60 s) for the calls made through it. */
  def withDeadline(deadline: FiniteDuration): SalternF[F]

  /** Returns the same client for the calls of one request, which send its `x-request-id`. */
  def withRequestId(id: String): SalternF[F]

  /** Returns the same client for the calls within one span, which send its `traceparent`. */
  def withTraceparent(value: String): SalternF[F]

  /** Returns the same client for another effect. */
  def mapK[G[_]](change: F ~> G): SalternF[G] = {
    val own = this
    new SalternF[G] {
      def hash(password: Password): G[Hashed] = change(own.hash(password))
      def hash(password: Password, policy: String): G[Hashed] = change(own.hash(password, policy))
      def login(password: Password, stored: Option[String]): G[Verified] = change(own.login(password, stored))
      def verify(password: Password, stored: String): G[Verified] = change(own.verify(password, stored))
      def check: G[Report] = change(own.check)
      def withContext(context: String): SalternF[G] = own.withContext(context).mapK(change)
      def withDeadline(deadline: FiniteDuration): SalternF[G] = own.withDeadline(deadline).mapK(change)
      def withRequestId(id: String): SalternF[G] = own.withRequestId(id).mapK(change)
      def withTraceparent(value: String): SalternF[G] = own.withTraceparent(value).mapK(change)
    }
  }
}

object SalternF {

  /** Makes a client that is closed with the resource. It opens no connection. Invalid settings are
    * an `IllegalArgumentException` in `F`.
    */
  def resource[F[_]: Async](config: ClientConfig): Resource[F, SalternF[F]] = closing(Saltern(config))

  /** Makes a client over another transport, such as the testkit's. */
  def resource[F[_]: Async](config: ClientConfig, transport: Transport): Resource[F, SalternF[F]] =
    closing(Saltern(config, transport))

  /** Wraps a client. The caller closes it. */
  def of[F[_]](client: Saltern)(implicit F: Async[F]): SalternF[F] = new SalternF[F] {
    def hash(password: Password): F[Hashed] = call(_.hash(password))
    def hash(password: Password, policy: String): F[Hashed] = call(_.hash(password, policy))
    def login(password: Password, stored: Option[String]): F[Verified] = call(_.login(password, stored))
    def verify(password: Password, stored: String): F[Verified] = call(_.verify(password, stored))
    def check: F[Report] = call(_.check())
    def withContext(context: String): SalternF[F] = of(client.withContext(context))
    def withDeadline(deadline: FiniteDuration): SalternF[F] = of(client.withDeadline(deadline))
    def withRequestId(id: String): SalternF[F] = of(client.withRequestId(id))
    def withTraceparent(value: String): SalternF[F] = of(client.withTraceparent(value))

    private def call[A](start: Saltern => Future[A]): F[A] =
      F.async[A] { resume =>
        F.delay {
          val answer = start(client)
          answer.onComplete(result => resume(result.toEither))(ExecutionContext.parasitic)
          Some(F.delay(client.cancel(answer)).void)
        }
      }
  }

  /** Blocking, because the policy document may be read from a file. */
  private def closing[F[_]](client: => Saltern)(implicit F: Async[F]): Resource[F, SalternF[F]] =
    Resource.make(F.blocking(client))(made => F.blocking(made.close())).map(of(_))
}

/** [[SalternF]] for `IO`. */
object SalternIO {

  /** Makes a client that is closed with the resource. */
  def resource(config: ClientConfig): Resource[IO, SalternIO] = SalternF.resource[IO](config)

  /** Makes a client over another transport. */
  def resource(config: ClientConfig, transport: Transport): Resource[IO, SalternIO] = SalternF.resource[IO](config, transport)
}
