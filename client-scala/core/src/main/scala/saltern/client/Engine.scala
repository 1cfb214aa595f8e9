package saltern.client

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean
import saltern.client.resilience.{Decision, Share}
import saltern.client.wire.Trace
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration.*

/** Carries each call through its steps: the service, this host, the answer. The decisions are the
  * pure functions of `resilience`; this class and [[Sender]] only carry them out. No thread blocks
  * in either.
  */
private[client] final class Engine(
    config: ClientConfig.Settings,
    transport: Transport,
    scheduler: Scheduler,
    local: LocalHashing,
    listener: ClientListener,
    journal: Journal,
    chance: () => Double,
    completions: Completions
) {
  private val active = new ConcurrentHashMap[Future[?], Call[?]]
  private val checks = ConcurrentHashMap.newKeySet[Promise[Report]]()
  private val closed = new AtomicBoolean
  private val drift = new PolicyDrift(config, transport, scheduler, local.policies, listener, journal)
  private val sender = new Sender(config, transport, scheduler, local, listener, journal, chance, drift, closed, obey)

  def call[A](operation: Operation[A], password: Password, deadline: FiniteDuration, trace: Trace): Future[A] =
    password.copyBytes() match {
      case Left(code) =>
        val refused = SalternError.refused(code, Origin.Local).of(trace.requestId)
        listener.onError(operation.name, refused, Duration.Zero)
        Future.failed(refused)
      case Right(bytes) =>
        val now = scheduler.nanos
        val call = new Call(operation, bytes, now, now + deadline.toNanos, trace, completions)
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
      if (first) sender.leave(call)
      first
    }

  def close(): Unit =
    if (closed.compareAndSet(false, true)) {
      val why = "the client was closed"
      active.values.forEach(call => fail(call, if (call.sentAs.isDefined) new SalternError.MaybeSent(why) else new SalternError.NotSent(why)))
      checks.forEach(end(_))
      local.close()
      scheduler.close()
      // Last, because code of others may throw.
      try transport.close()
      finally config.auth.close()
    }

  /** Returns what the service says about each point of the setup. Problems are logged too. */
  def check(): Future[Report] = {
    val report = Promise[Report]()
    checks.add(report)
    report.future.onComplete { made => checks.remove(report); made.foreach(journal.checked) }(ExecutionContext.parasitic)
    // Its timers end with the client, so it might never end itself.
    if (closed.get()) end(report) else { val _ = report.completeWith(new Check(config, transport, scheduler, drift, local).run()) }
    completions.shown(report.future)
  }

  private def end(check: Promise[Report]): Unit = { val _ = check.tryFailure(new SalternError.NotSent("the client was closed")) }

  // Remote

  private def route(call: Call[?]): Unit = sender.admit() match {
    case Share.Admission.Keep(reason) => goLocal(call, reason, "not sent")
    case Share.Admission.Probe        =>
      sender.probe(call)
      // The call does not wait for the probe. The first of both answers counts.
      if (config.fallback != Fallback.Never) goLocal(call, FallbackReason.BreakerOpen, "sent as a probe")
    case Share.Admission.Send => sender.send(call)
  }

  private def obey(call: Call[?], decision: Decision[() => Boolean]): Unit = decision match {
    case Decision.Answer(complete) =>
      answered(call, Origin.Remote, complete)
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
        call.operation match {
          case _: Operation.Hash if drift.differs && !config.hashesDespiteDrift =>
            fail(call, errorOf(LocalHashing.Failure.NotAvailable("the policy documents of service and client differ"), reason).ofNewHashes)
          case _: Operation.Hash if drift.hasBlocklist && !config.hashesUnchecked =>
            fail(call, new SalternError.Overloaded(retryAfter, s"this host has no list of breached passwords; remote: ${reason.name}").ofNewHashes)
          case _ => compute(call, reason)
        }
      }
    }

  private def compute[A](call: Call[A], reason: FallbackReason): Unit = {
    val place = local.start(call.operation, call.password, call.deadline) {
      case Right(made) =>
        val timing = new Timing((scheduler.nanos - call.started).nanos, Some(made.queue), Some(made.hash))
        answered(call, Origin.Local, () => call.complete(made.answer(timing)))
      case Left(failure) => fail(call, errorOf(failure, reason))
    }
    call.localPlace = place
    // An end that came in between did not see the place in the queue.
    if (call.done) place.cancel()
  }

  private def errorOf(failure: LocalHashing.Failure, reason: FallbackReason): SalternError = {
    failure match {
      case LocalHashing.Failure.Fault(what)        => journal.localFault(what)
      case LocalHashing.Failure.NoSealKey(what, _) => journal.withoutSealKey(what)
      case LocalHashing.Failure.Shed(_)            => listener.onShed()
      case _                                       => ()
    }
    failure.error(s"; remote: ${reason.name}")
  }

  private def withoutFallback(reason: FallbackReason, detail: String, retryAfter: FiniteDuration): SalternError = {
    val text = s"${reason.name}: $detail"
    reason match {
      case FallbackReason.Throttled     => new SalternError.Overloaded(retryAfter, text)
      case FallbackReason.AnswerNotOurs => new SalternError.Unreadable(text)
      case FallbackReason.Misconfigured => SalternError.refused(detail, Origin.Remote)
      // The service had what the attempt's timeout leaves of the call's time.
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
    call.localPlace.cancel()
    call.wipe()
  }
}
