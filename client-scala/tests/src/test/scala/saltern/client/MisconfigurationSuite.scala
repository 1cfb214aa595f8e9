package saltern.client

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.time.{ZoneOffset, ZonedDateTime}
import java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import scala.util.{Failure, Success, Try}

/** Wrong setups: what the log says, and what the caller gets. The guide shows the table. */
class MisconfigurationSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, bcrypt5, cheap}

  private val json = Seq("Content-Type" -> "application/json")

  test("the table of wrong setups in the guide is true") {
    val rows = Seq(
      row("nothing listens at host and port", nothingListens),
      row("another server listens there", always(Fault.Answer(404, Seq("Content-Type" -> "text/html"), "<html></html>"))),
      row("`https://` to a port without TLS", plainPort),
      row("a wrong path", always(Fault.Problem(404, "not_found"))),
      row("an older service without `/batch`", next(Fault.Problem(404, "not_found")), checked = true),
      row("an unknown or expired token: 401", always(Fault.Problem(401, "unauthorized"))),
      row("a token without the scope: 403", always(Fault.Problem(403, "forbidden"))),
      row("AWS refuses the credentials: 403", always(Fault.Answer(403, json, "{\"Message\":\"Forbidden\"}"))),
      row("the clock is wrong, and requests are signed", wrongClock, checked = true),
      row("Lambda fails, or a proxy: 502", always(Fault.Answer(502, json, "{\"Message\":\"Bad Gateway\"}"))),
      row("a proxy waits no longer: 504", always(Fault.Answer(504, Nil, ""))),
      row("the policy documents differ, and the service goes away", otherPolicies)
    )
    val table = ("| wrong | the log says, after `HOST: ` | `login` | `hash` | `login` without fallback |" +: "|---|---|---|---|---|" +: rows).mkString(
      "",
      "\n",
      "\n"
    )
    val page = Files.readString(Paths.get(sys.props("saltern.root"), "client-scala/docs/guide/5-failures.md"), UTF_8)
    assert(page.contains(table), s"docs/guide/5-failures.md does not have this table:\n$table")
  }

  /** A client in a wrong setup.
    *
    * @param end ends the other side
    */
  private final class Setup(val client: Saltern, val endpoint: URI, val between: () => Unit = () => (), end: () => Unit = () => ()) {
    def close(): Unit = { client.close(); end() }
  }

  private type Wrong = (ClientConfig => ClientConfig) => Setup

  /** @param checked whether the line is one of `check`, and not of a call */
  private def row(name: String, wrong: Wrong, checked: Boolean = false): String = {
    val setup = wrong(identity)
    val warnings = new Warnings(Journal.nameOf(ClientConfig.withoutTls(setup.endpoint).settings) + ": ")
    val never = wrong(_.withFallback(Fallback.Never))
    try {
      if (checked) Seq(setup, never).foreach(wronged => Await.result(wronged.client.check(), EventualEnd))
      val found = warnings.lines.lastOption
      val (login, hash, refused) = (loginOf(setup), told(setup.client.hash(Password("secret"))), loginOf(never))
      val line = (if (checked) found else warnings.lines.headOption).getOrElse(fail(s"$name: no line"))
      s"| $name | ${plain(line)} | $login | $hash | $refused |"
    } finally { setup.close(); never.close(); warnings.close() }
  }

  private def loginOf(setup: Setup): String = {
    setup.between()
    told(setup.client.login(Password("secret"), Some(bcrypt4)))
  }

  private def told(call: Future[Any]): String = Try(Await.result(call, EventualEnd)) match {
    case Success(verified: Verified) => s"${verified.origin}"
    case Success(hashed: Hashed)     => s"${hashed.origin}"
    case Success(other)              => fail(s"$other")
    case Failure(error)              => s"`${error.getClass.getSimpleName}`"
  }

  /** Without what differs from run to run, or between JDKs. */
  private def plain(line: String): String =
    line
      .replaceFirst("^[^ ]+: ", "")
      .replaceAll("sha256:[0-9a-f]{64}", "sha256:…")
      .replaceAll("ConnectException( < \\w+)*", "ConnectException")
      .replaceFirst(" \\(request [^)]+\\)$", "")
      .replaceAll("\\d+ s apart", "600 s apart")

  private def config(endpoint: String): ClientConfig = ClientConfig(endpoint)
    .withPolicies(cheap)
    .withLoginFloor(Duration.Zero)
    .withDeadline(EventualEnd)
    .withAttemptTimeout(EventualEnd / 2)
    .withConnectTimeout(EventualEnd / 2)
    .withBreakerSilence(EventualEnd / 2)

  private val inMemory = "https://misconfiguration-suite.invalid"

  private def over(service: InMemoryService, change: ClientConfig => ClientConfig, between: () => Unit = () => ()): Setup =
    new Setup(Saltern(change(config(inMemory)), service), URI.create(inMemory), between)

  private def always(fault: Fault): Wrong = change => {
    val service = InMemoryService(cheap)
    service.failAlways(fault)
    over(service, change)
  }

  private def next(fault: Fault): Wrong = change => {
    val service = InMemoryService(cheap)
    service.next(fault)
    over(service, change)
  }

  private def nothingListens: Wrong = change => {
    val free = RawServer.plain()
    val endpoint = s"http://127.0.0.1:${free.getLocalPort}"
    free.close()
    new Setup(Saltern(change(config(endpoint).withRetryBudget(0))), URI.create(endpoint))
  }

  private def plainPort: Wrong = change => {
    val server = RawServer.refusing()
    val endpoint = s"https://127.0.0.1:${server.getLocalPort}"
    new Setup(Saltern(change(config(endpoint))), URI.create(endpoint), end = () => server.close())
  }

  private def wrongClock: Wrong = change => {
    val signed = new RequestAuth {
      def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] = Future.successful(Nil)
      override def usesClock: Boolean = true
    }
    val date = RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC).minusMinutes(10))
    val service = InMemoryService(cheap)
    service.failAlways(Fault.Answer(403, json :+ ("Date" -> date), "{\"message\":\"Signature expired\"}"))
    over(service, change.andThen(_.withAuth(signed)))
  }

  private def otherPolicies: Wrong = change => {
    val service = InMemoryService(PolicySource.Packed)
    lazy val setup: Setup = over(
      service,
      change,
      () => {
        val _ = Await.result(setup.client.verify(Password("secret"), bcrypt5), EventualEnd)
        service.failAlways(Fault.Answer(502, Nil, ""))
      }
    )
    setup
  }

  /** The end of a wait for an event that comes, however busy the machine is. */
  private val EventualEnd = 60.seconds
}
