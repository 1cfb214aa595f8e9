package saltern.client.silhouette

import play.silhouette.api.util.{Credentials, PasswordHasherRegistry, PasswordInfo}
import play.silhouette.impl.exceptions.{IdentityNotFoundException, InvalidPasswordException}
import saltern.client.*
import saltern.client.FrameworkFixtures.{config, currentHash, oldHash}
import saltern.example.silhouette.SilhouetteLogin
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.Await
import scala.concurrent.duration.*

class SalternPasswordHasherSuite extends PatientSuite {

  private final class World(change: ClientConfig => ClientConfig) {
    private val changed = change(config)
    val service: InMemoryService = InMemoryService(changed.settings.policies)
    val client: Saltern = Saltern(changed, service)
    val hasher = new SalternPasswordHasher(client)
  }

  private def using[A](change: ClientConfig => ClientConfig = identity)(test: World => A): A = {
    val world = new World(change)
    try test(world)
    finally world.client.close()
  }

  test("hash and matches") {
    using() { world =>
      val info = world.hasher.hash("secret")
      assertEquals((info.hasher, info.salt), ("saltern", None))
      assert(info.password.startsWith("$argon2id$v=19$"))
      assert(world.hasher.matches(info, "secret") && !world.hasher.matches(info, "wrong"))
    }
  }

  test("its own hashes, and those of Silhouette's hashers with standard strings, are suitable") {
    using() { world =>
      val only = new SalternPasswordHasher(world.client, alsoReads = Set.empty)
      for ((id, all, own) <- Seq(("saltern", true, true), ("bcrypt", true, false), ("argon2v2", true, false), ("bcrypt-sha256", false, false))) {
        val info = PasswordInfo(id, oldHash)
        assertEquals((world.hasher.isSuitable(info), only.isSuitable(info)), (all, own), id)
        assertEquals(only.isDeprecated(info), Option.when(own)(true), id)
      }
    }
  }

  test("a hash below the current policy is deprecated, unless the match ignored part of the password") {
    using() { world =>
      assertEquals(world.hasher.isDeprecated(PasswordInfo("saltern", currentHash)), Some(false))
      assertEquals(world.hasher.isDeprecated(PasswordInfo("bcrypt", oldHash)), Some(true))
      val stored = PasswordInfo("bcrypt", Await.result(world.client.hash(Password("x" * 72), "bcrypt-4"), 60.seconds).encoded)
      assertEquals(world.hasher.isDeprecated(stored), Some(true))
      assert(world.hasher.matches(stored, "x" * 80))
      assertEquals(world.hasher.isDeprecated(stored), Some(false))
    }
  }

  test("an overload throws") {
    using(_.withFallback(Fallback.Never)) { world =>
      world.service.failAlways(Fault.Problem(503, "overloaded"))
      intercept[SalternError.Overloaded](world.hasher.matches(PasswordInfo("bcrypt", oldHash), "secret"))
    }
  }

  test("the wait is bounded by withWait") {
    using(_.withFallback(Fallback.Never)) { world =>
      world.service.failAlways(Fault.Never)
      val started = System.nanoTime()
      intercept[SalternError.DeadlineExceeded](world.hasher.withWait(150.millis).hash("secret"))
      val took = (System.nanoTime() - started).nanos
      assert(took >= 140.millis, s"$took")
    }
  }

  test("the service's vectors give the same results through the module") {
    using(_.withPolicies(PolicySource.Packed)) { world =>
      for (login <- SharedVectors.logins) {
        val said =
          try if (world.hasher.matches(PasswordInfo("saltern", login.stored), login.password)) "match" else "mismatch"
          catch { case refused: SalternError.Refused => refused.code }
        assertEquals(said, login.expected, login.name)
      }
    }
  }

  test("the example answers a login, a wrong password and an overload, and the registry finds the hasher") {
    using(_.withFallback(Fallback.Never)) { world =>
      val threads = SilhouetteLogin.waitingThreads(2)
      val users = new SilhouetteLogin.Users("ada" -> PasswordInfo("bcrypt", oldHash))
      val provider = SilhouetteLogin.credentials(world.client, users)(threads)
      def login(user: String, password: String) = Await.result(provider.authenticate(Credentials(user, password)), 60.seconds)
      intercept[InvalidPasswordException](login("ada", "wrong"))
      world.service.clear()
      intercept[IdentityNotFoundException](login("bob", "secret"))
      assertEquals(world.service.requests.map(_.path), Vector("/verify"), "an unknown name takes the time of a login")
      for (user <- Seq("ada", "bob")) intercept[SalternError.UserFault](login(user, "x" * (Password.MaxBytes + 1)))
      assertEquals(users.hasherOf("ada"), Some("bcrypt"), "a wrong password replaces nothing")
      world.service.clear()
      assertEquals(login("ada", "secret").providerKey, "ada")
      assertEquals(world.service.requests.map(_.path), Vector("/verify"), "the answer brought the new hash")
      assertEquals(users.hasherOf("ada"), Some("saltern"), "replaced at the login")
      world.service.failAlways(Fault.Problem(503, "overloaded"))
      for (user <- Seq("ada", "bob")) intercept[SalternError.Overloaded](login(user, "secret"))
      assertEquals(PasswordHasherRegistry(world.hasher).find(PasswordInfo("bcrypt", oldHash)), Some(world.hasher))
      threads.shutdown()
    }
  }

  test("the example also runs without a service") {
    SilhouetteLogin.main(Array("http://127.0.0.1:1"))
  }
}
