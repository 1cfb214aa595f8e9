package saltern.client

import java.util.logging.{Handler, LogRecord, Logger}
import saltern.testkit.{InMemoryService, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.duration.*

/** The lines that an operator reads. Under virtual time, so that rates are exact. */
class JournalSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap}

  private val host = "journal-suite.invalid"

  private final class World(change: ClientConfig => ClientConfig = identity) {
    private val warnings = new Warnings(host)
    def lines: Vector[String] = warnings.lines
    val service: InMemoryService = InMemoryService(cheap)
    val virtual = new VirtualClient(change(ClientConfig(s"https://$host:9000").withPolicies(cheap).withRetryBudget(0)), service)

    def logins(count: Int, apart: FiniteDuration): Unit = for (_ <- 1 to count) {
      virtual.client.verify(Password("secret"), bcrypt4)
      virtual.advance(apart)
      virtual.runLocal()
    }
    def end(): Unit = { virtual.client.close(); warnings.close() }
  }

  private def told(fault: Fault): Vector[String] = {
    val world = new World()
    world.service.failAlways(fault)
    world.logins(20, 50.millis)
    world.end()
    world.lines
  }

  test("each misconfiguration is told once, with host, status or code, and the next step") {
    val json = Seq("Content-Type" -> "application/json")
    val cases = Seq[(Fault, String)](
      Fault.Problem(401, "unauthorized") -> "credentials_failed: unauthorized; check the token",
      Fault.Problem(404, "not_found") -> "misconfigured: not_found; check the endpoint's path",
      Fault.Answer(404, json, "{\"Message\":null}") -> "answer_not_ours: status 404; something else answers",
      Fault.Answer(403, json, "{\"Message\":\"Forbidden\"}") ->
        "answer_not_ours: status 403; something in front of the service refuses the request: check the credentials",
      Fault.Answer(200, json, "{}") -> "answer_not_ours: an answer that does not carry the name of its request",
      Fault.Fails(TransportFailure.Kind.TlsFailed) -> "tls_failed: scripted; check the endpoint's scheme and port",
      Fault.Fails(TransportFailure.Kind.ConnectFailed) -> "connect_failed: scripted; check host and port"
    )
    for ((fault, text) <- cases) {
      val lines = told(fault)
      assertEquals(lines.size, 2, lines.mkString("\n"))
      assert(lines.head.startsWith(s"$host:9000: $text"), lines.head)
      assert(lines(1).contains("unreachable"), lines(1))
    }
  }

  test("a scope that the token lacks is one line by its name, and the service stays in use") {
    val world = new World()
    world.service.failAlways(Fault.Problem(403, "forbidden"))
    world.logins(20, 50.millis)
    world.end()
    val first = world.service.requests.head.header("x-request-id").get
    assertEquals(
      world.lines,
      Vector(
        s"$host:9000: misconfigured: forbidden; the token lacks the scope `verify`: give it the scope, or use another token; a service without tokens answers only to an IP address or localhost " +
          s"(request $first)"
      )
    )
    assertEquals(world.service.requests.size, 20)
  }

  test("an outage and its end are one line each, and a failure that goes on is told again after ten minutes") {
    val world = new World()
    world.logins(10, 50.millis)
    assertEquals(world.lines, Vector.empty)
    world.service.failAlways(Fault.Fails(TransportFailure.Kind.ConnectFailed))
    world.logins(70, 10.seconds)
    assertEquals(world.lines.count(_.contains("connect_failed")), 2, world.lines.mkString("\n"))
    assert(world.lines.exists(_.contains("calls since the last message")))
    world.service.recover()
    world.logins(60, 50.millis)
    assert(world.lines.last.endsWith("all calls are sent again"), world.lines.last)
    val before = world.lines.size
    world.service.failAlways(Fault.Fails(TransportFailure.Kind.ConnectFailed))
    world.logins(10, 50.millis)
    assert(world.lines.size > before, "after a recovery the failure is news")
    world.service.recover()
    world.logins(60, 50.millis)
    assert(world.lines.last.endsWith("all calls are sent again"), "the second end within a minute")
    world.end()
  }

  test("a problem that every check finds is told once in ten minutes") {
    val world = new World()
    world.service.failAlways(Fault.Fails(TransportFailure.Kind.ConnectFailed))
    for (_ <- 1 to 70) {
      world.virtual.client.check()
      world.virtual.advance(10.seconds)
    }
    assertEquals(world.lines.size, 2, world.lines.mkString("\n"))
    assert(world.lines.last.endsWith("check host and port, and that the service runs (60 calls since the last message)"), world.lines.last)
    world.end()
  }

  test("an overload that comes and goes gives a few lines") {
    val world = new World()
    for (_ <- 1 to 10) {
      world.service.failAlways(Fault.Problem(503, "overloaded"))
      world.logins(10, 150.millis)
      world.service.recover()
      world.logins(60, 150.millis)
    }
    world.end()
    assert(world.lines.nonEmpty && world.lines.size <= 10, world.lines.mkString("\n"))
  }

  test("a log that throws affects no call") {
    val logger = Logger.getLogger("saltern.client")
    for (problem <- Seq[Throwable](new IllegalStateException("the disk is full"), new NoSuchMethodError("of another version"))) {
      val broken = new Handler {
        // Other suites log at the same time.
        override def publish(record: LogRecord): Unit = if (record.getMessage.startsWith(host)) throw problem
        override def flush(): Unit = ()
        override def close(): Unit = ()
      }
      logger.addHandler(broken)
      val world = new World()
      try {
        world.service.failAlways(Fault.Fails(TransportFailure.Kind.ConnectFailed))
        // The last ones find the service unreachable.
        for (_ <- 1 to 10) {
          val call = world.virtual.client.verify(Password("secret"), bcrypt4)
          world.virtual.advance(50.millis)
          world.virtual.runLocal()
          assertEquals(call.value.map(_.get.origin), Some(Origin.Local: Origin))
        }
      } finally { world.end(); logger.removeHandler(broken) }
    }
  }
}
