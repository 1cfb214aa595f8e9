package saltern.client.nativekernels

import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.util.concurrent.{CountDownLatch, Executors, Semaphore, TimeUnit}
import saltern.client.{Cancellable, ClientConfig, ClientListener, LocalHashing, Match, Origin, Password, Saltern, SalternError}
import saltern.hashes.{EncodedHash, JvmKernels, Kernels, OpenedKernels, Params, Setting}
import scala.concurrent.{Await, ExecutionContext, Future, Promise}
import scala.concurrent.duration.*

class NativeKernelsSuite extends saltern.client.PatientSuite {
  private implicit val executor: ExecutionContext = ExecutionContext.global

  override def munitTimeout: Duration = 60.minutes

  private val password = "correct horse".getBytes(UTF_8)
  private val salt = Array.tabulate[Byte](16)(_.toByte)

  /** For the JDKs with JEP 472. */
  private val enableNativeAccess: Seq[String] =
    if (Runtime.version.feature >= 24) Seq("--enable-native-access=ALL-UNNAMED") else Nil

  /** Without it the JDK warns of Scala 3's own library (JEP 498). */
  private val quietUnsafe: Seq[String] =
    if (Runtime.version.feature >= 24) Seq("--sun-misc-unsafe-memory-access=allow") else Nil

  private def bcrypt(cost: Int): Setting.Own = Setting.fresh(Params.Bcrypt(cost).get, salt)

  test("the library computes every policy's algorithm as the JVM does") {
    val pool = new TestKernels.Pool
    val all = Seq(
      Params.Bcrypt(6).get,
      Params.Argon2(Params.Variant.Id, Params.Version.V19, 19456, 2, 1).get,
      Params.Argon2(Params.Variant.I, Params.Version.V16, 256, 3, 4).get,
      Params.Scrypt(10, 8, 1).get
    ) ++ Params.Prf.all.map(Params.Pbkdf2(_, 1000).get)
    for (params <- all) {
      val setting = Setting.fresh(params, salt)
      val output = new Array[Byte](setting.outputBytes)
      assertEquals(pool.compute(setting, password, 10.seconds, output), NativeCalls.DONE, params.toString)
      assertEquals(output.toSeq, Kernels.compute(TestKernels.admitted(setting), password).toSeq, params.toString)
    }
    pool.close()
  }

  test("random calls from many threads, some cancelled, give the JVM's results and no warning of -Xcheck:jni") {
    val calls = sys.env.getOrElse("SALTERN_NATIVE_CALLS", "20000")
    val ended = TestKernels.inJvm(Seq("-Xcheck:jni") ++ quietUnsafe ++ enableNativeAccess, "RandomCalls", calls)
    assertEquals(ended.exitCode, 0, ended.said)
    assert(ended.said.contains(s"$calls calls, 0 differences"), ended.said)
    assert(!ended.said.contains(", 0 cancelled"), ended.said)
    assert(!ended.said.contains("WARNING"), ended.said)
    println(ended.said.linesIterator.toVector.takeRight(2).mkString(": "))
  }

  test("no copy of a password stays in the process") {
    // A garbage collection that moves the caller's array leaves a copy behind. With so much memory
    // there is no collection.
    val still = Seq("-Xmx512m", "-Xmn256m", "-XX:+UseSerialGC")
    val ended = TestKernels.inJvm(quietUnsafe ++ enableNativeAccess ++ still, "Residue")
    assertEquals(ended.said.trim, "found before the caller wiped it: true; afterwards: 0")
  }

