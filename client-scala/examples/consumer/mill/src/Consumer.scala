import saltern.client.*

/** Logs in at a running server. */
@main def consumer(url: String): Unit = {
  val saltern = Saltern(ClientConfig(url).withFallback(Fallback.Never)).blocking.withDeadline(java.time.Duration.ofSeconds(60))
  val stored = saltern.hash(Password("correct horse"), "bcrypt-12-2023").encoded
  (saltern.login(Password("correct horse"), Some(stored)), saltern.login(Password("wrong"), Some(stored))) match {
    case (right: Match, _: Mismatch) if right.origin == Origin.Remote => println(s"consumed from Mill: verified ${right.origin}")
    case answers                                                      => throw new AssertionError(answers.toString)
  }
}
