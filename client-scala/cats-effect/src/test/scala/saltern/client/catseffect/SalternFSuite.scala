package saltern.client.catseffect

import cats.effect.IO
import cats.effect.unsafe.{IORuntime, Scheduler}
import cats.syntax.all.*
import cats.~>
import java.util.concurrent.Executors
import saltern.client.*
import saltern.client.FrameworkFixtures.{config, oldHash, Distant, Held}
import saltern.testkit.{FakeSaltern, InMemoryService, RecordingListener}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.ExecutionContext
import scala.concurrent.duration.*

class SalternFSuite extends PatientSuite {

  /** One compute thread, as on a small container. Code that blocks it stops everything. */
  private val compute = Executors.newSingleThreadExecutor(task => new Thread(task, "compute"))
  private implicit val runtime: IORuntime = {
    val (scheduler, closeScheduler) = Scheduler.createDefaultScheduler()
    val context = ExecutionContext.fromExecutorService(compute)
    IORuntime.builder().setCompute(context, () => context.shutdown()).setScheduler(scheduler, closeScheduler).build()
  }

  override def afterAll(): Unit = runtime.shutdown()

  private val secret = Password("secret")

  /** The attempt's timeout and the silence are far away, so only a cancel frees the connection. */
  private val oneConnection = (config: ClientConfig) =>
    config.withMaxConnections(1).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds).withDeadline(60.seconds)

  private def using[A](transport: Transport, change: ClientConfig => ClientConfig = identity)(test: SalternIO => IO[A]): A =
    SalternIO.resource(change(config), transport).use(test).timeout(9.minutes).unsafeRunSync()

  private def eventually(condition: => Boolean): IO[Unit] =
    IO.defer(if (condition) IO.unit else IO.sleep(2.millis) *> eventually(condition)).timeout(1.minute)

  private def failure[A](effect: IO[A]): IO[SalternError] =
    effect.attempt.map {
      case Left(error: SalternError) => error
      case other                     => fail(s"$other")
    }

  test("a fake answers in F, and mapK brings it into another effect") {
    type Traced[A] = cats.data.WriterT[IO, Int, A]
    val count = new (IO ~> Traced) { def apply[A](call: IO[A]): Traced[A] = cats.data.WriterT(call.map(1 -> _)) }
    val fake = SalternF.of[IO](new FakeSaltern).mapK(count).withRequestId("login-7")
    val (calls, matches) =
      fake.hash(secret).flatMap(made => fake.login(secret, Some(made.encoded))).run.unsafeRunSync()
    assert(matches.matches)
    assertEquals(calls, 2)
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
        _ <- IO.sleep(20.millis)
        before = service.requests.size
        _ <- verify *> verify
      } yield assertEquals((before, service.requests.size), (0, 2))
    }
  }

  test("errors are the client's errors in F") {
    val service = InMemoryService(config.settings.policies)
    service.next(Fault.Problem(503, "deadline_exceeded"))
    using(service) { saltern =>
      for {
        late <- failure(saltern.verify(secret, "$y$j75$salt$hash"))
        refused <- failure(saltern.hash(Password("x" * 1025)))
      } yield assert(late.isInstanceOf[SalternError.NotAvailableLocally] && refused.isInstanceOf[SalternError.Refused])
    }
  }

  test("invalid settings are an error in F, and release closes the client") {
    intercept[IllegalArgumentException](SalternIO.resource(config.withPolicies(PolicySource.Resource("nowhere.json"))).use(_ => IO.unit).unsafeRunSync())
    val escaped = using(InMemoryService(config.settings.policies))(IO.pure)
    assert(failure(escaped.verify(secret, oldHash)).unsafeRunSync().isInstanceOf[SalternError.NotSent])
  }

  test("a cancelled call gives back its connection") {
    val service = InMemoryService(config.settings.policies)
    service.next(Fault.Never)
    using(service, oneConnection) { saltern =>
      for {
        silent <- saltern.verify(secret, oldHash).start
        _ <- eventually(service.requests.size == 1)
        waiting <- saltern.verify(secret, oldHash).start
        _ <- IO.sleep(20.millis)
        sentMeanwhile = service.requests.size
        _ <- silent.cancel
        answer <- waiting.joinWithNever
      } yield {
        assertEquals((sentMeanwhile, service.abandoned), (1, 1))
        assert(answer.matches && answer.origin == Origin.Remote)
      }
    }
  }

  test("a timeout cancels the call and frees its place before the call's deadline") {
    val service = InMemoryService(config.settings.policies)
    service.next(Fault.Never)
    using(service, oneConnection) { saltern =>
      saltern.verify(secret, oldHash).timeout(50.millis).attempt.flatMap { timedOut =>
        assert(timedOut.left.exists(_.isInstanceOf[java.util.concurrent.TimeoutException]), timedOut.toString)
        saltern.verify(secret, oldHash).map(answer => assertEquals((answer.origin, service.abandoned), (Origin.Remote: Origin, 1)))
      }
    }
  }

  test("a cancelled call leaves the local queue") {
    val service = InMemoryService(config.settings.policies)
    service.failAlways(Fault.Answer(502, Nil, ""))
    val listener = new RecordingListener
    val held = new Held
    using(service, _.withLocalKernels(held).withLocalWorkers(1).withLocalQueue(1).withListener(listener)) { saltern =>
      for {
        running <- saltern.verify(secret, oldHash).start
        _ <- eventually(listener.events.exists(_.isInstanceOf[RecordingListener.Event.LocalStart]))
        queued <- saltern.verify(secret, oldHash).start
        _ <- eventually(listener.fallbacks.size == 2)
        full <- failure(saltern.verify(secret, oldHash))
        _ <- queued.cancel
        waiting <- saltern.verify(secret, oldHash).start
        _ <- eventually(listener.fallbacks.size == 4)
        _ <- IO(held.release())
        next <- waiting.joinWithNever
        first <- running.joinWithNever
      } yield {
        assert(full.isInstanceOf[SalternError.Overloaded], full.toString)
        assert(next.matches && first.matches && next.origin == Origin.Local)
      }
    }
  }

  test("one compute thread carries thousands of calls, is never blocked, and every call continues on it") {
    val calls = 4000
    val distant = new Distant(calls, 200.millis)
    val wide = (c: ClientConfig) =>
      c.withMaxConnections(calls).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds).withFallback(Fallback.Never)
    using(distant, wide) { saltern =>
      def tick(count: Int): IO[Int] = IO.sleep(1.milli) *> IO.cede.as(count + 1)
      for {
        ticks <- IO.ref(0)
        ticking <- ticks.get.flatMap(tick).flatMap(ticks.set).foreverM.void.start
        answers <- (1 to calls).toList.parTraverse { _ =>
          saltern.verify(secret, oldHash).flatMap(verified => IO((verified.origin, Thread.currentThread.getName)))
        }
        _ <- ticking.cancel
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
      SharedVectors.logins.traverse_ { login =>
        saltern.verify(Password(login.password), login.stored).attempt.map {
          case Right(verified)                     => if (verified.matches) "match" else "mismatch"
          case Left(refused: SalternError.Refused) => refused.code
          case Left(other)                         => other.toString
        }.map(said => assertEquals(said, login.expected, login.name))
      }
    }
    assert(SharedVectors.logins.map(_.expected).toSet.size >= 3 && SharedVectors.logins.size > 50, s"${SharedVectors.logins.size}")
  }
}