  test("settings that the library does not compute, and arrays of a wrong length, return an error number") {
    val pool = new TestKernels.Pool
    val text = bcrypt(4).print(new Array[Byte](23)).getBytes(US_ASCII)
    def answer(setting: Array[Byte], password: Array[Byte] = password, left: FiniteDuration = 10.seconds, output: Int = 23) =
      pool.compute(setting, password, left, new Array[Byte](output))
    assertEquals(answer(text), NativeCalls.DONE)
    for (unread <- Seq(Array.emptyByteArray, "$2b$04$".getBytes(US_ASCII), Array.fill[Byte](5000)(65), Array.fill[Byte](60)(-1)))
      assertEquals(answer(unread), NativeCalls.NOT_READ_HERE)
    assertEquals(answer(text, password = new Array[Byte](1024)), NativeCalls.DONE)
    assertEquals(answer(text, password = new Array[Byte](1025)), NativeCalls.NOT_READ_HERE)
    assertEquals(answer(text, output = 22), NativeCalls.NOT_READ_HERE)
    assertEquals(answer(text, left = -1.nanos), NativeCalls.DEADLINE_EXCEEDED)
    assertEquals(answer(text, left = Duration.Zero), NativeCalls.DEADLINE_EXCEEDED)
    pool.close()
    assertEquals(answer(text), NativeCalls.CLOSED)
    pool.close()
    for (number <- Seq(0L, -1L, Long.MaxValue)) {
      assertEquals(NativeCalls.compute(number, 1, text, password, 1000000000L, new Array[Byte](23)), NativeCalls.CLOSED)
      NativeCalls.cancel(number, 1)
      NativeCalls.close(number)
    }
  }

  test("a cancelled call ends at once, and other calls go on") {
    val opened = TestKernels.native.start(1, 1L << 26, TestKernels.NoCeilings)
    val neighbour = Future(opened.compute(TestKernels.admitted(bcrypt(10)), password, 60.seconds))
    val hash = Promise[Cancellable]()
    // The hash takes hours on any machine.
    val endless = Future(endOf(opened.compute(TestKernels.admitted(bcrypt(24)), password, 1000.days, hash.success(_): Unit)))
    val cancelling = await(hash.future)
    // The cancel may come before the call waits, so one cancel may not be enough.
    while (!endless.isCompleted) { cancelling.cancel(); Thread.sleep(5) }
    assertEquals(await(endless), "Cancelled")
    assertEquals(await(neighbour).toSeq, Kernels.compute(TestKernels.admitted(bcrypt(10)), password).toSeq)
    cancelling.cancel()
    opened.close()
  }

  test("a cancelled login gives its lane to the next one") {
    val begun = new Semaphore(0)
    val listener = new ClientListener { override def onLocalStart(waited: FiniteDuration): Unit = begun.release() }
    val client = Saltern(config.withListener(listener).withDeadline(60.seconds))
    def took(body: => Any): FiniteDuration = { val started = System.nanoTime(); val _ = body; (System.nanoTime() - started).nanos }
    def stored(cost: Int): String = bcrypt(cost).print(new Array[Byte](23))
    try {
      val alone = took(await(client.verify(Password("x"), stored(15))))
      begun.drainPermits()
      // As many calls as threads: the next call gets a thread only when one of them is given up.
      val gone = Vector.fill(TestKernels.native.hashesAtOnce(1))(client.verify(Password("x"), stored(15)))
      assert(begun.tryAcquire(gone.size, 30, TimeUnit.SECONDS))
      Thread.sleep(50)
      gone.foreach(call => assert(client.cancel(call)))
      val next = took(await(client.verify(Password("x"), stored(5))))
      assert(next < alone, s"$next, and one of those that were cancelled takes $alone")
    } finally client.close()
  }

  test("the library checks the ceilings too") {
    val pool = new TestKernels.Pool(Array[Long](6, 1024, 1024, 1, 1000, 1 << 20, 1 << 10, 1000))
    def answer(params: Params): Int = {
      val setting = Setting.fresh(params, salt)
      pool.compute(setting, password, 10.seconds, new Array[Byte](setting.outputBytes))
    }
    val argon2 = Params.Argon2(Params.Variant.Id, Params.Version.V19, _: Long, _: Long, _: Long).get
    for (params <- Seq(Params.Bcrypt(6).get, argon2(1024, 1, 1), argon2(512, 2, 1), Params.Pbkdf2(Params.Prf.Sha256, 1000).get, Params.Scrypt(7, 8, 1).get))
      assertEquals(answer(params), NativeCalls.DONE, params.toString)
    for (
      params <- Seq(
        Params.Bcrypt(7).get,
        argon2(1025, 1, 1),
        argon2(512, 3, 1),
        argon2(512, 1, 2),
        Params.Pbkdf2(Params.Prf.Sha256, 1001).get,
        Params.Scrypt(8, 8, 1).get
      )
    )
      assertEquals(answer(params), NativeCalls.COST_OUT_OF_BOUNDS, params.toString)
    pool.close()
  }

