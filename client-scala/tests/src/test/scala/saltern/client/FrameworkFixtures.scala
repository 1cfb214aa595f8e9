package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import saltern.client.local.LocalHasherSuite
import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.*

/** Shared by the suites of the frameworks' modules. */
object FrameworkFixtures {
  import EngineSuite.{cheap, hasher}

  /** Cheap policies, and an address that does not exist: only a test's transport answers. */
  val config: ClientConfig = ClientConfig("http://service.invalid").withPolicies(cheap).withoutCoalescing

  /** The hash of `secret`, below the current policy. */
  def oldHash: String = EngineSuite.bcrypt4
  def currentHash: String = LocalHasherSuite.hash(hasher, "argon2id-2", "secret")

  /** A hash that takes half a second and that no password matches, to keep a local thread busy. */
  val slowHash: String = "$2b$13$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"

  /** A distant service: answers every request with a mismatch, after a pause, on a thread of its
    * own.
    */
  final class Distant(delay: FiniteDuration) extends Transport {
    private val threads = Executors.newSingleThreadScheduledExecutor(Threads.named("distant"))
    private val running = new AtomicInteger
    private val peak = new AtomicInteger

    /** The largest number of concurrent exchanges. */
    def mostAtOnce: Int = peak.get

    def send(request: Transport.Request): Transport.Exchange = {
      val answer = Promise[Transport.Response]()
      val now = running.incrementAndGet()
      peak.updateAndGet(math.max(_, now))
      threads.schedule((() => { running.decrementAndGet(); answer.trySuccess(mismatch); () }): Runnable, delay.toNanos, TimeUnit.NANOSECONDS)
      new Transport.Exchange {
        val response: Future[Transport.Response] = answer.future
        def cancel(): Unit = ()
      }
    }

    def close(): Unit = { val _ = threads.shutdownNow() }

    private def mismatch = new Transport.Response(200, Seq("Content-Type" -> "application/json"), RawServer.mismatch.getBytes(UTF_8))
  }
}
