package saltern.client.resilience

import saltern.client.{FallbackReason as F, Origin, SalternError, TransportFailure}
import scala.concurrent.duration.*

/** The contract's error semantics, as a table. */
class DecisionSuite extends saltern.client.PatientSuite {
  import Decision.{Answer, DeadlineExceeded, Drop, GoLocal, Refuse}
  import TransportFailure.Kind

  private def problem(status: Int, code: String): Outcome[String] = Outcome.Problem(status, code, None, None)

  /** The short form of a decision. */
  private def brief(decision: Decision[String]): String = decision match {
    case Answer(value)       => s"answer $value"
    case Drop                => "nothing"
    case GoLocal(r, _, _)    => s"local $r"
    case Refuse(code, _)     => s"refuse $code"
    case DeadlineExceeded(_) => "deadline"
  }

  private def decide(outcome: Outcome[String], timeLeft: FiniteDuration = 1.second): String = brief(Decision.after(outcome, timeLeft))

  test("every answer of the service leads to its decision") {
    val ours4xx = Seq(
      400 -> "invalid_json",
      400 -> "invalid_request",
      431 -> "headers_too_large",
      422 -> "password_too_long",
      422 -> "password_breached",
      422 -> "password_has_nul",
      422 -> "unsupported_hash",
      422 -> "invalid_hash",
      422 -> "cost_out_of_bounds",
      422 -> "unknown_policy",
      422 -> "policy_not_for_hashing",
      422 -> "a_code_of_tomorrow"
    )
    for ((status, code) <- ours4xx) assertEquals(decide(problem(status, code)), s"refuse $code")
    assertEquals(decide(problem(401, "unauthorized")), s"local ${F.CredentialsFailed}")
    assertEquals(decide(problem(408, "request_timeout")), s"local ${F.AttemptTimeout}")
    assertEquals(decide(problem(500, "internal")), s"local ${F.ServerError}")
    assertEquals(decide(problem(503, "overloaded")), s"local ${F.Throttled}")
    assertEquals(decide(problem(503, "deadline_exceeded")), s"local ${F.AttemptTimeout}")
    assertEquals(decide(Outcome.Answered("x")), "answer x")
  }

  test("a user learns that the password is breached, not that it is too long") {
    def safe(code: String) = SalternError.refused(code, Origin.Remote).safe
    assert(safe("password_breached").contains("breached passwords: choose another"))
    assert(safe("password_too_long").contains("too long"))
  }

  test("of the service's 4xx statuses, those of credentials, of misconfiguration, 408 and 429 fall back") {
    assertEquals(decide(problem(403, "forbidden")), s"local ${F.Misconfigured}")
    for (status <- Seq(401, 403)) assertEquals(decide(problem(status, "x")), s"local ${F.CredentialsFailed}")
    for (status <- Seq(404, 405, 413, 415)) assertEquals(decide(problem(status, "x")), s"local ${F.Misconfigured}")
    for (status <- 400 to 499 if !Seq(401, 403, 404, 405, 408, 413, 415, 429).contains(status))
      assertEquals(decide(problem(status, "some_code")), "refuse some_code", s"$status")
  }

  test("deadline_exceeded ends the attempt: with time left the call is hashed locally") {
    assertEquals(decide(problem(503, "deadline_exceeded"), 1.milli), s"local ${F.AttemptTimeout}")
    assertEquals(decide(problem(503, "deadline_exceeded"), 0.seconds), "deadline")
  }

  test("a cancelled call has no next step, and says nothing about the service") {
    for (left <- Seq(-1.second, 1.hour)) assertEquals(decide(Outcome.Abandoned, left), "nothing")
    assertEquals(Decision.signal(Outcome.Abandoned, None, silent = true), Signal.Nothing: Signal)
  }

  test("an answer that is not the service's falls back, for every status") {
    for (status <- 100 to 999) {
      val reason = if (status == 429) F.Throttled else if (status == 504) F.AttemptTimeout else if (status >= 500) F.ServerError else F.AnswerNotOurs
      assertEquals(decide(Outcome.Foreign(status, None)), s"local $reason", s"$status")
    }
    assertEquals(decide(Outcome.Unreadable("x")), s"local ${F.AnswerNotOurs}")
  }

