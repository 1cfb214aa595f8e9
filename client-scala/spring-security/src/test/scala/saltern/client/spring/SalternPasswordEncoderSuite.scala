package saltern.client.spring

import java.time.Duration
import java.util.{Base64, Collections}
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder
import org.springframework.security.crypto.factory.PasswordEncoderFactories
import org.springframework.security.crypto.password.{DelegatingPasswordEncoder, PasswordEncoder}
import saltern.client.*
import saltern.client.FrameworkFixtures.{config, currentHash, oldHash}
import saltern.example.spring.SpringLogin
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault

class SalternPasswordEncoderSuite extends PatientSuite {

  private final class World(change: ClientConfig => ClientConfig = identity) {
    private val changed = change(config)
    val service: InMemoryService = InMemoryService(changed.settings.policies)
    val client: Saltern = Saltern(changed, service)
    val encoder = new SalternPasswordEncoder(client)
  }

  private def using[A](change: ClientConfig => ClientConfig = identity)(test: World => A): A = {
    val world = new World(change)
    try test(world)
    finally world.client.close()
  }

  test("encode and matches") {
    using() { world =>
      val encoded = world.encoder.encode("secret")
      assert(encoded.startsWith("$argon2id$v=19$"))
      assert(world.encoder.matches("secret", encoded) && !world.encoder.matches("wrong", encoded))
      assert(world.encoder.matches(new java.lang.StringBuilder("secret"), encoded), "any CharSequence")
    }
  }

  test("null and empty values are handled as the interface requires") {
    using() { world =>
      assertEquals(world.encoder.encode(null), null)
      assert(!world.encoder.upgradeEncoding(null) && !world.encoder.upgradeEncoding(""))
      val empty = world.encoder.encode("")
      for ((raw, encoded) <- Seq[(String, String)]((null, oldHash), ("", oldHash), ("secret", null), ("secret", ""), ("", empty)))
        assert(!world.encoder.matches(raw, encoded), s"$raw $encoded")
      for (encoded <- Seq(null, "")) {
        world.service.clear()
        assert(!world.encoder.matches("secret", encoded))
        assertEquals(world.service.requests.map(_.path), Vector("/verify"), "an account without a hash takes the time of a login")
      }
    }
  }

  test("hashes of Spring Security's own encoder are read under every id") {
    using() { world =>
      // Spring Security's defaults: bcrypt-10. Its Argon2, scrypt and PBKDF2 need Bouncy Castle or
      // much time; the vectors test them.
      val spring = PasswordEncoderFactories.createDelegatingPasswordEncoder()
      val stored = spring.encode("secret")
      assert(stored.startsWith("{bcrypt}$2a$10$"))
      assert(world.encoder.matches("secret", stored) && !world.encoder.matches("wrong", stored))
      assert(world.encoder.upgradeEncoding(stored), "below the current policy")
      assert(SharedVectors.logins.exists(v => v.stored.startsWith("{pbkdf2") && v.expected == "match"))
      assert(SharedVectors.logins.exists(v => v.stored.startsWith("{scrypt") && v.expected == "match"))
    }
  }

  test("it works as one encoder of a DelegatingPasswordEncoder") {
    using() { world =>
      val encoders = new java.util.HashMap[String, PasswordEncoder]
      encoders.put("saltern", world.encoder)
      encoders.put("bcrypt", new BCryptPasswordEncoder(4))
      val delegating = new DelegatingPasswordEncoder("saltern", encoders)
      val made = delegating.encode("secret")
      assert(made.startsWith("{saltern}$argon2id$"))
      assert(delegating.matches("secret", made) && !delegating.matches("wrong", made) && !delegating.upgradeEncoding(made))
      assert(delegating.matches("secret", "{bcrypt}" + oldHash) && delegating.upgradeEncoding("{bcrypt}" + oldHash))
    }
  }

  test("upgradeEncoding follows the policies, except after a match that ignored part of the password") {
    using() { world =>
      assert(world.encoder.upgradeEncoding(oldHash) && !world.encoder.upgradeEncoding(currentHash))
      val stored = scala.concurrent.Await.result(world.client.hash(Password("x" * 72), "bcrypt-4"), scala.concurrent.duration.Duration("60s")).encoded
      assert(world.encoder.upgradeEncoding(stored) && world.encoder.matches("x" * 80, stored) && !world.encoder.upgradeEncoding(stored))
    }
  }

