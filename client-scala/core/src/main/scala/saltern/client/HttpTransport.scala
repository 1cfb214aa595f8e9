package saltern.client

import java.io.IOException
import java.net.{ConnectException, InetAddress, NoRouteToHostException, Proxy, ProxySelector, URI, UnknownHostException}
import java.net.http.{HttpClient, HttpConnectTimeoutException, HttpRequest, HttpResponse, HttpTimeoutException}
import java.nio.ByteBuffer
import java.nio.channels.UnresolvedAddressException
import java.util
import java.util.concurrent.{CompletableFuture, CompletionException, CompletionStage, Executors, Flow, RejectedExecutionException}
import javax.net.ssl.{SSLException, SSLHandshakeException, SSLPeerUnverifiedException}
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Success}
import scala.util.control.NonFatal

/** The contract over the JDK's HTTP client. It uses HTTP/1.1, so that the number of exchanges
  * bounds the number of connections. It follows no redirects and bounds the length of answers. The
  * JDK's client itself tries a refused connect a second time, at once.
  */
private[saltern] final class HttpTransport(from: ClientConfig) extends Transport {
  private val config = from.settings

  // Completions only decide and hand over. With two threads, one slow listener does not block all
  // of them.
  private val executor = Executors.newFixedThreadPool(2, Threads.named("saltern-http"))
  private val lookup = if (HttpTransport.looksUp(config.endpoint)) Some(new Lookup(config.endpoint.getHost)) else None
  private val client: HttpClient = {
    val builder = HttpClient
      .newBuilder()
      .version(HttpClient.Version.HTTP_1_1)
      .followRedirects(HttpClient.Redirect.NEVER)
      .connectTimeout(java.time.Duration.ofNanos(config.connectTimeout.toNanos))
      .executor(executor)
    config.sslContext.foreach(context => builder.sslContext(context))
    builder.build()
  }
  private val base = config.endpoint.toString.stripSuffix("/")

  def send(request: Transport.Request): Transport.Exchange = {
    val uri = URI.create(base + request.path)
    val exchange = new HttpExchange
    val ends = System.nanoTime + request.timeout.toNanos
    def begin(proof: Seq[(String, String)], answered: Transport.Response => Unit): Unit = {
      def start(): Unit =
        exchange.start(() => client.sendAsync(built(request, uri, proof, ends - System.nanoTime), limited(request.maxAnswerBytes)), answered)
      lookup.fold(start())(_.before(exchange)(() => start()))
    }
    def againIfRefused(proof: Seq[(String, String)])(answer: Transport.Response): Unit =
      if (answer.status != 401) exchange.succeed(answer)
      else
        asked(config.auth.headersAfter(proof)).onComplete {
          case Success(Some(other)) => begin(other, exchange.succeed)
          case _                    => exchange.succeed(answer)
        }(ExecutionContext.parasitic)
    asked(config.auth.headers(request.method, uri, request.headers, request.body)).onComplete {
      case Success(proof) => begin(proof, againIfRefused(proof))
      case Failure(e)     => exchange.fail(TransportFailure(TransportFailure.Kind.CredentialsFailed, e))
    }(ExecutionContext.parasitic)
    exchange
  }

  private def asked[A](auth: => Future[A]): Future[A] =
    try auth
    catch { case NonFatal(e) => Future.failed(e) }

  def close(): Unit = {
    // A client can be shut down since JDK 21. Before, its selector thread ends when the client is
    // garbage-collected.
    try { val _ = classOf[HttpClient].getMethod("shutdownNow").invoke(client) }
    catch { case _: NoSuchMethodException => () }
    lookup.foreach(_.close())
    val _ = executor.shutdownNow()
  }

  private def built(request: Transport.Request, uri: URI, proof: Seq[(String, String)], nanosLeft: Long): HttpRequest = {
    val body =
      if (request.method == "GET") HttpRequest.BodyPublishers.noBody() else HttpRequest.BodyPublishers.ofByteArray(request.body)
    val builder = HttpRequest
      .newBuilder(uri)
      .method(request.method, body)
      .timeout(java.time.Duration.ofNanos(math.max(1L, nanosLeft)))
    // Not signed: proxies may change it.
    builder.setHeader("User-Agent", HttpTransport.UserAgent)
    (request.headers ++ proof).foreach { case (name, value) => builder.setHeader(name, value) }
    builder.build()
  }

  private def limited(maxBytes: Int): HttpResponse.BodyHandler[Array[Byte]] = _ => new LimitedBody(maxBytes)
}

private object HttpTransport {

  /** The version stands in the jar's manifest. */
  private val UserAgent = s"saltern-client/${Option(classOf[Saltern].getPackage.getImplementationVersion).getOrElse("unreleased")}"

  /** Returns whether this JVM resolves the host: it is not an address, and no proxy resolves it. */
  private def looksUp(endpoint: URI): Boolean = {
    val host = endpoint.getHost
    val isAddress = host.contains(':') || host.forall(c => c == '.' || c.isDigit)
    !isAddress && Option(ProxySelector.getDefault).forall(_.select(endpoint).asScala.forall(_.`type` == Proxy.Type.DIRECT))
  }
}

