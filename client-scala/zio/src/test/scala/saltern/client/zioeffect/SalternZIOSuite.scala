package saltern.client.zioeffect

import java.util.concurrent.Executors
import saltern.client.*
import saltern.client.FrameworkFixtures.{config, oldHash, Distant, Held}
import saltern.example.zioeffect.Login
import saltern.testkit.{FakeSaltern, InMemoryService, RecordingListener}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.ExecutionContext
import scala.concurrent.duration.Duration as Waiting
import zio.{durationInt, Executor, Runtime, Schedule, Unsafe, ZIO, ZLayer}

class SalternZIOSuite extends PatientSuite {
  private val oneThread = Executors.newSingleThreadExecutor(task => new Thread(task, "compute"))

  /** One compute thread, as on a small container. Code that blocks it stops everything. */
  private val onOneThread = Runtime.setExecutor(Executor.fromExecutionContext(ExecutionContext.fromExecutorService(oneThread)))

  override def afterAll(): Unit = oneThread.shutdown()

  private val secret = Password("secret")

  private def run[A](effect: ZIO[Any, Any, A]): A =
    Unsafe.unsafe { implicit unsafe =>
      Runtime.default.unsafe.run(effect.timeoutFail("nine minutes have passed")(9.minutes).provideLayer(onOneThread)).getOrThrowFiberFailure()
    }

  /** The attempt's timeout and the silence are far away, so only an interrupt frees the connection.
    */
  private val oneConnection = (config: ClientConfig) =>
    config
      .withMaxConnections(1)
      .withAttemptTimeout(Waiting(60, "s"))
      .withBreakerSilence(Waiting(60, "s"))
      .withDeadline(Waiting(60, "s"))

  private def using[A](transport: Transport, change: ClientConfig => ClientConfig = identity)(test: SalternZIO => ZIO[Any, Any, A]): A =
    run(ZIO.serviceWithZIO[SalternZIO](test).provideLayer(SalternZIO.layer(change(config), transport)))

  private def eventually(condition: => Boolean): ZIO[Any, Any, Unit] =
    ZIO.succeed(condition).repeat(Schedule.spaced(2.millis) && Schedule.recurUntil[Boolean](identity)).timeoutFail("never")(1.minute).unit

  test("a fake is a layer") {
    val login = ZIO.serviceWithZIO[SalternZIO](saltern => saltern.hash(secret).flatMap(made => saltern.login(secret, Some(made.encoded))))
    assert(run(login.provide(ZLayer.succeed(SalternZIO.of(new FakeSaltern)))).matches)
  }

  test("hash, verify, upgrade and decoy") {
    using(InMemoryService(config.settings.policies)) { saltern =>
      for {
        made <- saltern.hash(secret, "bcrypt-4")
        right <- saltern.verify(secret, made.encoded)
        wrong <- saltern.verify(Password("wrong"), made.encoded)
        upgraded <- saltern.login(secret, Some(made.encoded))
        current <- saltern.hash(secret)
        nobody <- saltern.login(secret, None)
      } yield {
        assert(right.matches && !wrong.matches && !nobody.matches)
        assertEquals(upgraded.rehashed.flatMap(_.policy), Some(current.policy))
      }
    }
  }

  test("an effect does nothing before it runs, and may run again") {
    val service = InMemoryService(config.settings.policies)
    using(service) { saltern =>
      val verify = saltern.verify(secret, oldHash)
      for {
        _ <- ZIO.sleep(20.millis)
        before = service.requests.size
        _ <- verify *> verify
      } yield assertEquals((before, service.requests.size), (0, 2))
    }
  }

  test("errors are typed") {
    val service = InMemoryService(config.settings.policies)
    service.next(Fault.Problem(503, "deadline_exceeded"))
    using(service) { saltern =>
      for {
        late <- saltern.verify(secret, "$y$j75$salt$hash").flip
        refused <- saltern.hash(Password("x" * 1025)).flip
      } yield assert(late.isInstanceOf[SalternError.NotAvailableLocally] && refused.isInstanceOf[SalternError.Refused])
    }
  }

  test("invalid settings fail the layer, and the end of its scope closes the client") {
    val wrong = SalternZIO.layer(config.withPolicies(PolicySource.Resource("nowhere.json")))
    assert(run(wrong.build.unit.flip.provideLayer(ZLayer.scoped(ZIO.scope))).isInstanceOf[IllegalArgumentException])
    val escaped = using(InMemoryService(config.settings.policies))(ZIO.succeed(_))
    assert(run(escaped.verify(secret, oldHash).flip).isInstanceOf[SalternError.NotSent])
  }

