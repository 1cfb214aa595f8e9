package saltern.example.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.{AttributeKey, Attributes}
import io.opentelemetry.api.trace.{Span, SpanKind, StatusCode}
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator
import io.opentelemetry.context.Context
import java.util.concurrent.atomic.AtomicReference
import saltern.client.{ClientListener, FallbackReason, Origin, Saltern, SalternError, Verified}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration
import scala.util.{Failure, Success}

/** The client's events as metrics of OpenTelemetry: `config.withListener(new Telemetry(openTelemetry))`;
  * and its logins as spans, whose trace goes on in the service's log.
  */
final class Telemetry(openTelemetry: OpenTelemetry) extends ClientListener {
  import Telemetry.*

  private val meter = openTelemetry.getMeter("saltern")
  private val calls = meter.histogramBuilder("saltern.client.calls").setUnit("s").build()
  private val fallbacks = meter.counterBuilder("saltern.client.fallback").build()
  private val tracer = openTelemetry.getTracer("saltern")

  override def onAnswer(operation: String, origin: Origin, total: FiniteDuration, requestId: Option[String]): Unit = record(operation, origin.name, total)
  override def onError(operation: String, error: SalternError, total: FiniteDuration): Unit = record(operation, error.code, total)
  override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit =
    fallbacks.add(1, Attributes.of(Reason, reason.name))

  private def record(operation: String, outcome: String, total: FiniteDuration): Unit =
    calls.record(total.toNanos / 1e9, Attributes.of(Operation, operation, Outcome, outcome))

  /** A login within a span of its own, a child of the current one. */
  def login(saltern: Saltern)(call: Saltern => Future[Verified])(implicit context: ExecutionContext): Future[Verified] = {
    val span = tracer.spanBuilder("saltern login").setSpanKind(SpanKind.CLIENT).startSpan()
    val answer = call(saltern.withTraceparent(traceparentOf(span)))
    answer.onComplete { result =>
      result match {
        case Success(verified)            => span.setAttribute(Outcome, verified.origin.name)
        case Failure(error: SalternError) => span.setAttribute(Outcome, error.code).setStatus(StatusCode.ERROR, error.detailed)
        case Failure(_)                   => span.setStatus(StatusCode.ERROR)
      }
      span.end()
    }
    answer
  }
}

object Telemetry {
  val Operation: AttributeKey[String] = AttributeKey.stringKey("operation")
  val Outcome: AttributeKey[String] = AttributeKey.stringKey("outcome")
  val Reason: AttributeKey[String] = AttributeKey.stringKey("reason")

  private def traceparentOf(span: Span): String = {
    val header = new AtomicReference("")
    W3CTraceContextPropagator.getInstance.inject(
      Context.current.`with`(span),
      header,
      (into: AtomicReference[String], name, value) => if (name == "traceparent") into.set(value)
    )
    header.get
  }
}
