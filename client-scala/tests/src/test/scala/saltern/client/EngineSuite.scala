package saltern.client

import java.nio.file.{Files, Path}
import saltern.hashes.LocalHasherSuite
import saltern.testkit.{InMemoryService, RecordingListener, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import saltern.testkit.RecordingListener.Event
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration.*
import scala.reflect.ClassTag
import scala.util.{Failure, Success}

/** The whole client under virtual time: no test sleeps, and every run is the same. */
class EngineSuite extends PatientSuite {

  import EngineSuite.*

  private final class World(change: ClientConfig => ClientConfig = identity, source: PolicySource = cheap) {
    val listener = new RecordingListener
    val service: InMemoryService = InMemoryService(source)
    val virtual = new VirtualClient(
      change(ClientConfig("https://service.invalid").withPolicies(cheap).withLocalWorkers(1).withListener(listener).withCoalescing(
        4,
        2.millis
      ).withLoginFloor(Duration.Zero)),
      service
    )
    val client: Saltern = virtual.client
    def breakerStates: Vector[BreakerState] = listener.breakerStates

    /** Calling this computes the waiting local hashes. */
    def local[A](call: => Future[A]): A = { val future = call; virtual.advance(300.millis); virtual.runLocal(); now(future) }
  }

  private def now[A](future: Future[A]): A = future.value match {
    case Some(Success(answer)) => answer
    case Some(Failure(error))  => fail(s"$error: ${error.asInstanceOf[SalternError].detailed}")
    case None                  => fail("not answered yet")
  }

  private def failure[E <: SalternError: ClassTag](future: Future[Any]): E = future.value match {
    case Some(Failure(error: E)) => error
    case other                   => fail(s"$other")
  }

  private val secret = Password("secret")
  private val problem503 = Fault.Problem(503, "overloaded")
  private val connectFails = Fault.Fails(TransportFailure.Kind.ConnectFailed)

  // The service is well

  test("hash, verify, upgrade and decoy, remotely") {
    val world = new World()
    val hashed = now(world.client.hash(secret, "bcrypt-4"))
    assertEquals(hashed.origin, Origin.Remote: Origin)
    val verified = now(world.client.verify(secret, hashed.encoded))
    assert(verified.matches && verified.needsRehash && verified.rehashed.isEmpty)
    val upgraded = now(world.client.login(secret, Some(hashed.encoded)))
    assertEquals(upgraded.rehashed.flatMap(_.policy), Some("argon2id-2"))
    assert(now(world.client.verify(secret, upgraded.rehashed.get.encoded)).matches)
    assert(!now(world.client.verify(Password("Secret"), hashed.encoded)).matches)
    assert(!now(world.client.login(secret, None)).matches)
    assertEquals(world.listener.fallbacks, Vector.empty)
    assertEquals(world.service.requests.map(_.path).distinct, Vector("/hash", "/verify"))
  }

  test("the service is told in which time the attempt's answer is wanted") {
    val world = new World(_.withDeadline(5.seconds))
    now(world.client.hash(secret))
    now(world.client.withDeadline(250.millis).hash(secret))
    // Half of the call's time, and for the first call the attempt's, less the time of travel.
    assertEquals(world.service.requests.flatMap(_.header("Saltern-Deadline-Ms")), Vector("2450", "118"))
  }

  test("x-request-id and traceparent of the caller's own request are sent, and only in their forms") {
    val world = new World()
    val traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    now(world.client.withRequestId("login-7").withTraceparent(traceparent).withDeadline(5.seconds).login(secret, Some(bcrypt4)))
    for (odd <- Seq("", "a b", "x\r\nevil: 1", "x" * 65, null)) now(world.client.withRequestId(odd).withTraceparent(odd).login(secret, None))
    val (first, others) = (world.service.requests.head, world.service.requests.tail)
    assertEquals((first.header("x-request-id"), first.header("traceparent")), (Some("login-7"), Some(traceparent)))
    assert(first.header("Saltern-Request-Id").exists(_.matches("[0-9a-f]{32}")))
    assertEquals(others.size, 5)
    for (request <- others) {
      assertEquals(request.header("x-request-id"), request.header("Saltern-Request-Id"))
      assertEquals(request.header("traceparent"), None)
    }
  }

  test("errors and events carry the id under which the service logged the request") {
    var fallbacks = Vector.empty[Option[String]]
    var answers = Vector.empty[Option[String]]
    val world = new World(_.withListener(new ClientListener {
      override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = fallbacks :+= requestId
      override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit = answers :+= requestId
    }))
    val own = world.client.withRequestId("login-7")
    world.service.next(Fault.Problem(422, "invalid_hash"))
    val refused = failure[SalternError.BadHash](own.verify(secret, bcrypt4))
    assertEquals(refused.requestId, Some("login-7"))
    assert(refused.detailed.endsWith("(request login-7)"), refused.detailed)
    // A proxy in front of the service gave it another.
    world.service.next(Fault.Answer(502, Seq("X-Request-Id" -> "envoy-1"), ""), Fault.Answer(502, Seq("X-Request-Id" -> "envoy 2"), ""))
    for (_ <- 1 to 2) world.local(own.verify(secret, bcrypt4))
    assertEquals((fallbacks, answers), (Vector("envoy-1", "login-7").map(Option(_)), Vector("envoy-1", "login-7").map(Option(_))))
    // Without one of its own, a call that was never sent has none.
    assertEquals(failure[SalternError.Refused](world.client.verify(secret, null)).requestId, None)
  }

  // With and without fallback

  test("each cause of a fallback is answered locally and reported") {
    val json = Seq("Content-Type" -> "application/json")
    val causes = Seq[(Fault, FallbackReason)](
      Fault.Fails(TransportFailure.Kind.TlsFailed) -> FallbackReason.TlsFailed,
      Fault.Fails(TransportFailure.Kind.CredentialsFailed) -> FallbackReason.CredentialsFailed,
      Fault.Fails(TransportFailure.Kind.Broken) -> FallbackReason.ConnectionBroken,
      Fault.Fails(TransportFailure.Kind.TooLarge) -> FallbackReason.AnswerNotOurs,
      Fault.Problem(401, "unauthorized") -> FallbackReason.CredentialsFailed,
      Fault.Problem(403, "forbidden") -> FallbackReason.Misconfigured,
      Fault.Problem(404, "not_found") -> FallbackReason.Misconfigured,
      Fault.Problem(405, "method_not_allowed") -> FallbackReason.Misconfigured,
      Fault.Problem(408, "request_timeout") -> FallbackReason.AttemptTimeout,
      Fault.Problem(413, "body_too_large") -> FallbackReason.Misconfigured,
      Fault.Problem(415, "unsupported_media_type") -> FallbackReason.Misconfigured,
      Fault.Problem(500, "internal") -> FallbackReason.ServerError,
      problem503 -> FallbackReason.Throttled,
      Fault.Answer(429, Nil, "{\"message\":\"Too Many Requests\"}") -> FallbackReason.Throttled,
      Fault.Answer(403, json, "{\"Message\":\"Forbidden\"}") -> FallbackReason.AnswerNotOurs,
      Fault.Answer(404, json, "{\"Message\":null}") -> FallbackReason.AnswerNotOurs,
      Fault.Answer(302, Seq("Location" -> "http://elsewhere.invalid/"), "") -> FallbackReason.AnswerNotOurs,
      Fault.Answer(502, Nil, "Internal Server Error") -> FallbackReason.ServerError,
      Fault.Answer(200, json, "{\"match\":true}") -> FallbackReason.AnswerNotOurs,
      Fault.Answer(200, json, "") -> FallbackReason.AnswerNotOurs
    )
    for ((fault, reason) <- causes) {
      val world = new World()
      val stored = LocalHasherSuite.hash(hasher, "bcrypt-4", "secret")
      world.service.next(fault)
      val verified = world.local(world.client.login(secret, Some(stored)))
      assert(verified.matches && verified.origin == Origin.Local, fault.toString)
      assert(verified.needsRehash && verified.rehashed.isEmpty, "no upgrade hash is made locally")
      assertEquals(world.listener.fallbacks, Vector(reason), fault.toString)
      assertEquals(world.service.requests.size, 1, "asked once")
      world.service.recover()
    }
  }

  test("each refusal of the service stays a refusal") {
    for ((status, code) <- Seq(400 -> "invalid_request", 422 -> "cost_out_of_bounds")) {
      val world = new World()
      world.service.next(Fault.Problem(status, code))
      val error = failure[SalternError.Refused](world.client.verify(secret, bcrypt4))
      assertEquals((error.code, error.origin), (code, Origin.Remote: Origin))
      assertEquals((world.virtual.localWaiting, world.listener.fallbacks), (0, Vector.empty))
    }
  }

  test("deadline_exceeded ends the attempt, and the call is hashed locally") {
    val world = new World()
    world.service.next(Fault.Problem(503, "deadline_exceeded"))
    assertEquals(world.local(world.client.verify(secret, bcrypt4)).origin, Origin.Local: Origin)
    assertEquals(world.listener.fallbacks, Vector[FallbackReason](FallbackReason.AttemptTimeout))
  }

  test("without fallback the error says whether the request was sent") {
    def error(fault: Fault): SalternError = {
      val world = new World(_.withFallback(Fallback.Never).withRetryBudget(0))
      world.service.next(fault)
      val future = world.client.verify(secret, bcrypt4)
      world.virtual.advance(4.seconds)
      failure[SalternError](future)
    }
    assert(error(connectFails).isInstanceOf[SalternError.NotSent])
    assert(error(Fault.Fails(TransportFailure.Kind.Broken)).isInstanceOf[SalternError.MaybeSent])
    assert(error(Fault.Never).isInstanceOf[SalternError.MaybeSent])
    error(Fault.Answer(429, Seq("Retry-After" -> "3"), "")) match {
      case overloaded: SalternError.Overloaded => assertEquals(overloaded.retryAfter, 3.seconds)
      case other                               => fail(other.detailed)
    }
    assert(error(Fault.Answer(200, Nil, "x")).isInstanceOf[SalternError.Unreadable])
  }

  test("a scheme that the client lacks is not available locally, and never a mismatch") {
    val world = new World()
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    failure[SalternError.NotAvailableLocally](world.client.verify(secret, "$y$j75$salt$hash"))
  }

  test("an answer that lacks a member of the contract is an error that names it") {
    val world = new World(_.withFallback(Fallback.Never))
    def verified(body: String): String = {
      world.service.next(Fault.Body(200, body))
      failure[SalternError.Unreadable](world.client.verify(secret, bcrypt4)).detailed
    }
    assert(verified("""{"match":true}""").contains("status 200 without `needs_rehash`"))
    assert(verified("""{"needs_rehash":false}""").contains("status 200 without `match`"))
    assert(verified("""{"match":false,"needs_rehash":true}""").contains("status 200 that does not fit the request"))
    world.service.next(Fault.Body(200, """{"hash":"$2b$x"}"""))
    assert(failure[SalternError.Unreadable](world.client.hash(secret)).detailed.contains("status 200 without `policy`"))
  }

  test("a row that is no hash is the same error remotely and locally") {
    for (row <- Seq("", "secret", "salt:0123456789abcdef0123456789abcdef", "$9$salt$hash"); away <- Seq(false, true)) {
      val world = new World()
      if (away) world.service.failAlways(Fault.Answer(502, Nil, ""))
      val error = failure[SalternError.BadHash](world.client.verify(secret, row))
      assertEquals((error.code, error.origin), (RefusalCode.UnsupportedHash, if (away) Origin.Local else Origin.Remote: Origin), row)
    }
  }

  test("a hostile hash is refused locally before any work") {
    val world = new World()
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val stored = "$2b$31$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"
    val error = failure[SalternError.Refused](world.client.verify(secret, stored))
    assertEquals((error.code, error.origin, world.virtual.localWaiting), (RefusalCode.CostOutOfBounds, Origin.Local: Origin, 0))
  }

  test("text that the contract does not carry is refused before it is sent") {
    val world = new World()
    val expected = Seq(
      world.client.verify(Password("\ud800"), bcrypt4) -> RefusalCode.UnpairedSurrogate,
      world.client.verify(Password("x" * 1025), bcrypt4) -> RefusalCode.PasswordTooLong,
      world.client.verify(secret, "$" + "x" * 1024) -> RefusalCode.InvalidHash,
      world.client.verify(secret, "$2b$\ud800") -> RefusalCode.InvalidText,
      world.client.hash(secret, "\udc00") -> RefusalCode.UnknownPolicy
    )
    for ((future, code) <- expected) assertEquals(failure[SalternError.Refused](future).code, code)
    assertEquals(world.service.requests, Vector.empty)
  }

  test("a null from Java is refused and holds no place") {
    val world = new World()
    val expected = Seq(
      world.client.verify(secret, null) -> RefusalCode.InvalidHash,
      world.client.login(secret, null) -> RefusalCode.InvalidHash,
      world.client.hash(secret, null) -> RefusalCode.UnknownPolicy
    )
    for ((future, code) <- expected) {
      assertEquals(failure[SalternError.Refused](future).code, code)
      assert(!world.client.cancel(future), "the call is not in progress")
    }
    assertEquals(world.client.rehashReason(null), None)
    assertEquals(world.service.requests.map(_.toString), Vector("POST /verify (1)"), "the login's decoy alone")
  }

  // Retry, pause, breaker

  test("a failed connect is tried once more, after a jittered pause") {
    val world = new World()
    world.service.next(connectFails)
    val future = world.client.verify(secret, bcrypt4)
    assertEquals(world.service.requests.size, 1)
    world.virtual.advance(9.millis)
    assertEquals(world.service.requests.size, 1)
    world.virtual.advance(1.milli)
    assertEquals(now(future).origin, Origin.Remote: Origin)
    assertEquals(world.listener.events.count(_ == Event.Retry), 1)
  }

  test("a call falls back after two failed connects, and with an empty budget after one") {
    val world = new World(_.withoutCoalescing)
    world.service.failAlways(connectFails)
    assertEquals(world.local(world.client.verify(secret, bcrypt4)).origin, Origin.Local: Origin)
    assertEquals(world.service.requests.size, 2)
    val poor = new World(_.withRetryBudget(10))
    poor.service.failAlways(connectFails)
    for (_ <- 1 to 3) poor.local(poor.client.verify(secret, bcrypt4))
    assertEquals(poor.service.requests.size, 4, "two, one, one")
  }

  test("an overload reduces the share that is sent, and never to nothing") {
    val world = new World(_.withoutCoalescing.withLocalQueue(1000))
    world.service.failAlways(problem503)
    for (_ <- 1 to 50) { world.client.verify(secret, bcrypt4); world.virtual.advance(50.millis) }
    assert(world.service.requests.size < 40, s"${world.service.requests.size}")
    assertEquals(world.breakerStates, Vector[BreakerState](BreakerState.HalfOpen))
    assertEquals(world.listener.fallbacks.toSet, Set[FallbackReason](FallbackReason.Throttled))
    world.service.recover()
    world.virtual.advance(10.seconds)
    assertEquals(now(world.client.verify(secret, bcrypt4)).origin, Origin.Remote: Origin)
  }

  test("without fallback for overload, a call that the service refuses or that is not sent is an overload") {
    val world = new World(_.withFallback(Fallback.Unreachable).withoutCoalescing)
    world.service.failAlways(Fault.Answer(429, Seq("Retry-After" -> "3"), ""))
    for (_ <- 1 to 20) { failure[SalternError.Overloaded](world.client.verify(secret, bcrypt4)); world.virtual.advance(150.millis) }
    assert(world.service.requests.size < 20)
    assertEquals((world.virtual.localWaiting, world.listener.fallbacks), (0, Vector.empty))
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    world.virtual.advance(10.seconds)
    assertEquals(world.local(world.client.verify(secret, bcrypt4)).origin, Origin.Local: Origin)
  }

  test("a failing service gets one probe at a time, and all calls again within 3 s of the recovery") {
    val world = new World()
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    for (_ <- 1 to 40) { world.local(world.client.verify(secret, bcrypt4)) }
    assert(world.breakerStates.contains(BreakerState.Open))
    assert(world.service.requests.size < 40, "an unreachable service gets few requests")
    world.service.recover()
    val recovered = world.virtual.now
    var origins = Vector.empty[Origin]
    while (world.virtual.now - recovered < 3.seconds) {
      val future = world.client.verify(secret, bcrypt4)
      world.virtual.runLocal()
      origins :+= now(future).origin
      world.virtual.advance(50.millis)
    }
    assertEquals(world.breakerStates.last, BreakerState.Closed: BreakerState)
    assertEquals(origins.last, Origin.Remote: Origin)
  }

  test("the state of the breaker that is told last is the present one") {
    var states = Vector.empty[BreakerState]
    // What another thread does before this one has told its own change.
    var meanwhile: () => Unit = () => ()
    val world = new World(_.withRetryBudget(0).withListener(new ClientListener {
      override def onBreaker(state: BreakerState): Unit = {
        val once = meanwhile
        meanwhile = () => ()
        once()
        states :+= state
      }
    }))
    meanwhile = () => {
      world.service.recover()
      world.virtual.advance(1.second)
      val _ = world.client.verify(secret, bcrypt4)
    }
    world.service.failAlways(connectFails)
    for (_ <- 1 to 20 if states.isEmpty) world.local(world.client.verify(secret, bcrypt4))
    assertEquals(states, Vector[BreakerState](BreakerState.HalfOpen, BreakerState.Open, BreakerState.HalfOpen))
  }

  test("a probe is a copy of a login that is hashed locally, and the first answer counts") {
    val world = new World(_.withLocalQueue(1000).withRetryBudget(0))
    world.service.failAlways(connectFails)
    for (_ <- 1 to 10) { world.local(world.client.verify(secret, bcrypt4)) }
    assertEquals(world.breakerStates.last, BreakerState.Open: BreakerState)
    world.service.failAlways(Fault.Never)
    world.virtual.advance(1.second)
    val sent = world.service.requests.size
    val calls = Vector.fill(5)(world.client.verify(secret, bcrypt4))
    assertEquals(world.service.requests.size, sent + 1, "one probe at a time")
    world.virtual.runLocal()
    assert(calls.forall(now(_).origin == Origin.Local), "no login waits for a probe")
    // The probe gets no answer in its time.
    world.virtual.advance(4.seconds)
    world.service.recover()
    assertEquals(now(world.client.verify(secret, bcrypt4)).origin, Origin.Remote: Origin)
  }

  test("if a probe fails, its login is hashed only once") {
    val world = new World(_.withRetryBudget(0))
    world.service.failAlways(connectFails)
    for (_ <- 1 to 10) { world.local(world.client.verify(secret, bcrypt4)) }
    world.virtual.advance(1.second)
    val (sent, before) = (world.service.requests.size, world.listener.fallbacks.size)
    val probed = world.client.verify(secret, bcrypt4)
    assertEquals((world.service.requests.size, world.listener.fallbacks.size), (sent + 1, before + 1))
    world.virtual.runLocal()
    assert(now(probed).matches)
  }

  // Time

  test("a silent service is noticed by the exchanges in flight, and later calls do not wait for it") {
    val world = new World(_.withoutCoalescing)
    world.service.failAlways(Fault.Never)
    val first = world.client.verify(secret, bcrypt4)
    world.virtual.advance(600.millis)
    val second = world.client.verify(secret, bcrypt4)
    world.virtual.advance(399.millis)
    assertEquals(world.virtual.localWaiting, 0)
    world.virtual.advance(1.milli)
    assertEquals((world.virtual.localWaiting, world.breakerStates), (1, Vector[BreakerState](BreakerState.Open)))
    assertEquals(world.listener.fallbacks, Vector[FallbackReason](FallbackReason.AttemptTimeout))
    val later = Vector.fill(3)(world.client.verify(secret, bcrypt4))
    world.virtual.runLocal()
    assert((first +: later).forall(now(_).origin == Origin.Local))
    world.virtual.advance(600.millis)
    world.virtual.runLocal()
    assertEquals(now(second).origin, Origin.Local: Origin)
  }

  test("one slow exchange among answered ones is no silence") {
    val world = new World(_.withoutCoalescing)
    world.service.next(Fault.Never)
    val slow = world.client.verify(secret, bcrypt4)
    for (_ <- 1 to 20) { world.virtual.advance(145.millis); now(world.client.verify(secret, bcrypt4)) }
    assertEquals((slow.isCompleted, world.breakerStates), (false, Vector.empty))
    world.virtual.advance(100.millis)
    world.virtual.runLocal()
    assertEquals(now(slow).origin, Origin.Local: Origin)
    assertEquals(world.breakerStates, Vector[BreakerState](BreakerState.HalfOpen), "a timeout reduces the share")
  }

  test("a pause of this host is no silence of the service") {
    val (service, read) = (InMemoryService(cheap), Promise[Unit]())
    val transport = new Transport {
      def send(request: Transport.Request): Transport.Exchange =
        if (request.path == "/policies") service.send(request)
        else
          new Transport.Exchange {
            val response: Future[Transport.Response] = read.future.flatMap(_ => service.send(request).response)(ExecutionContext.parasitic)
            def cancel(): Unit = ()
          }
      def close(): Unit = ()
    }
    val virtual = new VirtualClient(ClientConfig("https://service.invalid").withPolicies(cheap), transport)
    val call = virtual.client.verify(secret, bcrypt4)
    virtual.pause(2.seconds)
    virtual.advance(1.milli)
    read.success(())
    assertEquals(now(call).origin, Origin.Remote: Origin)
  }

  test("a call that gets no local thread ends at its deadline") {
    val world = new World()
    world.service.failAlways(Fault.Never)
    val unserved = world.client.verify(secret, bcrypt4)
    world.virtual.advance(9999.millis)
    assert(!unserved.isCompleted)
    world.virtual.advance(1.milli)
    failure[SalternError.DeadlineExceeded](unserved)
  }

  test("a silent service leaves half of a short deadline for local hashing") {
    val world = new World()
    world.service.failAlways(Fault.Never)
    val hurried = world.client.withDeadline(800.millis).verify(secret, bcrypt4)
    world.virtual.advance(399.millis)
    assertEquals(world.virtual.localWaiting, 0)
    world.virtual.advance(1.milli)
    assertEquals(world.virtual.localWaiting, 1)
    world.virtual.runLocal()
    assertEquals((now(hurried).matches, now(hurried).origin), (true, Origin.Local: Origin))
    assertEquals(world.listener.fallbacks, Vector[FallbackReason](FallbackReason.AttemptTimeout))
    assertEquals(world.breakerStates, Vector[BreakerState](BreakerState.HalfOpen), "shorter than a silence")
    // The service must not work on an answer that is not awaited any more.
    assertEquals(world.service.requests.map(_.header("Saltern-Deadline-Ms")), Vector(Option("380")))
  }

  test("short exchanges without any answer are a silence together") {
    val world = new World()
    world.service.failAlways(Fault.Never)
    def hurried(): Unit = {
      world.client.withDeadline(800.millis).verify(secret, bcrypt4)
      world.virtual.advance(400.millis)
    }
    hurried()
    assertEquals(world.breakerStates, Vector[BreakerState](BreakerState.HalfOpen))
    world.virtual.advance(1.minute)
    hurried()
    assert(!world.breakerStates.contains(BreakerState.Open), "a failure long ago is no silence until now")
    (1 to 9).foreach(_ => hurried())
    assertEquals(world.breakerStates.last, BreakerState.Open: BreakerState)
  }

  test("a wait for a connection leaves half of a short deadline for local hashing") {
    val world = new World(_.withMaxConnections(1).withoutCoalescing)
    world.service.failAlways(Fault.Never)
    world.client.verify(secret, bcrypt4)
    val hurried = world.client.withDeadline(800.millis).verify(secret, bcrypt4)
    world.virtual.advance(400.millis)
    world.virtual.runLocal()
    assertEquals(now(hurried).origin, Origin.Local: Origin)
    assertEquals(world.listener.fallbacks, Vector[FallbackReason](FallbackReason.ConnectionsBusy))
  }

  test("without fallback the attempt has the whole deadline") {
    val world = new World(_.withFallback(Fallback.Never))
    world.service.failAlways(Fault.Never)
    val hurried = world.client.withDeadline(800.millis).verify(secret, bcrypt4)
    world.virtual.advance(799.millis)
    assert(!hurried.isCompleted)
    world.virtual.advance(1.milli)
    failure[SalternError.DeadlineExceeded](hurried)
  }

  test("a local hash that never gets a thread ends at its deadline, and is not computed after it") {
    val world = new World()
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val future = world.client.verify(secret, bcrypt4)
    world.virtual.advance(10.seconds)
    failure[SalternError.DeadlineExceeded](future)
    world.listener.clear()
    world.virtual.runLocal()
    assertEquals(world.listener.events.collect { case e: Event.LocalStart => e }, Vector.empty)
  }

  test("a full local queue is an overload, at once") {
    val world = new World(_.withLocalQueue(2))
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val calls = Vector.fill(5)(world.client.verify(secret, bcrypt4))
    // No local hash runs yet, so the first one waits too.
    assertEquals(calls.map(_.isCompleted), Vector(false, false, true, true, true))
    val error = failure[SalternError.Overloaded](calls.last)
    assert(error.retryAfter >= 1.second)
    world.virtual.runLocal()
    assert(calls.take(2).forall(now(_).matches))
    assertEquals(world.listener.events.count(_ == Event.Shed), 3)
  }

  test("a system that starts no more threads gives an overload, and no place is lost") {
    val service = InMemoryService(cheap)
    service.failAlways(Fault.Fails(TransportFailure.Kind.TlsFailed))
    var threads = 0
    val executor: java.util.concurrent.Executor =
      task => if (threads > 0) task.run() else throw new OutOfMemoryError("unable to create native thread")
    val config = ClientConfig("https://service.invalid").withPolicies(cheap).withLocalQueue(2).withCompletionExecutor(_.run())
    val client = Saltern.wired(config, service, Scheduler.system(), _ => executor, () => 0.5)
    for (_ <- 1 to 5) failure[SalternError.Overloaded](client.verify(secret, bcrypt4))
    threads = 1
    assert(now(client.verify(secret, bcrypt4)).matches)
    client.close()
  }

  test("a local hash that needs more memory than the host has is not available") {
    val world = new World(_.withLocalMemoryBytes(32 * 1024))
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    failure[SalternError.NotAvailableLocally](world.client.hash(secret))
  }

  test("a jump of the clock ends only the calls whose time is over") {
    val world = new World()
    world.service.failAlways(Fault.Never)
    val before = Vector.fill(3)(world.client.verify(secret, bcrypt4))
    world.virtual.advance(24.hours)
    before.foreach(f => failure[SalternError.DeadlineExceeded](f))
    world.service.recover()
    assertEquals(now(world.client.verify(secret, bcrypt4)).origin, Origin.Remote: Origin)
  }

  test("close ends the calls in flight, and the error says whether they may have been sent") {
    val world = new World(_.withMaxConnections(1).withoutCoalescing)
    world.service.failAlways(Fault.Never)
    val (sent, waiting) = (world.client.verify(secret, bcrypt4), world.client.verify(secret, bcrypt4))
    world.client.close()
    failure[SalternError.MaybeSent](sent)
    failure[SalternError.NotSent](waiting)
    failure[SalternError.NotSent](world.client.verify(secret, bcrypt4))
    world.client.close()
  }

  // Cancelled

  test("a cancelled call ends at once and is reported once") {
    val world = new World()
    world.service.next(Fault.Never)
    val call = world.client.verify(secret, bcrypt4)
    assert(world.client.cancel(call))
    failure[SalternError.Cancelled](call)
    assert(world.listener.events.exists { case Event.Error("verify", _: SalternError.Cancelled) => true; case _ => false })
    assert(!world.client.cancel(call), "the call has ended")
    world.service.failAlways(Fault.Never)
    val (check, hanging) = (world.client.check(), world.client.hash(secret))
    intercept[IllegalArgumentException](world.client.cancel(hanging.map(_.policy)(scala.concurrent.ExecutionContext.parasitic)))
    assert(world.client.cancel(hanging) && !world.client.cancel(check))
    assert(!world.client.cancel(Future.unit), "the future belongs to no call")
  }

  test("a cancelled call gives its connection to the next call in line") {
    val world = new World(_.withMaxConnections(1).withoutCoalescing)
    world.service.next(Fault.Never)
    val (carried, waiting) = (world.client.verify(secret, bcrypt4), world.client.verify(secret, bcrypt4))
    assertEquals((world.service.requests.size, waiting.isCompleted), (1, false))
    world.client.cancel(carried)
    assertEquals((world.service.abandoned, world.service.requests.size), (1, 2))
    assert(now(waiting).matches)
    assertEquals(world.listener.fallbacks, Vector.empty)
  }

  test("a call that is cancelled while it gets its connection gives the connection back") {
    val service = InMemoryService(cheap)
    service.failAlways(Fault.Never)
    // A step of another thread, between two steps of a call, is made when the call sets its
    // attempt's timer.
    var meanwhile: () => Unit = () => ()
    val scheduler = new Scheduler {
      def nanos: Long = 0
      def after(delay: FiniteDuration)(task: () => Unit): Cancellable = {
        val once = meanwhile
        if (delay == 1.second) { meanwhile = () => (); once() }
        () => ()
      }
      def close(): Unit = ()
    }
    val config = ClientConfig("https://service.invalid").withPolicies(cheap).withAttemptTimeout(1.second).withMaxConnections(1).withoutCoalescing
    val client = Saltern.wired(config, service, scheduler, _ => _ => fail("hashed locally"), () => 0.5)
    val carried = client.verify(secret, bcrypt4)
    meanwhile = () => { val _ = client.cancel(carried) }
    val next = client.verify(secret, bcrypt4)
    assertEquals((service.requests.size, service.abandoned), (2, 1), "the second call has the connection of the first")
    client.cancel(next)
    assertEquals(service.abandoned, 2)
    client.close()
  }

  test("a cancelled call leaves the line for a connection") {
    val world = new World(_.withMaxConnections(1).withoutCoalescing)
    world.service.next(Fault.Never)
    val carried = world.client.verify(secret, bcrypt4)
    val waiting = Vector.fill(1024)(world.client.verify(secret, bcrypt4))
    val tooMany = world.client.verify(secret, bcrypt4)
    assertEquals(world.listener.fallbacks, Vector[FallbackReason](FallbackReason.ConnectionsBusy), "the line is full")
    waiting.foreach(world.client.cancel)
    val next = world.client.verify(secret, bcrypt4)
    assertEquals(world.listener.fallbacks.size, 1, "the line is not full any more")
    world.client.cancel(carried)
    assert(now(next).matches)
    assertEquals(world.service.requests.size, 2, "a cancelled call is not sent")
    world.virtual.runLocal()
    assert(now(tooMany).matches)
  }

  test("a cancelled call leaves its waiting batch, and a batch in flight goes on for the others") {
    val world = new World(_.withCoalescing(3, 5.millis))
    world.service.next(Fault.Never)
    world.client.verify(secret, bcrypt4)
    val (first, gone) = (world.client.verify(secret, bcrypt4), world.client.verify(secret, bcrypt4))
    world.client.cancel(gone)
    val second = world.client.verify(secret, bcrypt4)
    assert(!first.isCompleted, "two of three wait")
    world.service.next(Fault.Never)
    val third = world.client.verify(secret, bcrypt4)
    assertEquals(world.service.requests.last.toString, "POST /batch (3)")
    world.client.cancel(first); world.client.cancel(second)
    assertEquals(world.service.abandoned, 0, "the third still waits")
    world.client.cancel(third)
    assertEquals(world.service.abandoned, 1)
  }

  test("a batch that waits for a connection is sent without its cancelled calls") {
    val world = new World(_.withMaxConnections(1).withCoalescing(2, 5.millis))
    world.service.next(Fault.Never)
    val carried = world.client.verify(secret, bcrypt4)
    val (gone, stays) = (world.client.verify(secret, bcrypt4), world.client.verify(secret, bcrypt4))
    world.client.cancel(gone)
    world.client.cancel(carried)
    assertEquals(world.service.requests.last.toString, "POST /verify (1)")
    assert(now(stays).matches)
  }

  test("a cancelled call leaves the local queue, and a running hash is completed and dropped") {
    val world = new World(_.withLocalQueue(2))
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val (first, second) = (world.client.verify(secret, bcrypt4), world.client.verify(secret, bcrypt4))
    failure[SalternError.Overloaded](world.client.verify(secret, bcrypt4))
    world.client.cancel(first)
    val third = world.client.verify(secret, bcrypt4)
    assert(!third.isCompleted, "the third call has the place")
    world.listener.clear()
    world.virtual.runLocal()
    assert(now(second).matches && now(third).matches)
    assertEquals(world.listener.events.count { case _: Event.LocalStart => true; case _ => false }, 2)
  }

  test("a call whose time is over leaves the local queue") {
    val world = new World(_.withLocalQueue(1))
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val late = world.client.withDeadline(800.millis).verify(secret, bcrypt4)
    failure[SalternError.Overloaded](world.client.verify(secret, bcrypt4))
    world.virtual.advance(800.millis)
    failure[SalternError.DeadlineExceeded](late)
    val next = world.client.verify(secret, bcrypt4)
    world.virtual.runLocal()
    assert(now(next).matches)
  }

  test("cancelled calls do not change the breaker") {
    val world = new World()
    world.service.failAlways(Fault.Never)
    for (_ <- 1 to 100) world.client.cancel(world.client.verify(secret, bcrypt4))
    assertEquals((world.service.abandoned, world.breakerStates), (100, Vector.empty))
    world.service.recover()
    assertEquals(now(world.client.verify(secret, bcrypt4)).origin, Origin.Remote: Origin)
  }

  test("with random cancels no place is lost, and every other call ends with a right answer") {
    val random = new scala.util.Random(11)
    val world = new World(_.withMaxConnections(3).withLocalQueue(6))
    var open = Vector.empty[(Boolean, Future[Verified])]
    var cancelled = 0
    for (i <- 1 to 1500) {
      random.nextInt(12) match {
        case 0 => world.service.next(Fault.Never)
        case 1 => world.service.next(Fault.Answer(502, Nil, ""))
        case 2 => world.service.next(connectFails)
        case _ => ()
      }
      val right = random.nextBoolean()
      open :+= ((right, world.client.withDeadline((100 + random.nextInt(3000)).millis).verify(if (right) secret else Password("wrong"), bcrypt4)))
      if (random.nextInt(3) == 0 && world.client.cancel(open(random.nextInt(open.size))._2)) cancelled += 1
      world.virtual.advance(random.nextInt(10).millis)
      if (random.nextInt(5) == 0) world.virtual.runLocal()
      if (i % 30 == 0) world.service.recover()
    }
    world.service.recover()
    world.virtual.advance(20.seconds)
    world.virtual.runLocal()
    for ((right, call) <- open) call.value match {
      case Some(Success(verified))        => assertEquals(verified.matches, right)
      case Some(Failure(_: SalternError)) => ()
      case other                          => fail(s"$other")
    }
    assert(cancelled > 20, s"$cancelled")
    // Waits until an open breaker is closed again.
    for (_ <- 1 to 20) { world.local(world.client.verify(secret, bcrypt4)); world.virtual.advance(300.millis) }
    // Every connection and every place is free again: that many calls of unequal work are sent at
    // once.
    world.service.failAlways(Fault.Never)
    val before = world.service.requests.size
    val all = Vector("bcrypt-4", "pbkdf2", "scrypt").map(world.client.hash(secret, _))
    assertEquals(world.service.requests.size, before + 3)
    val abandoned = world.service.abandoned
    all.foreach(world.client.cancel)
    assertEquals(world.service.abandoned, abandoned + 3)
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val local = Vector.fill(6)(world.client.withDeadline(5.seconds).verify(secret, bcrypt4))
    world.virtual.advance(300.millis)
    assertEquals((local.count(_.isCompleted), world.virtual.localWaiting), (0, 6))
    world.virtual.runLocal()
    assert(local.forall(now(_).matches))
  }

  // Coalescing

  test("calls of equal work are sent as a batch while one is in flight, and a lone call does not wait") {
    val world = new World()
    world.service.next(Fault.Never)
    world.client.verify(secret, bcrypt4)
    val together = Vector.fill(4)(world.client.verify(secret, bcrypt4))
    val late = world.client.hash(secret, "bcrypt-4")
    assertEquals(world.service.requests.map(_.toString), Vector("POST /verify (1)", "POST /batch (4)"))
    assert(together.forall(now(_).matches))
    world.virtual.advance(2.millis)
    assertEquals(world.service.requests.last.toString, "POST /hash (1)")
    assert(now(late).encoded.startsWith("$2b$04$"))
  }

  test("calls with other work, another deadline or a possible upgrade are sent apart") {
    val world = new World()
    world.service.next(Fault.Never)
    world.client.verify(secret, bcrypt4)
    world.client.verify(secret, bcrypt5)
    world.client.login(secret, Some(bcrypt4))
    world.client.withDeadline(1.second).verify(secret, bcrypt4)
    assertEquals(world.service.requests.map(_.operations), Vector(1, 1, 1, 1))
  }

  test("the header of a batch carries the smallest deadline") {
    val world = new World(_.withCoalescing(2, 5.millis))
    world.service.next(Fault.Never)
    world.client.verify(secret, bcrypt4)
    world.client.verify(secret, bcrypt4)
    world.virtual.advance(3.millis)
    world.client.verify(secret, bcrypt4)
    assertEquals(world.service.requests.last.header("Saltern-Deadline-Ms"), Some("2950"))
  }

  test("without /batch at the service, calls travel alone") {
    val world = new World()
    world.service.next(Fault.Never)
    world.client.verify(secret, bcrypt4)
    world.service.next(Fault.Problem(404, "not_found"))
    val together = Vector.fill(4)(world.client.verify(secret, bcrypt4))
    assert(together.forall(now(_).origin == Origin.Remote))
    assertEquals(world.service.requests.map(_.path).drop(1), "/batch" +: Vector.fill(4)("/verify"))
    val later = Vector.fill(4)(world.client.verify(secret, bcrypt4))
    assert(later.forall(now(_).origin == Origin.Remote), "no call waits for others")
    assertEquals(world.service.requests.count(_.path == "/batch"), 1)
    assertEquals((world.listener.fallbacks, world.breakerStates), (Vector.empty, Vector.empty))
  }

  test("coalescing is on for Lambda and off for a server") {
    val lambda =
      Seq("https://abc123.lambda-url.eu-north-1.on.aws", "https://lambda.eu-north-1.amazonaws.com", "https://vpce-1.lambda.eu-north-1.vpce.amazonaws.com")
    for (endpoint <- lambda) assertEquals(ClientConfig(endpoint).settings.coalesceAtMost, 4, endpoint)
    for (endpoint <- Seq("http://127.0.0.1:9000", "https://lambda.example.org", "https://saltern.amazonaws.com.example.org"))
      assertEquals(ClientConfig(endpoint).settings.coalesceAtMost, 1, endpoint)
  }

  test("coalescing can be turned off") {
    val world = new World(_.withoutCoalescing)
    world.service.next(Fault.Never)
    for (_ <- 1 to 5) world.client.verify(secret, bcrypt4)
    assertEquals(world.service.requests.map(_.path).distinct, Vector("/verify"))
  }

  test("a refused operation of a batch does not affect the others") {
    val world = new World()
    world.service.next(Fault.Never)
    world.client.hash(secret, "bcrypt-4")
    val (good, bad) = (world.client.verify(secret, bcrypt4), world.client.hash(Password("x" * 73), "bcrypt-4"))
    world.virtual.advance(2.millis)
    assert(now(good).matches)
    assertEquals(failure[SalternError.Refused](bad).code, RefusalCode.PasswordTooLong)
  }

  test("if batch results are missing, extra, out of order, without names or of another operation, every call is answered locally and rightly") {
    val verified = """{"match":true,"needs_rehash":false,"rehash_reason":null,"policy":null}"""
    val contradicting = """{"match":true,"needs_rehash":false,"rehash_reason":"older_policy","policy":null}"""
    val hashed = """{"hash":"$2b$04$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S","policy":"bcrypt-4"}"""
    def result(index: Int, body: String): String = s"""{"id":"{$index}","status":200,"body":$body}"""
    def origins(results: Seq[String]): (Boolean, Origin, Origin) = {
      val world = new World()
      world.service.next(Fault.Never, Fault.Body(200, results.mkString("{\"results\":[", ",", "]}")))
      world.client.verify(secret, bcrypt4)
      val (wrong, made) = (world.client.verify(Password("wrong"), bcrypt4), world.client.hash(secret, "bcrypt-4"))
      world.virtual.advance(2.millis)
      world.virtual.runLocal()
      (now(wrong).matches, now(wrong).origin, now(made).origin)
    }
    val (verify, hash) = (result(0, verified), result(1, hashed))
    // The client cannot tell that this match is false.
    assertEquals(origins(Seq(verify, hash)), (true, Origin.Remote: Origin, Origin.Remote: Origin))
    val faulty = Seq(
      Seq(verify),
      Seq(verify, hash, hash),
      Seq(hash, verify),
      Nil,
      Seq(verified, hashed).map(body => s"""{"status":200,"body":$body}"""),
      Seq(result(0, hashed), result(1, verified)),
      Seq(result(0, contradicting), hash)
    )
    for (results <- faulty) assertEquals(origins(results), (false, Origin.Local: Origin, Origin.Local: Origin), s"$results")
  }

  test("a match without a stored hash, and an answer with contradicting members, are not accepted") {
    def origin(body: String, call: Saltern => Future[Verified]): Origin = {
      val world = new World()
      world.service.next(Fault.Body(200, body))
      world.local(call(world.client)).origin
    }
    def verified(matches: Boolean, needsRehash: Boolean, reason: String, more: String = ""): String =
      s"""{"match":$matches,"needs_rehash":$needsRehash,"rehash_reason":$reason,"policy":null$more}"""
    def rehashed(hash: String): String = s""","rehashed":{"hash":"$hash","policy":"argon2id-2"}"""
    val (none, older) = ("null", "\"older_policy\"")
    val (plain, upgrade) = (verified(true, false, none), verified(true, true, older, rehashed("$2b$04$new")))
    val verify = (_: Saltern).verify(secret, bcrypt4)
    val login = (_: Saltern).login(secret, Some(bcrypt4))
    for ((body, call) <- Seq(plain -> verify, verified(false, false, none) -> verify, upgrade -> login))
      assertEquals(origin(body, call), Origin.Remote: Origin, body)
    val faulty = Seq(
      plain -> ((_: Saltern).login(secret, None)),
      verified(false, true, older) -> verify,
      verified(true, true, none) -> verify,
      verified(true, false, older) -> verify,
      // The call asks for no new hash.
      upgrade -> verify,
      verified(true, false, none, rehashed("$2b$04$new")) -> login,
      verified(true, true, older, rehashed("$2b$04$ new")) -> login,
      verified(true, true, older, rehashed("new")) -> login
    )
    for ((body, call) <- faulty) assertEquals(origin(body, call), Origin.Local: Origin, body)
  }

  test("a new hash of another policy, or one that does not look like a hash, is not accepted") {
    def origin(hash: String, policy: String): Origin = {
      val world = new World()
      world.service.next(Fault.Body(200, s"""{"hash":"$hash","policy":"$policy"}"""))
      world.local(world.client.hash(secret, "bcrypt-4")).origin
    }
    assertEquals(origin("$2b$04$new", "bcrypt-4"), Origin.Remote: Origin)
    for ((hash, policy) <- Seq("$2b$04$new" -> "bcrypt-5", "$2b$04$ new" -> "bcrypt-4", "new" -> "bcrypt-4", "" -> "bcrypt-4"))
      assertEquals(origin(hash, policy), Origin.Local: Origin, s"$hash $policy")
  }

  test("connections are bounded, and a call without one in time falls back") {
    val world = new World(_.withMaxConnections(2).withoutCoalescing.withBreakerSilence(1.hour))
    world.service.failAlways(Fault.Never)
    val calls = Vector.fill(5)(world.client.verify(secret, bcrypt4))
    assertEquals(world.service.requests.size, 2)
    world.virtual.advance(3.seconds)
    assertEquals(
      world.listener.fallbacks.groupBy(identity).view.mapValues(_.size).toMap,
      Map[FallbackReason, Int](FallbackReason.AttemptTimeout -> 2, FallbackReason.ConnectionsBusy -> 3)
    )
    world.virtual.runLocal()
    assert(calls.forall(now(_).matches))
  }

  test("a thousand calls that wait for one connection are sent one after the other") {
    val world = new World(_.withMaxConnections(1).withoutCoalescing.withLocalQueue(2000))
    world.service.failAlways(Fault.Never)
    world.client.withDeadline(1.second).verify(secret, bcrypt4)
    val waiting = Vector.fill(1000)(world.client.verify(secret, bcrypt4))
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    world.virtual.advance(1.second)
    // The call that had the connection.
    assertEquals(world.listener.fallbacks.size, 1001)
    world.virtual.runLocal()
    assert(waiting.forall(now(_).matches))
  }

  test("an exception of the transport is a failed exchange") {
    val throwing = new Transport {
      def send(request: Transport.Request): Transport.Exchange = throw new IllegalStateException("thrown")
      def close(): Unit = ()
    }
    val virtual = new VirtualClient(ClientConfig("https://service.invalid").withPolicies(cheap), throwing)
    val future = virtual.client.verify(secret, bcrypt4)
    virtual.runLocal()
    assertEquals(now(future).origin, Origin.Local: Origin)
  }

  // The policy document

  test("a different policy digest is reported once, and calls are still answered") {
    val world = new World(source = PolicySource.Packed)
    // By libxcrypt. The service's own document has a floor above bcrypt-4.
    val stored = "$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
    for (_ <- 1 to 3) { assert(now(world.client.verify(secret, stored)).matches); world.virtual.advance(1.hour) }
    assertEquals(world.listener.events.count { case _: Event.PolicyDrift => true; case _ => false }, 1)
    val same = new World()
    now(same.client.verify(secret, bcrypt4))
    assertEquals(same.listener.events.collect { case e: Event.PolicyDrift => e }, Vector.empty)
  }

  test("a difference of the policy documents that lasts is logged again") {
    val host = "lasting-difference.invalid"
    val warnings = new Warnings(host)
    val virtual = new VirtualClient(ClientConfig(s"https://$host").withPolicies(cheap), InMemoryService(PolicySource.Packed))
    val stored = LocalHasherSuite.hash(hasher, "argon2id-2", "secret")
    for (_ <- 1 to 3) { virtual.client.verify(secret, stored); virtual.advance(1.hour) }
    assertEquals(warnings.lines.count(_.contains("differs from the client's")), 3)
    warnings.close()
  }

  test("a policy digest without the name of its request is not believed") {
    def reports(isNamed: Boolean): Boolean = {
      val service = InMemoryService(cheap)
      var asked = 0
      val policiesOfAnother = new Transport {
        def send(request: Transport.Request): Transport.Exchange =
          if (request.path != "/policies") service.send(request)
          else {
            asked += 1
            new Transport.Exchange {
              private val name = request.headers.filter(_ => isNamed).filter(_._1 == "Saltern-Request-Id")
              private val digest = s"""{"digest":"sha256:${"0" * 64}"}"""
              val response: Future[Transport.Response] =
                Future.successful(new Transport.Response(200, ("Content-Type" -> "application/json") +: name, digest.getBytes))
              def cancel(): Unit = ()
            }
          }
        def close(): Unit = ()
      }
      val listener = new RecordingListener
      val virtual =
        new VirtualClient(ClientConfig("https://service.invalid").withPolicies(cheap).withListener(listener).withLoginFloor(Duration.Zero), policiesOfAnother)
      for (_ <- 1 to 3) {
        assertEquals(now(virtual.client.verify(secret, bcrypt4)).origin, Origin.Remote: Origin)
        virtual.advance(10.seconds)
      }
      assertEquals(asked, if (isNamed) 1 else 3, "a lost answer is asked for again")
      listener.events.exists { case _: Event.PolicyDrift => true; case _ => false }
    }
    assert(reports(isNamed = true) && !reports(isNamed = false))
  }

  test("a listener that throws affects no call") {
    for (problem <- Seq[Throwable](new RuntimeException("broken"), new NoSuchMethodError("of another version"))) {
      val broken = new ClientListener {
        override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit = throw problem
        override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = throw problem
        override def onLocalStart(waited: FiniteDuration): Unit = throw problem
        override def onSend(calls: Int): Unit = throw problem
      }
      val world = new World(_.withListener(broken))
      assertEquals(now(world.client.verify(secret, bcrypt4)).origin, Origin.Remote: Origin)
      world.service.next(Fault.Answer(502, Nil, ""))
      assert(world.local(world.client.verify(secret, bcrypt4)).matches)
    }
  }

  test("with random faults every call ends by its deadline, and no login is answered wrongly") {
    val random = new scala.util.Random(7)
    val faults = Vector[Fault](
      connectFails,
      Fault.Never,
      problem503,
      Fault.Problem(500, "internal"),
      Fault.Problem(503, "deadline_exceeded"),
      Fault.Answer(403, Nil, ""),
      Fault.Answer(200, Seq("Content-Type" -> "application/json"), "{"),
      Fault.Fails(TransportFailure.Kind.Broken),
      Fault.Answer(429, Seq("Retry-After" -> "1"), "")
    )
    val world = new World(_.withLocalQueue(8))
    var calls = Vector.empty[(Boolean, Duration, Future[Verified])]
    for (i <- 1 to 1500) {
      // The service is down and up in turns.
      if (i / 300 % 2 == 0 && random.nextInt(3) == 0) world.service.next(faults(random.nextInt(faults.size)))
      val right = random.nextBoolean()
      val deadline = (50 + random.nextInt(5000)).millis
      val future = world.client.withDeadline(deadline).login(if (right) secret else Password("wrong"), Some(bcrypt4))
      calls :+= ((right, world.virtual.now + deadline, future))
      world.virtual.advance(random.nextInt(20).millis)
      if (random.nextInt(4) == 0) world.virtual.runLocal()
      // Otherwise faults pile up while the breaker keeps calls from the service.
      if (i % 20 == 0) world.service.recover()
      for ((_, ends, f) <- calls if world.virtual.now >= ends) assert(f.isCompleted, s"call of step $i is late")
    }
    world.virtual.advance(6.seconds)
    for ((right, _, f) <- calls) f.value match {
      case Some(Success(verified))        => assertEquals(verified.matches, right)
      case Some(Failure(_: SalternError)) => ()
      case other                          => fail(s"$other")
    }
    val answers = world.listener.events.collect { case Event.Answer(_, origin) => origin }
    assert(answers.count(_ == Origin.Remote) > 100 && answers.count(_ == Origin.Local) > 100, answers.groupBy(identity).view.mapValues(_.size).toMap.toString)
  }
}

object EngineSuite {

  /** Cheap policies, so that hashing takes little time. */
  private lazy val file: Path = {
    val path = Files.createTempFile("policies", ".json")
    path.toFile.deleteOnExit()
    Files.writeString(path, LocalHasherSuite.document())
  }
  lazy val cheap: PolicySource = PolicySource.File(file)
  lazy val hasher = LocalHasherSuite.hasherOf(LocalHasherSuite.document())
  lazy val bcrypt4: String = LocalHasherSuite.hash(hasher, "bcrypt-4", "secret")

  /** Its cost is in no policy. */
  val bcrypt5: String = "$2b$05$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"
}
