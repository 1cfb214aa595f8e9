package saltern.example.play

import play.api.{ApplicationLoader, BuiltInComponentsFromContext, Environment, Mode}
import play.api.data.Form
import play.api.data.Forms.{text, tuple}
import play.api.mvc.{AbstractController, Action, ControllerComponents, EssentialFilter}
import play.api.routing.Router
import play.api.routing.sird.{POST, UrlContext}
import play.core.server.{PekkoHttpServer, ServerConfig}
import saltern.client.{ClientConfig, Match, Mismatch, Password, Saltern, SalternError}
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap
import scala.concurrent.{ExecutionContext, Future}

/** A login over Play, wired at compile time. `ada`'s password is `correct horse`.
  *
  * {{{
  * bin/sbt "examplePlay/run"
  * curl -d user=ada -d 'password=correct horse' http://127.0.0.1:8080/login
  * }}}
  */
object LoginServer {
  def main(arguments: Array[String]): Unit = {
    val saltern = Saltern(ClientConfig(arguments.headOption.getOrElse("http://127.0.0.1:9000")))
    val users = TrieMap("ada" -> saltern.blocking.hash(Password("correct horse")).encoded)
    val server = start(8080, saltern, users)
    println(s"POST http:/${server.mainAddress}/login")
  }

  /** @param users in place of a table: the stored hash of each name */
  def start(port: Int, saltern: Saltern, users: concurrent.Map[String, String]): PekkoHttpServer = {
    val context = ApplicationLoader.Context.create(Environment.simple(mode = Mode.Dev))
    val components = new LoginComponents(context, saltern, users)
    PekkoHttpServer.fromApplication(components.application, ServerConfig(address = "127.0.0.1", port = Some(port)))
  }
}

final class LoginComponents(context: ApplicationLoader.Context, saltern: Saltern, users: concurrent.Map[String, String])
    extends BuiltInComponentsFromContext(context) {
  private lazy val controller = new LoginController(controllerComponents, saltern, users)
  lazy val router: Router = Router.from { case POST(p"/login") => controller.login }
  // A real backend has Play's filters, among them the one against forged requests.
  lazy val httpFilters: Seq[EssentialFilter] = Nil
  applicationLifecycle.addStopHook(() => Future.successful(saltern.close()))
}

final class LoginController(components: ControllerComponents, saltern: Saltern, users: concurrent.Map[String, String]) extends AbstractController(components) {
  private implicit val context: ExecutionContext = components.executionContext
  private val form = Form(tuple("user" -> text, "password" -> text))

  /** No thread waits for the answer. */
  def login: Action[(String, String)] = Action(parse.form(form)).async { request =>
    val (user, password) = request.body
    val stored = users.get(user)
    saltern
      .login(Password(password), stored)
      .map {
        case Match(rehash) =>
          // Compare and swap: a password that was changed in the meantime stays changed.
          for (old <- stored; made <- rehash) users.replace(user, old, made.encoded)
          Ok("welcome\n")
        case _: Mismatch => Unauthorized("user or password is wrong\n")
      }
      .recover {
        case fault: SalternError.UserFault => BadRequest(s"${fault.safe}\n")
        // Never "wrong password": the password was not checked. Play answers 500 to other errors.
        case later: SalternError.TryLater =>
          ServiceUnavailable(s"${later.safe}\n").withHeaders(RETRY_AFTER -> math.max(1L, later.retryAfter.toSeconds).toString)
      }
  }
}