  test("the JVM computes settings that the library does not: schemes that are only verified, and too short salts") {
    val des = EncodedHash.parse("/.5HtJ1UHtEh2").fold(error => fail(error.toString), identity)
    assertEquals(des.scheme.name, "des-crypt")
    val short = Setting.Pbkdf2(Params.Pbkdf2(Params.Prf.Sha1, 10).get, Array[Byte](1), 20)
    for (setting <- Seq(des.setting, short)) {
      val admitted = TestKernels.admitted(setting)
      assertEquals(TestKernels.compute(admitted, password).toSeq, Kernels.compute(admitted, password).toSeq)
    }
  }

  test("a hash for the JVM waits for half of its time and is then shed") {
    val (begun, end) = (new CountDownLatch(1), new CountDownLatch(1))
    // The first hash lasts until the test ends it.
    val opened = new OpenedNative(
      1,
      1L << 26,
      TestKernels.NoCeilings,
      NativeCalls.open,
      new JvmKernels((_, _, _) => { begun.countDown(); end.await(); Array[Byte](1) })
    )
    val sha512 = EncodedHash.parse("$6$rounds=1000$saltstring$" + "." * 86).fold(error => fail(error.toString), identity)
    val admitted = TestKernels.admitted(sha512.setting)
    val first = Future(opened.compute(admitted, password, 1.hour))
    begun.await()
    val (started, time) = (System.nanoTime(), 200.millis)
    val shed = intercept[OpenedKernels.Stopped](opened.compute(admitted, password, time))
    assert(shed.why.isInstanceOf[LocalHashing.Failure.Shed], shed.why.toString)
    assert((System.nanoTime() - started).nanos >= time / 2)
    end.countDown()
    assertEquals(await(first).toSeq, Seq[Byte](1))
    assertEquals(opened.compute(admitted, password, time).toSeq, Seq[Byte](1), "its place is free again")
    // A closing client ends its threads in this way.
    Thread.currentThread.interrupt()
    val refused = intercept[OpenedKernels.Stopped](opened.compute(admitted, password, 10.seconds))
    assertEquals(refused.why, LocalHashing.Failure.Closed)
    opened.close()
  }

  test("a hash for the JVM takes no more than its share of the heap") {
    val kib = Runtime.getRuntime.maxMemory / 2 >> 10
    val wrapped = s"$$saltern-wrap$$argon2id$$v=19$$m=$kib,t=1,p=1$$${"A" * 22}$$${"A" * 43}$$$$1$$saltsalt$$${"." * 22}"
    val setting = EncodedHash.parse(wrapped).fold(error => fail(error.toString), _.setting)
    val opened = new OpenedNative(1, Long.MaxValue, TestKernels.NoCeilings, NativeCalls.open)
    val refused = intercept[OpenedKernels.Stopped](opened.compute(TestKernels.admitted(setting), password, 10.seconds))
    assertEquals(refused.why, LocalHashing.Failure.NotAvailable("the heap is too small for this hash"))
    opened.close()
  }

  test("the JVM hashes if the system gives the library no threads") {
    val opened = new OpenedNative(1, 1L << 26, TestKernels.NoCeilings, (_, _, _) => 0)
    val admitted = TestKernels.admitted(bcrypt(4))
    assertEquals(opened.compute(admitted, password, 10.seconds).toSeq, Kernels.compute(admitted, password).toSeq)
    opened.close()
    val refused = intercept[OpenedKernels.Stopped](opened.compute(admitted, password, 10.seconds))
    assertEquals(refused.why, LocalHashing.Failure.Closed)
  }

