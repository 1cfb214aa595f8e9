package saltern.client.lambda

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, writeToArray, JsonValueCodec, ReaderConfig}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Base64}
import saltern.client.{ClientConfig, HttpTransport, Saltern, Transport}
import saltern.client.sigv4.SigV4
import scala.concurrent.{ExecutionContext, Future}
import scala.util.control.NonFatal

/** Invokes the function directly, for callers inside a VPC. It sends the same payload-v2 event as
  * the function's URL would, to Lambda's API (through a `lambda` VPC endpoint if there is one). It
  * is one signed POST and needs no SDK client.
  */
object LambdaInvoke {

  /** Makes a client that invokes `functionName` at `qualifier`.
    *
    * Make `config` by [[config]], or with an endpoint of Lambda's API and SigV4 as its auth.
    *
    * @param functionName 1 to 64 letters, digits, hyphens and underscores, or an
    *   `IllegalArgumentException`
    * @param qualifier an alias or a version, 1 to 128 of the same characters
    */
  def apply(config: ClientConfig, functionName: String, qualifier: String = "live"): Saltern =
    Saltern.made(config, transport(new HttpTransport(config), functionName, qualifier))

  /** Returns settings for a region (`eu-north-1`), signed with the default credentials chain. */
  def config(region: String): ClientConfig =
    ClientConfig(URI.create(s"https://lambda.$region.amazonaws.com")).withAuth(SigV4(region))

  private[saltern] def transport(http: => Transport, functionName: String, qualifier: String): Transport = {
    require(functionName.matches("[A-Za-z0-9_-]{1,64}"), "functionName: give 1 to 64 letters, digits, hyphens and underscores")
    require(qualifier.matches("[A-Za-z0-9_-]{1,128}"), "qualifier: give a version or an alias")
    new InvokeTransport(http, s"/2015-03-31/functions/$functionName/invocations?Qualifier=$qualifier")
  }

  private final class InvokeTransport(http: Transport, path: String) extends Transport {
    def send(request: Transport.Request): Transport.Exchange = {
      val event = eventOf(request)
      val invocation = new Transport.Request(
        "POST",
        path,
        Seq("Content-Type" -> "application/json"),
        event,
        request.timeout,
        // The answer is a string inside JSON: escaping may double its length.
        request.maxAnswerBytes * 2 + EnvelopeBytes
      )
      val exchange = http.send(invocation)
      new Transport.Exchange {
        val response: Future[Transport.Response] = exchange.response.map(unwrapped)(ExecutionContext.parasitic)
        response.onComplete(_ => Arrays.fill(event, 0.toByte))(ExecutionContext.parasitic)
        def cancel(): Unit = exchange.cancel()
      }
    }

    def close(): Unit = http.close()
  }

  /** Base64 of bytes, so that the password is never in a `String`. */
  private def eventOf(request: Transport.Request): Array[Byte] = {
    val headers = request.headers.map { case (name, value) => name.toLowerCase(java.util.Locale.ROOT) -> value }.toMap
    val envelope = writeToArray(
      Event(
        "2.0",
        "$default",
        request.path,
        "",
        headers,
        RequestContext(Http(request.method, request.path, "HTTP/1.1", "127.0.0.1", "saltern-client"), "$default"),
        isBase64Encoded = true
      )
    )
    val body = Base64.getEncoder.encode(request.body)
    // The envelope ends with `}`: the body goes before it.
    val event = Array.concat(envelope.init, ",\"body\":\"".getBytes(UTF_8), body, "\"}".getBytes(UTF_8))
    Arrays.fill(body, 0.toByte)
    event
  }

  /** Returns the function's own answer. If Lambda or the function's runtime failed, returns an
    * answer that is not the service's.
    */
  private def unwrapped(response: Transport.Response): Transport.Response = {
    def kept(name: String) = response.header(name).map(name -> _)
    def notOurs(status: Int) =
      new Transport.Response(status, kept("Retry-After").toSeq ++ kept("Date"), Array.emptyByteArray)
    if (response.status != 200) notOurs(response.status)
    // Lambda answers 200 with this header if the function crashed. The client treats it as a 502.
    else if (response.header("X-Amz-Function-Error").isDefined) notOurs(502)
    else
      try {
        val answer = readFromArray[Answer](response.body, readerConfig)
        val body = answer.body.getOrElse("")
        val bytes = if (answer.isBase64Encoded) Base64.getDecoder.decode(body) else body.getBytes(UTF_8)
        new Transport.Response(answer.statusCode, answer.headers.toSeq ++ kept("Date"), bytes)
      } catch { case NonFatal(_) => notOurs(502) }
  }

  private final case class Http(method: String, path: String, protocol: String, sourceIp: String, userAgent: String)
  private final case class RequestContext(http: Http, stage: String)
  private final case class Event(
      version: String,
      routeKey: String,
      rawPath: String,
      rawQueryString: String,
      headers: Map[String, String],
      requestContext: RequestContext,
      isBase64Encoded: Boolean
  )
  private final case class Answer(
      statusCode: Int,
      headers: Map[String, String] = Map.empty,
      body: Option[String],
      isBase64Encoded: Boolean = false
  )

  // Without a configuration: in Scala 2.13 the macro would evaluate it, and two compilers of one JVM may
  // not do so at the same time. That of saltern-hashes does.
  private implicit val eventCodec: JsonValueCodec[Event] = JsonCodecMaker.make
  private implicit val answerCodec: JsonValueCodec[Answer] = JsonCodecMaker.make

  private val readerConfig: ReaderConfig = ReaderConfig.withAppendHexDumpToParseException(false)

  /** The parts of the answer around its body: status and headers. */
  private val EnvelopeBytes = 4096
}
