package saltern.client

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.duration.*

/** The client for callers that block, against the service in memory, in real time. */
class BlockingSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap, hasher}
  import local.LocalHasherSuite

  private val secret = Password("secret")

  private def using[A](change: ClientConfig => ClientConfig = identity)(test: (InMemoryService, Saltern) => A): A = {
    val service = InMemoryService(cheap)
    val client = Saltern(change(ClientConfig("http://service.invalid").withPolicies(cheap)), service)
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

  test("an impossible password does not match, and every other error is thrown") {
    using() { (service, client) =>
      val blocking = client.blocking
      assert(blocking.matches(secret, bcrypt4) && !blocking.matches(Password("wrong"), bcrypt4))
      for (nobodys <- Seq("x" * 1025, "\ud800")) assert(!blocking.matches(Password(nobodys), bcrypt4))
      intercept[SalternError.Refused](blocking.matches(secret, "$2b$04$short"))
      service.next(Fault.Problem(503, "deadline_exceeded"))
      intercept[SalternError.NotAvailableLocally](blocking.matches(secret, "$y$j75$salt$hash"))
    }
  }

  test("after a match by the service, the policy document decides about a replacement") {
    using() { (_, client) =>
      val blocking = client.blocking
      assert(blocking.verify(secret, bcrypt4).matches && blocking.needsRehash(bcrypt4))
      assert(!blocking.needsRehash(LocalHasherSuite.hash(hasher, "argon2id-2", "secret")))
    }
  }

  test("a match that ignored part of the password asks for no replacement") {
    using() { (_, client) =>
      val blocking = client.blocking
      val stored = LocalHasherSuite.hash(hasher, "bcrypt-4", "x" * 72)
      assert(blocking.verify(Password("x" * 73), stored).matches && !blocking.needsRehash(stored))
      assert(blocking.verify(Password("x" * 72), stored).matches && blocking.needsRehash(stored), "the latest match counts")
    }
  }

  test("a hash that matched again is not the next to be dropped") {
    val kept = new BlockingSaltern.KeptAsTheyAre
    kept.note("again", true)
    for (i <- 2 to BlockingSaltern.MostKept) kept.note(s"$i", true)
    kept.note("again", true)
    kept.note("one more", true)
    assert(kept("again") && !kept("2") && kept("3"))
    kept.note("again", false)
    assert(!kept("again"))
  }

  test("a local match asks for no replacement, which would be a second local hash") {
    using() { (service, client) =>
      val blocking = client.blocking
      service.next(Fault.Answer(502, Nil, ""))
      assertEquals(blocking.verify(secret, bcrypt4).origin, Origin.Local: Origin)
      assert(!blocking.needsRehash(bcrypt4))
      assert(blocking.verify(secret, bcrypt4).matches && blocking.needsRehash(bcrypt4))
    }
  }
}