  test("a deadline ends a running hash") {
    val opened = TestKernels.native.start(1, 1L << 26, TestKernels.NoCeilings)
    // The first call measures the machine, and would be late because of that.
    val _ = opened.compute(TestKernels.admitted(bcrypt(4)), password, 10.seconds)
    // A second or more in shared lanes: each of the hashes alone would be in time, but together
    // they are not.
    val ends = inParallel(16)(_ => endOf(opened.compute(TestKernels.admitted(bcrypt(11)), password, 300.millis)))
    assert(ends.exists(_ != "done"), ends.toString)
    assert(ends.forall(Set("done", "Expired", "Shed")), ends.toString)
    opened.close()
    val refused = intercept[OpenedKernels.Stopped](opened.compute(TestKernels.admitted(bcrypt(4)), password, 10.seconds))
    assertEquals(refused.why, LocalHashing.Failure.Closed)
  }

  test("many concurrent logins through the library are each checked with their own password") {
    // The longest deadline: a busy machine estimates long waits.
    val client = Saltern(config.withDeadline(60.seconds))
    try {
      val hashes = await(Future.traverse((1 to 4).toVector)(i => client.hash(Password(s"password $i"), "bcrypt-12-2023")))
      val logins = for (i <- hashes.indices; right <- Seq(true, false)) yield (i, right)
      val verified = await(Future.traverse(logins) { case (i, right) =>
        client.verify(Password(s"password ${if (right) i + 1 else i + 2}"), hashes(i).encoded)
      })
      assertEquals(verified.map(_.isInstanceOf[Match]), logins.map(_._2))
      assert(verified.forall(_.origin == Origin.Local))
    } finally client.close()
  }

  test("closing a client with the library answers the calls in flight") {
    val client = Saltern(config)
    val calls = (1 to 8).map(_ => client.hash(Password("x"), "bcrypt-12-2023"))
    client.close()
    for (call <- calls) assert(Await.ready(call, 60.seconds).value.get.failed.get.isInstanceOf[SalternError])
  }

  test("on JDK 24 and later, denied native access is logged once and enabled access is not logged") {
    assume(enableNativeAccess.nonEmpty, "NOT RUN: this JDK has no rule for native access")
    val enabled = TestKernels.inJvm(quietUnsafe ++ enableNativeAccess, "LoadAndHash")
    assertEquals(enabled.said.trim, "hashed by NativeKernels, then NativeKernels: right is true")
    val denied = TestKernels.inJvm(Seq("--illegal-native-access=deny"), "LoadAndHash")
    assert(denied.said.contains("hashed by the JVM's kernels, then the JVM's kernels: right is true"), denied.said)
    assertEquals(denied.said.split("the native kernels are not used").length, 2, denied.said)
    assertEquals(denied.exitCode, 0)
  }

  test("a host with an unusable temporary directory hashes on the JVM, and this is logged once") {
    val ended = TestKernels.inJvm(Seq("-Djava.io.tmpdir=/nowhere"), "LoadAndHash")
    assert(ended.said.contains("hashed by the JVM's kernels, then the JVM's kernels: right is true"), ended.said)
    assertEquals(ended.said.split("the native kernels are not used").length, 2, ended.said)
  }

  /** Nothing listens there: every call is local. */
  private def config: ClientConfig = ClientConfig("http://127.0.0.1:1").withLocalKernels(TestKernels.native).withLocalWorkers(1).withDeadline(30.seconds)

  private def await[A](future: Future[A]): A = Await.result(future, 60.seconds)

  /** `done`, or the name of the failure. */
  private def endOf(compute: => Array[Byte]): String =
    try { compute; "done" }
    catch { case stopped: OpenedKernels.Stopped => stopped.why.toString.takeWhile(_ != '(') }

  private def inParallel[A](count: Int)(body: Int => A): Seq[A] = {
    val threads = Executors.newFixedThreadPool(count)
    val go = new CountDownLatch(1)
    try {
      val running = (1 to count).map(i => threads.submit(() => { go.await(); body(i) }))
      go.countDown()
      running.map(_.get(60, TimeUnit.SECONDS))
    } finally threads.shutdown()
  }
}