/** Resolves the service's name on a separate thread before every request.
  *
  * The JDK's client resolves it too, on the threads that complete answers. It then finds the name
  * in the JVM's cache (30 s, unless `networkaddress.cache.ttl` is set). So a slow name server
  * delays new requests, but no answer that is in flight. One thread is enough: the JVM resolves a
  * name only once at a time.
  */
private final class Lookup(host: String) {
  private val executor = Executors.newSingleThreadExecutor(Threads.named("saltern-lookup"))

  def before(exchange: HttpExchange)(start: () => Unit): Unit =
    try
      executor.execute { () =>
        if (!exchange.isCancelled)
          try { val _ = InetAddress.getAllByName(host) }
          // The JDK's client meets the same failure and reports it.
          catch { case NonFatal(_) => () }
        start()
      }
    // It is closed, or the system starts no more threads.
    catch { case e @ (_: RejectedExecutionException | _: OutOfMemoryError) => exchange.fail(TransportFailure(TransportFailure.Kind.ConnectFailed, e)) }

  def close(): Unit = { val _ = executor.shutdownNow() }
}

private final class HttpExchange extends Transport.Exchange {
  private val promise = Promise[Transport.Response]()
  private var inFlight: Option[CompletableFuture[?]] = None
  private var cancelled = false

  def response: Future[Transport.Response] = promise.future

  def cancel(): Unit = {
    val running = synchronized { cancelled = true; inFlight }
    running.foreach(_.cancel(true))
  }

  def isCancelled: Boolean = synchronized(cancelled)

  def succeed(answer: Transport.Response): Unit = { val _ = promise.trySuccess(answer) }

  def fail(failure: TransportFailure): Unit = { val _ = promise.tryFailure(failure) }

  /** Starts the request unless it was cancelled while the credentials were fetched. */
  def start(send: () => CompletableFuture[HttpResponse[Array[Byte]]], answered: Transport.Response => Unit): Unit =
    try {
      val started = synchronized {
        Option.when(!cancelled) { val future = send(); inFlight = Some(future); future }
      }
      started match {
        case None         => fail(new TransportFailure(TransportFailure.Kind.TimedOut, "cancelled before sending"))
        case Some(future) =>
          val _ = future.handle[Unit] { (response, problem) =>
            if (problem == null) answered(HttpExchange.responseOf(response)) else fail(HttpExchange.failureOf(problem))
          }
      }
    } catch { case e @ (NonFatal(_) | _: OutOfMemoryError) => fail(HttpExchange.failureOf(e)) }
}

private object HttpExchange {

  /** The JDK tells an answer that is not TLS only by its message. */
  private def isNoTls(problem: Throwable): Boolean = problem match {
    case e: SSLException => Option(e.getMessage).exists(_.startsWith("Unrecognized SSL message"))
    case _               => false
  }

  def responseOf(response: HttpResponse[Array[Byte]]): Transport.Response = {
    val headers = response.headers.map.asScala.toSeq.flatMap { case (name, values) => values.asScala.map(name -> _) }
    new Transport.Response(response.statusCode, headers, response.body)
  }

  def failureOf(problem: Throwable): TransportFailure = {
    import TransportFailure.Kind
    val chain = Iterator.iterate(problem)(_.getCause).takeWhile(_ != null).take(6).toVector
    def has(matches: PartialFunction[Throwable, Unit]): Boolean = chain.exists(matches.isDefinedAt)
    val kind =
      chain.collectFirst { case own: TransportFailure => own.kind }.getOrElse {
        if (has { case _: SSLHandshakeException | _: SSLPeerUnverifiedException => () } || chain.exists(isNoTls)) Kind.TlsFailed
        else if (
          has {
            case _: ConnectException | _: HttpConnectTimeoutException | _: UnresolvedAddressException |
                _: UnknownHostException | _: NoRouteToHostException =>
              ()
          }
        ) Kind.ConnectFailed
        else if (has { case _: HttpTimeoutException => () }) Kind.TimedOut
        else Kind.Broken
      }
    if (chain.exists(isNoTls)) new TransportFailure(kind, "the peer does not speak TLS")
    else TransportFailure(kind, chain.find { case _: CompletionException => false; case _ => true }.getOrElse(problem))
  }
}

/** Collects a body up to a limit, then stops the transfer. */
private final class LimitedBody(maxBytes: Int) extends HttpResponse.BodySubscriber[Array[Byte]] {
  private val whole = HttpResponse.BodySubscribers.ofByteArray()
  private var subscription: Flow.Subscription = _
  private var size = 0L

  def getBody: CompletionStage[Array[Byte]] = whole.getBody

  def onSubscribe(source: Flow.Subscription): Unit = { subscription = source; whole.onSubscribe(source) }

  def onNext(buffers: util.List[ByteBuffer]): Unit = {
    size += buffers.asScala.map(_.remaining.toLong).sum
    if (size <= maxBytes) whole.onNext(buffers)
    else {
      subscription.cancel()
      whole.onError(new IOException(new TransportFailure(TransportFailure.Kind.TooLarge, s"more than $maxBytes bytes")))
    }
  }

  def onError(problem: Throwable): Unit = whole.onError(problem)
  def onComplete(): Unit = whole.onComplete()
}
