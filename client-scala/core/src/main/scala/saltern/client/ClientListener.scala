package saltern.client

import scala.concurrent.duration.FiniteDuration

/** What happens in the client, for metrics and logs. Every method does nothing by default, is called on the client's own
  * threads, and must not block; what it throws is dropped.
  */
trait ClientListener {

  /** A call ended with an answer.
    *
    * @param operation `hash` or `verify`
    * @param total from the method's start to the answer
    */
  def onAnswer(operation: String, origin: Origin, total: FiniteDuration): Unit = ()

  /** A call ended with a typed error.
    *
    * @param operation `hash` or `verify`
    * @param total from the method's start to the error
    */
  def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = ()

  /** A call goes to local hashing. */
  def onFallback(reason: FallbackReason): Unit = ()

  /** A local hash starts, so long after it was decided. */
  def onLocalStart(waited: FiniteDuration): Unit = ()

  /** Local hashing refused a call: its queue is full, or its deadline cannot be met. */
  def onShed(): Unit = ()

  /** One HTTP exchange carries this many calls, 1 to 8. */
  def onSend(calls: Int): Unit = ()

  /** A connect failure is tried again. */
  def onRetry(): Unit = ()

  /** The breaker changed its state. */
  def onBreaker(state: BreakerState): Unit = ()

  /** Service and client hold different policy documents. Once for each digest the service shows. Both
    * are `sha256:` and 64 hexadecimal digits.
    */
  def onPolicyDrift(remoteDigest: String, localDigest: String): Unit = ()
}

object ClientListener {

  /** Tells nobody. */
  val Silent: ClientListener = new ClientListener {}
}

/** The breaker's state.
  *
  * @param name in metrics: `closed`, `open` or `half_open`
  */
sealed abstract class BreakerState(val name: String) {
  override def toString: String = name
}

object BreakerState {

  /** Calls go to the service. */
  case object Closed extends BreakerState("closed")

  /** Calls go local; the service rests. */
  case object Open extends BreakerState("open")

  /** One call an interval goes to the service, to see whether it is well. */
  case object HalfOpen extends BreakerState("half_open")
}

/** Why a call went to local hashing.
  *
  * @param name in metrics, in lower case with underscores
  */
sealed abstract class FallbackReason(val name: String) {
  override def toString: String = name
}

object FallbackReason {

  /** Something answered, and not as the contract says: a platform's 403 or 404, a redirect, HTML, a batch that does not add up. */
  case object AnswerNotOurs extends FallbackReason("answer_not_ours")

  /** No answer within the attempt's time. */
  case object AttemptTimeout extends FallbackReason("attempt_timeout")

  /** The breaker keeps calls away. */
  case object BreakerOpen extends FallbackReason("breaker_open")

  /** No connection: DNS, refused, no route, connect timeout. */
  case object ConnectFailed extends FallbackReason("connect_failed")

  /** The connection ended before the answer did. */
  case object ConnectionBroken extends FallbackReason("connection_broken")

  /** No connection became free in time. */
  case object ConnectionsBusy extends FallbackReason("connections_busy")

  /** No credentials to sign with, or the service took them for wrong (its 401). */
  case object CredentialsFailed extends FallbackReason("credentials_failed")

  /** A 5xx that is no overload. */
  case object ServerError extends FallbackReason("server_error")

  /** A 429 or an `overloaded`, now or just before. */
  case object Throttled extends FallbackReason("throttled")

  /** The peer is not who it should be. */
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
    ServerError,
    Throttled,
    TlsFailed
  )
}
