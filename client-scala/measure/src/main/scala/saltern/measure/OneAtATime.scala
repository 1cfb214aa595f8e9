package saltern.measure

import com.sun.net.httpserver.HttpServer
import java.net.{InetAddress, InetSocketAddress, URI}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.util.concurrent.Executors

/** Lets one request through to a server at a time, as an execution environment of classic Lambda
  * does.
  */
final class OneAtATime private (server: HttpServer) extends AutoCloseable {
  def close(): Unit = server.stop(0)
}

object OneAtATime {
  def start(port: Int, target: Int): OneAtATime = {
    val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, port), 1024)
    val client = HttpClient.newHttpClient()
    // One thread: one exchange at a time, from the first byte of the request to the last byte of
    // the answer. bin/coalesced sets sun.net.httpserver.nodelay; without it an answer waits 40 ms
    // for a delayed acknowledgement.
    server.setExecutor(Executors.newSingleThreadExecutor(task => { val t = new Thread(task); t.setDaemon(true); t }))
    server.createContext(
      "/",
      exchange => {
        val body = exchange.getRequestBody.readAllBytes()
        val request = HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$target${exchange.getRequestURI}")).method(
          exchange.getRequestMethod,
          HttpRequest.BodyPublishers.ofByteArray(body)
        )
        for (name <- Seq("Content-Type", "Saltern-Deadline-Ms", "Saltern-Request-Id"); value <- Option(exchange.getRequestHeaders.getFirst(name)))
          request.header(name, value)
        val response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray())
        for (name <- Seq("Content-Type", "Saltern-Request-Id"))
          response.headers.firstValue(name).ifPresent(value => exchange.getResponseHeaders.set(name, value))
        exchange.sendResponseHeaders(response.statusCode, response.body.length.toLong)
        exchange.getResponseBody.write(response.body)
        exchange.close()
      }
    )
    server.start()
    new OneAtATime(server)
  }
}
