package saltern.client

import java.net.URI
import java.util.Arrays
import scala.annotation.unused
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

/** Carries requests to the service: over HTTP by default, by a direct `Invoke`, or by a test. It
  * makes no decisions.
  */
trait Transport {

  /** Starts one exchange. Never throws and never blocks. A failure is a [[TransportFailure]] in the
    * future.
    */
  def send(request: Transport.Request): Transport.Exchange

  /** Ends the exchanges in progress. No request is sent afterwards. */
  def close(): Unit
}

object Transport {

  /** One request of the contract. The client owns the body and wipes it when the exchange ends.
    *
    * @param method `GET` or `POST`
    * @param path of the contract, to be appended to the endpoint's path
    * @param headers names and values; the transport adds those of the connection (`Host`,
    *   `Content-Length`)
    * @param body UTF-8; contains passwords
    * @param timeout the client waits no longer for the answer
    * @param maxAnswerBytes the longest body that is read; a longer one is a failure of kind
    *   [[TransportFailure.Kind.TooLarge]]
    */
  final class Request(
      val method: String,
      val path: String,
      val headers: Seq[(String, String)],
      val body: Array[Byte],
      val timeout: FiniteDuration,
      val maxAnswerBytes: Int
  ) {
    private[client] def wipe(): Unit = Arrays.fill(body, 0.toByte)
    override def toString: String = s"Request($method $path, ..)"
  }

  /** One complete answer.
    *
    * @param status of HTTP, 100 to 599
    * @param body at most as long as the request allows
    */
  final class Response(val status: Int, headers: Seq[(String, String)], val body: Array[Byte]) {

    /** Returns the first value of a header. The name is compared without case. */
    def header(name: String): Option[String] = headers.collectFirst { case (n, v) if n.equalsIgnoreCase(name) => v }
    override def toString: String = s"Response($status, ..)"
  }

  /** A request in progress. */
  trait Exchange {

    /** The answer, or a failed future with a [[TransportFailure]]. */
    def response: Future[Response]

    /** Cancels the exchange. The caller no longer waits for its answer. */
    def cancel(): Unit
  }
}

/** The reason why an exchange has no answer.
  *
  * @param kind what the client may assume about the request
  * @param detail for logs: names of exception classes, never their messages
  */
final class TransportFailure(val kind: TransportFailure.Kind, val detail: String)
    extends RuntimeException(s"${kind.name}: $detail", null, false, false)

object TransportFailure {

  /** The kinds of failure, by what the client may assume.
    *
    * @param name for people, in lower case
    */
  sealed abstract class Kind(val name: String)
  object Kind {

    /** No connection: DNS failure, connection refused, no route, or connect timeout. Nothing was
      * sent.
      */
    case object ConnectFailed extends Kind("connect failed")

    /** TLS failed: the peer has no trusted certificate for this host. Nothing was sent, and a retry
      * does not help.
      */
    case object TlsFailed extends Kind("TLS failed")

    /** No credentials to sign the request with. Nothing was sent. */
    case object CredentialsFailed extends Kind("credentials failed")

    /** The connection ended before the answer was complete. The request may have been sent. */
    case object Broken extends Kind("connection broken")

    /** No answer in time. The request may have been sent. */
    case object TimedOut extends Kind("timed out")

    /** The answer is longer than the contract allows. */
    case object TooLarge extends Kind("answer too large")
  }

  private[saltern] def apply(kind: Kind, cause: Throwable): TransportFailure =
    new TransportFailure(kind, Iterator.iterate(cause)(_.getCause).takeWhile(_ != null).take(4).map(_.getClass.getSimpleName).mkString(" < "))
}

/** Authenticates requests by headers. */
trait RequestAuth {

  /** Returns the headers to add to a request. Called for each request on the client's threads; it
    * must not block. If the future fails, the call is hashed locally, with
    * [[FallbackReason.CredentialsFailed]].
    */
  def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]]

  /** Called if the service answered 401 to a request with these headers. Returns other headers, or
    * `None`. With other headers the request is sent again once. It must not block.
    */
  def headersAfter(@unused refused: Seq[(String, String)]): Future[Option[Seq[(String, String)]]] = Future.successful(None)

  /** Whether the headers carry the time, so that this host's clock must be right. */
  def usesClock: Boolean = false

  /** Called when a client is closed. Others with the same settings may go on. */
  def close(): Unit = ()
}

object RequestAuth {

  /** No authentication, for a service on the same machine. */
  val none: RequestAuth = (_, _, _, _) => Future.successful(Nil)

  /** Sends the token of `saltern serve`. The token stays in memory as long as the settings do, and
    * is never printed. Throws an `IllegalArgumentException` for a token that [[Token]] does not take.
    */
  def bearer(token: String): RequestAuth = new RequestAuth {
    private val value = bearerHeaders(Token(token).value)
    def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] =
      Future.successful(value)
    override def toString: String = "RequestAuth.bearer(..)"
  }

  /** Sends tokens of `saltern serve` that change, such as those of a file:
    * `bearer(TokenSupplier.file(path))`.
    */
  def bearer(supplier: TokenSupplier): RequestAuth = new SuppliedAuth(supplier)

  private[client] def bearerHeaders(token: String): Seq[(String, String)] = Seq("Authorization" -> s"Bearer $token")
}
