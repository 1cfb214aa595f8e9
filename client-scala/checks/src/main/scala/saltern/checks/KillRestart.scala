package saltern.checks

import java.util.concurrent.{ConcurrentLinkedQueue, Executors, Semaphore, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicReference}
import saltern.client.{BreakerState, ClientConfig, ClientListener, FallbackReason, Match, Origin, Password, Saltern, SalternError, Verified}
import saltern.example.{Arguments, Users}
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Success, Try}

/** Question: the service is killed and started again, under 200 calls in flight and steady load.
  * Does every call end by its deadline, is no call answered wrongly, and how soon is the service
  * used again?
  *
  * Every tenth call has code behind it that blocks for two seconds on the client's own threads, at
  * most a hundred at once. Every seventh has code that throws, and so does the listener. Afterwards
  * every connection's permit must be free. `--callbacks false` leaves out this code, to compare.
  *
  * There are two users. A wrong password is the other user's right one, so an answer that reaches
  * another call is a wrong answer. `--rounds 22` takes two minutes.
  *
  * `--server` is the binary (`saltern`). The stub does not check passwords, so this needs the real
  * one.
  */
object KillRestart {
  def main(arguments: Array[String]): Unit = {
    val settings =
      Arguments(arguments.toSeq, Map("--server" -> "", "--rounds" -> "3", "--in-flight" -> "200", "--deadline-ms" -> "3000", "--callbacks" -> "true"))
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val deadline = settings("--deadline-ms").toInt.millis
    val command = Seq(settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--log-format", "json")
    val (inFlight, listener) = (settings("--in-flight").toInt, new ThrowingListener)
    val config = ClientConfig(s"http://127.0.0.1:$Port").withDeadline(deadline).withAttemptTimeout(1500.millis)
    val client = Saltern(config.withMaxConnections(inFlight).withListener(listener))
    val users = Passwords.map(password => password -> Users.bcrypt(cost = 6, password))
    var server = Child.start(command)
    Child.awaitPort(Port)
    val load = new Load(client, users, deadline, inFlight, settings("--callbacks").toBoolean)
    try {
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
      val leaked = inFlight - sentAtOnce(client, server, users.head._2, inFlight, listener)
      server.stop()
      val ends = load.ends.asScala.toVector
      val late = ends.map(_.overdue).max
      println(s"calls ${ends.size}: " + ends.groupBy(_.what).toSeq.sortBy(-_._2.size).map { case (what, es) => s"$what ${es.size}" }.mkString(", "))
      println(f"remote again after ${recoveries.map(_.toMillis).mkString(" ms, ")} ms (limit 2000 ms) ${Verdict.of(recoveries.forall(_ < 2.seconds))}")
      println(f"latest end: ${late.toMillis}%d ms past its deadline (limit 50 ms) ${Verdict.of(late <= 50.millis)}")
      val (wrong, hanging) = (ends.count(_.what == "WRONG"), load.open.get)
      println(s"wrong answers $wrong, hanging $hanging ${Verdict.of(wrong == 0 && hanging == 0)}")
      println(s"callbacks that blocked ${load.blocked.get}, that threw ${load.threw.get}, events whose listener threw ${listener.threw.get}")
      println(s"permits leaked $leaked of $inFlight ${Verdict.of(leaked == 0)}")
    } finally { client.close(); load.shutdown() }
    Verdict.end()
  }

  /** Returns how many calls are on their way after so many were made at once, to a server that is
    * paused: none of them gives its permit back. They are cancelled then.
    */
  private def sentAtOnce(client: Saltern, server: Child, stored: String, calls: Int, listener: ThrowingListener): Int = {
    // A client that sends only a share of its calls would seem to lack permits.
    val latest = System.nanoTime() + 60.seconds.toNanos
    while (listener.state.get != BreakerState.Closed) {
      require(System.nanoTime() < latest, "the client does not send all calls again after 60 s")
      val _ = Await.ready(client.verify(Password("secret"), stored), 60.seconds)
    }
    server.pause()
    val before = listener.sent.get
    val made = Seq.fill(calls)(client.verify(Password("secret"), stored))
    val sent = listener.sent.get - before
    made.foreach(client.cancel(_))
    sent
  }

  /** Throws at every event. */
  private final class ThrowingListener extends ClientListener {
    val (sent, threw) = (new AtomicInteger, new AtomicInteger)
    val state = new AtomicReference[BreakerState](BreakerState.Closed)
    override def onSend(calls: Int): Unit = { sent.addAndGet(calls); fault() }
    override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit = fault()
    override def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = fault()
    override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = fault()
    override def onLocalStart(waited: FiniteDuration): Unit = fault()
    override def onBreaker(next: BreakerState): Unit = { state.set(next); fault() }
    private def fault(): Unit = { threw.incrementAndGet(); throw new IllegalStateException("the listener of a program is broken") }
  }

  private final case class End(what: String, overdue: FiniteDuration)

  private final class Load(client: Saltern, users: Seq[(String, String)], deadline: FiniteDuration, count: Int, callbacks: Boolean) {
    val ends = new ConcurrentLinkedQueue[End]
    val open = new AtomicInteger
    private val remotes = new ConcurrentLinkedQueue[Long]
    private val stopped = new AtomicBoolean
    private val threads = Executors.newScheduledThreadPool(1)
    private implicit val context: ExecutionContext = ExecutionContext.fromExecutor(threads)
    val (blocked, threw) = (new AtomicInteger, new AtomicInteger)
    private val (made, blocking) = (new AtomicInteger, new Semaphore(MostBlocked))

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
        def ended(result: Try[Verified]): Unit = {
          val now = System.nanoTime()
          val what = told(result, right)
          if (what == "remote") { val _ = remotes.add(now) }
          ends.add(End(what, (now - started).nanos - deadline))
          open.decrementAndGet()
          // A caller that was refused pauses before the next call, as people do.
          val pause = if (result.isFailure) 50L else 5L
          val _ = threads.schedule((() => next(user, right)): Runnable, pause, TimeUnit.MILLISECONDS)
        }
        val number = if (callbacks) made.incrementAndGet() else 1
        if (number % 10 == 0 && blocking.tryAcquire())
          call.onComplete { result =>
            ended(result)
            // A call that has ended before this was attached runs it on the load's one thread.
            if (Thread.currentThread.getName.startsWith("saltern-callback")) { blocked.incrementAndGet(); Thread.sleep(BlockedMillis) }
            blocking.release()
          }(OnItsThread)
        else if (number % 7 == 0)
          call.onComplete { result => ended(result); threw.incrementAndGet(); throw new IllegalStateException("the code of a program is broken") }(OnItsThread)
        else call.onComplete(ended)
      }

    private def told(result: Try[Verified], right: Boolean): String = result match {
      case Success(verified) if verified.isInstanceOf[Match] != right => "WRONG"
      case Success(verified) if verified.origin == Origin.Remote      => "remote"
      case Success(_)                                                 => "local"
      case Failure(e: SalternError)                                   => e.getClass.getSimpleName
      case Failure(e)                                                 => s"UNTYPED ${e.getClass.getName}"
    }
  }

  /** Runs code on the thread that completes the call, and hides what it throws. */
  private object OnItsThread extends ExecutionContext {
    def execute(task: Runnable): Unit = task.run()
    def reportFailure(problem: Throwable): Unit = ()
  }

  private val BlockedMillis = 2000L

  /** Fewer than the client has threads for such code. */
  private val MostBlocked = 100
  private val Passwords = Seq("secret", "correct horse")
  private val Port = 18311
}
