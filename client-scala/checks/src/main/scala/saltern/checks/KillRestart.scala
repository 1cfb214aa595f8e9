package saltern.checks

import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import saltern.client.{ClientConfig, Match, Origin, Password, Saltern, SalternError, Verified}
import saltern.example.{Arguments, Users}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Success, Try}

/** Question: the service is killed and started again, under 200 calls in flight and steady load.
  * Does every call end by its deadline, is no call answered wrongly, and how soon is the service
  * used again?
  *
  * There are two users. A wrong password is the other user's right one, so an answer that reaches
  * another call is a wrong answer. `--rounds 22` takes two minutes.
  *
  * `--server` is the binary (`saltern`). The stub does not check passwords, so this needs the real
  * one.
  */
object KillRestart {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--server" -> "", "--rounds" -> "3", "--in-flight" -> "200", "--deadline-ms" -> "3000"))
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val deadline = settings("--deadline-ms").toInt.millis
    val command = Seq(settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--log-format", "json")
    val client = Saltern(ClientConfig(s"http://127.0.0.1:$Port").withDeadline(deadline).withAttemptTimeout(1500.millis))
    val users = Passwords.map(password => password -> Users.bcrypt(cost = 6, password))
    var server = Child.start(command)
    Child.awaitPort(Port)
    val load = new Load(client, users, deadline, settings("--in-flight").toInt)
    load.start()
    Thread.sleep(2000)
    val recoveries = (1 to settings("--rounds").toInt).map { _ =>
      server.stop()
      Thread.sleep(1500)
      server = Child.start(command)
      Child.awaitPort(Port)
      val recovered = System.nanoTime()
      while (!load.lastRemote.exists(_ > recovered)) {
        require(System.nanoTime() - recovered < 30.seconds.toNanos, "not remote again after 30 s")
        Thread.sleep(1)
      }
      val took = (load.firstRemoteAfter(recovered) - recovered).nanos
      Thread.sleep(1500)
      took
    }
    load.stop()
    server.stop()
    val ends = load.ends.asScala.toVector
    val late = ends.map(_.overdue).max
    println(s"calls ${ends.size}: " + ends.groupBy(_.what).toSeq.sortBy(-_._2.size).map { case (what, es) => s"$what ${es.size}" }.mkString(", "))
    println(f"remote again after ${recoveries.map(_.toMillis).mkString(" ms, ")} ms (limit 2000 ms) ${Verdict.of(recoveries.forall(_ < 2.seconds))}")
    println(f"latest end: ${late.toMillis}%d ms past its deadline (limit 50 ms) ${Verdict.of(late <= 50.millis)}")
    val (wrong, hanging) = (ends.count(_.what == "WRONG"), load.open.get)
    println(s"wrong answers $wrong, hanging $hanging ${Verdict.of(wrong == 0 && hanging == 0)}")
    client.close()
    load.shutdown()
    Verdict.end()
  }

  private final case class End(what: String, overdue: FiniteDuration)

  private final class Load(client: Saltern, users: Seq[(String, String)], deadline: FiniteDuration, count: Int) {
    val ends = new ConcurrentLinkedQueue[End]
    val open = new AtomicInteger
    private val remotes = new ConcurrentLinkedQueue[Long]
    private val stopped = new AtomicBoolean
    private val threads = Executors.newScheduledThreadPool(1)
    private implicit val context: ExecutionContext = ExecutionContext.fromExecutor(threads)

    def start(): Unit = (0 until count).foreach(i => next(users(i % 2), right = i / 2 % 2 == 0))

    def stop(): Unit = {
      stopped.set(true)
      val latest = System.nanoTime() + deadline.toNanos + 2.seconds.toNanos
      while (open.get > 0 && System.nanoTime() < latest) Thread.sleep(5)
    }

    def shutdown(): Unit = { val _ = threads.shutdownNow() }

    def lastRemote: Option[Long] = remotes.asScala.toVector.lastOption
    def firstRemoteAfter(time: Long): Long = remotes.asScala.find(_ > time).get

    private def next(user: (String, String), right: Boolean): Unit =
      if (!stopped.get) {
        open.incrementAndGet()
        val started = System.nanoTime()
        val (own, stored) = user
        val offered = if (right) own else users.map(_._1).find(_ != own).get
        val call: Future[Verified] = client.verify(Password(offered), stored)
        call.onComplete { result =>
          val now = System.nanoTime()
          val what = told(result, right)
          if (what == "remote") { val _ = remotes.add(now) }
          ends.add(End(what, (now - started).nanos - deadline))
          open.decrementAndGet()
          // A caller that was refused pauses before the next call, as people do.
          val pause = if (result.isFailure) 50L else 5L
          val _ = threads.schedule((() => next(user, right)): Runnable, pause, TimeUnit.MILLISECONDS)
        }
      }

    private def told(result: Try[Verified], right: Boolean): String = result match {
      case Success(verified) if verified.isInstanceOf[Match] != right => "WRONG"
      case Success(verified) if verified.origin == Origin.Remote      => "remote"
      case Success(_)                                                 => "local"
      case Failure(e: SalternError)                                   => e.getClass.getSimpleName
      case Failure(e)                                                 => s"UNTYPED ${e.getClass.getName}"
    }
  }

  private val Passwords = Seq("secret", "correct horse")
  private val Port = 18311
}