  test("every failure leads to its decision, and only a failed connect of the whole group is tried again") {
    val failures = Seq(
      Kind.ConnectFailed -> F.ConnectFailed,
      Kind.TlsFailed -> F.TlsFailed,
      Kind.CredentialsFailed -> F.CredentialsFailed,
      Kind.Broken -> F.ConnectionBroken,
      Kind.TimedOut -> F.AttemptTimeout,
      Kind.TooLarge -> F.AnswerNotOurs
    )
    for ((kind, reason) <- failures) {
      assertEquals(decide(Outcome.Failed(kind, "x")), s"local $reason")
      assertEquals(Decision.sendAgain(Seq(Outcome.Failed(kind, "x"))), kind == Kind.ConnectFailed, s"$kind")
    }
    assertEquals(decide(Outcome.NoConnection), s"local ${F.ConnectionsBusy}")
    assertEquals(decide(Outcome.NotTried(F.BreakerOpen)), s"local ${F.BreakerOpen}")
    val connectFailed = Outcome.Failed(Kind.ConnectFailed, "x")
    assert(Decision.sendAgain(Seq(connectFailed, connectFailed)))
    val others = Seq[Outcome[Any]](
      Outcome.Answered("x"),
      Outcome.NoConnection,
      Outcome.NotTried(F.BreakerOpen),
      Outcome.Abandoned,
      Outcome.Foreign(502, None),
      Outcome.Unreadable("x"),
      problem(503, "overloaded")
    )
    for (other <- others; outcomes <- Seq(Seq(other), Seq(connectFailed, other))) assert(!Decision.sendAgain(outcomes), s"$outcomes")
  }

  test("without time left, no call falls back") {
    for (
      outcome <- Seq[Outcome[String]](
        Outcome.Failed(Kind.ConnectFailed, "x"),
        Outcome.Failed(Kind.TimedOut, "x"),
        Outcome.Foreign(502, None),
        problem(503, "overloaded"),
        problem(500, "internal"),
        Outcome.NoConnection
      )
    )
      assertEquals(decide(outcome, 0.seconds), "deadline")
    // An answer stays an answer, and a refusal stays a refusal.
    assertEquals(decide(Outcome.Answered("x"), 0.seconds), "answer x")
    assertEquals(decide(problem(422, "invalid_hash"), 0.seconds), "refuse invalid_hash")
  }

  test("each outcome is the sign that it should be") {
    val expected = Seq[(Outcome[Any], Signal)](
      Outcome.Answered("x") -> Signal.Answered(Duration.Zero),
      problem(422, "invalid_hash") -> Signal.Answered(Duration.Zero),
      problem(503, "key_unavailable") -> Signal.Unable,
      problem(401, "unauthorized") -> Signal.Failed,
      problem(404, "not_found") -> Signal.Failed,
      problem(500, "internal") -> Signal.Failed,
      problem(503, "overloaded") -> Signal.Overloaded,
      problem(503, "deadline_exceeded") -> Signal.Unable,
      Outcome.Foreign(429, None) -> Signal.Overloaded,
      Outcome.Foreign(504, None) -> Signal.Slow,
      Outcome.Foreign(403, None) -> Signal.Failed,
      problem(403, "forbidden") -> Signal.Unable,
      Outcome.Foreign(502, None) -> Signal.Failed,
      Outcome.Unreadable("x") -> Signal.Failed,
      Outcome.Failed(Kind.Broken, "x") -> Signal.Failed,
      Outcome.Failed(Kind.TimedOut, "x") -> Signal.Slow,
      Outcome.NoConnection -> Signal.Nothing
    )
    for ((outcome, signal) <- expected) assertEquals(Decision.signal(outcome, None, silent = false), signal, outcome.toString)
    assertEquals(Decision.signal(Outcome.Failed(Kind.TimedOut, "x"), None, silent = true), Signal.Silent: Signal)
    assertEquals(Decision.signal(Outcome.Answered("x"), Some(9.millis), silent = false), Signal.Answered(9.millis): Signal)
  }

  test("a Retry-After is passed on, within bounds") {
    def after(outcome: Outcome[String]): Option[FiniteDuration] =
      Decision.after(outcome, 1.second) match { case GoLocal(_, _, after) => Some(after); case _ => None }
    assertEquals(after(Outcome.Problem(503, "overloaded", None, Some(2.seconds))), Some(2.seconds))
    assertEquals(after(Outcome.Problem(503, "overloaded", None, Some(1.hour))), Some(Decision.LongestRetry))
    assertEquals(after(Outcome.Foreign(429, None)), Some(Decision.RetryUnlessTold))
  }
}
