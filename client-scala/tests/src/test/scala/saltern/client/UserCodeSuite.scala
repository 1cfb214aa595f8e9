package saltern.client

import java.net.URI
import java.util.Optional
import java.util.concurrent.{CountDownLatch, ForkJoinPool, ForkJoinWorkerThread, TimeUnit}
import saltern.client.lambda.LambdaInvoke
import saltern.hashes.{Admitted, Ceilings, HashKernels, OpenedKernels}
import saltern.testkit.{InMemoryService, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.{Await, ExecutionContext, Future, Promise}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Try}

/** What code of others does to the client: callbacks that block, and transports and kernels that
  * throw what no contract allows.
  */
class UserCodeSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, bcrypt5, cheap}
  import UserCodeSuite.*

  private val secret = Password("secret")

  /** The end of a wait for an event that comes, however busy the machine is. */
  private val EventualEnd = 60.seconds

  test("callbacks that block delay no deadline of other calls") {
    val (service, gate, end) = (InMemoryService(cheap), Promise[Unit](), new CountDownLatch(1))
    val gated = new Transport {
      def send(request: Transport.Request): Transport.Exchange = {
        val exchange = service.send(request)
        new Transport.Exchange {
          val response: Future[Transport.Response] = gate.future.flatMap(_ => exchange.response)(ExecutionContext.parasitic)
          def cancel(): Unit = exchange.cancel()
        }
      }
      def close(): Unit = ()
    }
    val config = ClientConfig("https://user-code-suite.invalid").withPolicies(cheap).withFallback(Fallback.Never)
    val client = Saltern(config.withLoginFloor(100.millis), gated)
    try {
      // With a floor and without, and more than any small pool has threads.
      val entered = new CountDownLatch(40)
      for (i <- 1 to 40) {
        val call = if (i % 2 == 0) client.stages.login(secret, Optional.of(bcrypt4)) else client.stages.verify(secret, bcrypt4)
        call.thenAccept { _ => entered.countDown(); end.await() }
      }
      new Thread(() => { val _ = gate.success(()) }).start()
      assert(entered.await(EventualEnd.toSeconds, TimeUnit.SECONDS), s"${entered.getCount} answers did not come")
      service.failAlways(Fault.Never)
      intercept[SalternError.TryLater](Await.result(client.withDeadline(100.millis).verify(secret, bcrypt4), EventualEnd))
    } finally { end.countDown(); client.close() }
  }

  test("code after a call runs on another thread, even where all threads for it are taken") {
    val (completions, end) = (new Completions(None), new CountDownLatch(1))
    try {
      val entered = new CountDownLatch(Completions.MostThreads)
      for (_ <- 1 to Completions.MostThreads) completions.execute { () => entered.countDown(); end.await() }
      assert(entered.await(EventualEnd.toSeconds, TimeUnit.SECONDS), s"${entered.getCount} threads were not started")
      val thread = Promise[Thread]()
      completions.execute(() => thread.success(Thread.currentThread))
      assertNotEquals(Await.result(thread.future, EventualEnd), Thread.currentThread)
    } finally { end.countDown(); completions.close() }
  }

  test("an executor that takes no more work loses no answer") {
    val refusing: java.util.concurrent.Executor = _ => throw new java.util.concurrent.RejectedExecutionException
    val client = Saltern(
      ClientConfig("https://user-code-suite.invalid").withPolicies(cheap).withLoginFloor(Duration.Zero).withCompletionExecutor(refusing),
      InMemoryService(cheap)
    )
    try assertEquals(Await.result(client.login(secret, Some(bcrypt4)), EventualEnd).origin, Origin.Remote: Origin)
    finally client.close()
  }

  test("a transport that throws, and an answer that cannot be read, keep no permit and no place of a batch") {
    val service = InMemoryService(cheap)
    var broken = Vector[() => Transport.Exchange](
      () => throw new NoClassDefFoundError("software/amazon/Missing"),
      () => throw new StackOverflowError,
      () => unreadable
    )
    val transport = new Transport {
      def send(request: Transport.Request): Transport.Exchange = broken match {
        case first +: rest if request.path != "/policies" => broken = rest; first()
        case _                                            => service.send(request)
      }
      def close(): Unit = ()
    }
    val config = ClientConfig("https://service.invalid").withPolicies(cheap).withMaxConnections(1).withCoalescing(4, 2.millis)
    val virtual = new VirtualClient(config.withBreakerOpenFor(1.milli, 1.milli), transport)
    for (_ <- 1 to 3) {
      val call = virtual.client.verify(secret, bcrypt4)
      virtual.runLocal()
      assertEquals(call.value.map(_.get.origin), Some(Origin.Local: Origin))
    }
    virtual.advance(30.seconds)
    virtual.client.verify(secret, bcrypt4)
    virtual.advance(30.seconds)
    assertEquals(virtual.client.verify(secret, bcrypt4).value.map(_.get.origin), Some(Origin.Remote: Origin))
  }

  test("a transport and credentials that throw when they are closed keep no login waiting") {
    val service = InMemoryService(cheap)
    val transport = new Transport {
      def send(request: Transport.Request): Transport.Exchange = service.send(request)
      def close(): Unit = throw new IllegalStateException("the transport")
    }
    var closed = false
    val auth = new RequestAuth {
      def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] = Future.successful(Nil)
      override def close(): Unit = { closed = true; throw new IllegalStateException("the credentials") }
    }
    val virtual = new VirtualClient(ClientConfig("https://service.invalid").withPolicies(cheap).withLoginFloor(400.millis).withAuth(auth), transport)
    val login = virtual.client.login(secret, Some(bcrypt4))
    assert(!login.isCompleted)
    intercept[IllegalStateException](virtual.client.close())
    assert(closed && login.value.exists(_.isSuccess))
  }

  test("a local hash that fails by any error ends its call at once") {
    val errors = Seq(
      new NoClassDefFoundError("org/bouncycastle/Missing") -> "NoClassDefFoundError: org/bouncycastle/Missing; add org.bouncycastle:bcprov-jdk18on",
      new StackOverflowError -> "StackOverflowError;",
      new InternalError("damaged") -> "InternalError;"
    )
    for ((error, said) <- errors) {
      val service = InMemoryService(cheap)
      service.failAlways(Fault.Answer(502, Nil, ""))
      val virtual = new VirtualClient(ClientConfig("https://service.invalid").withPolicies(cheap).withLocalKernels(throwing(error)), service)
      val call = virtual.client.verify(secret, bcrypt4)
      virtual.runLocal()
      call.value match {
        case Some(Failure(e: SalternError.NotAvailableLocally)) => assert(e.detailed.contains(said), e.detailed)
        case other                                              => fail(s"$error: $other")
      }
    }
  }

  test("a host that has no thread for a call gets a failed future, and a client that is not made keeps no thread") {
    val noPool = "-Djava.util.concurrent.ForkJoinPool.common.threadFactory=saltern.client.NoThreads"
    val ended = OtherJvm.run(Seq(noPool), "saltern.client.WithoutThreads", "saltern", bcrypt5)
    assertEquals(
      ended.said.linesIterator.filter(_.startsWith("> ")).toVector,
      Vector("> refused", "> refused", "> no thread", "> saltern-timer", "> maybe_sent"),
      ended.said
    )
  }

  test("a client without Bouncy Castle calls the service, and names the remedy where a local hash needs it") {
    val server = RawServer.always(RawServer.response(200, "application/json", RawServer.mismatch))
    val ended =
      try OtherJvm.runWithoutJar("bcprov", "saltern.client.WithoutBouncyCastle", server.uri.toString, bcrypt5)
      finally server.close()
    assertEquals(
      ended.said.linesIterator.filter(_.startsWith("> ")).toVector,
      Vector("> remote", "> not_available_locally true", "> check true", "> property null"),
      ended.said
    )
  }
}

