package saltern.client

import java.util.Arrays
import java.util.concurrent.atomic.AtomicBoolean
import saltern.client.wire.{JsonBytes, Trace, Wire}
import scala.concurrent.{Future, Promise}

/** One call of a program, until it is answered. */
private[client] final class Call[A](
    val operation: Operation[A],
    val password: Array[Byte],
    val started: Long,
    val deadline: Long,
    val trace: Trace,
    completions: Completions
) {
  private val promise = Promise[A]()

  /** The id of the last request that carried the call. */
  @volatile var sentAs: Option[String] = None
  def requestId: Option[String] = sentAs.orElse(trace.requestId)
  @volatile var timer: Cancellable = () => ()

  /** The coalescing key or the group that holds the call. */
  @volatile var key: Option[Sender.Key] = None
  @volatile var group: Option[Group] = None
  @volatile var localPlace: Cancellable = () => ()
  private val isLocal = new AtomicBoolean

  /** A probe is hashed locally while it is sent, and only once. */
  def wantsLocal(): Boolean = isLocal.compareAndSet(false, true)

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

  /** Returns an answer that is ready. Applying it returns whether it was the first answer.
    *
    * @param seen whether the service seals new hashes, if the answer shows it
    */
  def prepared(answer: Wire.Answer, timing: Timing)(seen: Boolean => Unit): Option[() => Boolean] =
    operation.read(answer, timing).map { read => () =>
      Operation.showsSeals(operation, answer).foreach(seen)
      complete(read)
    }

  override def toString: String = s"Call(${operation.name})"
}

/** Calls that travel together.
  *
  * @param isRepeated whether this is their second attempt
  * @param probe whether the call asks if an unreachable service is back
  */
private[client] final class Group(
    members: Vector[Call[?]],
    val key: Option[Sender.Key],
    val isRepeated: Boolean = false,
    val probe: Boolean = false
) {
  @volatile private var carried = members
  @volatile private var leaving: () => Unit = () => ()
  private var stage = Group.InLine
  val deadline: Long = members.map(_.deadline).reduce(Group.earlier)
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

private[client] object Group {

  /** The group waits for a connection. */
  val InLine = 0
  val Carried = 1

  /** Compares two instants of a clock that may wrap around. */
  private def earlier(a: Long, b: Long): Long = if (a - b <= 0) a else b
}
