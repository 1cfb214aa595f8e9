package saltern.example

import java.io.{BufferedReader, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Paths
import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import saltern.client.{Cancellable, ClientConfig, Fallback, LocalKernels, Origin, Password, Saltern, SalternError}
import saltern.client.local.{Admitted, Ceilings, OpenedKernels}
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Random, Success}

/** Question: do eight clients in two JVMs keep one server busy, evenly and in time, at loads below
  * and far above its capacity?
  *
  * The server has one worker on core 0, the clients are on core 1. bcrypt-10, deadlines of 2 s.
  * The capacity is measured first. Local kernels sleep as long as the server hashes, so that they
  * take no CPU time.
  */
object FleetLoad {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(
      arguments.toSeq,
      Map("--server" -> "", "--seconds" -> "30", "--loads" -> "0.5,0.9,1.5,3,10", "--fallback" -> "unreachable,unreachable-or-overloaded")
    )
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val seconds = settings("--seconds").toInt
    require(seconds > Settled, s"--seconds: give more than $Settled")
    val server = Child.start(Seq("taskset", "-c", "0", settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--workers", "1", "--log-format", "json"))
    try {
      Child.awaitPort(Port)
      val stored = new Users(cost = 10).storedHash("ada").get
      val capacity = measured(stored)
      println(f"capacity $capacity%.1f logins/s")
      println("load, fallback: remote, local, refused, late per second; of capacity; swing; p99 of answers; verdict")
      for (fallback <- settings("--fallback").split(','); load <- settings("--loads").split(',').map(_.toDouble)) {
        val members = Vector.fill(JvmCount)(member(load * capacity / JvmCount, seconds, (1000 / capacity).round, fallback, stored))
        print(load, fallback, capacity, members.flatMap(_.ends()), seconds)
      }
    } finally server.stop()
  }

  /** The answers per second to so many callers that keep the worker busy. */
  private def measured(stored: String): Double = {
    val client = Saltern(ClientConfig(s"http://127.0.0.1:$Port").withFallback(Fallback.Never).withDeadline(10.seconds).withoutCoalescing)
    implicit val context: ExecutionContext = ExecutionContext.parasitic
    val (password, ends) = (Password("secret"), new AtomicInteger)
    @volatile var stop = false
    def loop(): Future[Unit] =
      if (stop) Future.unit else client.verify(password, stored).flatMap { _ => ends.incrementAndGet(); loop() }
    val loops = Vector.fill(Callers)(loop())
    Thread.sleep(2000)
    val (before, started) = (ends.get, System.nanoTime())
    Thread.sleep(5000)
    val rate = (ends.get - before) / ((System.nanoTime() - started) / 1e9)
    stop = true
    Await.result(Future.sequence(loops), 30.seconds)
    client.close()
    rate
  }

  private def print(load: Double, fallback: String, capacity: Double, all: Vector[End], seconds: Int): Unit = {
    val ends = all.filter(e => e.at >= Settled && e.at < seconds)
    def rate(how: String): Double = ends.count(_.how == how).toDouble / (seconds - Settled)
    val counts = (Settled until seconds).map(s => ends.count(e => e.how == "remote" && e.at.toInt == s).toDouble)
    val mean = counts.sum / counts.size
    val swing = math.sqrt(counts.map(c => (c - mean) * (c - mean)).sum / counts.size) / mean
    val times = ends.collect { case e if e.how == "remote" || e.how == "local" => e.millis }.sorted
    val p99 = times((times.size * 0.99).toInt)
    val kept = rate("remote") >= 0.9 * math.min(load, 1) * capacity && swing <= 0.2 && p99 <= 1000
    println(
      f"$load%5.1f, $fallback%-25s: ${rate("remote")}%6.1f, ${rate("local")}%6.1f, ${rate("refused")}%6.1f, ${rate("late")}%5.1f; " +
        f"${rate("remote") / capacity * 100}%.0f %%; ${swing * 100}%.0f %%; $p99%d ms; ${if (kept) "kept" else "MISSED"}"
    )
  }

  private final case class End(at: Double, how: String, millis: Long)

  private final class Member(process: Process) {
    private val lines = new ConcurrentLinkedQueue[String]
    private val reader =
      new Thread(() => new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8)).lines.forEach(line => { val _ = lines.add(line) }))
    reader.start()

    def ends(): Vector[End] = {
      process.waitFor()
      reader.join()
      lines.asScala.toVector.map(_.split(' ')).collect { case Array("end", at, how, millis) => End(at.toDouble, how, millis.toLong) }
    }
  }

  private def member(perSecond: Double, seconds: Int, sleepMillis: Long, fallback: String, stored: String): Member = new Member(
    new ProcessBuilder(
      "taskset",
      "-c",
      "1",
      Paths.get(sys.props("java.home"), "bin", "java").toString,
      "-Xmx512m",
      "-XX:+UseSerialGC",
      "-cp",
      sys.props("java.class.path"),
      "saltern.example.FleetMember",
      perSecond.toString,
      seconds.toString,
      sleepMillis.toString,
      fallback,
      stored
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  )

  private[example] val Port = 18341
  private val JvmCount = 2
  private val Callers = 8

  /** Figures begin after so many seconds. */
  private val Settled = 5
}

/** Four clients of [[FleetLoad]] in one JVM. It prints a line for each call that ended. */
object FleetMember {
  def main(arguments: Array[String]): Unit = {
    val (perSecond, seconds, sleep) = (arguments(0).toDouble, arguments(1).toInt, arguments(2).toLong)
    val fallback = Fallback.all.find(_.name == arguments(3)).getOrElse(throw new IllegalArgumentException(arguments(3)))
    val stored = arguments(4)
    val config =
      ClientConfig(s"http://127.0.0.1:${FleetLoad.Port}").withDeadline(2.seconds).withFallback(fallback).withLocalKernels(sleeper(sleep)).withLocalWorkers(1)
    val clients = Vector.fill(4)(Saltern(config))
    val timer = Executors.newSingleThreadScheduledExecutor()
    val (random, password) = (new Random, Password("secret"))
    val ends = new ConcurrentLinkedQueue[String]
    val began = System.nanoTime()
    def login(): Unit = {
      val started = System.nanoTime()
      clients(random.nextInt(clients.size)).verify(password, stored).onComplete { result =>
        val how = result match {
          case Success(verified) if verified.origin == Origin.Remote => "remote"
          case Success(_)                                            => "local"
          case Failure(_: SalternError.DeadlineExceeded)             => "late"
          case Failure(_)                                            => "refused"
        }
        val now = System.nanoTime()
        val _ = ends.add(s"end ${(now - began) / 1e9} $how ${(now - started) / 1000000}")
      }(ExecutionContext.parasitic)
    }
    // Poisson arrivals. A late timer does not lose any: the next time does not depend on this one.
    def next(at: Long): Unit =
      if (at - began < seconds * 1000000000L) {
        val _ = timer.schedule(
          (() => { login(); next(at + (-math.log(1 - random.nextDouble()) / perSecond * 1e9).toLong) }): Runnable,
          at - System.nanoTime(),
          TimeUnit.NANOSECONDS
        )
      }
    next(began)
    Thread.sleep(seconds * 1000L + 2500)
    ends.forEach(line => println(line))
    clients.foreach(_.close())
    timer.shutdownNow()
    System.exit(0)
  }

  private def sleeper(millis: Long): LocalKernels = new LocalKernels {
    def hashesAtOnce(workers: Int): Int = workers
    def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new OpenedKernels {
      def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = {
        Thread.sleep(millis)
        new Array[Byte](23)
      }
      def close(): Unit = ()
    }
  }
}
