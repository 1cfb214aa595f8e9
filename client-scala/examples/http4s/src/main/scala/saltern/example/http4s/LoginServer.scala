package saltern.example.http4s

import cats.effect.{IO, IOApp, Resource}
import com.comcast.ip4s.*
import org.http4s.{HttpRoutes, Response, UrlForm}
import org.http4s.dsl.io.*
import org.http4s.ember.server.EmberServerBuilder
import org.http4s.headers.`Retry-After`
import org.http4s.server.Server
import saltern.client.{ClientConfig, Match, Mismatch, Password, SalternError}
import saltern.client.catseffect.SalternIO
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap
import scala.concurrent.duration.*

/** A login over http4s. `ada`'s password is `correct horse`.
  *
  * {{{
  * bin/sbt "exampleHttp4s/run"
  * curl -d user=ada -d 'password=correct horse' http://127.0.0.1:8080/login
  * }}}
  */
object LoginServer extends IOApp.Simple {
  def run: IO[Unit] = SalternIO.resource(ClientConfig("http://127.0.0.1:9000")).use { saltern =>
    saltern.hash(Password("correct horse")).flatMap { made =>
      server(8080, saltern, TrieMap("ada" -> made.encoded)).use(server => IO.println(s"POST ${server.baseUri}/login") *> IO.never)
    }
  }

  /** @param users in place of a table: the stored hash of each name */
  def server(port: Int, saltern: SalternIO, users: concurrent.Map[String, String]): Resource[IO, Server] =
    EmberServerBuilder
      .default[IO]
      .withHost(host"127.0.0.1")
      .withPort(Port.fromInt(port).getOrElse(throw new IllegalArgumentException("port: give 0 to 65535")))
      .withShutdownTimeout(1.second)
      .withHttpApp(routes(saltern, users).orNotFound)
      .build

  private def routes(saltern: SalternIO, users: concurrent.Map[String, String]): HttpRoutes[IO] = HttpRoutes.of[IO] {
    case request @ POST -> Root / "login" =>
      request.decode[UrlForm] { form =>
        (form.getFirst("user"), form.getFirst("password")) match {
          case (Some(user), Some(password)) => login(saltern, users, user, Password(password))
          case _                            => BadRequest("give user and password\n")
        }
      }
  }

  /** If the browser disconnects, http4s cancels the fiber, and with it the call. */
  private def login(saltern: SalternIO, users: concurrent.Map[String, String], user: String, password: Password): IO[Response[IO]] = {
    val answer = for {
      stored <- IO(users.get(user))
      verified <- saltern.login(password, stored)
      response <- verified match {
        case Match(rehash) =>
          // Compare and swap: a password that was changed in the meantime stays changed.
          IO(for (old <- stored; made <- rehash) users.replace(user, old, made.encoded)) *> Ok("welcome\n")
        case _: Mismatch => IO.pure(Response[IO](Unauthorized))
      }
    } yield response
    answer.recoverWith {
      case fault: SalternError.UserFault => BadRequest(s"${fault.safe}\n")
      case later: SalternError.TryLater  =>
        ServiceUnavailable(s"${later.safe}\n").map(_.putHeaders(`Retry-After`.unsafeFromLong(math.max(1L, later.retryAfter.toSeconds))))
      case error: SalternError => IO.println(error.detailed) *> InternalServerError()
    }
  }
}