  test("an interrupted call gives back its connection") {
    val service = InMemoryService(config.settings.policies)
    service.next(Fault.Never)
    using(service, oneConnection) { saltern =>
      for {
        silent <- saltern.verify(secret, oldHash).fork
        _ <- eventually(service.requests.size == 1)
        waiting <- saltern.verify(secret, oldHash).fork
        _ <- ZIO.sleep(20.millis)
        sentMeanwhile = service.requests.size
        _ <- silent.interrupt
        answer <- waiting.join
      } yield {
        assertEquals((sentMeanwhile, service.abandoned), (1, 1))
        assert(answer.matches && answer.origin == Origin.Remote)
      }
    }
  }

  test("a timeout interrupts the call and frees its place before the call's deadline") {
    val service = InMemoryService(config.settings.policies)
    service.next(Fault.Never)
    using(service, oneConnection) { saltern =>
      for {
        nothing <- saltern.verify(secret, oldHash).timeout(50.millis)
        answer <- saltern.verify(secret, oldHash)
      } yield assertEquals((nothing.isDefined, answer.origin, service.abandoned), (false, Origin.Remote: Origin, 1))
    }
  }

  test("an interrupted call leaves the local queue") {
    val service = InMemoryService(config.settings.policies)
    service.failAlways(Fault.Answer(502, Nil, ""))
    val listener = new RecordingListener
    val held = new Held
    using(service, _.withLocalKernels(held).withLocalWorkers(1).withLocalQueue(1).withListener(listener)) { saltern =>
      for {
        running <- saltern.verify(secret, oldHash).fork
        _ <- eventually(listener.events.exists(_.isInstanceOf[RecordingListener.Event.LocalStart]))
        queued <- saltern.verify(secret, oldHash).fork
        _ <- eventually(listener.fallbacks.size == 2)
        full <- saltern.verify(secret, oldHash).flip
        _ <- queued.interrupt
        waiting <- saltern.verify(secret, oldHash).fork
        _ <- eventually(listener.fallbacks.size == 4)
        _ <- ZIO.succeed(held.release())
        next <- waiting.join
        first <- running.join
      } yield {
        assert(full.isInstanceOf[SalternError.Overloaded], full.toString)
        assert(next.matches && first.matches && next.origin == Origin.Local)
      }
    }
  }

  test("one compute thread carries thousands of calls, is never blocked, and every call continues on it") {
    val calls = 4000
    val distant = new Distant(calls, scala.concurrent.duration.FiniteDuration(200, "ms"))
    val wide = (c: ClientConfig) =>
      c.withMaxConnections(calls)
        .withAttemptTimeout(Waiting(60, "s"))
        .withBreakerSilence(Waiting(60, "s"))
        .withFallback(Fallback.Never)
    using(distant, wide) { saltern =>
      for {
        ticks <- zio.Ref.make(0)
        ticking <- (ZIO.sleep(1.milli) *> ticks.update(_ + 1)).forever.fork
        answers <- ZIO.foreachPar((1 to calls).toList) { _ =>
          saltern.verify(secret, oldHash).flatMap(verified => ZIO.succeed((verified.origin, Thread.currentThread.getName)))
        }
        _ <- ticking.interrupt
        ticked <- ticks.get
      } yield {
        // The service answers only when all calls are in flight at the same time.
        assertEquals(answers.distinct, List((Origin.Remote: Origin, "compute")))
        assert(ticked > 10, s"$ticked")
      }
    }
  }

  test("the service's vectors give the same results through the module") {
    using(InMemoryService(), _.withPolicies(PolicySource.Packed)) { saltern =>
      ZIO.foreachDiscard(SharedVectors.logins) { login =>
        saltern
          .verify(Password(login.password), login.stored)
          .fold(
            { case refused: SalternError.Refused => refused.code; case other => other.toString },
            verified => if (verified.matches) "match" else "mismatch"
          )
          .map(said => assertEquals(said, login.expected, login.name))
      }
    }
  }

  test("the example answers a login, a wrong password and an overload") {
    val service = InMemoryService(config.settings.policies)
    val program = for {
      right <- Login.login("ada", "secret")
      users <- ZIO.service[Login.Users]
      stored <- users.storedHash("ada")
      wrong <- Login.login("ada", "wrong")
      nobody <- Login.login("bob", "secret")
      _ <- ZIO.succeed(service.next(Fault.Problem(503, "overloaded")))
      busy <- Login.login("ada", "secret").either
    } yield {
      assertEquals(List(right, wrong, nobody), List(true, false, false))
      assert(busy.left.exists(_.isInstanceOf[SalternError.Overloaded]), busy.toString)
      assert(stored.exists(_.startsWith("$argon2id$")), "replaced at the login")
    }
    run(program.provide(SalternZIO.layer(config.withFallback(Fallback.Never), service), Login.Users.layer("ada" -> oldHash)))
  }

  test("the example also runs without a service") {
    run(Login.run)
  }
}
