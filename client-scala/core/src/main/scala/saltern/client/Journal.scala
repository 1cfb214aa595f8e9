package saltern.client

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import scala.concurrent.duration.*
import scala.util.control.NonFatal

/** Logs each change of the service's state once, as a warning in `saltern.client`. Changes are the
  * first failure of a kind, an unreachable service, and its return.
  *
  * A failure that goes on is logged again after ten minutes, with the number of calls that met it.
  */
private[saltern] final class Journal(config: ClientConfig.Settings, scheduler: Scheduler) {
  import Journal.*

  private val kinds = new ConcurrentHashMap[String, Kind]
  private val closedAt = new AtomicLong(scheduler.nanos - Quiet)
  private val service = nameOf(config)

  def failed(reason: FallbackReason, detail: String, requestId: Option[String]): Unit =
    if (advice(reason).isDefined) told(reason.name, text(reason, detail), requestId)

  /** The service answered `forbidden` to an operation. */
  def forbidden(operation: String, requestId: Option[String]): Unit = told(s"forbidden $operation", missingScope(operation), requestId)

  def changed(state: BreakerState): Unit = state match {
    case BreakerState.Open     => told(Unreachable, "unreachable; calls are hashed locally if allowed, and one at a time asks whether the service is back")
    case BreakerState.HalfOpen => ()
    case BreakerState.Closed   =>
      // After a recovery, every kind of failure is news again.
      val (now, last) = (scheduler.nanos, closedAt.get)
      if (!kinds.isEmpty && (kinds.containsKey(Unreachable) || now - last >= Quiet) && closedAt.compareAndSet(last, now)) {
        kinds.clear(); log("all calls are sent again")
      }
  }

  def withoutBatch(): Unit = told("batch", NoBatch)

  /** The service has another policy document. */
  def drifted(text: String): Unit = told(text, text)

  /** A call needed a seal key that this host does not have. */
  def withoutSealKey(what: String): Unit =
    told(what, s"not_available_locally: $what; such calls fail while the service does not answer, unless withSealKeys gives the key")

  /** What this host can hash, if that is less than it should. */
  def capacity(local: LocalHashing): Unit = {
    local.problem.foreach(log(_))
    local.limit.foreach(log(_, System.Logger.Level.INFO))
  }

  /** This host cannot compute a hash. */
  def localFault(what: String): Unit = told(what, s"not_available_locally: $what")

  /** The seal keys could not be read again. */
  def sealKeysUnread(problem: String): Unit =
    told("seal keys", s"the seal keys cannot be read again: $problem; the last ones stay in use")

  /** The problems that a check has found. A host's health may be a check every few seconds. */
  def checked(report: Report): Unit = report.findings.foreach {
    case (name, Report.Finding.Bad(problem)) => told(s"check $name", problem)
    case _                                   => ()
  }

  private def told(kind: String, text: String, requestId: Option[String] = None): Unit = {
    val now = scheduler.nanos
    val known = kinds.computeIfAbsent(kind, _ => new Kind(now - Again))
    known.count.incrementAndGet()
    val last = known.last.get
    if (now - last >= Again && known.last.compareAndSet(last, now)) {
      val count = known.count.getAndSet(0)
      val notes = Option.when(count > 1)(s"$count calls since the last message") ++ requestId.map(id => s"request $id")
      log(if (notes.isEmpty) text else notes.mkString(s"$text (", ", ", ")"))
    }
  }

  private def log(text: String, level: System.Logger.Level = System.Logger.Level.WARNING): Unit =
    try logger.log(level, s"$service: $text")
    // As those of a listener: the calls wait for what follows.
    catch { case NonFatal(_) | _: LinkageError => () }
}

private[saltern] object Journal {
  private final class Kind(loggedAt: Long) {
    val last = new AtomicLong(loggedAt)
    val count = new AtomicLong
  }

  private val logger = System.getLogger("saltern.client")

  /** The service in a line of the log: host and port. */
  def nameOf(config: ClientConfig.Settings): String = config.endpoint.getHost + (if (config.endpoint.getPort < 0) "" else s":${config.endpoint.getPort}")

  private val Unreachable = "unreachable"

  private val Again = 10.minutes.toNanos

  /** A service that is overloaded and well in turns gives a few lines in this time. */
  private val Quiet = 1.minute.toNanos

  val NoBatch: String = "not_found: the service has no /batch; calls travel alone; give client and service the same version"

  def missingScope(operation: String): String =
    s"misconfigured: forbidden; the token lacks the scope `$operation`: give it the scope, or use another token" +
      "; a service without tokens answers only to an IP address or localhost"

  def text(reason: FallbackReason, detail: String): String = {
    val todo = if (reason == FallbackReason.AnswerNotOurs && Refused(detail)) Some(RefusedBefore) else advice(reason)
    s"${reason.name}: $detail" + todo.fold("")(text => s"; $text")
  }

  /** A platform refuses requests that it cannot authenticate, such as one with a wrong time. */
  private val Refused = Set("status 401", "status 403")
  private val RefusedBefore = "something in front of the service refuses the request: check the credentials, their permissions and this host's clock"

  /** The operator's next step. `None`: the call was not sent because of an earlier failure. */
  private def advice(reason: FallbackReason): Option[String] = reason match {
    case FallbackReason.AnswerNotOurs     => Some("something else answers: check host, port and path, and that no proxy drops Saltern-Request-Id")
    case FallbackReason.AttemptTimeout    => Some("check the service's load, and that hashes and credentials take less than the attempt's time")
    case FallbackReason.BreakerOpen       => None
    case FallbackReason.ConnectFailed     => Some("check host and port, and that the service runs")
    case FallbackReason.ConnectionBroken  => Some("check that the service runs, and that host and port speak the endpoint's scheme")
    case FallbackReason.ConnectionsBusy   => Some("all connections are busy: raise maxConnections or the service's capacity")
    case FallbackReason.CredentialsFailed => Some("check the token, its expiry and its scopes, or the AWS credentials")
    case FallbackReason.Misconfigured     => Some("check the endpoint's path and the service's version")
    case FallbackReason.ServerError       => Some("see the service's own log")
    case FallbackReason.Throttled         => Some("the service has more work than it can do: a share of the calls is sent")
    case FallbackReason.TlsFailed         => Some("check the endpoint's scheme and port, the certificate and its host name")
  }
}
