package saltern.checks

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Executors, ScheduledThreadPoolExecutor, TimeUnit}
import saltern.example.Arguments

/** A stub of the service for measurements of time: every password matches, after a pause that takes
  * no CPU time.
  *
  * `--think-ms` is the pause. The answers follow the contract; nothing is checked.
  */
object StubService {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--port" -> "9000", "--think-ms" -> "0"))
    val server = start(settings("--port").toInt, settings("--think-ms").toLong)
    println(s"listening on ${server.getAddress}")
  }

  def start(port: Int, thinkMillis: Long): HttpServer = {
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, port), 1024)
    val timer = new ScheduledThreadPoolExecutor(1, threads)
    server.setExecutor(Executors.newCachedThreadPool(threads))
    server.createContext(
      "/",
      exchange => {
        val request = exchange.getRequestBody.readAllBytes()
        val body = exchange.getRequestURI.getPath match {
          case "/verify" => Verified
          case "/batch"  => operations(request).map(id => s"""{$id,"status":200,"body":$Verified}""").mkString("{\"results\":[", ",", "]}")
          case _         => "{}"
        }
        if (thinkMillis == 0) answer(exchange, body)
        else { val _ = timer.schedule((() => answer(exchange, body)): Runnable, thinkMillis, TimeUnit.MILLISECONDS) }
      }
    )
    server.start()
    server
  }

  private def answer(exchange: HttpExchange, body: String): Unit = {
    val bytes = body.getBytes(UTF_8)
    exchange.getResponseHeaders.set("Content-Type", "application/json")
    Option(exchange.getRequestHeaders.getFirst("Saltern-Request-Id")).foreach(exchange.getResponseHeaders.set("Saltern-Request-Id", _))
    exchange.sendResponseHeaders(200, bytes.length.toLong)
    exchange.getResponseBody.write(bytes)
    exchange.close()
  }

  /** The operations' ids. They are found by their form, because the stub does not parse JSON. */
  private def operations(request: Array[Byte]): Iterator[String] = "\"id\":\"[0-9a-f]{32}\"".r.findAllIn(new String(request, UTF_8))

  private val Verified = """{"match":true,"needs_rehash":false,"rehash_reason":null,"policy":null}"""

  /** They keep the program alive. */
  private val threads: java.util.concurrent.ThreadFactory = task => { val t = new Thread(task); t.setDaemon(false); t }
}
