package saltern.client

import java.net.URI
import saltern.client.Report.Finding
import saltern.testkit.{InMemoryService, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.*

/** The check at the start of a program, under virtual time. */
class CheckSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap}

  private final class World(
      change: ClientConfig => ClientConfig = identity,
      source: PolicySource = cheap,
      date: Option[String] = None
  ) {
    val service: InMemoryService = InMemoryService(source)
    private val dated = new Transport {
      def send(request: Transport.Request): Transport.Exchange = {
        val exchange = service.send(request)
        new Transport.Exchange {
          val response: Future[Transport.Response] = exchange.response.map { r =>
            val headers = Seq("Content-Type", "Saltern-Request-Id").flatMap(h => r.header(h).map(h -> _)) ++ date.map("Date" -> _)
            new Transport.Response(r.status, headers, r.body)
          }(ExecutionContext.parasitic)
          def cancel(): Unit = exchange.cancel()
        }
      }
      def close(): Unit = ()
    }
    val virtual = new VirtualClient(change(ClientConfig("https://service.invalid").withPolicies(cheap).withRetryBudget(0)), dated)

    def report(): Report = {
      val report = virtual.client.check()
      virtual.advance(1.minute)
      report.value.getOrElse(fail("the check has not ended")).get
    }
  }

  private def bad(finding: Finding, text: String): Unit = finding match {
    case Finding.Bad(problem) => assert(problem.contains(text), problem)
    case other                => fail(s"$other")
  }

  test("all is well: one batch of two refusals and one GET, and nothing is computed") {
    val world = new World()
    val report = world.report()
    assert(report.isGood && report.findings.forall(_._2 == Finding.Good), report.toString)
    assertEquals(world.service.requests.map(_.toString), Vector("POST /batch (2)"))
  }

  test("each point that is bad is told with the next step, and the others are not guessed") {
    val json = Seq("Content-Type" -> "application/json")
    def report(fault: Fault): Report = {
      val world = new World()
      world.service.failAlways(fault)
      world.report()
    }
    for (
      (fault, text) <- Seq(
        Fault.Fails(TransportFailure.Kind.ConnectFailed) -> "check host and port",
        Fault.Fails(TransportFailure.Kind.TlsFailed) -> "check the endpoint's scheme and port",
        Fault.Never -> "no answer in time",
        Fault.Answer(200, json, "{}") -> "something else answers",
        Fault.Answer(404, json, "{\"Message\":null}") -> "something else answers",
        Fault.Problem(404, "not_found") -> "check the endpoint's path"
      )
    ) {
      val found = report(fault)
      bad(found.reachable, text)
      for (other <- Seq(found.authorised, found.mayHash, found.mayVerify, found.batch)) assert(other.isInstanceOf[Finding.Unknown], s"$fault: $other")
    }
    for ((fault, text) <- Seq(Fault.Problem(401, "unauthorized") -> "check the token", Fault.Answer(403, json, "{}") -> "check the credentials")) {
      val found = report(fault)
      assertEquals(found.reachable, Finding.Good: Finding)
      bad(found.authorised, text)
    }
    assert(report(Fault.Problem(503, "overloaded")).authorised.isInstanceOf[Finding.Unknown])
  }

  test("a scope that is missing, and an older service without /batch") {
    val world = new World()
    world.service.next(Fault.Problem(404, "not_found"), Fault.Problem(403, "forbidden"))
    val report = world.report()
    bad(report.batch, "no /batch")
    bad(report.mayHash, "lacks the scope `hash`")
    assertEquals((report.authorised, report.mayVerify), (Finding.Good: Finding, Finding.Good: Finding))
    assertEquals(report.problems.size, 2)
  }

  test("another policy document") {
    bad(new World(source = PolicySource.Packed).report().policies, "give both the same document")
  }

  test("a clock that is wrong, where signatures carry the time") {
    val signed = new RequestAuth {
      def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] =
        Future.successful(Nil)
      override def usesClock: Boolean = true
    }
    val long = Some("Tue, 15 Nov 1994 08:12:31 GMT")
    bad(new World(_.withAuth(signed), date = long).report().clock, "set the clock")
    assert(new World(_.withAuth(signed)).report().clock.isInstanceOf[Finding.Unknown])
    assertEquals(new World(date = long).report().clock, Finding.Good: Finding)
  }

  test("a check ends when its client is closed, and a later one at once") {
    val world = new World()
    world.service.failAlways(Fault.Never)
    val open = world.virtual.client.check()
    assert(!open.isCompleted)
    world.virtual.client.close()
    for (check <- Seq(open, world.virtual.client.check())) assert(check.value.exists(_.failed.get.isInstanceOf[SalternError.NotSent]), s"$check")
    assertEquals(world.service.requests.size, 1)
  }

  test("while the policy documents differ, no new hash is made locally unless a setting allows it") {
    def calls(change: ClientConfig => ClientConfig): (Future[Hashed], Future[Verified]) = {
      val world = new World(change, source = PolicySource.Packed)
      assert(!world.report().isGood)
      world.service.failAlways(Fault.Answer(502, Nil, ""))
      val made = world.virtual.client.hash(Password("secret"), "bcrypt-4")
      val verified = world.virtual.client.verify(Password("secret"), bcrypt4)
      world.virtual.runLocal()
      (made, verified)
    }
    val (refused, verified) = calls(identity)
    assert(refused.value.exists(_.failed.get.isInstanceOf[SalternError.NotAvailableLocally]), s"$refused")
    assert(verified.value.exists(_.isSuccess), s"$verified")
    // For Keycloak's unknown users.
    assert(refused.value.exists(_.failed.toOption.collect { case error: SalternError => error.isOfNewHashes }.contains(true)))
    assert(calls(_.withHashesDespiteDrift(true))._1.value.exists(_.isSuccess))
  }

  test("where the service lists breached passwords, no new hash is made locally unless a setting allows it") {
    def call(change: ClientConfig => ClientConfig): Future[Hashed] = {
      val world = new World(change)
      world.service.useBlocklist()
      assert(world.report().isGood)
      world.service.failAlways(Fault.Answer(502, Nil, ""))
      val made = world.virtual.client.hash(Password("secret"), "bcrypt-4")
      world.virtual.runLocal()
      made
    }
    val refused = call(identity)
    assert(refused.value.exists(_.failed.get.isInstanceOf[SalternError.Overloaded]), s"$refused")
    assert(call(_.withHashesUnchecked(true)).value.exists(_.isSuccess))
  }
}
