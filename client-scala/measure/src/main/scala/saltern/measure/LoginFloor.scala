package saltern.measure

import java.util.concurrent.CountDownLatch
import saltern.client.{ClientConfig, Password, Saltern}
import saltern.example.Arguments
import saltern.testkit.InMemoryService
import scala.concurrent.{Await, ExecutionContext}
import scala.concurrent.duration.*

/** Does the time of a login show the kind of the stored hash?
  *
  * It measures seven kinds of stored hashes, each with a short password and one with a NUL. The
  * policies are cheap, and the service is in memory. The samples of all kinds are interleaved.
  * The result is the largest of Welch's t of any two kinds. It is measured once idle and once with
  * cores that are busy for 70 % of the time. Below 4.5 no difference is seen. `--floor 0` shows the
  * difference without a floor.
  */
object LoginFloor {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toList, Map("--samples" -> "500", "--floor" -> "20"))
    val (samples, floor) = (settings("--samples").toInt, settings("--floor").toInt.millis)
    val config = ClientConfig("http://127.0.0.1:1").withPolicies(InMemoryService.CheapPolicies).withLoginFloor(floor)
    val client = Saltern(config, InMemoryService(config.settings.policies))
    val current = Await.result(client.hash(Password("another")), 30.seconds).encoded
    val kinds = for ((name, stored) <- stored(current); (form, password) <- Passwords) yield new Kind(s"$name, $form", stored, Password(password))
    measured(client, kinds, math.max(20, samples / 10))
    val worst = for ((load, busy) <- Seq("idle" -> 0.0, "70 % load" -> 0.7)) yield {
      val burning = new Burning(busy)
      val times = measured(client, kinds, samples)
      burning.end()
      kinds.zip(times).foreach { case (kind, t) =>
        println(f"$load%-10s ${kind.name}%-24s mean ${mean(t) / 1e6}%7.3f ms, deviation ${math.sqrt(variance(t)) / 1e6}%6.3f ms")
      }
      val t = (for ((a, i) <- times.zipWithIndex; b <- times.drop(i + 1)) yield welch(a, b)).max
      println(f"$load: largest t of any two kinds $t%.2f (limit $Limit)")
      t
    }
    client.close()
    if (worst.exists(_ >= Limit)) sys.exit(1)
  }

  private final class Kind(val name: String, val stored: Option[String], val password: Password)

  private val Passwords = Seq("short" -> "secret12", "NUL" -> "sec\u0000ret1")

  /** No stored hash is of the password. */
  private def stored(current: String): Seq[(String, Option[String])] = Seq(
    "current" -> Some(current),
    "bcrypt-5" -> Some("$2b$05$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"),
    "bcrypt-6" -> Some("$2b$06$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S"),
    "Django's PBKDF2" -> Some("pbkdf2_sha256$1000$saltsalt$qQDPSZa3Ormyy9oK1Pu0ZLLwP2Svzmx3yu8OvDdq/J0="),
    "no account" -> None,
    "invalid" -> Some("$2b$05$short"),
    "unknown scheme" -> Some("$9$salt$hash")
  )

  /** The times in nanoseconds, for each kind. */
  private def measured(client: Saltern, kinds: Seq[Kind], samples: Int): Seq[Array[Double]] = {
    val times = kinds.map(_ => new Array[Double](samples))
    for (sample <- 0 until samples; (kind, of) <- scala.util.Random.shuffle(kinds.zip(times))) {
      val ended = new CountDownLatch(1)
      val started = System.nanoTime()
      client
        .login(kind.password, kind.stored)
        .onComplete { _ =>
          of(sample) = (System.nanoTime() - started).toDouble
          ended.countDown()
        }(ExecutionContext.parasitic)
      ended.await()
    }
    times
  }

  /** Keeps every core busy for a part of the time. */
  private final class Burning(part: Double) {
    @volatile private var ended = false
    private val threads = Vector.fill(if (part > 0) Runtime.getRuntime.availableProcessors else 0)(new Thread(() => burn()))
    threads.foreach { thread => thread.setDaemon(true); thread.start() }

    private def burn(): Unit = while (!ended) {
      val until = System.nanoTime() + (Period * part).toLong
      while (System.nanoTime() < until) {}
      Thread.sleep((Period * (1 - part) / 1e6).toLong)
    }

    def end(): Unit = { ended = true; threads.foreach(_.join()) }
  }

  /** In nanoseconds: short beside a login. */
  private val Period = 10e6

  private def mean(values: Array[Double]): Double = values.sum / values.length

  private def variance(values: Array[Double]): Double = {
    val center = mean(values)
    values.map(v => (v - center) * (v - center)).sum / (values.length - 1)
  }

  private def welch(a: Array[Double], b: Array[Double]): Double =
    math.abs(mean(a) - mean(b)) / math.sqrt(variance(a) / a.length + variance(b) / b.length)

  /** The limit of the leakage tests that use Welch's t (TVLA). */
  private val Limit = 4.5
}
