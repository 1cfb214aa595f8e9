package saltern.checks

import java.io.{BufferedReader, File, InputStreamReader}
import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.time.Instant
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import saltern.checks.LoadRecord.{Ended, Piece}
import saltern.example.{Arguments, Users}
import scala.jdk.CollectionConverters.*

/** Question: do eight clients in two JVMs keep one server busy, evenly and in time, at loads below
  * and far above its capacity?
  *
  * The server has one worker on core 0. The clients and this program are on core 1. The stored
  * hashes are bcrypt-10, the deadlines 2 s. The capacity is measured first, in the same run. Local
  * kernels sleep as long as the server hashes, so that they take no CPU time.
  *
  * `--old JAR` adds rows of an older client, which runs beside the others with its own default
  * settings. The JAR is the core module of that version: `bin/sbt core/package` in its sources.
  *
  * `--seconds 5` is a smoke: the program runs, and its figures are not judged.
  *
  * `loadtest/event` runs it with one load and keeps its record.
  */
object FleetLoad {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(
      arguments.toSeq,
      Map("--server" -> "", "--seconds" -> "30", "--loads" -> "0.5,0.9,1.5,3,10", "--fallback" -> "unreachable,unreachable-or-overloaded", "--old" -> "")
    )
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val seconds = settings("--seconds").toInt
    require(seconds >= 3, "--seconds: give 3 or more")
    val old = Some(settings("--old")).filter(_.nonEmpty)
    old.foreach(jar => require(Files.isRegularFile(Paths.get(jar)), s"--old: there is no file $jar"))
    val (record, loads) = (LoadRecord.wanted(), settings("--loads").split(',').map(_.toDouble).toVector)
    require(record.isEmpty || loads.size == 1 && settings("--fallback").split(',').length == 1, "--loads, --fallback: a record has one row")
    var broken = Vector.empty[String]
    val clients = settings("--fallback").split(',').toVector.map(name => Clients(name, None)) ++ old.map(jar => Clients(FleetMember.OldClient, Some(jar)))
    ontoCore1()
    val server = Child.start(Seq("taskset", "-c", "0", settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--workers", "1", "--log-format", "json"))
    try {
      Child.awaitPort(Port)
      val stored = Users.bcrypt(cost = 10)
      val capacity = measured(stored)
      val sleepMillis = math.max(1L, (1000 / capacity).round)
      println(
        f"capacity $capacity%.1f logins a second; a local hash sleeps $sleepMillis%d ms; $seconds%d s for each row, without the first ${settled(seconds)}%d s"
      )
      println("| clients | load | remote/s | local/s | refused/s | late/s | goodput, of capacity | swing | p99 of answers | |")
      println("|---|---|---|---|---|---|---|---|---|---|")
      for (kind <- clients; load <- loads) {
        val began = Instant.now()
        val members = Vector.fill(JvmCount)(member(kind, load * capacity / JvmCount, seconds, sleepMillis, stored))
        val ends = members.flatMap(_.ends())
        val row = new Row(load, capacity, ends, seconds)
        println(row.line(kind))
        record.foreach { record =>
          val knobs = Map("capacity_per_second" -> capacity, "load_of_capacity" -> load, "clients" -> 4.0 * JvmCount)
          broken = row.broken ++ row.tooManyFailed
          record.write("saltern.checks.FleetLoad", knobs, Vector(Piece(load * capacity, seconds.toDouble)), ends.map(_.ended(began)), broken)
        }
      }
    } finally server.stop()
    if (broken.nonEmpty) sys.exit(LoadRecord.BudgetBroken)
    Verdict.end()
  }

  /** @param fallback the name of the setting
    * @param jar of an older version of the client
    */
  private final case class Clients(fallback: String, jar: Option[String])

  /** Moves all threads of this program, and the programs that it starts. */
  private def ontoCore1(): Unit = {
    val moved = new ProcessBuilder("taskset", "-acp", "1", ProcessHandle.current.pid.toString).redirectErrorStream(true).start()
    val said = new String(moved.getInputStream.readAllBytes(), UTF_8)
    require(moved.waitFor() == 0, s"this needs two cores: $said")
  }

  /** Returns the answers per second to callers that keep the worker's lanes full. They send plain
    * requests, because a client would send fewer of them.
    */
  private def measured(stored: String): Double = {
    val client = HttpClient.newHttpClient()
    val request = HttpRequest
      .newBuilder(URI.create(s"http://127.0.0.1:$Port/verify"))
      .header("Content-Type", "application/json")
      .POST(HttpRequest.BodyPublishers.ofString(s"""{"password":"secret","hash":"$stored"}"""))
      .build()
    val (stop, answers, threads) = (new AtomicBoolean, new AtomicInteger, Executors.newFixedThreadPool(Callers))
    for (_ <- 1 to Callers) threads.execute { () =>
      while (!stop.get)
        if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode == 200) answers.incrementAndGet()
        else Thread.sleep(RefusedPauseMillis)
    }
    Thread.sleep(2000)
    val (before, started) = (answers.get, System.nanoTime())
    Thread.sleep(5000)
    val rate = (answers.get - before) / ((System.nanoTime() - started) / 1e9)
    stop.set(true)
    threads.shutdown()
    require(threads.awaitTermination(60, TimeUnit.SECONDS) && rate > 0, "the server answered nothing in five seconds: this needs an idle machine")
    rate
  }

