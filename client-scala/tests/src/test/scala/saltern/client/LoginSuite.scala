package saltern.client

import java.nio.file.Files
import saltern.hashes.LocalHasherSuite
import saltern.testkit.{InMemoryService, RecordingListener, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import saltern.testkit.RecordingListener.Event
import scala.concurrent.Future
import scala.concurrent.duration.*

/** Logins under virtual time: their floor, and the decoy's work. */
class LoginSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap, hasher}

  private val Floor = 400.millis
  private val secret = Password("secret")

  private final class World(change: ClientConfig => ClientConfig = identity) {
    val listener = new RecordingListener
    val service: InMemoryService = InMemoryService(cheap)
    val virtual = new VirtualClient(
      change(ClientConfig("https://service.invalid").withPolicies(cheap).withLocalWorkers(1).withListener(listener).withRetryBudget(0).withLoginFloor(Floor)),
      service
    )
    val client: Saltern = virtual.client

    /** Returns when the login ended, in steps of a millisecond. */
    def endOf(login: Future[Any]): FiniteDuration = {
      virtual.runLocal()
      while (!login.isCompleted) { virtual.advance(1.milli); virtual.runLocal() }
      virtual.now
    }
    def beyond: Int = listener.events.count { case _: Event.LoginBeyondFloor => true; case _ => false }
  }

  /** Every kind of a stored hash, with a short password and with one that contains a NUL. */
  private def kinds: Seq[(String, Option[String], Password)] = for {
    (name, stored) <- Seq(
      "current" -> Some(LocalHasherSuite.hash(hasher, "argon2id-2", "secret")),
      "older" -> Some(bcrypt4),
      "no account" -> None,
      "invalid" -> Some("$2b$04$short"),
      "unknown scheme" -> Some("$9$salt$hash"),
      "too dear" -> Some("$2b$31$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"),
      "not Unicode" -> Some("$2b$\ud800")
    )
    password <- Seq(secret, Password("sec\u0000ret"), Password("wrong"), Password("x" * 1025))
  } yield (name, stored, password)

  test("every outcome comes at the floor, remote and local") {
    for ((name, stored, password) <- kinds; fault <- Seq(None, Some(Fault.Answer(502, Nil, "")), Some(Fault.Problem(503, "overloaded")))) {
      val world = new World()
      fault.foreach(world.service.failAlways)
      assertEquals(world.endOf(world.client.login(password, stored)), Floor, s"$name $fault")
      assertEquals(world.beyond, 0)
    }
  }

  test("a login that takes longer than the floor is counted, and its answer is not delayed") {
    val world = new World(_.withFallback(Fallback.Never).withAttemptTimeout(1.second))
    world.service.failAlways(Fault.Never)
    assertEquals(world.endOf(world.client.login(secret, Some(bcrypt4))), 1.second)
    assertEquals(world.listener.events.collect { case Event.LoginBeyondFloor(by) => by }, Vector(1.second - Floor))
  }

  test("a hash that cannot be read costs the decoy's work, and is then an error") {
    for ((stored, code) <- Seq("$2b$04$short" -> RefusalCode.InvalidHash, "$2b$\ud800" -> RefusalCode.InvalidText)) {
      val world = new World()
      val login = world.client.login(secret, Some(stored))
      world.endOf(login)
      assertEquals(login.value.get.failed.get.asInstanceOf[SalternError.Refused].code, code)
      // Text that cannot be sent has no request.
      val own = if (code == RefusalCode.InvalidText) 0 else 1
      assertEquals(world.service.requests.map(_.path), Vector.fill(own + 1)("/verify"))
    }
    // The service is away, and only it reads the scheme: this host does the decoy's work.
    val world = new World()
    world.service.failAlways(Fault.Answer(502, Nil, ""))
    val login = world.client.login(secret, Some("$y$j75$salt$hash"))
    assertEquals(world.virtual.localWaiting, 1)
    world.endOf(login)
    assert(login.value.get.failed.get.isInstanceOf[SalternError.NotAvailableLocally])
  }

  test("a password that is too long is refused before any work, whoever's it is") {
    val world = new World()
    for (stored <- Seq(None, Some(bcrypt4), Some("$2b$04$short"))) {
      val login = world.client.login(Password("x" * 1025), stored)
      world.endOf(login)
      assertEquals(login.value.get.failed.get.asInstanceOf[SalternError.Refused].code, RefusalCode.PasswordTooLong)
    }
    assertEquals(world.service.requests, Vector.empty)
  }

  test("a login brings the new hash, with a copy of the password") {
    val world = new World()
    val password = Password("secret")
    val login = world.client.login(password, Some(bcrypt4))
    password.wipe()
    world.endOf(login)
    assert(login.value.get.get.rehashed.isDefined)
  }

  /** A client whose requests' bodies are kept. */
  private final class Wire(change: ClientConfig => ClientConfig) {
    var bodies = Vector.empty[String]
    private val service = InMemoryService(cheap)
    private val transport = new Transport {
      def send(request: Transport.Request): Transport.Exchange = {
        if (request.method == "POST") bodies :+= new String(request.body, "UTF-8")
        service.send(request)
      }
      def close(): Unit = ()
    }
    val virtual =
      new VirtualClient(change(ClientConfig("https://service.invalid").withPolicies(cheap).withLoginFloor(Duration.Zero)), transport)

    /** Whether the login brought a new hash. What it asks for must be what it gets. */
    def upgrades(stored: String, password: Password = secret): Boolean = {
      val brought = virtual.client.login(password, Some(stored)).value.get.get.rehashed.isDefined
      assertEquals(brought, bodies.last.contains("\"rehash\":true") && password == secret && stored == bcrypt4, bodies.last)
      brought
    }
    def asks: Boolean = bodies.last.contains("rehash")
  }

  test("logins ask for new hashes within the rate, and logins with a current hash always") {
    val wire = new Wire(identity)
    def upgradesOf(logins: Int): Int = (1 to logins).count(_ => wire.upgrades(bcrypt4))
    assertEquals(upgradesOf(8), 5)
    assertEquals(wire.bodies.last, s"""{"password":"secret","hash":"$bcrypt4"}""", "the contract's default, so the member is absent")
    wire.virtual.advance(199.millis)
    assertEquals(upgradesOf(1), 0)
    wire.virtual.advance(1.milli)
    assertEquals(upgradesOf(2), 1)
    wire.upgrades(LocalHasherSuite.hash(hasher, "argon2id-2", "secret"))
    assert(wire.asks, "it costs nothing, and the service may have another policy")
    wire.virtual.advance(1.minute)
    assertEquals(upgradesOf(8), 5, "time saves up no more than a second's upgrades")
  }

  test("where only the service's policy makes a hash outdated, the new hashes count afterwards") {
    val behind = Files.createTempFile("policies", ".json")
    try {
      Files.writeString(behind, LocalHasherSuite.document().replace("\"current\":\"argon2id-2\"", "\"current\":\"bcrypt-4\""))
      val wire = new Wire(_.withPolicies(PolicySource.File(behind)))
      def upgradesOf(logins: Int): Int = (1 to logins).count(_ => wire.upgrades(bcrypt4))
      assertEquals(upgradesOf(20), 6)
      wire.virtual.advance(199.millis)
      assertEquals(upgradesOf(3), 0)
      wire.virtual.advance(1.milli)
      assertEquals(upgradesOf(3), 1)
      wire.virtual.advance(1.hour)
      assertEquals(upgradesOf(20), 6, "time saves up no more than a second's upgrades")
    } finally { val _ = Files.deleteIfExists(behind) }
  }

  test("a wrong password takes no other login's upgrade") {
    val wire = new Wire(_.withUpgradesPerSecond(1))
    for (_ <- 1 to 3) { wire.upgrades(bcrypt4, Password("wrong")); assert(wire.asks) }
    assert(wire.upgrades(bcrypt4) && !wire.upgrades(bcrypt4))
  }

  test("no login asks while upgrades are not allowed, at a rate of 0, or if the caller's code throws") {
    var allowed = () => false
    val wire = new Wire(_.withUpgrades(() => allowed()))
    def asks(stored: Option[String]): Boolean = { val _ = wire.virtual.client.login(secret, stored).value.get.get; wire.asks }
    assert(!asks(Some(bcrypt4)) && !asks(None))
    allowed = () => true
    assert(asks(Some(bcrypt4)))
    for (problem <- Seq[Throwable](new RuntimeException("the feature flags are away"), new NoClassDefFoundError("of the feature flags"))) {
      allowed = () => throw problem
      assert(!asks(Some(bcrypt4)))
    }
    val none = new Wire(_.withUpgradesPerSecond(0))
    assert(!none.upgrades(bcrypt4))
    intercept[IllegalArgumentException](ClientConfig("https://service.invalid").withUpgradesPerSecond(-1))
  }

  test("a cancelled login ends at once, also while it waits for the floor") {
    val world = new World()
    val login = world.client.login(secret, Some(bcrypt4))
    assert(!login.isCompleted && world.client.cancel(login))
    assert(login.value.get.failed.get.isInstanceOf[SalternError.Cancelled])
    assert(!world.client.cancel(login))
    world.service.failAlways(Fault.Never)
    val hanging = world.client.login(secret, Some(bcrypt4))
    assert(world.client.cancel(hanging))
    assertEquals((world.service.abandoned, world.beyond), (1, 0))
  }

  test("a shorter deadline takes the floor's place, and a closed client ends its logins") {
    val world = new World()
    assertEquals(world.endOf(world.client.withDeadline(100.millis).login(secret, Some(bcrypt4))), 100.millis)
    val answered = world.client.login(secret, Some(bcrypt4))
    world.service.failAlways(Fault.Never)
    val hanging = world.client.login(secret, Some(bcrypt4))
    world.client.close()
    assert(answered.value.get.get.matches)
    assert(hanging.value.get.failed.get.isInstanceOf[SalternError.MaybeSent])
    assert(world.client.login(secret, None).value.get.failed.get.isInstanceOf[SalternError.NotSent])
  }
}