object UserCodeSuite {

  /** A header that is null, against all promises. */
  private def unreadable: Transport.Exchange = new Transport.Exchange {
    val response: Future[Transport.Response] = Future.successful(new Transport.Response(200, Seq(null), Array.emptyByteArray))
    def cancel(): Unit = ()
  }

  private def throwing(error: Error): LocalKernels = new HashKernels {
    def hashesAtOnce(workers: Int): Int = workers
    def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new OpenedKernels {
      def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = throw error
      def close(): Unit = ()
    }
  }
}

/** Says what a client does whose class path has no Bouncy Castle. */
object WithoutBouncyCastle {
  private val Remedy = "bcprov-jdk18on"

  def main(arguments: Array[String]): Unit = {
    val password = Password("secret")
    // However busy the machine is.
    val patient = ClientConfig(URI.create(arguments(0))).withDeadline(60.seconds).withAttemptTimeout(30.seconds).withBreakerSilence(30.seconds)
    val config = patient.withLoginFloor(Duration.Zero)
    val remote = Saltern(config)
    println(s"> ${remote.blocking.login(password, Some(arguments(1))).origin}")
    val local = Saltern(
      config,
      new Transport {
        def send(request: Transport.Request): Transport.Exchange = throw new IllegalStateException
        def close(): Unit = ()
      }
    )
    try local.blocking.verify(password, arguments(1))
    catch { case e: SalternError => println(s"> ${e.code} ${e.detailed.contains(Remedy)}") }
    println(s"> check ${remote.blocking.check().problems.exists(_.contains(Remedy))}")
    println(s"> property ${System.getProperty("jdk.httpclient.keepalive.timeout")}")
    Seq(remote, local).foreach(_.close())
  }
}

/** Starts no thread of the common pool. */
final class NoThreads extends ForkJoinPool.ForkJoinWorkerThreadFactory {
  def newThread(pool: ForkJoinPool): ForkJoinWorkerThread = throw new OutOfMemoryError("unable to create native thread")
}

/** Says what a client does whose host has threads when it is made, and none when it is called. */
object WithoutThreads {
  private def threads: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala.toSeq.map(_.getName).filter(name => name.startsWith("saltern-") || name.startsWith("HttpClient-"))

  def main(arguments: Array[String]): Unit = {
    val config = ClientConfig("https://user-code-suite.invalid").withFallback(Fallback.Never).withoutCoalescing
    val refused = config.withPolicies(PolicySource.Resource("missing"))
    for (made <- Seq(Try(Saltern(refused)), Try(LambdaInvoke(refused, arguments(0))))) println(if (made.isFailure) "> refused" else "> made")
    // An ended thread is listed until the system has taken it away.
    val end = System.nanoTime + 60.seconds.toNanos
    while (threads.nonEmpty && System.nanoTime - end < 0) Thread.sleep(10)
    println(s"> ${threads.headOption.getOrElse("no thread")}")
    val withoutThread = config.withCompletionExecutor(_ => throw new OutOfMemoryError("unable to create native thread"))
    val client = Saltern(
      withoutThread,
      new Transport {
        def send(request: Transport.Request): Transport.Exchange = throw new OutOfMemoryError("unable to create native thread")
        def close(): Unit = ()
      }
    )
    println(s"> ${threads.map(_.takeWhile(!_.isDigit).stripSuffix("-")).mkString(" ")}")
    client.verify(Password("secret"), arguments(1)).value match {
      case Some(Failure(e: SalternError)) => println(s"> ${e.code}")
      case other                          => println(s"> $other")
    }
    client.close()
  }
}
