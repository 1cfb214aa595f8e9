package saltern.client

import java.net.URI
import java.util.Arrays
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

/** How a request reaches the service: HTTP by default, a direct `Invoke` or a test's own otherwise. Decides nothing. */
trait Transport {

  /** Starts one exchange. Never throws, never blocks; failures are [[TransportFailure]]s in the future. */
  def send(request: Transport.Request): Transport.Exchange

  /** Ends what is still under way. Nothing is sent after it. */
  def close(): Unit
}

object Transport {

  /** One request of the contract. The body is the client's and wiped when the exchange ends.
    *
    * @param method `GET` or `POST`
    * @param path of the contract, which stands behind the endpoint's own
    * @param headers names and values; those of the connection (`Host`, `Content-Length`) are the transport's
    * @param body UTF-8; holds passwords
    * @param timeout nobody waits longer for the answer
    * @param maxAnswerBytes longest body that is read; a longer one is a failure of kind [[TransportFailure.Kind.TooLarge]]
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

  /** One answer, whole.
    *
    * @param status HTTP's, 100 to 599
    * @param body at most as long as the request said
    */
  final class Response(val status: Int, headers: Seq[(String, String)], val body: Array[Byte]) {

    /** The first value of a header, whose name is compared without its case. */
    def header(name: String): Option[String] = headers.collectFirst { case (n, v) if n.equalsIgnoreCase(name) => v }
    override def toString: String = s"Response($status, ..)"
  }

  /** A request on its way. */
  trait Exchange {

    /** Its answer, or a failed future with a [[TransportFailure]]. */
    def response: Future[Response]

    /** Nobody waits any more. */
    def cancel(): Unit
  }
}

/** Why an exchange has no answer.
  *
  * @param kind what may be assumed about the request
  * @param detail for logs: names of exception classes, never their texts
  */
final class TransportFailure(val kind: TransportFailure.Kind, val detail: String)
    extends RuntimeException(s"${kind.name}: $detail", null, false, false)

object TransportFailure {

  /** By what may be assumed.
    *
    * @param name for people, in lower case
    */
  sealed abstract class Kind(val name: String)
  object Kind {

    /** No connection: DNS, refused, no route, connect timeout. Nothing was sent. */
    case object ConnectFailed extends Kind("connect failed")

    /** The peer is not who it should be. Nothing was sent, and trying again changes nothing. */
    case object TlsFailed extends Kind("TLS failed")

    /** No credentials to send it with. Nothing was sent. */
    case object CredentialsFailed extends Kind("credentials failed")

    /** The connection ended before the answer did. It may have been sent. */
    case object Broken extends Kind("connection broken")

    /** No answer in time. It may have been sent. */
    case object TimedOut extends Kind("timed out")

    /** The answer is longer than any of the contract's. */
    case object TooLarge extends Kind("answer too large")
  }

  private[saltern] def apply(kind: Kind, cause: Throwable): TransportFailure =
    new TransportFailure(kind, Iterator.iterate(cause)(_.getCause).takeWhile(_ != null).take(4).map(_.getClass.getSimpleName).mkString(" < "))
}

/** The headers that prove who asks. */
trait RequestAuth {

  /** The headers to add to a request. Called for each, off the caller's threads; must not block. A failed future sends the call to
    * local hashing as [[FallbackReason.CredentialsFailed]].
    */
  def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]]

  /** Called once, when the client is closed. */
  def close(): Unit = ()
}

object RequestAuth {

  /** For a service on one's own machine. */
  val none: RequestAuth = (_, _, _, _) => Future.successful(Nil)

  /** The token of `saltern serve`. It stays in memory as long as the settings do, and nothing prints it. */
  def bearer(token: String): RequestAuth = new RequestAuth {
    private val value = Seq("Authorization" -> s"Bearer $token")
    def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] =
      Future.successful(value)
    override def toString: String = "RequestAuth.bearer(..)"
  }
}
