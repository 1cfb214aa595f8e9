package saltern.client

import java.util.Arrays
import java.util.concurrent.{ConcurrentHashMap, Executor}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong, AtomicReference}
import saltern.client.local.{LocalHasher, LocalPool}
import saltern.client.resilience.*
import saltern.client.wire.{JsonBytes, Name, ServerTiming, Trace, Wire}
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration.*
import scala.util.{Failure, Success}

/** Carries each call through its steps: remote attempt, retry, local hash, answer. The decisions
  * are the pure functions of `resilience`; this class only carries them out. No thread blocks in
  * this class.
  */
private[client] final class Engine(
    config: ClientConfig.Settings,
    transport: Transport,
    scheduler: Scheduler,
    hasher: LocalHasher,
    pool: LocalPool,
    capacity: LocalCapacity,
    listener: ClientListener,
    chance: () => Double,
    keyReader: Executor,
    completions: Completions
) {
  import Engine.*

  private val health =
    new AtomicReference(Health(Share.full(config.share, scheduler.nanos), RetryBudget.full(config.retryBudget)))

  /** When an exchange was last answered. */
  private val heardAt = new AtomicLong(scheduler.nanos)
  private val permits = new Permits(config.maxConnections, LongestLine)
  private val lines = new ConcurrentHashMap[Key, Coalescing[Call[?]]]
  private val active = new ConcurrentHashMap[Future[?], Call[?]]
  private val closed = new AtomicBoolean
  private val journal = new Journal(config, scheduler)
  journal.capacity(capacity)

  /** An older service has no /batch. */
  private val batchMissing = new AtomicBoolean
  private val drift = new PolicyDrift(config, transport, scheduler, hasher.policies.digest, listener)
  config.sealKeys.foreach(source => new SealKeyReader(source, hasher.seals, scheduler, keyReader, journal).start())

  def call[A](operation: Operation[A], password: Password, deadline: FiniteDuration, trace: Trace): Future[A] =
    password.copyBytes() match {
      case Left(code)   => Future.failed(reported(operation, SalternError.refused(code, Origin.Local).of(trace.requestId)))
      case Right(bytes) =>
        val now = scheduler.nanos
        val call = new Call(operation, bytes, now, now + deadline.toNanos, trace)
        active.put(call.result, call)
        call.timer = scheduler.after(deadline)(() => fail(call, new SalternError.DeadlineExceeded("while waiting")))
        Operation.textProblem(operation) match {
          case Some(refused)        => fail(call, refused)
          case None if closed.get() => fail(call, new SalternError.NotSent("the client is closed"))
          case None                 => route(call)
        }
        call.result
    }

  /** Returns whether the call was still in progress. */
  def cancel(result: Future[?]): Boolean =
    Option(active.get(result)).exists { call =>
      val first = failed(call, new SalternError.Cancelled)
      if (first) leave(call)
      first
    }

  /** Gives up the place that an ended call holds: in coalescing, in the queue for a connection, or
    * in the local queue. Work that also serves other calls continues.
    */
  private def leave(call: Call[?]): Unit = {
    call.key.foreach(key => step(key)(line => (line.withdraw(call), Coalescing.Step.Wait)))
    call.group.foreach(_.leaveIfDone())
    call.localPlace.cancel()
  }

  def close(): Unit =
    if (closed.compareAndSet(false, true)) {
      active.values.forEach { call =>
        val error =
          if (call.sentAs.isDefined) new SalternError.MaybeSent("the client was closed")
          else new SalternError.NotSent("the client was closed")
        fail(call, error)
      }
      pool.close()
      // A local hash that ends after this is not sealed, and its result is dropped.
      hasher.seals.close()
      transport.close()
      config.auth.close()
      scheduler.close()
    }

  /** Returns what the service says about each point of the setup. Problems are logged too. */
  def check(): Future[Report] = {
    val report = new Check(config, transport, scheduler, drift, hasher.seals, capacity).run()
    report.foreach(journal.checked)(ExecutionContext.parasitic)
    completions.shown(report)
  }

  // Remote

  private def route(call: Call[?]): Unit =
    updated(_.admit(scheduler.nanos, chance())) match {
      case Share.Admission.Keep(reason) => goLocal(call, reason, "not sent")
      case Share.Admission.Probe        =>
        launch(new Group(Vector(call), None, probe = true))
        // The call does not wait for the probe. The first of both answers counts.
        if (config.fallback != Fallback.Never) goLocal(call, FallbackReason.BreakerOpen, "sent as a probe")
      case Share.Admission.Send =>
        keyOf(call) match {
          case None      => launch(new Group(Vector(call), None))
          case Some(key) =>
            call.key = Some(key)
            follow(key, step(key)(_.arrive(call, config.coalesceWindow)))
        }
    }

  /** Calls share a batch if their work is equal and their deadlines are close. The header carries
    * the smallest deadline.
    */
  private def keyOf(call: Call[?]): Option[Key] =
    if (config.coalesceAtMost <= 1 || batchMissing.get) None
    else
      call.operation.work(hasher).map { work =>
        val millis = math.max(1L, (call.deadline - call.started) / 1000000)
        Key(work, (math.log(millis.toDouble) / DeadlineStep).toInt)
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
    def silent: Boolean = heardAt.get - sent <= 0
    def watch(after: FiniteDuration): Cancellable = scheduler.after(after) { () =>
      val rest = (group.ends - scheduler.nanos).nanos
      if (rest <= Duration.Zero || silent || health.get().share.isDown) giveUp(silent)
      else timer = scheduler.after(rest)(() => giveUp(silent))
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
    val measured = Measured(ServerTiming.duration(header, "queue"), ServerTiming.duration(header, "hash"))
    def checked(call: Call[?], outcome: Outcome[Wire.Answer]): Outcome[Answered] = outcome match {
      case Outcome.Answered(answer) =>
        call.prepared(answer, measured) match {
          case None =>
            Outcome.Unreadable("status 200 " + call.operation.missing(answer).fold("that does not fit the request")(name => s"without `$name`"))
          case Some(complete) => Outcome.Answered(complete)
        }
      case other: Outcome.Problem    => other
      case other: Outcome.Unreadable => other
      case other: Outcome.Foreign    => other
      case other: Outcome.Failed     => other
      case other: Outcome.NotTried   => other
      case Outcome.Abandoned         => Outcome.Abandoned
      case Outcome.NoConnection      => Outcome.NoConnection
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
    new Answers(outcomes, measured.queue)
  }

  /** Ends a group that was not sent. */
  private def settle(group: Group, outcome: Outcome[Nothing]): Unit = {
    record(group, scheduler.nanos, Signal.Nothing)
    settleEach(group, group.calls.map(_ => outcome))
  }

  private def settleEach(group: Group, outcomes: Vector[Outcome[Answered]]): Unit = {
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
        obey(call, Decision.after(outcome, (call.deadline - now).nanos))
      }
    }
  }

  private def obey(call: Call[?], decision: Decision[Answered]): Unit = decision match {
    case Decision.Answer(complete) =>
      answered(call, Origin.Remote, complete)
      call.localPlace.cancel()
    case Decision.GoLocal(reason, detail, retryAfter) =>
      if (detail == Decision.Forbidden) journal.forbidden(call.operation.name, call.requestId) else journal.failed(reason, detail, call.requestId)
      goLocal(call, reason, detail, retryAfter)
    case Decision.Refuse(code, field) =>
      fail(call, SalternError.refused(code, Origin.Remote, field.fold("")(name => s" (field $name)")))
    case Decision.DeadlineExceeded(where) => fail(call, new SalternError.DeadlineExceeded(where))
    case Decision.Drop                    => ()
  }

  // Local

  private def goLocal[A](
      call: Call[A],
      reason: FallbackReason,
      detail: String,
      retryAfter: FiniteDuration = Decision.RetryUnlessTold
  ): Unit =
    if (!call.done && call.wantsLocal()) {
      val allowed = config.fallback match {
        case Fallback.Never                   => false
        case Fallback.Unreachable             => reason != FallbackReason.Throttled
        case Fallback.UnreachableOrOverloaded => true
      }
      if (!allowed) fail(call, withoutFallback(reason, detail, retryAfter))
      else if (closed.get()) fail(call, new SalternError.NotSent("the client is closed"))
      else {
        listener.onFallback(reason, detail, call.requestId)
        val made = call.operation match {
          case Operation.Verify(_, _, _, true) if capacity.problem.isDefined    => Left(LocalHasher.Refusal.NotSetUp(capacity.problem.mkString))
          case _: Operation.Hash if drift.differs && !config.hashesDespiteDrift =>
            Left(LocalHasher.Refusal.NotSetUp("the policy documents of service and client differ"))
          case operation =>
            try operation.local(hasher, call.password)
            catch { case e: Throwable => Left(LocalHasher.Refusal.NotSetUp(LocalPool.faultOf(e).what)) }
        }
        made match {
          case Left(LocalHasher.Refusal.Code(code))         => fail(call, SalternError.refused(code, Origin.Local))
          case Left(LocalHasher.Refusal.ContextMissing)     => fail(call, SalternError.ofTheContext)
          case Left(LocalHasher.Refusal.NoSealKey(what, _)) =>
            journal.withoutSealKey(what)
            fail(call, new SalternError.NotAvailableLocally(s"$what; remote: ${reason.name}"))
          case Left(LocalHasher.Refusal.UnknownScheme) =>
            fail(call, new SalternError.NotAvailableLocally(s"unknown scheme; remote: ${reason.name}"))
          case Left(LocalHasher.Refusal.NotSetUp(what)) =>
            fail(call, new SalternError.NotAvailableLocally(s"$what; remote: ${reason.name}"))
          case Right(job) => compute(call, job, reason)
        }
      }
    }

  private def compute[A](call: Call[A], job: LocalHasher.Job[Timing => A], reason: FallbackReason): Unit = {
    val began = new AtomicLong(scheduler.nanos)
    val timed = new LocalHasher.Job(job.admitted, job.work, compute => { began.set(scheduler.nanos); job.run(compute) })
    val submitted = began.get
    val place = pool.submit(timed, call.deadline) {
      case Right(answer) =>
        val now = scheduler.nanos
        val timing =
          new Timing((now - call.started).nanos, Some((began.get - submitted).nanos), Some((now - began.get).nanos))
        answered(call, Origin.Local, () => call.complete(answer(timing)))
      case Left(failure) => fail(call, errorOf(failure, reason))
    }
    call.localPlace = place
    // A cancel that came in between did not see the place in the queue.
    if (call.done) place.cancel()
  }

  private def errorOf(failure: LocalPool.Failure, reason: FallbackReason): SalternError = failure match {
    case LocalPool.Failure.Cancelled   => new SalternError.Cancelled
    case LocalPool.Failure.Closed      => new SalternError.NotSent("the client was closed")
    case LocalPool.Failure.Expired     => new SalternError.DeadlineExceeded("in the local queue")
    case LocalPool.Failure.Fault(what) =>
      journal.localFault(what)
      new SalternError.NotAvailableLocally(s"$what; remote: ${reason.name}")
    case LocalPool.Failure.Shed(after) =>
      listener.onShed()
      new SalternError.Overloaded(after, s"local hashing has no free place; remote: ${reason.name}")
    case LocalPool.Failure.TooMuchMemory =>
      new SalternError.NotAvailableLocally(s"the hash needs more memory than this host has; remote: ${reason.name}")
  }

  private def withoutFallback(reason: FallbackReason, detail: String, retryAfter: FiniteDuration): SalternError = {
    val text = s"${reason.name}: $detail"
    reason match {
      case FallbackReason.Throttled     => new SalternError.Overloaded(retryAfter, text)
      case FallbackReason.AnswerNotOurs => new SalternError.Unreadable(text)
      case FallbackReason.Misconfigured => SalternError.refused(detail, Origin.Remote)
      // Without local hashing the exchange has all of the call's time.
      case FallbackReason.AttemptTimeout if detail == "deadline_exceeded"                               => new SalternError.DeadlineExceeded("at the service")
      case FallbackReason.AttemptTimeout | FallbackReason.ConnectionBroken | FallbackReason.ServerError =>
        new SalternError.MaybeSent(text)
      case FallbackReason.BreakerOpen | FallbackReason.ConnectFailed | FallbackReason.ConnectionsBusy |
          FallbackReason.CredentialsFailed | FallbackReason.TlsFailed =>
        new SalternError.NotSent(text)
    }
  }

  // Ends

  private def answered(call: Call[?], origin: Origin, complete: () => Boolean): Unit =
    if (complete()) {
      ended(call)
      listener.onAnswer(call.operation.name, origin, (scheduler.nanos - call.started).nanos, call.requestId)
    }

  private def fail(call: Call[?], error: SalternError): Unit = { val _ = failed(call, error) }

  /** Returns whether this ended the call. */
  private def failed(call: Call[?], error: SalternError): Boolean = {
    val first = call.abort(error.of(call.requestId))
    if (first) {
      ended(call)
      listener.onError(call.operation.name, error, (scheduler.nanos - call.started).nanos)
    }
    first
  }

  private def ended(call: Call[?]): Unit = {
    active.remove(call.result)
    call.timer.cancel()
    call.wipe()
  }

  private def reported(operation: Operation[?], error: SalternError): SalternError = {
    listener.onError(operation.name, error, Duration.Zero)
    error
  }

  /** Replaces the state by the result of a pure step, and reports a change of the breaker once. */
  private def updated[B](step: Health => (Health, B)): B = {
    val before = health.get()
    val (after, result) = step(before)
    if (!health.compareAndSet(before, after)) updated(step)
    else {
      if (before.share.state != after.share.state) {
        journal.changed(after.share.state)
        listener.onBreaker(after.share.state)
      }
      result
    }
  }

  /** An answer that is ready for a call. Applying it returns whether it was the first answer. */
  private type Answered = () => Boolean

  private final class Call[A](
      val operation: Operation[A],
      val password: Array[Byte],
      val started: Long,
      val deadline: Long,
      val trace: Trace
  ) {
    private val promise = Promise[A]()

    /** The id of the last request that carried the call. */
    @volatile var sentAs: Option[String] = None
    def requestId: Option[String] = sentAs.orElse(trace.requestId)
    @volatile var timer: Cancellable = () => ()

    /** The coalescing key or the group that holds the call. [[leave]] uses it. */
    @volatile var key: Option[Key] = None
    @volatile var group: Option[Group] = None
    @volatile var localPlace: Cancellable = () => ()
    private val local = new AtomicBoolean

    /** A probe is hashed locally while it is sent, and only once. */
    def wantsLocal(): Boolean = local.compareAndSet(false, true)

    val result: Future[A] = completions.shown(promise.future)
    def done: Boolean = promise.isCompleted
    def complete(answer: A): Boolean = promise.trySuccess(answer)
    def abort(error: SalternError): Boolean = promise.tryFailure(error)

    /** Either the whole password or only zeros. Part of a character would make the shared batch
      * invalid UTF-8.
      */
    def write(json: JsonBytes): Unit = password.synchronized(operation.write(json, password))

    /** Work that still runs for the ended call computes a result that is dropped. */
    def wipe(): Unit = password.synchronized(Arrays.fill(password, 0.toByte))
    def prepared(answer: Wire.Answer, measured: Measured): Option[Answered] = {
      val timing = new Timing((scheduler.nanos - started).nanos, measured.queue, measured.hash)
      operation.read(answer, timing).map { read => () =>
        Operation.showsSeals(operation, answer).foreach(hasher.seals.note)
        complete(read)
      }
    }
    override def toString: String = s"Call(${operation.name})"
  }

  /** The outcomes of one exchange, one for each call of its group.
    *
    * @param queue the wait for a worker, as the service reports it
    */
  private final class Answers(val outcomes: Vector[Outcome[Answered]], val queue: Option[FiniteDuration])

  /** Calls that travel together.
    *
    * @param isRepeated whether this is their second attempt
    * @param probe whether the call asks if an unreachable service is back
    */
  private final class Group(members: Vector[Call[?]], val key: Option[Key], val isRepeated: Boolean = false, val probe: Boolean = false) {
    @volatile private var carried = members
    @volatile private var leaving: () => Unit = () => ()
    private var stage = Group.InLine
    val deadline: Long = members.map(_.deadline).reduce(earlier)
    @volatile var ends: Long = deadline

    def calls: Vector[Call[?]] = carried

    /** A batch has those of its first call. */
    def trace: Trace = carried.head.trace

    /** Whether every call of the group has ended. */
    def done: Boolean = carried.forall(_.done)

    private val left = new AtomicBoolean

    /** Returns `true` once: to the one that ends the exchange, and releases its permit. */
    def leaves(): Boolean = left.compareAndSet(false, true)

    /** Ended calls are not sent. At least one call stays, so that there is a request. */
    def dropDone(): Unit = {
      val waited = carried.filterNot(_.done)
      if (waited.nonEmpty) carried = waited
    }

    /** Sets how the group gives up its place from this stage on. It does so at once if its calls
      * have already ended. Another thread may move the group to a later stage before the first
      * thread sets its own; the later stage stays.
      */
    def leavesBy(stage: Int)(leave: () => Unit): Unit = {
      synchronized { if (stage >= this.stage) { this.stage = stage; leaving = leave } }
      leaveIfDone()
    }
    def leaveIfDone(): Unit = if (done) leaving()
    def repeated: Group = new Group(carried, key, isRepeated = true, probe)
  }

  private object Group {

    /** The group waits for a connection. */
    val InLine = 0
    val Carried = 1
  }
}

private[client] object Engine {

  private final case class Key(work: Operation.Work, deadlineStep: Int)

  /** Deadlines in one batch differ by at most an eighth, so the smallest one does not make the
    * other calls fail.
    */
  private val DeadlineStep = math.log(1.125)

  /** The number of exchanges that may wait for a connection. Further calls are hashed locally at
    * once.
    */
  private val LongestLine = 1024

  /** Less than the header's unit cannot be asked for. */
  private val LeastTime = 1.milli.toNanos

  /** Compares two instants of a clock that may wrap around. */
  private def earlier(a: Long, b: Long): Long = if (a - b <= 0) a else b

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