  test("a call without an answer throws the client's error, which is not an AuthenticationException") {
    using(_.withFallback(Fallback.Never)) { world =>
      world.service.next(Fault.Problem(503, "deadline_exceeded"))
      intercept[SalternError.DeadlineExceeded](world.encoder.encode("secret"))
      intercept[SalternError.Refused](world.encoder.matches("secret", "{noop}secret"))
      intercept[SalternError.Refused](world.encoder.matches("secret", "{bcrypt}$2a$10$short"))
      world.service.next(Fault.Problem(503, "overloaded"))
      val overloaded: RuntimeException = intercept[SalternError.Overloaded](world.encoder.matches("secret", oldHash))
      assert(!overloaded.isInstanceOf[org.springframework.security.core.AuthenticationException])
    }
  }

  test("the wait is bounded by withWait") {
    using(_.withFallback(Fallback.Never)) { world =>
      world.service.failAlways(Fault.Never)
      val started = System.nanoTime()
      intercept[SalternError.DeadlineExceeded](world.encoder.withWait(Duration.ofMillis(150)).matches("secret", oldHash))
      val millis = (System.nanoTime() - started) / 1000000
      assert(millis >= 140, s"$millis")
      intercept[IllegalArgumentException](world.encoder.withWait(Duration.ZERO))
    }
  }

  test("the service's vectors give the same results through the module") {
    using(_.withPolicies(PolicySource.Packed)) { world =>
      for (login <- SharedVectors.logins) {
        val said =
          try if (world.encoder.matches(login.password, login.stored)) "match" else "mismatch"
          catch { case refused: SalternError.Refused => refused.code }
        assertEquals(said, login.expected, login.name)
      }
    }
  }

  test("the example answers a login, a wrong password and an overload") {
    using(_.withFallback(Fallback.Never)) { world =>
      val users = SpringLogin.users("{bcrypt}" + oldHash)
      val manager = SpringLogin.authenticationManager(world.client, users)
      assertEquals(SpringLogin.login(manager, "ada", "wrong"), 401)
      assertEquals(SpringLogin.login(manager, "bob", "secret"), 401)
      assert(users.loadUserByUsername("ada").getPassword.startsWith("{bcrypt}"), "a wrong password replaces nothing")
      world.service.clear()
      assertEquals(SpringLogin.login(manager, "ada", "secret"), 200)
      assertEquals(world.service.requests.map(_.path), Vector("/verify"), "the answer brought the new hash")
      assert(users.loadUserByUsername("ada").getPassword.startsWith("$argon2id$"), "replaced at the login")
      assertEquals(SpringLogin.login(manager, "ada", "secret"), 200)
      world.service.next(Fault.Problem(503, "overloaded"))
      assertEquals(SpringLogin.login(manager, "ada", "secret"), 503)
    }
  }

  test("an outage before the first login ends no login where only new hashes are refused") {
    using() { world =>
      val manager = SpringLogin.authenticationManager(world.client, SpringLogin.users("{bcrypt}" + oldHash))
      world.service.useBlocklist()
      // The client learns of the list.
      world.client.blocking.check()
      world.service.failAlways(Fault.Answer(502, Nil, ""))
      intercept[SalternError.Overloaded](world.encoder.encode("secret"))
      for ((user, password, status) <- Seq(("ada", "secret", 200), ("ada", "wrong", 401), ("bob", "secret", 401)))
        assertEquals(SpringLogin.login(manager, user, password), status, user)
    }
  }

  test("an unknown user is answered as before after the service has begun to require seals") {
    using() { world =>
      val manager = SpringLogin.authenticationManager(world.client, SpringLogin.users("{bcrypt}" + oldHash))
      val key = Base64.getEncoder.encodeToString(new Array[Byte](32))
      assertEquals(SpringLogin.login(manager, "bob", "secret"), 401)
      world.service.useSealKeys(() => s"""{"current":"a","keys":[{"id":"a","key":"$key"}],"require":true}""".getBytes)
      assertEquals(SpringLogin.login(manager, "bob", "secret"), 401)
      val typed = new java.lang.StringBuilder("userNotFoundPassword").toString
      assert(world.encoder.encode(typed).startsWith("$saltern-seal$"), "a user may have this password")
    }
  }

  test("Spring Security verifies the example's stored hash") {
    val encoders = Collections.singletonMap[String, PasswordEncoder]("bcrypt", new BCryptPasswordEncoder)
    assert(new DelegatingPasswordEncoder("bcrypt", encoders).matches("secret", SpringLogin.STORED))
  }

  test("the example also runs without a service") {
    SpringLogin.main(Array("http://127.0.0.1:1"))
  }
}
