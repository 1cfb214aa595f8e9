package saltern.example.pekkohttp

import org.apache.pekko.Done
import org.apache.pekko.actor.{ActorSystem, CoordinatedShutdown}
import org.apache.pekko.http.scaladsl.Http
import org.apache.pekko.http.scaladsl.Http.ServerBinding
import org.apache.pekko.http.scaladsl.model.StatusCodes.*
import org.apache.pekko.http.scaladsl.model.headers.RawHeader
import org.apache.pekko.http.scaladsl.server.Directives.*
import org.apache.pekko.http.scaladsl.server.Route
import org.apache.pekko.pattern.after
import saltern.client.{ClientConfig, Match, Mismatch, Password, Saltern, SalternError}
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.util.{Failure, Success}

/** A login over Pekko HTTP. `ada`'s password is `correct horse`.
  *
  * {{{
  * bin/sbt "examplePekkoHttp/run"
  * curl -d user=ada -d 'password=correct horse' http://127.0.0.1:8080/login
  * }}}
  */
object LoginServer {
  def main(arguments: Array[String]): Unit = {
    implicit val system: ActorSystem = ActorSystem("backend")
    import system.dispatcher
    val saltern = Saltern(ClientConfig(arguments.headOption.getOrElse("http://127.0.0.1:9000")))
    // After the last answer, and before the threads end.
    CoordinatedShutdown(system).addTask(CoordinatedShutdown.PhaseServiceStop, "saltern")(() => Future { saltern.close(); Done })
    for {
      made <- saltern.hash(Password("correct horse"))
      binding <- start(8080, saltern, TrieMap("ada" -> made.encoded))
    } println(s"POST http:/${binding.localAddress}/login")
  }

  /** @param users in place of a table: the stored hash of each name */
  def start(port: Int, saltern: Saltern, users: concurrent.Map[String, String])(implicit system: ActorSystem): Future[ServerBinding] = {
    // Pekko counts an answer as sent before it is written, and the system ends its connections.
    val written = CoordinatedShutdown.PhaseBeforeActorSystemTerminate
    CoordinatedShutdown(system).addTask(written, "answers")(() => after(1.second)(Future.successful(Done)))
    // Its end waits for the logins in flight, in a phase of at most five seconds.
    Http().newServerAt("127.0.0.1", port).bind(routes(saltern, users)(system.dispatcher)).map(_.addToCoordinatedShutdown(4.seconds))(system.dispatcher)
  }

  private def routes(saltern: Saltern, users: concurrent.Map[String, String])(implicit context: ExecutionContext): Route =
    (post & path("login") & formFields("user", "password")) { (user, password) =>
      onComplete(login(saltern, users, user, Password(password))) {
        case Success(true)                          => complete("welcome\n")
        case Success(false)                         => complete(Unauthorized -> "user or password is wrong\n")
        case Failure(fault: SalternError.UserFault) => complete(BadRequest -> s"${fault.safe}\n")
        case Failure(later: SalternError.TryLater)  =>
          // Never "wrong password": the password was not checked.
          respondWithHeader(RawHeader("Retry-After", math.max(1L, later.retryAfter.toSeconds).toString)) {
            complete(ServiceUnavailable -> s"${later.safe}\n")
          }
        // The row or the settings are wrong. Pekko logs it and answers 500.
        case Failure(error) => failWith(error)
      }
    }

  private def login(saltern: Saltern, users: concurrent.Map[String, String], user: String, password: Password)(implicit
      context: ExecutionContext
  ): Future[Boolean] = {
    val stored = users.get(user)
    saltern.login(password, stored).map {
      case Match(rehash) =>
        // Compare and swap: a password that was changed in the meantime stays changed.
        for (old <- stored; made <- rehash) users.replace(user, old, made.encoded)
        true
      case _: Mismatch => false
    }
  }
}
