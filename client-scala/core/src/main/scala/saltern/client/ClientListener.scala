package saltern.client

import scala.concurrent.duration.FiniteDuration

/** Receives the client's events, for metrics and logs. Every method does nothing by default. The
  * methods run on the client's own threads or on the one that calls the client, so they must not
  * block. Exceptions that they throw are dropped.
  */
trait ClientListener {

  /** A call ended with an answer. The decoy after a login with an unreadable hash is a call of its own.
    *
    * @param operation `hash` or `verify`
    * @param total from the start of the method to the answer; of a login without the wait for the
    *   floor
    * @param requestId as in [[SalternError.requestId]]
    */
  def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit = ()

  /** A call ended with a typed error.
    *
    * @param operation `hash` or `verify`
    * @param total from the start of the method to the error
    */
  def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = ()

  /** A call falls back to local hashing.
    *
    * @param detail the contract's code, a status, or the class of an exception: for logs
    * @param requestId as in [[SalternError.requestId]]
    */
  def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = ()

  /** A local hash starts, this long after the call was given to local hashing. */
  def onLocalStart(waited: FiniteDuration): Unit = ()

  /** A login took longer than the floor, so its time may show the kind of its stored hash.
    *
    * @param by how much longer
    */
  def onLoginBeyondFloor(by: FiniteDuration): Unit = ()

  /** Local hashing rejected a call, because its queue is full or its deadline cannot be met. */
  def onShed(): Unit = ()

  /** One HTTP exchange carries this many calls, 1 to 8. */
  def onSend(calls: Int): Unit = ()

  /** A request is tried again after a failed connect. */
  def onRetry(): Unit = ()

  /** The breaker changed its state. The state that is told last is the present one. */
  def onBreaker(state: BreakerState): Unit = ()

  /** Service and client hold different policy documents. Called whenever the service's digest
    * has changed to another one. Both digests are `sha256:` and 64 hexadecimal digits.
    */
  def onPolicyDrift(remoteDigest: String, localDigest: String): Unit = ()
}

object ClientListener {

  /** Ignores every event. */
  val Silent: ClientListener = new ClientListener {}
}

/** Which calls go to the service.
  *
  * @param name in metrics: `closed`, `open` or `half_open`
  */
sealed abstract class BreakerState(val name: String) {
  override def toString: String = name
}

object BreakerState {

  /** All calls. */
  case object Closed extends BreakerState("closed")

  /** The same, for Java. */
  def closed: BreakerState = Closed

  /** None, except for one probe at a time. */
  case object Open extends BreakerState("open")

  /** The same, for Java. */
  def open: BreakerState = Open

  /** A share of the calls: the service is overloaded, or was unreachable a short time ago. */
  case object HalfOpen extends BreakerState("half_open")

  /** The same, for Java. */
  def halfOpen: BreakerState = HalfOpen
}

/** The reason why a call falls back to local hashing.
  *
  * @param name in metrics, in lower case with underscores
  */
sealed abstract class FallbackReason(val name: String) {
  override def toString: String = name
}

object FallbackReason {

  /** The answer does not follow the contract: a platform's 403 or 404, a redirect, HTML, or a batch
    * with a wrong number of results.
    */
  case object AnswerNotOurs extends FallbackReason("answer_not_ours")

  /** No answer within the time for one attempt, or the service could not keep that time, or it did not
    * get the whole request in time: its 408.
    */
  case object AttemptTimeout extends FallbackReason("attempt_timeout")

  /** The service is unreachable, or was a short time ago. The call was not sent. */
  case object BreakerOpen extends FallbackReason("breaker_open")

  /** No connection: DNS failure, connection refused, no route, or connect timeout. */
  case object ConnectFailed extends FallbackReason("connect_failed")

  /** The connection ended before the answer was complete. */
  case object ConnectionBroken extends FallbackReason("connection_broken")

  /** No connection became free in time. */
  case object ConnectionsBusy extends FallbackReason("connections_busy")

  /** The client has no credentials to sign with, or the service rejected them with a 401. */
  case object CredentialsFailed extends FallbackReason("credentials_failed")

  /** The service has no such path or rejects the form of the request: its own 404, 405, 413 or 415.
    * The endpoint's path is wrong, or the service has another version. Or the token lacks the scope
    * of the operation: its 403 `forbidden`.
    */
  case object Misconfigured extends FallbackReason("misconfigured")

  /** A 5xx status that is not an overload. */
  case object ServerError extends FallbackReason("server_error")

  /** A 429 or an `overloaded`; or a call that was not sent because of others that met one. */
  case object Throttled extends FallbackReason("throttled")

  /** TLS failed: the peer has no trusted certificate for this host. */
  case object TlsFailed extends FallbackReason("tls_failed")

  /** Every reason, in the order of their names. */
  val all: Seq[FallbackReason] = Seq(
    AnswerNotOurs,
    AttemptTimeout,
    BreakerOpen,
    ConnectFailed,
    ConnectionBroken,
    ConnectionsBusy,
    CredentialsFailed,
    Misconfigured,
    ServerError,
    Throttled,
    TlsFailed
  )
}
