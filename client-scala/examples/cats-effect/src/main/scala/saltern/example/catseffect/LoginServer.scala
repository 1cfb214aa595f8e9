package saltern.example.catseffect

import cats.effect.{IO, IOApp, Ref, Resource}
import org.http4s.{HttpRoutes, Response, UrlForm}
import org.http4s.dsl.io.*
import org.http4s.ember.server.EmberServerBuilder
import org.http4s.headers.`Retry-After`
import org.http4s.implicits.*
import saltern.client.{ClientConfig, Match, Mismatch, Password, SalternError}
import saltern.client.catseffect.SalternIO

/** A login over http4s. `ada`'s password is made when it starts: `correct horse`.
  *
  * {{{
  * bin/sbt "catsEffect/Test/runMain saltern.example.catseffect.LoginServer"
  * curl -d user=ada -d 'password=correct horse' http://127.0.0.1:8080/login
  * }}}
  */
object LoginServer extends IOApp.Simple {
  def run: IO[Unit] = server.use(server => IO.println(s"POST ${server.baseUri}/login") *> IO.never)

  private val server = for {
    saltern <- SalternIO.resource(ClientConfig("http://127.0.0.1:9000"))
    hashed <- Resource.eval(saltern.hash(Password("correct horse")))
    users <- Resource.eval(Users.of("ada" -> hashed.encoded))
    server <- EmberServerBuilder.default[IO].withHttpApp(routes(saltern, users).orNotFound).build
  } yield server

  def routes(saltern: SalternIO, users: Users): HttpRoutes[IO] = HttpRoutes.of[IO] {
    case request @ POST -> Root / "login" =>
      request.decode[UrlForm] { form =>
        (form.getFirst("user"), form.getFirst("password")) match {
          case (Some(user), Some(password)) => login(saltern, users, user, Password(password))
          case _                            => BadRequest("give user and password\n")
        }
      }
  }

  /** If the browser disconnects, http4s cancels the fiber, and with it the call. */
  private def login(saltern: SalternIO, users: Users, user: String, password: Password): IO[Response[IO]] = {
    val answer = for {
      stored <- users.storedHash(user)
      verified <- saltern.login(password, stored)
      response <- verified match {
        case Match(rehash) => users.replace(user, stored, rehash.map(_.encoded)) *> Ok("welcome\n")
        case _: Mismatch   => IO.pure(Response[IO](Unauthorized))
      }
    } yield response
    answer.recoverWith {
      case fault: SalternError.UserFault => BadRequest(s"${fault.safe}\n")
      case later: SalternError.TryLater  =>
        ServiceUnavailable(s"${later.safe}\n").map(_.putHeaders(`Retry-After`.unsafeFromLong(math.max(1L, later.retryAfter.toSeconds))))
      case error: SalternError => IO.println(error.detailed) *> InternalServerError()
    }
  }

  /** A user table. */
  final class Users private (hashes: Ref[IO, Map[String, String]]) {
    def storedHash(user: String): IO[Option[String]] = hashes.get.map(_.get(user))

    /** Compare and swap: a password that was changed in the meantime stays changed. */
    def replace(user: String, old: Option[String], made: Option[String]): IO[Unit] =
      hashes.update(known => if (known.get(user) == old) known ++ made.map(user -> _) else known)
  }

  object Users {
    def of(users: (String, String)*): IO[Users] = IO.ref(users.toMap).map(new Users(_))
  }
}
