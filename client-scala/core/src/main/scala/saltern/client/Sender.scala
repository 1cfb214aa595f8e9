package saltern.client

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong, AtomicReference}
import saltern.client.resilience.*
import saltern.client.wire.{JsonBytes, Name, ServerTiming, Trace, Wire}
import scala.annotation.tailrec
import scala.concurrent.ExecutionContext
import scala.concurrent.duration.*
import scala.util.{Failure, Success}

/** Sends calls to the service, alone or together, and learns from every exchange how the service
  * is. No thread blocks in this class.
  *
  * @param drift is compared after an answer
  * @param closed while it is set, nothing is sent
  * @param decided takes each call's decision, unless the call is sent again
  */
private[client] final class Sender(
    config: ClientConfig.Settings,
    transport: Transport,
    scheduler: Scheduler,
    local: LocalHashing,
    listener: ClientListener,
    journal: Journal,
    chance: () => Double,
    drift: PolicyDrift,
    closed: AtomicBoolean,
    decided: (Call[?], Decision[() => Boolean]) => Unit
) {
  import Sender.*

  private val health =
    new AtomicReference(Health(Share.full(config.share, scheduler.nanos), RetryBudget.full(config.retryBudget)))

  /** When an exchange was last answered. */
  private val heardAt = new AtomicLong(scheduler.nanos)

  /** When the first of the exchanges began that were sent since then. Those before a long rest do not
    * count.
    */
  private val unheardSince = new AtomicLong(heardAt.get - 1)

  /** When an exchange last began or ended. */
  private val busyAt = new AtomicLong(heardAt.get)
  private val permits = new Permits(config.maxConnections, LongestLine)
  private val lines = new ConcurrentHashMap[Key, Coalescing[Call[?]]]

  /** An older service has no /batch. */
  private val batchMissing = new AtomicBoolean

  /** Decides whether a new call is sent. */
  def admit(): Share.Admission = updated(_.admit(scheduler.nanos, chance()))

  def probe(call: Call[?]): Unit = launch(new Group(Vector(call), None, probe = true))

  def send(call: Call[?]): Unit = keyOf(call) match {
    case None      => launch(new Group(Vector(call), None))
    case Some(key) =>
      call.key = Some(key)
      follow(key, step(key)(_.arrive(call, config.coalesceWindow)))
  }

  /** Gives up the place of an ended call in coalescing, or in the queue for a connection. A group
    * with other calls goes on.
    */
  def leave(call: Call[?]): Unit = {
    call.key.foreach(key => step(key)(line => (line.withdraw(call), Coalescing.Step.Wait)))
    call.group.foreach(_.leaveIfDone())
  }

  /** Calls share a batch if their work is equal and their deadlines are close. The header carries
    * the smallest deadline.
    */
  private def keyOf(call: Call[?]): Option[Key] =
    if (config.coalesceAtMost <= 1 || batchMissing.get) None
    else
      local.costsOf(call.operation).map { costs =>
        val millis = math.max(1L, (call.deadline - call.started) / 1000000)
        Key(costs, call.operation.rehash, (math.log(millis.toDouble) / DeadlineStep).toInt)
      }

  private def step(key: Key)(f: Coalescing[Call[?]] => (Coalescing[Call[?]], Coalescing.Step[Call[?]])): Coalescing.Step[Call[?]] = {
    var taken: Coalescing.Step[Call[?]] = Coalescing.Step.Wait
    lines.compute(
      key,
      (_, known) => {
        val (next, step) = f(if (known == null) Coalescing.empty(config.coalesceAtMost) else known)
        taken = step
        if (next.idle) null else next
      }
    )
    taken
  }

  private def follow(key: Key, step: Coalescing.Step[Call[?]]): Unit = step match {
    case Coalescing.Step.Wait                     => ()
    case Coalescing.Step.Send(calls)              => launch(new Group(calls, Some(key)))
    case Coalescing.Step.WakeAfter(window, round) =>
      val _ = scheduler.after(window)(() => follow(key, this.step(key)(_.wake(round))))
  }

  private def launch(group: Group): Unit = {
    val now = scheduler.nanos
    group.ends = now + Attempt.longest((group.deadline - now).nanos, config.attemptTimeout, config.fallback != Fallback.Never).toNanos
    group.calls.foreach(_.group = Some(group))
    permits.request(() => transmit(group)) match {
      case None         => settle(group, Outcome.NoConnection)
      case Some(ticket) =>
        // Only a waiting ticket is withdrawn. A granted permit is released when its exchange ends.
        if (permits.waiting(ticket)) {
          val timer = scheduler.after((group.ends - now).nanos) { () =>
            if (permits.withdraw(ticket)) settle(group, Outcome.NoConnection)
          }
          group.leavesBy(Group.InLine) { () =>
            if (permits.withdraw(ticket)) { timer.cancel(); settle(group, Outcome.Abandoned) }
          }
        }
    }
  }

  private def transmit(group: Group): Unit = {
    val now = scheduler.nanos
    def unsent(outcome: Outcome[Nothing]): Unit = { permits.release(); settle(group, outcome) }
    // The permit may come as the attempt's time ends. Then nothing is sent any more.
    if (group.done) unsent(Outcome.Abandoned)
    else if (closed.get() || group.ends - now < LeastTime) unsent(Outcome.NoConnection)
    else if (!group.probe && health.get().share.isDown) unsent(Outcome.NotTried(FallbackReason.BreakerOpen))
    else
      try exchange(group, now)
      // Not only what is NonFatal: a lost permit would be lost for good.
      catch { case e: Throwable => if (group.leaves()) unsent(Outcome.Failed(TransportFailure.Kind.Broken, e.getClass.getSimpleName)) }
  }

  private def exchange(group: Group, sent: Long): Unit = {
    group.dropDone()
    val time = (group.ends - sent).nanos
    val (name, operations) = (Name.random(), group.calls.map(_ => Name.random()))
    val request = requestOf(group, time, name, operations)
    group.calls.foreach(_.sentAs = group.trace.requestId.orElse(Some(name)))
    val rested = sent - busyAt.getAndSet(sent) >= LongRest * config.share.silence.toNanos
    if (rested || unheardSince.get - heardAt.get < 0) unheardSince.set(sent)
    listener.onSend(group.calls.size)
    val exchange = Exchanges.start(transport, request)
    def end(read: => Answers, silent: Boolean): Unit =
      if (group.leaves()) {
        val answers =
          try read
          // As above.
          catch { case e: Throwable => all(Outcome.Failed(TransportFailure.Kind.Broken, e.getClass.getSimpleName)) }
        request.wipe()
        permits.release()
        busyAt.set(scheduler.nanos)
        val signal = Decision.signal(worst(answers.outcomes), answers.queue, silent)
        record(group, sent, signal)
        settleEach(group, answers.outcomes)
        // Last, so that the calls have their answers even if this fails.
        signal match { case Signal.Answered(_) => drift.check(); case _ => () }
      }
    def all(outcome: Outcome[Nothing]): Answers = new Answers(group.calls.map(_ => outcome), None)
    def giveUp(silent: Boolean): Unit = {
      end(all(Outcome.Failed(TransportFailure.Kind.TimedOut, "no answer in time")), silent)
      exchange.cancel()
    }
    @volatile var timer: Cancellable = () => ()
    // One exchange that is shorter tells no silence. Several without any answer between them do.
    def silent: Boolean = heardAt.get - sent <= 0 && scheduler.nanos - unheardSince.get >= config.share.silence.toNanos
    def watch(after: FiniteDuration): Cancellable = {
      val due = scheduler.nanos + after.toNanos
      scheduler.after(after) { () =>
        val rest = (group.ends - scheduler.nanos).nanos
        // After a pause of this host the answers that came in it are read first.
        if (scheduler.nanos - due > Pause.toNanos && rest > Reading) timer = watch(Reading)
        else if (rest <= Duration.Zero || silent || health.get().share.isDown) giveUp(silent)
        else timer = scheduler.after(rest)(() => giveUp(silent))
      }
    }
    timer = watch(if (group.probe) time else time.min(config.share.silence))
    group.leavesBy(Group.Carried) { () =>
      timer.cancel()
      end(all(Outcome.Abandoned), silent = false)
      exchange.cancel()
    }
    exchange.response.onComplete { answer =>
      timer.cancel()
      answer match {
        case Success(response) =>
          heardAt.set(scheduler.nanos)
          Trace.loggedAs(response).foreach(id => group.calls.foreach(_.sentAs = Some(id)))
          end(interpreted(group, response, name, operations), silent = false)
        case Failure(f: TransportFailure) => end(all(Outcome.Failed(f.kind, f.detail)), silent)
        case Failure(e)                   => end(all(Outcome.Failed(TransportFailure.Kind.Broken, e.getClass.getSimpleName)), silent)
      }
    }(ExecutionContext.parasitic)
  }

  private def record(group: Group, sent: Long, signal: Signal): Unit = {
    val now = scheduler.nanos
    updated(h => (h.record(sent, group.probe, signal, now, chance()), ()))
  }

  /** @param name of the request
    * @param operations the names of the operations, if it is a batch
    */
  private def requestOf(group: Group, time: FiniteDuration, name: String, operations: Vector[String]): Transport.Request = {
    val json = new JsonBytes(group.calls.size * 512)
    val alone = group.calls.sizeIs == 1
    if (alone) { json.raw("{"); group.calls.head.write(json); json.raw("}") }
    else {
      json.raw("{\"operations\":[")
      group.calls.zip(operations).zipWithIndex.foreach { case ((call, id), i) =>
        json.raw(if (i == 0) "{\"op\":\"" else ",{\"op\":\"").raw(call.operation.name).raw("\",\"id\":\"").raw(id).raw("\",")
        call.write(json)
        json.raw("}")
      }
      json.raw("]}")
    }
    new Transport.Request(
      "POST",
      if (alone) group.calls.head.operation.path else "/batch",
      Wire.headers(time, name, group.trace),
      json.finish(),
      time,
      Wire.MaxAnswerBytes * group.calls.size
    )
  }

  private def interpreted(group: Group, response: Transport.Response, name: String, operations: Vector[String]): Answers = {
    val header = response.header("Server-Timing")
    val (queue, hash) = (ServerTiming.duration(header, "queue"), ServerTiming.duration(header, "hash"))
    def checked(call: Call[?], outcome: Outcome[Wire.Answer]): Outcome[() => Boolean] = outcome match {
      case Outcome.Answered(answer) =>
        call.prepared(answer, new Timing((scheduler.nanos - call.started).nanos, queue, hash))(local.noteSeals) match {
          case None =>
            Outcome.Unreadable("status 200 " + call.operation.missing(answer).fold("that does not fit the request")(name => s"without `$name`"))
          case Some(complete) => Outcome.Answered(complete)
        }
      case other: Outcome.NoAnswer => other
    }
    val outcomes =
      if (group.calls.sizeIs == 1) Vector(checked(group.calls.head, Wire.single(response, name)))
      else
        Wire.batch(response, name, operations) match {
          case Left(outcome)   => group.calls.map(_ => outcome)
          case Right(outcomes) =>
            val read = group.calls.zip(outcomes).map { case (call, outcome) => checked(call, outcome) }
            // If one result does not fit its operation, all results are in doubt. A login must not
            // get the answer of another.
            read.collectFirst { case doubt: Outcome.Unreadable => doubt }.fold(read)(doubt => read.map(_ => doubt))
        }
    new Answers(outcomes, queue)
  }

  /** Ends a group that was not sent. */
  private def settle(group: Group, outcome: Outcome[Nothing]): Unit = {
    record(group, scheduler.nanos, Signal.Nothing)
    settleEach(group, group.calls.map(_ => outcome))
  }

  private def settleEach(group: Group, outcomes: Vector[Outcome[() => Boolean]]): Unit = {
    val now = scheduler.nanos
    lazy val pause = Backoff.fullJitter(chance())
    val again = Decision.sendAgain(outcomes) && !group.isRepeated && !closed.get() && (group.deadline - now).nanos > pause &&
      updated(_.takeRetry)
    val noBatch = group.calls.sizeIs > 1 && outcomes.forall { case Outcome.Problem(404, _, _, _) => true; case _ => false }
    if (noBatch) {
      batchMissing.set(true)
      journal.withoutBatch()
      group.key.foreach(key => follow(key, step(key)(_.finish)))
      group.calls.foreach(call => launch(new Group(Vector(call), None)))
    } else if (again) {
      listener.onRetry()
      val _ = scheduler.after(pause)(() => launch(group.repeated))
    } else {
      group.key.foreach(key => follow(key, step(key)(_.finish)))
      group.calls.zip(outcomes).foreach { case (call, outcome) =>
        decided(call, Decision.after(outcome, (call.deadline - now).nanos))
      }
    }
  }

  /** Replaces the state by the result of a pure step, and reports a change of the breaker. */
  private def updated[B](step: Health => (Health, B)): B = {
    val before = health.get()
    val (after, result) = step(before)
    if (!health.compareAndSet(before, after)) updated(step)
    else {
      if (before.share.state != after.share.state) told(after.share.state)
      result
    }
  }

  /** Another thread may have told a later state before this one. Then that state is told again. */
  @tailrec
  private def told(state: BreakerState): Unit = {
    journal.changed(state)
    listener.onBreaker(state)
    val present = health.get().share.state
    if (present != state) told(present)
  }
}