  /** The figures of one load. */
  private final class Row(load: Double, capacity: Double, all: Vector[End], seconds: Int) {
    private val from = settled(seconds)
    private val ends = all.filter(e => e.at >= from && e.at < seconds)
    // A slow server answers few logins a second, and the hashes of its lanes end together.
    private val period = math.max(1, (LoginsAPeriod / capacity).round.toInt)
    private val counts = (from to seconds - period by period).map(s => ends.count(e => e.how == "remote" && e.at >= s && e.at < s + period).toDouble)
    private val mean = counts.sum / counts.size
    private val swing = math.sqrt(counts.map(c => (c - mean) * (c - mean)).sum / counts.size) / mean
    private val times = ends.collect { case e if e.how == "remote" || e.how == "local" => e.millis }.sorted
    private val p99 = times.lift((times.size * 0.99).toInt)
    private val isJudged = seconds >= LeastSeconds

    private def rate(how: String): Double = ends.count(_.how == how).toDouble / (seconds - from)

    /** The limits that are broken. A smoke breaks none. */
    val broken: Vector[String] =
      Vector(
        (rate("remote") >= LeastGoodput * math.min(load, 1) * capacity) ->
          f"goodput: at least ${LeastGoodput * 100}%.0f %% of the possible (is ${rate("remote")}%.1f a second)",
        (swing <= LargestSwing) -> f"swing: at most ${LargestSwing * 100}%.0f %% (is ${swing * 100}%.0f %%)",
        p99.exists(_ <= LongestP99Millis) -> s"p99: at most $LongestP99Millis ms (is ${p99.fold("none")(_.toString)})"
      ).collect { case (false, limit) if isJudged => limit }

    /** For a load that the clients together can hash. */
    def tooManyFailed: Option[String] = {
      val failed = ends.count(e => e.how != "remote" && e.how != "local").toDouble / math.max(1, ends.size)
      Option.when(isJudged && failed > LargestFailedShare)(f"failed: at most ${LargestFailedShare * 100}%.0f %% (is ${failed * 100}%.1f %%)")
    }

    def line(kind: Clients): String = {
      val verdict = if (kind.jar.nonEmpty) "" else if (!isJudged) "not judged" else Verdict.of(broken.isEmpty)
      f"| ${kind.fallback} | $load%s × | ${rate("remote")}%.1f | ${rate("local")}%.1f | ${rate("refused")}%.1f | ${rate("late")}%.1f " +
        f"| ${rate("remote") / capacity * 100}%.0f %% | ${swing * 100}%.0f %% | ${p99.fold("none")(ms => s"$ms ms")} | $verdict |"
    }
  }

  /** The figures begin after so many seconds. */
  private def settled(seconds: Int): Int = math.min(5, seconds / 3)

  private final case class End(at: Double, how: String, millis: Long) {

    /** For a record. The members begin some time after the start of their JVMs; for the figures of
      * each second only the order matters.
      */
    def ended(began: Instant): Ended = {
      val kind = how match {
        case "remote" | "local" => "right"
        case "late"             => "deadline_exceeded"
        case _                  => "overloaded"
      }
      Ended(began.plusMillis((at * 1000).toLong), millis.toDouble, kind, how == "local")
    }
  }

  private final class Member(process: Process) {
    Runtime.getRuntime.addShutdownHook(new Thread(() => { val _ = process.destroyForcibly() }))
    @volatile private var lines = Vector.empty[String]
    private val reader =
      new Thread(() => lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8)).lines.iterator.asScala.toVector)
    reader.start()

    def ends(): Vector[End] = {
      val code = process.waitFor()
      reader.join()
      require(code == 0, s"a client's JVM ended with $code")
      lines.map(_.split(' ')).collect { case Array("end", at, how, millis) => End(at.toDouble, how, millis.toLong) }
    }
  }

  private def member(kind: Clients, perSecond: Double, seconds: Int, sleepMillis: Long, stored: String): Member = {
    // The classes of the older version hide the present ones.
    val classPath = (kind.jar.toSeq :+ sys.props("java.class.path")).mkString(File.pathSeparator)
    val java = Paths.get(sys.props("java.home"), "bin", "java").toString
    val options = Seq("-Xmx512m", "-XX:+UseSerialGC", "-cp", classPath)
    val arguments = Seq(perSecond.toString, seconds.toString, sleepMillis.toString, kind.fallback, stored)
    val command = (java +: options) ++ ("saltern.checks.FleetMember" +: arguments)
    new Member(new ProcessBuilder(command*).redirectError(ProcessBuilder.Redirect.INHERIT).start())
  }

  private[checks] val Port = 18341
  private val JvmCount = 2

  /** The worker has eight lanes. */
  private val Callers = 12
  private val RefusedPauseMillis = 5L

  /** The swing is over periods in which the server can answer about so many logins, of at least a
    * second.
    */
  private val LoginsAPeriod = 100.0

  /** The limits. The swing is the standard deviation over the mean of the answers of a period. */
  private val LeastGoodput = 0.9
  private val LargestSwing = 0.2
  private val LongestP99Millis = 1000
  private val LargestFailedShare = 0.01

  /** A shorter run has too few seconds for a standard deviation. */
  private val LeastSeconds = 15
}
