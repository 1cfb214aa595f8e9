package saltern.client

import scala.concurrent.duration.FiniteDuration

/** What happens in the client, for metrics and logs. Every method does nothing by default, is called on the client's own
  * threads, and must not block; what it throws is dropped.
  */
trait ClientListener {

  /** A call ended with an answer. */
  def onAnswer(operation: String, origin: Origin, total: FiniteDuration): Unit = ()

  /** A call ended with a typed error. */
  def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = ()

  /** A call goes to local hashing. */
  def onFallback(reason: FallbackReason): Unit = ()

  /** A local hash starts, so long after it was decided. */
  def onLocalStart(waited: FiniteDuration): Unit = ()

  /** Local hashing refused a call: its queue is full, or its deadline cannot be met. */
  def onShed(): Unit = ()

  /** One HTTP exchange carried this many calls. */
  def onSend(calls: Int): Unit = ()

  /** A connect failure is tried again. */
  def onRetry(): Unit = ()

  /** The breaker changed its state. */
  def onBreaker(state: BreakerState): Unit = ()

  /** Service and client hold different policy documents. Once for each digest the service shows. */
  def onPolicyDrift(remoteDigest: String, localDigest: String): Unit = ()
}

object ClientListener {
  val Silent: ClientListener = new ClientListener {}
}

/** The breaker's state: closed lets calls through. */
sealed abstract class BreakerState(val name: String) {
  override def toString: String = name
}

object BreakerState {
  case object Closed extends BreakerState("closed")
  case object Open extends BreakerState("open")
  case object HalfOpen extends BreakerState("half_open")
}

/** Why a call went to local hashing. */
sealed abstract class FallbackReason(val name: String) {
  override def toString: String = name
}

object FallbackReason {
  case object AnswerNotOurs extends FallbackReason("answer_not_ours")
  case object AttemptTimeout extends FallbackReason("attempt_timeout")
  case object BreakerOpen extends FallbackReason("breaker_open")
  case object ConnectFailed extends FallbackReason("connect_failed")
  case object ConnectionBroken extends FallbackReason("connection_broken")
  case object ConnectionsBusy extends FallbackReason("connections_busy")
  case object CredentialsFailed extends FallbackReason("credentials_failed")
  case object ServerError extends FallbackReason("server_error")
  case object Throttled extends FallbackReason("throttled")
  case object TlsFailed extends FallbackReason("tls_failed")

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
