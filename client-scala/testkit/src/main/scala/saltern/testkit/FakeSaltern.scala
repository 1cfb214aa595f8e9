package saltern.testkit

import java.security.MessageDigest
import java.util.concurrent.ConcurrentLinkedQueue
import saltern.client.*
import scala.annotation.varargs
import scala.concurrent.Future
import scala.concurrent.duration.*

/** A client without hashing, threads and a service, for the tests of a program. Each call is
  * answered before its method returns: by the next scripted answer, or as a client would answer.
  *
  * Its hashes begin with `fake` between dollar signs, and protect nothing. Any other stored text is
  * a `SalternError.BadHash`. `SalternF.of` and `SalternZIO.of` make it one for effects.
  */
final class FakeSaltern extends Saltern {
  private val script = new ConcurrentLinkedQueue[Either[SalternError, Verified]]

  /** The next calls of `login` and `verify` have these answers, in this order. A call of `hash` does
    * not take them.
    */
  @varargs
  def answers(next: Verified*): Unit = next.foreach(answer => script.add(Right(answer)))

  /** The next calls fail with these errors, in this order. */
  @varargs
  def fails(next: SalternError*): Unit = next.foreach(error => script.add(Left(error)))

  override def hash(password: Password): Future[Hashed] = hash(password, "fake")

  override def hash(password: Password, policy: String): Future[Hashed] = script.peek match {
    case Left(error) => script.remove(); Future.failed(error)
    case _           => result(textOf(password).map(Answers.hashed(_, policy)))
  }

  override def login(password: Password, stored: Option[String]): Future[Verified] = result(Option(script.poll).getOrElse {
    textOf(password).flatMap { own =>
      if (stored.exists(!_.startsWith(FakeSaltern.Mark))) Left(Answers.badHash)
      else Right(if (stored.contains(own)) Answers.matched() else Answers.mismatch)
    }
  })

  override def verify(password: Password, stored: String): Future[Verified] = login(password, Some(stored))

  override def rehashReason(stored: String): Option[RehashReason] = None
  override def check(): Future[Report] = {
    val good = Report.Finding.Good
    Future.successful(new Report(good, good, good, good, good, good, good, good, Nil))
  }
  override def cancel(call: Future[Any]): Boolean = false
  override def withContext(context: String): Saltern = this
  override def withDeadline(deadline: FiniteDuration): Saltern = this
  override def withRequestId(id: String): Saltern = this
  override def withTraceparent(value: String): Saltern = this
  override def close(): Unit = ()

  private def result[A](answer: Either[SalternError, A]): Future[A] = Future.fromTry(answer.toTry)

  private def textOf(password: Password): Either[SalternError, String] = password.copyBytes() match {
    case Left(_)      => Left(Answers.userFault)
    case Right(bytes) => Right(FakeSaltern.Mark + MessageDigest.getInstance("SHA-256").digest(bytes).map(byte => f"$byte%02x").mkString)
  }
}

object FakeSaltern {
  private val Mark = "$fake$"
}

/** Answers and errors of a client, for scripts and for a test's own `Saltern`. */
object Answers {
  private val instantly = new Timing(Duration.Zero, None, None)

  /** A match.
    *
    * @param rehash the text of the hash to store instead
    * @param origin the side that answers
    */
  def matched(rehash: Option[String] = None, origin: Origin = Origin.Remote): Match =
    new Match(rehash.map(new NewHash(_, Some("fake"))), rehash.map(_ => RehashReason.OlderPolicy), Some("fake"), origin, instantly)

  /** A match without a new hash, for Java. */
  def matched(): Match = matched(None)

  /** A mismatch. */
  val mismatch: Mismatch = new Mismatch(Some("fake"), Origin.Remote, instantly)

  /** A new hash.
    *
    * @param encoded the text to store
    * @param policy the id of its policy
    */
  def hashed(encoded: String, policy: String = "fake"): Hashed = new Hashed(encoded, policy, Origin.Remote, instantly)

  /** The password is too long: 400. */
  def userFault: SalternError.UserFault = new SalternError.UserFault(RefusalCode.PasswordTooLong, Origin.Remote, "")

  /** The row is wrong: 500. */
  def badHash: SalternError.BadHash = new SalternError.BadHash(RefusalCode.InvalidHash, Origin.Remote, "")

  /** A setting is wrong: 500. */
  def misconfigured: SalternError.Misconfigured = new SalternError.Misconfigured(RefusalCode.UnknownPolicy, Origin.Remote, "")

  /** Both sides are busy: 503.
    *
    * @param retryAfter for the caller
    */
  def overloaded(retryAfter: FiniteDuration = 1.second): SalternError.Overloaded = new SalternError.Overloaded(retryAfter, "scripted")

  /** The time is over: 503. */
  def deadlineExceeded: SalternError.DeadlineExceeded = new SalternError.DeadlineExceeded("scripted")

  /** The service is away, and this host cannot compute the hash: 503. */
  def notAvailableLocally: SalternError.NotAvailableLocally = new SalternError.NotAvailableLocally("scripted")

  /** The service is away, and local hashing is off: 503. */
  def notSent: SalternError.NotSent = new SalternError.NotSent("scripted")

  /** The answer of the service is lost, and local hashing is off: 503. */
  def maybeSent: SalternError.MaybeSent = new SalternError.MaybeSent("scripted")
}
