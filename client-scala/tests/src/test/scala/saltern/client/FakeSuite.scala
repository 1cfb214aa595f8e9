package saltern.client

import saltern.testkit.{Answers, FakeSaltern}
import scala.concurrent.Future

/** The testkit's client for the tests of programs. */
class FakeSuite extends PatientSuite {
  private val secret = Password("secret")

  private def now[A](call: Future[A]): A = call.value.get.get
  private def error(call: Future[Any]): Throwable = call.value.get.failed.get

  test("without a script the fake answers as a client") {
    val fake = new FakeSaltern
    val made = now(fake.hash(secret)).encoded
    assert(now(fake.login(secret, Some(made))).isInstanceOf[Match] && now(fake.verify(secret, made)).isInstanceOf[Match])
    for (stored <- Seq(Some(now(fake.hash(Password("other"))).encoded), None)) assert(now(fake.login(secret, stored)).isInstanceOf[Mismatch])
    assert(error(fake.login(secret, Some("$2b$10$of another software"))).isInstanceOf[SalternError.BadHash])
    val tooLong = Password("x" * (Password.MaxBytes + 1))
    for (call <- Seq(fake.hash(tooLong), fake.login(tooLong, None))) assert(error(call).isInstanceOf[SalternError.UserFault])
    assert(now(fake.check()).isGood && fake.blocking.login(secret, Some(made)).isInstanceOf[Match])
  }

  test("scripted answers and errors come in their order") {
    val fake = new FakeSaltern
    fake.answers(Answers.matched(rehash = Some("new")))
    fake.fails(Answers.overloaded())
    assert(now(fake.hash(secret)).encoded.startsWith(s"$$fake$$"), "a hash takes no answer to a login")
    assertEquals(now(fake.login(secret, None)) match { case Match(made) => made.map(_.encoded); case _: Mismatch => None }, Some("new"))
    assert(error(fake.hash(secret)).isInstanceOf[SalternError.Overloaded])
    assert(now(fake.login(secret, None)).isInstanceOf[Mismatch], "the script has ended")
  }

  test("a program's own client needs no network, in every package") {
    val own: Saltern = new Saltern {
      private val fake = new FakeSaltern
      def hash(password: Password): Future[Hashed] = fake.hash(password)
      def hash(password: Password, policy: String): Future[Hashed] = fake.hash(password, policy)
      def login(password: Password, stored: Option[String]): Future[Verified] = Future.failed(Answers.deadlineExceeded)
      def verify(password: Password, stored: String): Future[Verified] = fake.verify(password, stored)
      def cancel(call: Future[Any]): Boolean = false
      def rehashReason(stored: String): Option[RehashReason] = None
      def check(): Future[Report] = fake.check()
      def withContext(context: String): Saltern = this
      def withDeadline(deadline: scala.concurrent.duration.FiniteDuration): Saltern = this
      def withRequestId(id: String): Saltern = this
      def withTraceparent(value: String): Saltern = this
      def close(): Unit = ()
    }
    intercept[SalternError.DeadlineExceeded](own.blocking.login(secret, None))
    assert(own.stages.hash(secret).isDone)
  }
}
