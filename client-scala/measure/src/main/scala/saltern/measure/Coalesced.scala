package saltern.measure

import java.util.concurrent.Executors
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}
import saltern.client.{ClientConfig, Fallback, Match, Origin, Password, Saltern}
import saltern.example.{Arguments, Users}
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*

/** Question: where does coalescing pay? bcrypt-10, the real server with one worker on core 0. Runs
  * with and without coalescing alternate, before two services:
  *
  *   - 64 callers, and the server behind [[OneAtATime]]. It lets one request through at a time, as
  *     classic Lambda does.
  *   - 8 callers, and the server itself. It fills its eight lanes from concurrent requests. It
  *     would refuse some of many more.
  *
  * The default of `withCoalescing` follows from both figures: on for the first, off for the second.
  */
object Coalesced {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--server" -> "", "--rounds" -> "3", "--seconds" -> "8", "--callers" -> "64", "--at-most" -> "4"))
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val (rounds, callers, atMost, time) =
      (settings("--rounds").toInt, settings("--callers").toInt, settings("--at-most").toInt, settings("--seconds").toInt.seconds)
    val server = Child.start(Seq("taskset", "-c", "0", settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--workers", "1", "--log-format", "json"))
    try {
      Child.awaitPort(Port)
      val gate = OneAtATime.start(GatePort, Port)
      val stored = Users.bcrypt(cost = 10)
      def gain(service: String, port: Int, callers: Int): Double = {
        def rate(port: Int, together: Int): Double = throughput(port, together, stored, callers, time)
        val ratios = (1 to rounds).map { _ =>
          val (a1, b1) = (rate(port, 1), rate(port, atMost))
          val (b2, a2) = (rate(port, atMost), rate(port, 1))
          val (alone, together) = ((a1 + a2) / 2, (b1 + b2) / 2)
          println(f"$service: alone $alone%.1f/s, together (at most $atMost) $together%.1f/s: ${together / alone}%.2f times")
          together / alone
        }
        ratios.sorted.apply(rounds / 2)
      }
      val (lambda, itself) = (gain("one request at a time", GatePort, callers), gain("the server itself", Port, ServerCallers))
      println(f"one request at a time: median $lambda%.2f times the logins (at least $LeastGain) ${Verdict.of(lambda >= LeastGain)}")
      println(
        f"the server itself: median $itself%.2f times the logins (off by default: less than $SmallestWorthwhile) ${Verdict.of(itself < SmallestWorthwhile)}"
      )
      gate.close()
    } finally server.stop()
    Verdict.end()
  }

  private def throughput(port: Int, atMost: Int, stored: String, callers: Int, time: FiniteDuration): Double = {
    val config =
      ClientConfig(
        s"http://127.0.0.1:$port"
      ).withDeadline(60.seconds).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds).withFallback(Fallback.Never)
    val client = Saltern(if (atMost == 1) config.withoutCoalescing else config.withCoalescing(atMost, config.settings.coalesceWindow))
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

  /** The gain of four lanes, less the cost of an exchange. */
  private val LeastGain = 2.5

  /** A gain that would pay for a batch's costs: see docs/adr/0017. */
  private val SmallestWorthwhile = 1.2

  private val ServerCallers = 8
  private val Port = 18331
  private val GatePort = 18332
}
