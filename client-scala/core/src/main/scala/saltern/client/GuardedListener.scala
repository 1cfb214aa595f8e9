package saltern.client

import scala.concurrent.duration.FiniteDuration
import scala.util.control.NonFatal

/** Drops the exceptions of a listener, so that they do not affect the call. */
private[saltern] final class GuardedListener(underlying: ClientListener) extends ClientListener {
  override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit =
    guarded(underlying.onAnswer(operation, origin, total, requestId))
  override def onError(operation: String, error: SalternError, total: FiniteDuration): Unit =
    guarded(underlying.onError(operation, error, total))
  override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit =
    guarded(underlying.onFallback(reason, detail, requestId))
  override def onLocalStart(waited: FiniteDuration): Unit = guarded(underlying.onLocalStart(waited))
  override def onLoginBeyondFloor(by: FiniteDuration): Unit = guarded(underlying.onLoginBeyondFloor(by))
  override def onShed(): Unit = guarded(underlying.onShed())
  override def onSend(calls: Int): Unit = guarded(underlying.onSend(calls))
  override def onRetry(): Unit = guarded(underlying.onRetry())
  override def onBreaker(state: BreakerState): Unit = guarded(underlying.onBreaker(state))
  override def onPolicyDrift(remoteDigest: String, localDigest: String): Unit =
    guarded(underlying.onPolicyDrift(remoteDigest, localDigest))

  private def guarded(body: => Unit): Unit =
    try body
    // An error of linkage is that of a metrics library in another version.
    catch { case NonFatal(_) | _: LinkageError => () }
}
