package saltern.client

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.duration.*

/** The client for callers that block, against the service in memory, in real time. */
class BlockingSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap, hasher}
  import saltern.hashes.LocalHasherSuite

  private val secret = Password("secret")

  private def using[A](change: ClientConfig => ClientConfig = identity)(test: (InMemoryService, Saltern) => A): A = {
    val service = InMemoryService(cheap)
    val client = Saltern(change(ClientConfig("https://service.invalid").withPolicies(cheap).withLoginFloor(Duration.Zero).withDeadline(60.seconds)), service)
    try test(service, client)
    finally client.close()
  }

  test("it returns the client's answers") {
    using() { (_, client) =>
      val made = client.blocking.hash(secret)
      assert(client.blocking.verify(secret, made.encoded).matches)
      assert(!client.blocking.verify(Password("wrong"), made.encoded).matches)
    }
  }

  test("it blocks no longer than the deadline, and throws the client's error") {
    using(_.withFallback(Fallback.Never)) { (service, client) =>
      service.failAlways(Fault.Never)
      val started = System.nanoTime()
      intercept[SalternError.DeadlineExceeded](client.withDeadline(200.millis).blocking.verify(secret, bcrypt4))
      val took = (System.nanoTime() - started).nanos
      // The service never answers, so only the deadline ends the call.
      assert(took >= 190.millis, s"$took")
    }
  }

  test("an interrupted thread cancels its call and stays interrupted") {
    using(_.withFallback(Fallback.Never)) { (service, client) =>
      service.failAlways(Fault.Never)
      val threads = Executors.newSingleThreadExecutor()
      val ended = new CountDownLatch(1)
      @volatile var seen: (Throwable, Boolean) = (null, false)
      threads.execute { () =>
        try { val _ = client.blocking.verify(secret, bcrypt4) }
        catch { case e: Throwable => seen = (e, Thread.currentThread.isInterrupted) }
        ended.countDown()
      }
      while (service.requests.isEmpty) Thread.sleep(1)
      threads.shutdownNow()
      assert(ended.await(60, TimeUnit.SECONDS))
      assert(seen._1.isInstanceOf[SalternError.Cancelled] && seen._2, s"$seen")
      assertEquals(service.abandoned, 1)
    }
  }

  test("login, with Scala's and Java's types") {
    using() { (_, client) =>
      val blocking = client.blocking.withDeadline(java.time.Duration.ofSeconds(20))
      assert(blocking.login(secret, Some(bcrypt4)).rehashed.isDefined)
      assert(blocking.login(secret, java.util.Optional.of(bcrypt4)).matches)
      assert(!blocking.login(secret, java.util.Optional.empty[String]).matches)
    }
  }

  test("a virtual thread may block") {
    // `Thread.ofVirtual().start(task)`, which the API of JDK 11 lacks.
    val start = scala.util.Try(classOf[Thread].getMethod("startVirtualThread", classOf[Runnable])).toOption
    assume(start.isDefined, "this JDK has no virtual threads")
    using() { (_, client) =>
      val answers = new java.util.concurrent.LinkedBlockingQueue[Verified]
      for (_ <- 1 to 100) start.get.invoke(null, (() => answers.put(client.blocking.login(secret, Some(bcrypt4)))): Runnable)
      for (_ <- 1 to 100) assert(Option(answers.poll(60, TimeUnit.SECONDS)).exists(_.matches))
    }
  }

  test("a completion stage has the client's answer or error, and its cancel cancels the call") {
    using(_.withFallback(Fallback.Never)) { (service, client) =>
      val stages = client.stages.withDeadline(java.time.Duration.ofSeconds(50))
      val matched = stages.hash(secret).thenCompose[Verified](made => stages.login(secret, java.util.Optional.of(made.encoded)))
      assert(matched.get(60, TimeUnit.SECONDS).matches)
      service.next(Fault.Never)
      val call = stages.verify(secret, bcrypt4)
      assert(call.cancel(true) && call.isCancelled)
      assertEquals(service.abandoned, 1)
      // Last, because the client holds calls back after it.
      service.next(Fault.Problem(503, "overloaded"))
      val error = intercept[java.util.concurrent.ExecutionException](stages.verify(secret, bcrypt4).get(60, TimeUnit.SECONDS))
      assert(error.getCause.isInstanceOf[SalternError.Overloaded])
    }
  }

  private def encoding[A](change: ClientConfig => ClientConfig = identity)(test: (InMemoryService, FrameworkEncoder) => A): A =
    using(change)((service, client) => test(service, new FrameworkEncoder(client)))

  test("every error is thrown, also that of a password that no user has") {
    encoding() { (service, encoder) =>
      assert(encoder.matches("secret", bcrypt4) && !encoder.matches("wrong", bcrypt4))
      for (nobodys <- Seq("x" * 1025, "\ud800")) intercept[SalternError.UserFault](encoder.matches(nobodys, bcrypt4))
      intercept[SalternError.Refused](encoder.matches("secret", "$2b$04$short"))
      service.next(Fault.Problem(503, "deadline_exceeded"))
      intercept[SalternError.NotAvailableLocally](encoder.matches("secret", "$y$j75$salt$hash"))
    }
  }

  test("after a match by the service, the hash that it brought replaces the old one, and nothing is hashed twice") {
    encoding() { (service, encoder) =>
      val password = new String("secret")
      assert(encoder.matches(password, bcrypt4) && encoder.needsUpgrade(bcrypt4))
      val made = encoder.encode(password)
      assertEquals(service.requests.map(_.path), Vector("/verify"), "no second request")
      assert(encoder.matches(password, made) && !encoder.needsUpgrade(made))
      assert(encoder.encode(password) != made, "the hash that was brought is used once")
      assert(!encoder.needsUpgrade(LocalHasherSuite.hash(hasher, "argon2id-2", "secret")))
    }
  }

  test("the hash that a login brought is not that of another password, thread or sequence") {
    encoding() { (service, encoder) =>
      def encodes(password: CharSequence): Int = { encoder.encode(password); service.requests.count(_.path == "/hash") }
      val password = new String("secret")
      assert(encoder.matches(password, bcrypt4))
      assertEquals(encodes(new String("secret")), 1, "an equal text is another String")
      assert(encoder.matches(password, bcrypt4) && !encoder.matches("wrong", bcrypt4))
      assertEquals(encodes(password), 2, "the latest login brought none")
      val mutable = new java.lang.StringBuilder("secret")
      assert(encoder.matches(mutable, bcrypt4))
      assertEquals(encodes(mutable), 3)
      assert(encoder.matches(password, bcrypt4))
      val other = new Thread(() => { val _ = encodes(password) })
      other.start(); other.join()
      assertEquals(service.requests.count(_.path == "/hash"), 4)
    }
  }

  test("a match that ignored part of the password asks for no replacement") {
    encoding() { (_, encoder) =>
      val stored = LocalHasherSuite.hash(hasher, "bcrypt-4", "x" * 72)
      assert(encoder.matches("x" * 73, stored) && !encoder.needsUpgrade(stored))
      assert(encoder.matches("x" * 72, stored) && encoder.needsUpgrade(stored), "the latest match counts")
    }
  }

  test("a hash that matched again is not the next to be dropped") {
    val kept = new FrameworkEncoder.KeptAsTheyAre
    kept.note("again", true)
    for (i <- 2 to FrameworkEncoder.MostKept) kept.note(s"$i", true)
    kept.note("again", true)
    kept.note("one more", true)
    assert(kept("again") && !kept("2") && kept("3"))
    kept.note("again", false)
    assert(!kept("again"))
  }

  test("a local match asks for no replacement, which would be a second local hash; another deadline forgets nothing") {
    encoding() { (service, encoder) =>
      service.next(Fault.Answer(502, Nil, ""))
      assert(encoder.matches("secret", bcrypt4))
      assert(!encoder.needsUpgrade(bcrypt4) && !encoder.withDeadline(20.seconds).needsUpgrade(bcrypt4))
      assert(encoder.matches("secret", bcrypt4) && encoder.needsUpgrade(bcrypt4))
    }
  }
}
