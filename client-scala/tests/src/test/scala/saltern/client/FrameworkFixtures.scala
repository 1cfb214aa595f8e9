package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import saltern.client.local.LocalHasherSuite
import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.*

/** Shared by the suites of the frameworks' modules. */
object FrameworkFixtures {
  import EngineSuite.{cheap, hasher}

  /** Cheap policies, and an address that does not exist: only a test's transport answers. */
  val config: ClientConfig = ClientConfig("http://service.invalid").withPolicies(cheap).withoutCoalescing.withDeadline(60.seconds)

  /** The hash of `secret`, below the current policy. */
  def oldHash: String = EngineSuite.bcrypt4
  def currentHash: String = LocalHasherSuite.hash(hasher, "argon2id-2", "secret")

  /** A hash that takes two seconds and that no password matches. It keeps a local thread busy while
    * a test takes a few steps.
    */
  val slowHash: String = "$2b$15$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"

  /** A distant service. It waits until so many exchanges are in progress at the same time. After a
    * further pause it answers each of them with a mismatch, on another thread.
    */
  final class Distant(atOnce: Int, pause: FiniteDuration) extends Transport {
    private val threads = Executors.newSingleThreadScheduledExecutor(Threads.named("distant"))
    private val arrived = new AtomicInteger
    private val answers = new ConcurrentLinkedQueue[(Promise[Transport.Response], (String, String))]

    def send(request: Transport.Request): Transport.Exchange = {
      val answer = Promise[Transport.Response]()
      answers.add((answer, request.headers.find(_._1 == "x-request-id").get))
      if (arrived.incrementAndGet() == atOnce) { val _ = threads.schedule((() => answerAll()): Runnable, pause.toNanos, TimeUnit.NANOSECONDS) }
      new Transport.Exchange {
        val response: Future[Transport.Response] = answer.future
        def cancel(): Unit = ()
      }
    }

    def close(): Unit = { val _ = threads.shutdownNow() }

    private def answerAll(): Unit = answers.forEach { case (answer, name) =>
      val _ = answer.success(new Transport.Response(200, Seq("Content-Type" -> "application/json", name), RawServer.mismatch.getBytes(UTF_8)))
    }
  }
}
