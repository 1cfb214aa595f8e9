package saltern.client

import java.net.URI
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import scala.annotation.tailrec
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.concurrent.duration.*
import scala.util.{Success, Try}
import scala.util.control.NonFatal

/** Supplies bearer tokens that change: `config.withAuth(RequestAuth.bearer(supplier))`.
  *
  * The client asks for a token before the first request, and when the time of the last one is over.
  * It also asks after the service has answered 401, and sends the refused request again once. It
  * asks once at a time. After a failure or the same token it asks once a second at most.
  */
trait TokenSupplier {

  /** Returns the present token. It must not block, and has three seconds. If it fails, the last
    * token is sent on; without one the call is hashed locally.
    */
  def token(): Future[Token]

  /** Called when a client is closed. Others with the same settings may go on. */
  def close(): Unit = ()
}

/** A bearer token. It is never printed.
  *
  * @param goodFor the client asks for the next token after this time, and sends this one until it
  *   has it; `None` if only a 401 ends it
  */
final class Token private (private[client] val value: String, val goodFor: Option[FiniteDuration]) {
  override def toString: String = "Token(..)"
}

object Token {

  /** Makes a token. Throws an `IllegalArgumentException` if it is empty or contains other than
    * visible ASCII; the message quotes nothing of it.
    */
  def apply(value: String, goodFor: Option[FiniteDuration] = None): Token = {
    require(value.nonEmpty && value.forall(c => c > ' ' && c < 0x7f), "token: give visible ASCII without spaces")
    new Token(value, goodFor)
  }
}

object TokenSupplier {

  /** Reads the token from a file, once a minute and after a 401. White space around it is ignored.
    * No thread of the client waits for the file.
    */
  def file(path: Path): TokenSupplier = new TokenSupplier {
    // Ends when it is idle, and not with a client: another one may have the same settings.
    private val executor = Threads.onDemand("saltern-token", atMost = 1)

    def token(): Future[Token] =
      Future(Token(new String(Files.readAllBytes(path), US_ASCII).trim, Some(FileIsReadAfter)))(ExecutionContext.fromExecutor(executor))

    override def toString: String = "TokenSupplier.file(..)"
  }

  /** Kubernetes writes a projected token anew when a fifth of its time is left. That is two minutes
    * or more.
    */
  private val FileIsReadAfter = 1.minute
}

/** Sends a supplier's tokens. No thread waits for the supplier. */
private[client] final class SuppliedAuth(supplier: TokenSupplier, nanos: () => Long = () => System.nanoTime()) extends RequestAuth {
  import SuppliedAuth.*

  private val state = new AtomicReference(State(None, None, nanos()))

  def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] = {
    val now = nanos()
    state.get.held match {
      case None       => asked(now)
      case Some(held) =>
        if (!held.isGood(now)) { val _ = asked(now) }
        Future.successful(held.headers)
    }
  }

  override def headersAfter(refused: Seq[(String, String)]): Future[Option[Seq[(String, String)]]] = {
    // The answer to an older request may come after a newer token.
    val next = state.get.held.map(_.headers).filter(_ != refused).fold(asked(nanos()))(Future.successful)
    next.transform(found => Success(found.toOption.filter(_ != refused)))(ExecutionContext.parasitic)
  }

  override def close(): Unit = supplier.close()

  /** Asks the supplier, unless it was asked in vain a moment ago. */
  @tailrec
  private def asked(now: Long): Proof = {
    val before = state.get
    before.asking match {
      case Some(answer)                     => answer
      case None if now - before.askFrom < 0 => before.latest(new IllegalStateException("there is no token"))
      case None                             =>
        val answer = Promise[Seq[(String, String)]]()
        if (state.compareAndSet(before, before.copy(asking = Some(answer.future)))) {
          ask(answer)
          answer.future
        } else asked(now)
    }
  }

  private def ask(answer: Promise[Seq[(String, String)]]): Unit = {
    val token = Promise[Token]()
    token.future.onComplete(answered(_, answer))(ExecutionContext.parasitic)
    val late: Runnable = () => { val _ = token.tryFailure(new IllegalStateException("the token supplier did not answer in time")) }
    val supplied =
      try {
        CompletableFuture.delayedExecutor(AnswerTime.toNanos, TimeUnit.NANOSECONDS).execute(late)
        supplier.token()
      }
      // The system may start no more threads. The question would stay open for good.
      catch { case e @ (NonFatal(_) | _: OutOfMemoryError) => Future.failed(e) }
    // A null comes from Java. It would leave the question open too.
    supplied.onComplete(made => token.tryComplete(made.filter(_ != null)))(ExecutionContext.parasitic)
  }

  private def answered(token: Try[Token], answer: Promise[Seq[(String, String)]]): Unit = {
    val now = nanos()
    val after = state.updateAndGet { before =>
      val held = token.toOption.map(new Held(_, now))
      val isOther = held.exists(next => !before.held.exists(_.headers == next.headers))
      State(held.orElse(before.held), None, if (isOther) now else now + LeastPause)
    }
    answer.completeWith(after.latest(token.failed.getOrElse(new IllegalStateException)))
    ()
  }

  override def toString: String = "RequestAuth.bearer(..)"
}

private[client] object SuppliedAuth {
  private type Proof = Future[Seq[(String, String)]]

  /** @param since when it was supplied */
  private final class Held(token: Token, since: Long) {
    val headers: Seq[(String, String)] = RequestAuth.bearerHeaders(token.value)
    def isGood(now: Long): Boolean = token.goodFor.forall(now - since < _.toNanos)
  }

  /** @param asking the answer that the supplier owes
    * @param askFrom the supplier is not asked before
    */
  private final case class State(held: Option[Held], asking: Option[Proof], askFrom: Long) {
    def latest(without: Throwable): Proof = held.fold[Proof](Future.failed(without))(held => Future.successful(held.headers))
  }

  /** As long as SigV4's credentials have. */
  private val AnswerTime = 3.seconds

  /** So a supplier without a better token is not asked for every request. */
  private val LeastPause = 1.second.toNanos
}
