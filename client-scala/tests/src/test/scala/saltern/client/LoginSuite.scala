package saltern.client

import saltern.client.local.LocalHasherSuite
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
