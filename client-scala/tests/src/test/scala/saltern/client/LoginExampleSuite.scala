package saltern.client

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import saltern.client.FrameworkFixtures.{config, oldHash}
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap

/** Runs the login of an example and asks it over HTTP, as a browser sends a form.
  *
  * @param welcome the status for the right password
  */
abstract class LoginExampleSuite(welcome: Int = 200) extends PatientSuite {

  /** Starts the example on any port of loopback, and returns the port and what ends it.
    *
    * @param users the stored hash of each name
    */
  def start(saltern: Saltern, users: concurrent.Map[String, String]): (Int, () => Unit)

  test("a login over HTTP: right, replaced, wrong, unknown, no password and busy") {
    val service = InMemoryService(config.settings.policies)
    val users = TrieMap("ada" -> oldHash)
    val saltern = Saltern(config.withFallback(Fallback.Never), service)
    val (port, end) = start(saltern, users)
    try {
      def login(user: String, password: String) = LoginExampleSuite.login(port, user, password)
      assertEquals(Seq(login("ada", "wrong"), login("bob", "secret")).map(_.statusCode), Seq(401, 401))
      assertEquals(users("ada"), oldHash, "a wrong password replaces nothing")
      assertEquals(login("ada", "secret").statusCode, welcome)
      assert(users("ada").startsWith("$argon2id$"), "the login has replaced the hash")
      assertEquals(login("ada", "x" * 1025).statusCode, 400)
      service.next(Fault.Answer(401, Nil, ""))
      assertEquals(login("ada", "secret").statusCode, 503, "a refused token is no wrong password")
      assertEquals(login("ada", "secret").statusCode, welcome)
      // Last, because the client then sends only a share of the calls.
      service.next(Fault.Problem(503, "overloaded"))
      val busy = login("ada", "secret")
      assertEquals((busy.statusCode, busy.headers.firstValue("Retry-After").orElse("absent")), (503, "1"))
    } finally { end(); saltern.close() }
  }
}

object LoginExampleSuite {
  private val client = HttpClient.newHttpClient()

  def login(port: Int, user: String, password: String): HttpResponse[String] =
    send(
      HttpRequest
        .newBuilder(URI.create(s"http://127.0.0.1:$port/login"))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(s"user=$user&password=$password"))
    )

  def get(port: Int, path: String): HttpResponse[String] = send(HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port$path")))

  private def send(request: HttpRequest.Builder): HttpResponse[String] = client.send(request.build(), HttpResponse.BodyHandlers.ofString())
}
