package saltern.example

import cats.effect.{ExitCode, IO, IOApp}
import com.comcast.ip4s.{Host, Port}
import java.nio.file.Paths
import org.http4s.{HttpApp, HttpRoutes, Response, Status, UrlForm}
import org.http4s.dsl.io.*
import org.http4s.ember.server.EmberServerBuilder
import org.http4s.headers.`Retry-After`
import saltern.client.{ClientConfig, Match, Mismatch, Password, Saltern, SalternError, SealKeySource}
import saltern.client.nativekernels.NativeKernels
import scala.concurrent.duration.*

/** A backend with a login and an unrelated request.
  *
  * Start it with `bin/sbt "exampleBackend/runMain saltern.example.Backend --service
  * http://127.0.0.1:9000"`. Then try `curl -d 'user=ada&password=secret'
  * http://127.0.0.1:8080/login` and `curl http://127.0.0.1:8080/hello`.
  */
object Backend extends IOApp {

  def run(arguments: List[String]): IO[ExitCode] = {
    val settings = Arguments(
      arguments,
      Map(
        "--service" -> "http://127.0.0.1:9000",
        "--port" -> "8080",
        "--hashing" -> "saltern",
        "--cost" -> "10",
        "--stored" -> "",
        "--upgrade" -> "true",
        "--kernels" -> "jvm",
        "--seal-keys" -> ""
      )
    )
    val keyless = hashedBy(settings("--kernels"), ClientConfig(settings("--service")))
    // A host with keys can open every sealed row. See page 7 of the guide before you give it some.
    val sealKeys = Some(settings("--seal-keys")).filter(_.nonEmpty).map(file => SealKeySource.file(Paths.get(file)))
    val client = Saltern(sealKeys.fold(keyless)(keyless.withSealKeys))
    val users = new Users(Some(settings("--stored")).filter(_.nonEmpty).getOrElse(Users.bcrypt(settings("--cost").toInt)))
    val login = settings("--hashing") match {
      case "saltern" => (user: String, password: String) => byClient(client, users, settings("--upgrade").toBoolean)(user, password)
      // The baseline of the storm: it hashes on the threads that serve requests.
      case "inline" => (user: String, password: String) => IO(users.verifyHere(user, password)).map(if (_) Outcome.Welcome else Outcome.Denied)
      case other    => throw new IllegalArgumentException(s"--hashing: give saltern or inline, not $other")
    }
    EmberServerBuilder
      .default[IO]
      .withHost(Host.fromString("127.0.0.1").get)
      .withPort(Port.fromString(settings("--port")).getOrElse(throw new IllegalArgumentException("--port: give 0 to 65535")))
      .withMaxConnections(1024)
      .withShutdownTimeout(1.second)
      .withHttpApp(app(login))
      .build
      .use(server => IO.println(s"listening on ${server.address}") *> IO.never)
      .as(ExitCode.Success)
  }

  private def hashedBy(kernels: String, config: ClientConfig): ClientConfig = kernels match {
    case "jvm" => config
    // A failure ends the program, because the kernels are what is measured. A real host would call
    // `load()`.
    case "native" =>
      config.withLocalKernels(NativeKernels.attempt().fold(reason => throw new IllegalArgumentException(s"--kernels native: $reason"), identity))
    case other => throw new IllegalArgumentException(s"--kernels: give jvm or native, not $other")
  }

  sealed trait Outcome
  object Outcome {
    case object Welcome extends Outcome
    case object Denied extends Outcome

    /** No user has such a password. */
    case object NotAPassword extends Outcome

    /** The stored hash cannot be read, or a setting is wrong. Asking again does not help. */
    case object Broken extends Outcome
    final case class ComeBack(after: FiniteDuration) extends Outcome
  }

  def app(login: (String, String) => IO[Outcome]): HttpApp[IO] =
    HttpRoutes
      .of[IO] {
        case GET -> Root / "hello" => Ok("hello")
        // A handler that needs about a millisecond of CPU time itself.
        case GET -> Root / "report"           => IO(busyWork()).flatMap(n => Ok(n.toString))
        case request @ POST -> Root / "login" =>
          request.as[UrlForm].flatMap { form =>
            (form.getFirst("user"), form.getFirst("password")) match {
              case (Some(user), Some(password)) => login(user, password).map(answer)
              case _                            => IO.pure(Response[IO](Status.BadRequest))
            }
          }
      }
      .orNotFound

  private def answer(outcome: Outcome): Response[IO] = outcome match {
    case Outcome.Welcome         => Response[IO](Status.Ok).withEntity("welcome")
    case Outcome.Denied          => Response[IO](Status.Forbidden).withEntity("user or password is wrong")
    case Outcome.NotAPassword    => Response[IO](Status.BadRequest).withEntity("the password is too long, or is not text")
    case Outcome.Broken          => Response[IO](Status.InternalServerError)
    case Outcome.ComeBack(after) =>
      // Never "wrong password": the password was not checked.
      Response[IO](Status.ServiceUnavailable).putHeaders(`Retry-After`.unsafeFromLong(math.max(1L, after.toSeconds)))
  }

  private def byClient(client: Saltern, users: Users, upgrade: Boolean)(user: String, password: String): IO[Outcome] = {
    val stored = users.storedHash(user)
    // In a real table it is the id of the row, which never changes.
    val ofUser = stored.fold(client)(_ => client.withContext(user))
    IO.fromFuture(IO(ofUser.login(Password(password), stored)))
      .flatMap {
        case Match(rehash) =>
          IO(for (made <- rehash if upgrade; old <- stored) users.replace(user, old, made.encoded)).as(Outcome.Welcome)
        case _: Mismatch => IO.pure(Outcome.Denied)
      }
      .recover {
        case _: SalternError.UserFault    => Outcome.NotAPassword
        case later: SalternError.TryLater => Outcome.ComeBack(later.retryAfter)
        case _: SalternError              => Outcome.Broken
      }
  }

  private def busyWork(): Long = {
    var (x, i) = (1L, 0)
    while (i < BusySteps) { x = x * 6364136223846793005L + 1442695040888963407L; i += 1 }
    x
  }

  /** Steps with a latency of four cycles: one millisecond at 3 GHz. */
  private val BusySteps = 750000
}
