import saltern.client.*
import scala.concurrent.duration.*

/** Logs in at a running server. */
@main def consumer(url: String): Unit = {
  // Long enough for a busy machine.
  val patient = ClientConfig(url).withDeadline(60.seconds).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds)
  val saltern = Saltern(patient.withFallback(Fallback.Never)).blocking
  val stored = saltern.hash(Password("correct horse"), "bcrypt-12-2023").encoded
  (saltern.login(Password("correct horse"), Some(stored)), saltern.login(Password("wrong"), Some(stored))) match {
    case (right: Match, _: Mismatch) if right.origin == Origin.Remote => println(s"consumed from Mill: verified ${right.origin}")
    case answers                                                      => throw new AssertionError(answers.toString)
  }
}
