package saltern.client

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}
import saltern.client.wire.Trace
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration.*
import scala.util.{Failure, Success, Try}

/** Carries logins. Each ends at the floor of time or later, with every outcome. So the time does
  * not show the kind of a user's hash, or whether there is one.
  *
  * No thread waits: the timer completes the answer.
  */
private[client] final class Logins(
    engine: Engine,
    scheduler: Scheduler,
    floor: FiniteDuration,
    upgrades: Upgrades,
    local: LocalHashing,
    listener: ClientListener,
    completions: Completions
) {
  import Logins.*

  private val active = new ConcurrentHashMap[Future[?], Login]
  private val closed = new AtomicBoolean

  def call(password: Password, stored: Option[String], context: Option[String], deadline: FiniteDuration, trace: Trace): Future[Verified] = {
    val login = new Login(scheduler.nanos, deadline, floor.min(deadline), password.copy(), context, trace, completions)
    active.put(login.result, login)
    val allowed = upgrades.allow
    // A null comes from Java.
    val counted = allowed && stored != null && stored.exists(hash => hash != null && !local.isUpToDate(hash, context))
    val rehash = allowed && (if (counted) upgrades.take() else upgrades.isOpen)
    step(login, engine.call(Operation.Verify(stored, rehash, context, isLogin = true), login.password, deadline, trace)) { answer =>
      val tookAHash = answer.toOption.exists(tookASecondHash)
      if (counted && rehash && !tookAHash) upgrades.giveBack()
      else if (!counted && tookAHash) upgrades.charge()
      answer match {
        case refused @ Failure(error: SalternError) if isOfTheHash(error) => decoy(login, refused)
        // A known user's hash would be sealed, and its login would fail so.
        case Success(unknown) if stored.isEmpty && unknown.origin == Origin.Local && local.lacksSealKeys => end(login, Failure(withoutKeys))
        case answer                                                                                      => end(login, answer)
      }
    }
    login.result
  }

  /** Does the work that a readable hash would have taken, and then fails as it did. If this work finds
    * no place, an unknown user's finds none either, and fails so.
    */
  private def decoy(login: Login, refused: Failure[Verified]): Unit = {
    val left = (login.started + login.deadline.toNanos - scheduler.nanos).nanos
    if (left < LeastTime || login.answer.isCompleted) end(login, refused)
    else step(login, engine.call(Operation.Verify(None, rehash = true, login.context, isLogin = true), login.password, left, login.trace)) {
      case busy @ Failure(_: SalternError.Overloaded | _: SalternError.DeadlineExceeded) => end(login, busy)
      case _                                                                             => end(login, refused)
    }
  }

  private def step(login: Login, call: Future[Verified])(next: Try[Verified] => Unit): Unit = {
    login.call = call
    call.onComplete(next)(ExecutionContext.parasitic)
  }

  private def end(login: Login, answer: Try[Verified]): Unit = {
    login.password.wipe()
    login.ready.set(Some(answer))
    val left = (login.started + login.floor.toNanos - scheduler.nanos).nanos
    if (left > Duration.Zero) {
      login.timer = scheduler.after(left)(() => complete(login))
      // The timer of a closed client does not run.
      if (closed.get) complete(login)
    } else {
      if (left < Duration.Zero && floor > Duration.Zero && !isCancelled(answer)) listener.onLoginBeyondFloor(-left)
      complete(login)
    }
  }

  private def complete(login: Login): Unit =
    login.ready.get.foreach { answer =>
      active.remove(login.result)
      login.answer.tryComplete(answer)
    }

  /** Returns whether the login was still in progress. */
  def cancel(answer: Future[?]): Boolean =
    Option(active.get(answer)).exists { login =>
      val first = login.answer.tryFailure(new SalternError.Cancelled)
      if (first) {
        active.remove(answer)
        login.timer.cancel()
        engine.cancel(login.call)
      }
      first
    }

  /** Called after the engine was closed, so every call has ended. */
  def close(): Unit = {
    closed.set(true)
    active.values.forEach(complete(_))
  }
}

private object Logins {

  private def withoutKeys = new SalternError.NotAvailableLocally("the service seals hashes, and this host has no seal keys")

  private final class Login(
      val started: Long,
      val deadline: FiniteDuration,
      val floor: FiniteDuration,
      val password: Password,
      val context: Option[String],
      val trace: Trace,
      completions: Completions
  ) {
    val answer: Promise[Verified] = Promise[Verified]()
    val result: Future[Verified] = completions.shown(answer.future)

    /** The result that waits for the floor. */
    val ready = new AtomicReference[Option[Try[Verified]]](None)
    @volatile var call: Future[Verified] = answer.future
    @volatile var timer: Cancellable = () => ()
  }

  /** The header's unit: the service takes no shorter deadline. */
  private val LeastTime = 1.milli

  /** Whether the service computed a second hash. To seal the same hash anew takes none. */
  private def tookASecondHash(answer: Verified): Boolean = answer match {
    case made: Match => made.rehash.isDefined && !made.rehashReason.exists(Set[RehashReason](RehashReason.OlderKey, RehashReason.Unsealed))
    case _           => false
  }

  /** Whether the stored hash is the reason, so that little was computed. */
  private def isOfTheHash(error: SalternError): Boolean = error match {
    case _: SalternError.BadHash | _: SalternError.NotAvailableLocally => true
    case _                                                             => false
  }

  /** Whether the caller ended the call, which says nothing about the floor. */
  private def isCancelled(answer: Try[Verified]): Boolean = answer match {
    case Failure(_: SalternError.Cancelled) => true
    case _                                  => false
  }
}
