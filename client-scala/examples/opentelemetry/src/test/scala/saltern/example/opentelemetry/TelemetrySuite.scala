package saltern.example.opentelemetry

import io.opentelemetry.api.trace.StatusCode
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.metrics.SdkMeterProvider
import io.opentelemetry.sdk.testing.exporter.{InMemoryMetricReader, InMemorySpanExporter}
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.`export`.SimpleSpanProcessor
import saltern.client.*
import saltern.client.FrameworkFixtures.{config, oldHash}
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.{Await, ExecutionContext}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Try

class TelemetrySuite extends PatientSuite {
  private implicit val context: ExecutionContext = ExecutionContext.global

  test("each login is a span, whose trace the service gets, and each call a value of a metric") {
    val (spans, metrics) = (InMemorySpanExporter.create(), InMemoryMetricReader.create())
    val sdk = OpenTelemetrySdk
      .builder()
      .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(spans)).build())
      .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
      .build()
    val telemetry = new Telemetry(sdk)
    val service = InMemoryService(config.settings.policies)
    val saltern = Saltern(config.withListener(telemetry).withFallback(Fallback.Never), service)
    def login(): Try[Verified] =
      Await.ready(telemetry.login(saltern)(_.login(Password("secret"), Some(oldHash))), 1.minute).value.get
    val parent = sdk.getTracer("test").spanBuilder("parent").startSpan()
    try {
      val scope = parent.makeCurrent()
      assert(login().isSuccess)
      service.next(Fault.Problem(503, "overloaded"))
      assert(login().isFailure)
      scope.close()
      // The last span may be exported just after the answer.
      val ended = Iterator.continually(spans.getFinishedSpanItems.asScala.toVector).take(6000).find { found => Thread.sleep(10); found.size == 2 }.get
      assertEquals(ended.map(_.getAttributes.get(Telemetry.Outcome)), Vector("remote", "overloaded"))
      assertEquals(ended.map(_.getStatus.getStatusCode), Vector(StatusCode.UNSET, StatusCode.ERROR))
      assertEquals(ended.map(_.getParentSpanId).distinct, Vector(parent.getSpanContext.getSpanId))
      // Without the flags.
      val sent = service.requests.map(_.header("traceparent").map(_.dropRight(3)))
      assertEquals(sent, ended.map(span => Option(s"00-${span.getTraceId}-${span.getSpanId}")))
      val calls = metrics.collectAllMetrics.asScala.find(_.getName == "saltern.client.calls").get.getHistogramData.getPoints.asScala
      assertEquals(calls.map(point => point.getAttributes.get(Telemetry.Outcome) -> point.getCount).toMap, Map("remote" -> 1L, "overloaded" -> 1L))
    } finally { parent.end(); saltern.close(); sdk.close() }
  }

  test("a fallback is counted by its reason") {
    val metrics = InMemoryMetricReader.create()
    val sdk = OpenTelemetrySdk.builder().setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build()).build()
    val service = InMemoryService(config.settings.policies)
    service.failAlways(Fault.Fails(TransportFailure.Kind.ConnectFailed))
    val saltern = Saltern(config.withListener(new Telemetry(sdk)), service)
    try {
      assert(saltern.blocking.login(Password("secret"), Some(oldHash)).origin == Origin.Local)
      val points = metrics.collectAllMetrics.asScala.find(_.getName == "saltern.client.fallback").get.getLongSumData.getPoints.asScala
      assertEquals(points.map(point => point.getAttributes.get(Telemetry.Reason) -> point.getValue).toMap, Map("connect_failed" -> 1L))
    } finally { saltern.close(); sdk.close() }
  }
}
