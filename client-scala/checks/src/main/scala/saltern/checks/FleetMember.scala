package saltern.checks

import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}
import saltern.client.{Cancellable, ClientConfig, Fallback, LocalKernels, Origin, Password, Saltern, SalternError}
import saltern.hashes.{Admitted, Ceilings, HashKernels, OpenedKernels}
import scala.concurrent.ExecutionContext
import scala.concurrent.duration.*
import scala.util.{Failure, Random, Success}

/** Four clients of [[FleetLoad]] in one JVM. It prints a line for each call that ended.
  *
  * It also runs with an older client, so it uses only what that has too.
  */
object FleetMember {
  def main(arguments: Array[String]): Unit = {
    val (perSecond, seconds, sleep) = (arguments(0).toDouble, arguments(1).toInt, arguments(2).toLong)
    val (fallback, stored) = (arguments(3), arguments(4))
    val common = ClientConfig(s"http://127.0.0.1:${FleetLoad.Port}").withDeadline(2.seconds).withLocalKernels(sleeper(sleep)).withLocalWorkers(1)
    val config = if (fallback == OldClient) common else Present.config(common, fallback)
    val clients = Vector.fill(4)(Saltern(config))
    val timer = Executors.newSingleThreadScheduledExecutor()
    val (random, password) = (new Random, Password("secret"))
    val ends = new ConcurrentLinkedQueue[String]
    val began = System.nanoTime()
    def login(came: Long): Unit = {
      clients(random.nextInt(clients.size)).verify(password, stored).onComplete { result =>
        val how = result match {
          case Success(verified) if verified.origin == Origin.Remote => "remote"
          case Success(_)                                            => "local"
          case Failure(_: SalternError.DeadlineExceeded)             => "late"
          case Failure(_)                                            => "refused"
        }
        val now = System.nanoTime()
        val _ = ends.add(s"end ${(now - began) / 1e9} $how ${(now - came) / 1000000}")
      }(ExecutionContext.parasitic)
    }
    // Poisson arrivals. A late timer does not lose any: the next time does not depend on this one.
    def next(at: Long): Unit =
      if (at - began < seconds * 1000000000L) {
        val _ = timer.schedule(
          (() => { login(at); next(at + (-math.log(1 - random.nextDouble()) / perSecond * 1e9).toLong) }): Runnable,
          at - System.nanoTime(),
          TimeUnit.NANOSECONDS
        )
      }
    next(began)
    // The last calls end by their deadline.
    Thread.sleep(seconds * 1000L + 2500)
    ends.forEach(line => println(line))
    clients.foreach(_.close())
    timer.shutdownNow()
    System.exit(0)
  }

  /** The name of an older client's settings. */
  private[checks] val OldClient = "old client"

  /** The older client has no such class. It is loaded only for the present one. */
  private object Present {
    def config(common: ClientConfig, fallback: String): ClientConfig =
      common.withFallback(Fallback.all.find(_.name == fallback).getOrElse(throw new IllegalArgumentException(s"--fallback: there is no $fallback")))
  }

  private def sleeper(millis: Long): LocalKernels = new HashKernels {
    def hashesAtOnce(workers: Int): Int = workers
    def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new OpenedKernels {
      def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = {
        Thread.sleep(millis)
        new Array[Byte](23)
      }
      def close(): Unit = ()
    }
  }
}
