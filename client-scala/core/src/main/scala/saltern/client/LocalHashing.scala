package saltern.client

import java.util.ServiceLoader
import java.util.concurrent.Executor
import scala.concurrent.duration.FiniteDuration
import scala.jdk.CollectionConverters.*

/** Hashing on this host while the service does not answer. `saltern-hashes` has it, and the client
  * uses nothing else of that module.
  */
private[saltern] trait LocalHashing {

  /** The digest of its policy document; `None` if it has none. */
  def policies: Option[String]

  def rehashReason(stored: String, context: Option[String]): Option[RehashReason]

  /** Whether it reads the hash and knows no reason to replace it. */
  def isUpToDate(stored: String, context: Option[String]): Boolean

  /** What an operation computes, if it can tell. Operations of equal costs take equal work. */
  def costsOf(operation: Operation[?]): Option[LocalHashing.Costs]

  /** Why it cannot compute every listed policy, with the operator's next step. */
  def problem: Option[String]

  /** Why it computes fewer hashes at once than are set. */
  def limit: Option[String]

  def sealKeys: Seq[Report.SealKey]

  /** Whether the service seals hashes, as far as is known, and this host has no keys. */
  def lacksSealKeys: Boolean

  /** An answer of the service shows whether it seals new hashes. */
  def noteSeals(seals: Boolean): Unit

  /** Calls `done` with the answer, or with the reason why there is none; at once if the work is not
    * taken. Cancelling gives up the place in the queue, and `done` is not called then. Work that
    * has started is completed, or ended early where that is possible, and `done` is called.
    */
  def start[A](operation: Operation[A], password: Array[Byte], deadline: Long)(
      done: Either[LocalHashing.Failure, LocalHashing.Made[A]] => Unit
  ): Cancellable

  /** Wipes the seal keys and ends the threads. A hash in progress is completed and dropped. */
  def close(): Unit
}

private[saltern] object LocalHashing {

  /** An algorithm with its cost parameters. */
  trait Costs

  /** @param answer of the call, whose whole time the client knows
    * @param queue the wait for a worker
    * @param hash the time of the hash itself
    */
  final class Made[+A](val answer: Timing => A, val queue: FiniteDuration, val hash: FiniteDuration)

  /** What local hashing uses of its client.
    *
    * @param workers makes the executor of so many hashes at once
    * @param keyReader reads the seal keys, which may block
    */
  final class Host(
      val scheduler: Scheduler,
      val listener: ClientListener,
      val journal: Journal,
      val workers: Int => Executor,
      val keyReader: Executor
  )

  /** The reason why there is no local answer. */
  sealed trait Failure {
    import Failure.*

    /** Returns the call's error.
      *
      * @param after ends the text for logs
      */
    def error(after: String = ""): SalternError = this match {
      case Cancelled          => new SalternError.Cancelled
      case Closed             => new SalternError.NotSent("the client was closed")
      case ContextMissing     => SalternError.ofTheContext
      case Expired            => new SalternError.DeadlineExceeded("in the local queue")
      case Fault(what)        => new SalternError.NotAvailableLocally(what + after)
      case NoSealKey(what, _) => new SalternError.NotAvailableLocally(what + after)
      case NotAvailable(what) => new SalternError.NotAvailableLocally(what + after)
      case Refused(code)      => SalternError.refused(code, Origin.Local)
      case UnknownScheme      => new SalternError.NotAvailableLocally("unknown scheme" + after)
      case Shed(retryAfter)   => new SalternError.Overloaded(retryAfter, "local hashing has no free place" + after)
    }
  }

  object Failure {
    case object Cancelled extends Failure
    case object Closed extends Failure
    case object Expired extends Failure

    /** @param what for logs: the class of the exception, and the next step if it is known */
    final case class Fault(what: String) extends Failure
    final case class Shed(retryAfter: FiniteDuration) extends Failure

    /** The service would refuse it too. */
    final case class Refused(code: String) extends Failure

    /** The key of the seal wants a context, and the call has none. */
    case object ContextMissing extends Failure

    /** The service may have the key of the seal.
      *
      * @param what fixed text
      * @param code that of a service without the key
      */
    final case class NoSealKey(what: String, code: String) extends Failure

    /** The service may read the scheme. */
    case object UnknownScheme extends Failure

    /** The service may be able to compute it, or be set up for it. */
    final case class NotAvailable(what: String) extends Failure
  }

  /** Of a client that only asks the service. */
  object Absent extends LocalHashing {
    def policies: Option[String] = None
    def rehashReason(stored: String, context: Option[String]): Option[RehashReason] = None
    def isUpToDate(stored: String, context: Option[String]): Boolean = false
    def costsOf(operation: Operation[?]): Option[Costs] = None
    def problem: Option[String] = None
    def limit: Option[String] = None
    def sealKeys: Seq[Report.SealKey] = Nil
    def lacksSealKeys: Boolean = false
    def noteSeals(seals: Boolean): Unit = ()
    def start[A](operation: Operation[A], password: Array[Byte], deadline: Long)(done: Either[Failure, Made[A]] => Unit): Cancellable = {
      done(Left(Failure.NotAvailable("saltern-hashes is not on the class path")))
      () => ()
    }
    def close(): Unit = ()
  }
}

/** The code that computes local hashes: the JVM's of `saltern-hashes`, or the native kernels of
  * `saltern-client-native`. Both compute the same hashes.
  */
abstract class LocalKernels private[saltern] () {

  /** Starts local hashing for one client. This is cheap, because many clients never hash locally. */
  private[saltern] def open(config: ClientConfig.Settings, host: LocalHashing.Host): LocalHashing
}

private[saltern] object LocalKernels {

  /** Those of `saltern-hashes`, if it is on the class path. */
  lazy val found: Option[LocalKernels] =
    ServiceLoader.load(classOf[LocalKernels], classOf[LocalKernels].getClassLoader).iterator.asScala.nextOption()
}
