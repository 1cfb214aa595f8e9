package saltern.checks

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}
import saltern.client.{ClientConfig, Password, Saltern}
import saltern.example.{Arguments, Users}

/** Question: how long does an unrelated `/hello` take while 64 logins are in flight and the service
  * is down?
  *
  * The backend and the stub of the service run in separate JVMs; this program only sends requests.
  * One run compares four cases:
  * - an idle backend
  * - the storm with the service down
  * - the storm with the service up
  * - the storm on a backend that hashes on the threads that serve requests
  *
  * Each of `--runs` runs takes `--samples` of each. Medians over the runs are printed. `--kernels
  * native` hashes with the library. `--policy argon2id-2026` stores a hash under this policy in
  * place of bcrypt with `--cost`; then leave out the last case by `--inline false`. With `taskset
  * -c 0 bin/storm` everything shares one core.
  */
object Storm {
  import LocalCapacity.median

  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(
      arguments.toSeq,
      Map(
        "--runs" -> "5",
        "--samples" -> "3000",
        "--logins" -> "64",
        "--cost" -> "10",
        "--policy" -> "",
        "--inline" -> "true",
        "--report" -> "true",
        "--kernels" -> "jvm"
      )
    )
    require(settings("--policy").isEmpty || settings("--inline") == "false", "--policy: give --inline false too, because the last case reads only bcrypt")
    val stored = if (settings("--policy").isEmpty) Users.bcrypt(settings("--cost").toInt) else hashUnder(settings("--policy"))
    val (runs, samples, logins) = (settings("--runs").toInt, settings("--samples").toInt, settings("--logins").toInt)
    val stub = Child("saltern.checks.StubService", "--port", "18301", "--think-ms", "70")
    val down = backend(18302, "http://127.0.0.1:18300", settings, stored, "saltern")
    val up = backend(18303, "http://127.0.0.1:18301", settings, stored, "saltern")
    val inline = Option.when(settings("--inline").toBoolean)(backend(18304, "http://127.0.0.1:18300", settings, stored, "inline"))
    try {
      val paths = "hello" +: (if (settings("--report").toBoolean) Seq("report") else Nil)
      for (path <- paths) measure(path, runs, samples, logins, Seq("service down" -> down.port, "service up" -> up.port))
      // A few samples are enough if each takes seconds.
      inline.foreach(b => measure("hello", 1, math.max(5, samples / 600), logins, Seq(Inline -> b.port)))
    } finally (Seq(stub, down.child, up.child) ++ inline.map(_.child)).foreach(_.stop())
    Verdict.end()
  }

  /** Returns a hash of `secret`, made on this host. */
  private def hashUnder(policy: String): String = {
    val client = Saltern(ClientConfig("http://127.0.0.1:1"))
    try client.blocking.hash(Password("secret"), policy).encoded
    finally client.close()
  }

  private final case class Running(child: Child, port: Int)

  private def backend(port: Int, service: String, settings: Map[String, String], stored: String, hashing: String): Running =
    Running(
      Child(
        "saltern.example.Backend",
        "--port",
        port.toString,
        "--service",
        service,
        "--hashing",
        hashing,
        "--stored",
        stored,
        "--upgrade",
        "false",
        "--kernels",
        settings("--kernels")
      ),
      port
    )

  private def measure(path: String, runs: Int, samples: Int, logins: Int, backends: Seq[(String, Int)]): Unit =
    for ((name, port) <- backends) {
      // The stub accepts every password.
      val checked = name != "service up"
      Child.awaitPort(port)
      // The JIT compiles the measured code before it is measured.
      val _ = new Logins(port, logins, checked).during(percentiles(port, path, math.min(samples, 1000)))
      val results = (1 to runs).map { _ =>
        val idle = percentiles(port, path, samples)
        val storm = new Logins(port, logins, checked)
        val stormy = storm.during(percentiles(port, path, samples))
        (idle, stormy, storm)
      }
      val (idle, stormy) = (median(results.map(_._1.p99)), median(results.map(_._2.p99)))
      val limit = math.max(2 * idle, idle + 10)
      val wrong = results.map(_._3.wrong.get).sum
      // The last case shows the harm, and has no limit to keep.
      val verdict = if (name == Inline) "not judged" else Verdict.of(stormy <= limit && wrong == 0)
      println(
        f"/$path%-6s $name%-15s idle p50 ${median(results.map(_._1.p50))}%7.2f p99 $idle%7.2f ms | storm p50 ${median(results.map(_._2.p50))}%8.2f p99 $stormy%8.2f ms" +
          f" | limit $limit%6.2f ms $verdict | logins answered ${median(results.map(_._3.answered.get.toDouble))}%.0f, refused ${median(results.map(_._3.refused.get.toDouble))}%.0f, wrong $wrong"
      )
    }

  /** The backend that hashes on the threads that serve requests. */
  private val Inline = "hashing inline"

  private final case class Percentiles(p50: Double, p99: Double)

  private def percentiles(port: Int, path: String, samples: Int): Percentiles = {
    val client = HttpClient.newHttpClient()
    val request = HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port/$path")).build()
    val sorted = Array.fill(samples) {
      // Several seconds, because occasional pauses are part of the result.
      Thread.sleep(1)
      val started = System.nanoTime()
      val status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode
      require(status == 200, s"/$path answered $status")
      (System.nanoTime() - started) / 1e6
    }.sorted
    Percentiles(sorted(samples / 2), sorted(samples * 99 / 100))
  }

  /** Keeps logins in flight: each caller sends the next login after its answer. Half of the
    * passwords are wrong.
    */
  private final class Logins(port: Int, count: Int, checked: Boolean) {
    val answered = new AtomicLong
    val refused = new AtomicLong
    val wrong = new AtomicLong

    def during[A](body: => A): A = {
      val stop = new AtomicBoolean
      val threads = Executors.newFixedThreadPool(count)
      val client = HttpClient.newHttpClient()
      for (i <- 1 to count) threads.execute { () =>
        val right = i % 2 == 0
        val request = HttpRequest
          .newBuilder(URI.create(s"http://127.0.0.1:$port/login"))
          .header("Content-Type", "application/x-www-form-urlencoded")
          .POST(HttpRequest.BodyPublishers.ofString(s"user=ada&password=${if (right) "secret" else "guess"}"))
          .build()
        while (!stop.get)
          try
            client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode match {
              case 200 => answered.incrementAndGet(); if (!right && checked) wrong.incrementAndGet()
              case 403 => answered.incrementAndGet(); if (right) wrong.incrementAndGet()
              case _   => refused.incrementAndGet(); Thread.sleep(RefusedPauseMillis)
            }
          catch { case _: java.io.IOException | _: InterruptedException => () }
      }
      // All logins are in flight before anything is measured.
      Thread.sleep(1000)
      try body
      finally {
        // Each caller waits for its last answer. An abandoned login would keep the backend busy in
        // the next run.
        stop.set(true)
        threads.shutdown()
        val _ = threads.awaitTermination(30, TimeUnit.SECONDS)
      }
    }
  }

  /** A caller that was refused with a retry time waits before the next call. */
  private val RefusedPauseMillis = 200L
}
