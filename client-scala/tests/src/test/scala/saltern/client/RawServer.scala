package saltern.client

import java.io.{BufferedInputStream, InputStream, OutputStream}
import java.net.{InetAddress, ServerSocket, Socket, URI}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}
import scala.util.control.NonFatal

/** A server that answers with the bytes that a test gives, and keeps the requests. */
final class RawServer(answer: (RawServer.Seen, OutputStream) => Unit, socket: ServerSocket = RawServer.plain()) extends AutoCloseable {
  import RawServer.*

  private val threads = Executors.newCachedThreadPool(Threads.named("raw-server"))
  private val connections = new ConcurrentLinkedQueue[Socket]
  @volatile private var closed = false
  val seen = new ConcurrentLinkedQueue[Seen]

  val uri: URI = URI.create(s"http://127.0.0.1:${socket.getLocalPort}")
  def port: Int = socket.getLocalPort

  threads.execute { () =>
    try while (true) accepted(socket.accept())
    catch { case NonFatal(_) => () }
  }

  /** A connection that arrives during close is closed too. */
  private def accepted(connection: Socket): Unit = {
    connections.add(connection)
    if (closed) connection.close() else threads.execute(() => serve(connection))
  }

  def close(): Unit = {
    closed = true
    socket.close()
    connections.forEach(_.close())
    val _ = threads.shutdownNow()
  }

  private def serve(connection: Socket): Unit =
    try {
      val in = new BufferedInputStream(connection.getInputStream)
      while (true) {
        val request = read(in)
        if (request.path != "/policies") seen.add(request)
        answer(request, connection.getOutputStream)
        connection.getOutputStream.flush()
        if (request.close) connection.close()
      }
    } catch { case NonFatal(_) | _: InterruptedException => connection.close() }

  private def read(in: InputStream): Seen = {
    def line(): String = {
      val bytes = Iterator.continually(in.read()).map { b => if (b < 0) throw new java.io.EOFException else b }.takeWhile(_ != '\n').map(_.toByte).toArray
      new String(bytes, ISO_8859_1).stripSuffix("\r")
    }
    val first = line().split(' ')
    val headers = Iterator.continually(line()).takeWhile(_.nonEmpty).map { h =>
      val i = h.indexOf(':'); h.take(i).toLowerCase -> h.drop(i + 1).trim
    }.toMap
    val body = in.readNBytes(headers.get("content-length").fold(0)(_.toInt))
    Seen(first(0), first(1), headers, new String(body, UTF_8))
  }
}

object RawServer {
  final case class Seen(method: String, path: String, headers: Map[String, String], body: String) {
    @volatile var close: Boolean = false

    /** The bytes with the request's name in place of [[RawServer.NoName]]. */
    def named(bytes: Array[Byte]): Array[Byte] =
      new String(bytes, ISO_8859_1).replace(NoName, headers.getOrElse("saltern-request-id", NoName)).getBytes(ISO_8859_1)
  }

  /** As long as the client's names, which change no length. */
  val NoName: String = "0" * 32

  def plain(): ServerSocket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)

  /** A server without TLS that refuses every connection in HTTP. */
  def refusing(): ServerSocket = {
    val socket = plain()
    val answering = new Thread(() =>
      try while (true) socket.accept().getOutputStream.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8))
      catch { case _: java.io.IOException => () }
    )
    answering.start()
    socket
  }

  def response(status: Int, contentType: String, body: String): Array[Byte] =
    s"HTTP/1.1 $status X\r\nContent-Type: $contentType\r\nSaltern-Request-Id: $NoName\r\nContent-Length: ${body.getBytes(UTF_8).length}\r\n\r\n$body".getBytes(
      UTF_8
    )

  val mismatch: String = """{"match":false,"needs_rehash":false,"rehash_reason":null,"policy":null}"""

  /** The same bytes for every request, with its name. */
  def always(bytes: Array[Byte]): RawServer = new RawServer((seen, out) => out.write(seen.named(bytes)))
}
