package saltern.checks

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Paths
import saltern.client.{ClientConfig, Match, Password, Saltern, SalternError, Verified}
import saltern.example.Arguments
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*

/** Question: while the service is away, does a host of each heap, collector and number of workers
  * log everybody in under the shipped policies? If not, was that told at the start?
  *
  * Nothing listens at the service's address. For each heap and collector a JVM makes a client for
  * each number of workers. Six logins are in progress at once, two of each kind: with a bcrypt hash,
  * with a hash of the current policy, and without a hash. All answers must be alike: an outage must
  * not show who has an account.
  */
object LocalHeaps {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--heaps" -> "220m,256m,512m,1g", "--collectors" -> "G1,Serial,Parallel", "--workers" -> "1,4,8"))
    def list(name: String): Seq[String] = settings(name).split(',').toSeq
    println("| heap | collector | workers | logins answered | told at the start | |")
    println("|---|---|---|---|---|---|")
    for (heap <- list("--heaps"); collector <- list("--collectors")) {
      val command = Seq(Paths.get(sys.props("java.home"), "bin", "java").toString, s"-Xmx$heap", s"-XX:+Use${collector}GC")
      val program = Seq("-cp", sys.props("java.class.path"), "saltern.checks.LocalHeapsHost")
      val process = new ProcessBuilder((command ++ program ++ list("--workers"))*).redirectErrorStream(true).start()
      val said = new String(process.getInputStream.readAllBytes(), UTF_8).linesIterator.toVector
      val rows = said.map(_.split('\t')).collect { case Array(workers, answered, of, told) =>
        val isRight = answered == of || answered == "0" && told.startsWith("NO")
        println(s"| $heap | $collector | $workers | $answered of $of | $told | ${Verdict.of(isRight)} |")
      }
      require(process.waitFor() == 0 && rows.size == list("--workers").size, s"the JVM of $heap and $collector has ended early: ${said.mkString("\n")}")
    }
    Verdict.end()
  }
}

/** One host. It prints a line for each number of workers. */
object LocalHeapsHost {
  def main(workers: Array[String]): Unit = for (count <- workers.map(_.toInt)) {
    val client = Saltern(ClientConfig("http://127.0.0.1:1").withLocalWorkers(count).withDeadline(60.seconds))
    val told = client.blocking.check().localHashing
    val logins = Seq.fill(2)(Seq(Some(Bcrypt), Some(Argon2id), None)).flatten.map(client.login(Password("secret"), _))
    val answered = logins.count(isAnswered)
    println(s"$count\t$answered\t${logins.size}\t$told")
    client.close()
  }

  private def isAnswered(login: Future[Verified]): Boolean =
    try
      Await.result(login, 2.minutes) match {
        case _: Match => throw new IllegalStateException("a wrong password matches")
        case _        => true
      }
    catch { case _: SalternError => false }

  // Of other passwords.
  private val Bcrypt = "$2b$10$abcdefghijklmnopqrstuufRJKqnIgp8iBP9JHlC9QlAWTNb2ftPm"
  private val Argon2id = "$argon2id$v=19$m=65536,t=4,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
}
