package saltern.measure

import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import saltern.client.{ClientConfig, ClientListener, FallbackReason, Match, Origin, Password, Saltern}
import saltern.example.{Arguments, Users}
import scala.concurrent.Await
import scala.concurrent.duration.*

/** Two questions: how much longer does a call through the client take than the same request through
  * the JDK's client alone? And how long after a failed attempt does the first local hash start?
  *
  * The stub runs in a separate JVM. Both ways alternate, A B B A, so that a disturbance affects
  * both.
  */
object Overhead {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--rounds" -> "9", "--calls" -> "500"))
    val (rounds, calls) = (settings("--rounds").toInt, settings("--calls").toInt)
    val stub = Child("saltern.measure.StubService", "--port", Port.toString)
    try {
      Child.awaitPort(Port)
      overhead(rounds, calls)
      fallback(rounds)
    } finally stub.stop()
    Verdict.end()
  }

  private def overhead(rounds: Int, calls: Int): Unit = {
    val client = Saltern(ClientConfig(s"http://127.0.0.1:$Port"))
    val password = Password("secret")
    val stored = Users.bcrypt(cost = 5)
    val bare = HttpClient.newHttpClient()
    val body = s"""{"password":"secret","hash":"$stored"}"""
    val request = HttpRequest
      .newBuilder(URI.create(s"http://127.0.0.1:$Port/verify"))
      .header("Content-Type", "application/json")
      .timeout(java.time.Duration.ofSeconds(3))
      .POST(HttpRequest.BodyPublishers.ofString(body))
      .build()
    def throughClient(): Unit = {
      val verified = Await.result(client.verify(password, stored), 5.seconds)
      require(verified.origin == Origin.Remote, "the stub did not answer")
    }
    def throughBare(): Unit = {
      // Asynchronous, and then awaited, as in the client.
      val response = bare.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()).get()
      require(response.statusCode == 200)
    }
    def p50(call: () => Unit): Double = {
      val sorted = Array.fill(calls) { val t = System.nanoTime(); call(); (System.nanoTime() - t) / 1e6 }.sorted
      sorted(calls / 2)
    }
    for (_ <- 1 to 3) { p50(() => throughClient()); p50(() => throughBare()) }
    val differences = (1 to rounds).map { _ =>
      val (a1, b1, b2, a2) = (p50(() => throughBare()), p50(() => throughClient()), p50(() => throughClient()), p50(() => throughBare()))
      ((b1 + b2) / 2 - (a1 + a2) / 2, (a1 + a2) / 2)
    }.sorted
    val (difference, bareMedian) = differences(rounds / 2)
    println(f"overhead p50 $difference%.3f ms over the bare client's $bareMedian%.3f ms (limit 0.5 ms) ${Verdict.of(difference <= 0.5)}")
    client.close()
  }

  private def fallback(rounds: Int): Unit = {
    @volatile var decided = 0L
    var waits = Vector.empty[Double]
    val listener = new ClientListener {
      override def onFallback(reason: FallbackReason, detail: String, requestId: Option[String]): Unit = decided = System.nanoTime()
      override def onLocalStart(waited: FiniteDuration): Unit = waits :+= (System.nanoTime() - decided) / 1e6
    }
    val client = Saltern(ClientConfig("http://127.0.0.1:1").withListener(listener))
    val stored = Users.bcrypt(cost = 5)
    for (_ <- 1 to rounds * 100) require(Await.result(client.verify(Password("secret"), stored), 10.seconds).isInstanceOf[Match])
    val median = waits.sorted.apply(waits.size / 2)
    println(
      f"fallback decision to local hash started: median $median%.3f ms, first of the process ${waits.head}%.3f ms (limit 1 ms) ${Verdict.of(median <= 1)}"
    )
    client.close()
  }

  private val Port = 18321
}
