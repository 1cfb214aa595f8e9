package saltern.example

import java.util.concurrent.Executors
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}
import saltern.client.{ClientConfig, Fallback, Match, Origin, Password, Saltern}
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*

/** Question: how many more logins does a server answer with coalescing? It has one core and takes
  * one request at a time, as classic Lambda does. bcrypt-10, 64 callers, the real server behind
  * [[OneAtATime]]. Runs with and without coalescing alternate.
  *
  * With `--gate false` there is nothing before the server, which fills its lanes itself.
  */
object Coalesced {
  def main(arguments: Array[String]): Unit = {
    val settings =
      Arguments(arguments.toSeq, Map("--server" -> "", "--rounds" -> "3", "--seconds" -> "8", "--callers" -> "64", "--at-most" -> "4", "--gate" -> "true"))
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val server = Child.start(Seq("taskset", "-c", "0", settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--workers", "1", "--log-format", "json"))
    try {
      Child.awaitPort(Port)
      val gate = OneAtATime.start(GatePort, Port)
      val gated = settings("--gate").toBoolean
      val port = if (gated) GatePort else Port
      val stored = new Users(cost = 10).storedHash("ada").get
      def rate(atMost: Int): Double = throughput(port, atMost, stored, settings("--callers").toInt, settings("--seconds").toInt.seconds)
      val atMost = settings("--at-most").toInt
      val results = (1 to settings("--rounds").toInt).map { _ =>
        val (a1, b1) = (rate(1), rate(atMost))
        val (b2, a2) = (rate(atMost), rate(1))
        ((a1 + a2) / 2, (b1 + b2) / 2)
      }
      val ratios = results.map { case (alone, together) => together / alone }.sorted
      results.foreach { case (alone, together) => println(f"alone $alone%.1f/s, together (at most $atMost) $together%.1f/s: ${together / alone}%.2f times") }
      val median = ratios(ratios.size / 2)
      val limit = if (gated) s" (limit 2.5) ${if (median >= 2.5) "kept" else "MISSED"}" else ""
      println(f"coalesced throughput: median $median%.2f times$limit")
      gate.close()
    } finally server.stop()
  }

  private def throughput(port: Int, atMost: Int, stored: String, callers: Int, time: FiniteDuration): Double = {
    val config =
      ClientConfig(
        s"http://127.0.0.1:$port"
      ).withDeadline(60.seconds).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds).withFallback(Fallback.Never)
    val client = Saltern(if (atMost == 1) config.withoutCoalescing else config.withCoalescing(atMost, config.coalesceWindow))
    val threads = Executors.newFixedThreadPool(1)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(threads)
    val (stop, done) = (new AtomicBoolean, new AtomicLong)
    val password = Password("secret")
    def loop(): Future[Unit] =
      if (stop.get) Future.unit
      else client.verify(password, stored).flatMap { verified =>
        require(verified.isInstanceOf[Match] && verified.origin == Origin.Remote); done.incrementAndGet(); loop()
      }
    val loops = Vector.fill(callers)(loop())
    // Callers that started together are spread before anything is counted.
    Thread.sleep(2000)
    val (before, started) = (done.get, System.nanoTime())
    Thread.sleep(time.toMillis)
    val rate = (done.get - before) / ((System.nanoTime() - started) / 1e9)
    stop.set(true)
    Await.result(Future.sequence(loops), 60.seconds)
    client.close()
    threads.shutdown()
    rate
  }

  private val Port = 18331
  private val GatePort = 18332
}