private[client] object Sender {

  /** Calls of equal work, with deadlines that are close. */
  final case class Key(costs: LocalHashing.Costs, mayRehash: Boolean, deadlineStep: Int)

  /** The outcomes of one exchange, one for each call of its group.
    *
    * @param queue the wait for a worker, as the service reports it
    */
  private final class Answers(val outcomes: Vector[Outcome[() => Boolean]], val queue: Option[FiniteDuration])

  /** Deadlines in one batch differ by at most an eighth, so the smallest one does not make the
    * other calls fail.
    */
  private val DeadlineStep = math.log(1.125)

  /** The number of exchanges that may wait for a connection. Further calls are hashed locally at
    * once.
    */
  private val LongestLine = 1024

  /** After so many silences without an exchange a failure before them says nothing of the present. */
  private val LongRest = 8

  /** A timer that is so late ran after a pause of this host. Its threads then have this time to read. */
  private val Pause = 100.millis
  private val Reading = 50.millis

  /** Less than the header's unit cannot be asked for. */
  private val LeastTime = 1.milli.toNanos

  /** The worst result of a batch is what the client learns about the service. */
  private def worst(outcomes: Vector[Outcome[Any]]): Outcome[Any] = {
    def rank(outcome: Outcome[Any]): Int = outcome match {
      case Outcome.Unreadable(_)                             => 0
      case Outcome.Problem(_, "overloaded", _, _)            => 1
      case Outcome.Problem(_, "deadline_exceeded", _, _)     => 4
      case Outcome.Problem(status, _, _, _) if status >= 500 => 2
      case Outcome.Problem(_, _, _, _)                       => 5
      case _                                                 => 6
    }
    outcomes.minBy(rank)
  }
}
