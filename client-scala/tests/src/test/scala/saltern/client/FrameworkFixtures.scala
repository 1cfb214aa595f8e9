package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import saltern.hashes.{Admitted, Ceilings, HashKernels, Kernels, LocalHasherSuite, OpenedKernels}
import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.*

/** Shared by the suites of the frameworks' modules. */
object FrameworkFixtures {
  import EngineSuite.{cheap, hasher}

  /** Cheap policies, and an address that does not exist: only a test's transport answers. */
  val config: ClientConfig =
    ClientConfig("https://service.invalid").withPolicies(cheap).withoutCoalescing.withDeadline(60.seconds).withLoginFloor(Duration.Zero)

  /** The hash of `secret`, below the current policy. */
  def oldHash: String = EngineSuite.bcrypt4
  def currentHash: String = LocalHasherSuite.hash(hasher, "argon2id-2", "secret")

  /** Local hashes wait until the test lets them go on. */
  final class Held extends HashKernels {
    private val released = new CountDownLatch(1)
    def release(): Unit = released.countDown()
    def hashesAtOnce(workers: Int): Int = workers
    def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new OpenedKernels {
      def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = {
        released.await()
        Kernels.compute(admitted, password)
      }
      def close(): Unit = release()
    }
  }

  /** A distant service. It waits until so many exchanges are in progress at the same time. After a
    * further pause it answers each of them with a mismatch, on another thread.
    */
  final class Distant(atOnce: Int, pause: FiniteDuration) extends Transport {
    private val threads = Executors.newSingleThreadScheduledExecutor(Threads.named("distant"))
    private val arrived = new AtomicInteger
    private val answers = new ConcurrentLinkedQueue[(Promise[Transport.Response], (String, String))]

    def send(request: Transport.Request): Transport.Exchange = {
      val answer = Promise[Transport.Response]()
      answers.add((answer, request.headers.find(_._1 == "Saltern-Request-Id").get))
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
