package saltern.example.tapir

import cats.effect.{IO, IOApp, Resource}
import com.comcast.ip4s.*
import org.http4s.ember.server.EmberServerBuilder
import org.http4s.server.Server
import saltern.client.{ClientConfig, Match, Mismatch, Password, SalternError}
import saltern.client.catseffect.SalternIO
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap
import scala.concurrent.duration.*
import sttp.model.StatusCode
import sttp.tapir.*
import sttp.tapir.server.http4s.Http4sServerInterpreter

/** A login that Tapir describes and http4s serves. `ada`'s password is `correct horse`.
  *
  * {{{
  * bin/sbt "++3.3; exampleTapir/run"
  * curl -d user=ada -d 'password=correct horse' http://127.0.0.1:8080/login
  * }}}
  */
object LoginServer extends IOApp.Simple {
  def run: IO[Unit] = SalternIO.resource(ClientConfig("http://127.0.0.1:9000")).use { saltern =>
    saltern.hash(Password("correct horse")).flatMap { made =>
      server(8080, saltern, TrieMap("ada" -> made.encoded)).use(server => IO.println(s"POST ${server.baseUri}/login") *> IO.never)
    }
  }

  final case class Login(user: String, password: String) { override def toString: String = s"Login($user, ..)" }
  private implicit val schema: Schema[Login] = Schema.derived

  /** An error of the answer, with the seconds of its `Retry-After`. */
  final case class Refused(status: StatusCode, retryAfter: Option[Long], text: String)

  private val endpointOfLogin = endpoint.post
    .in("login")
    .in(formBody[Login])
    .out(stringBody)
    .errorOut((statusCode and header[Option[Long]]("Retry-After") and stringBody).mapTo[Refused])

  /** @param users in place of a table: the stored hash of each name */
  def server(port: Int, saltern: SalternIO, users: concurrent.Map[String, String]): Resource[IO, Server] = {
    val routes = Http4sServerInterpreter[IO]().toRoutes(endpointOfLogin.serverLogic(login(saltern, users, _)))
    EmberServerBuilder
      .default[IO]
      .withHost(host"127.0.0.1")
      .withPort(Port.fromInt(port).getOrElse(throw new IllegalArgumentException("port: give 0 to 65535")))
      .withShutdownTimeout(1.second)
      .withHttpApp(routes.orNotFound)
      .build
  }

  private def login(saltern: SalternIO, users: concurrent.Map[String, String], login: Login): IO[Either[Refused, String]] = {
    val stored = users.get(login.user)
    saltern.login(Password(login.password), stored).map {
      case Match(rehash) =>
        // Compare and swap: a password that was changed in the meantime stays changed.
        for (old <- stored; made <- rehash) users.replace(login.user, old, made.encoded)
        Right("welcome\n")
      case _: Mismatch => Left(Refused(StatusCode.Unauthorized, None, "user or password is wrong\n"))
    }.recover {
      case fault: SalternError.UserFault => Left(Refused(StatusCode.BadRequest, None, s"${fault.safe}\n"))
      // Never "wrong password": the password was not checked. Tapir answers 500 to other errors.
      case later: SalternError.TryLater =>
        Left(Refused(StatusCode.ServiceUnavailable, Some(math.max(1L, later.retryAfter.toSeconds)), s"${later.safe}\n"))
    }
  }
}
