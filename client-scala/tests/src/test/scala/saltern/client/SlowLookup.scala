package saltern.client

import java.net.URI
import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicBoolean
import scala.concurrent.Await
import scala.concurrent.duration.*

/** A name server that stops answering while an answer is in flight: does that answer come?
  * The JVM reads names from the file `jdk.net.hosts.file`, which becomes a pipe without a writer.
  * The JVM's cache lasts for `sun.net.inetaddr.ttl` seconds.
  */
object SlowLookup {
  def main(none: Array[String]): Unit = {
    require(none.isEmpty)
    val hosts = Path.of(System.getProperty("jdk.net.hosts.file"))
    Files.writeString(hosts, "127.0.0.1 service.test\n")
    val (held, release) = (new AtomicBoolean, new CountDownLatch(1))
    val arrived = new CountDownLatch(1)
    val server = new RawServer((seen, out) => {
      if (held.compareAndSet(false, true)) { arrived.countDown(); release.await() }
      out.write(seen.named(RawServer.response(200, "application/json", RawServer.mismatch)))
    })
    val config =
      ClientConfig.withoutTls(
        URI.create(s"http://service.test:${server.port}")
      ).withPolicies(EngineSuite.cheap).withoutCoalescing.withBreakerSilence(30.seconds)
    val client = Saltern(config.withAttemptTimeout(30.seconds).withDeadline(60.seconds))
    val underWay = client.verify(Password("secret"), EngineSuite.bcrypt4)
    arrived.await()

    Files.delete(hosts)
    require(new ProcessBuilder("mkfifo", hosts.toString).start().waitFor() == 0, "mkfifo")
    Thread.sleep(Integer.getInteger("sun.net.inetaddr.ttl") * 1000L + 500)
    val waiting = Vector.fill(4)(client.verify(Password("secret"), EngineSuite.bcrypt4))
    Thread.sleep(500)
    release.countDown()
    val came = scala.util.Try(Await.result(underWay, 30.seconds)).toOption.exists(_.origin == Origin.Remote)
    println(s"the answer in flight came: $came; resolved in the meantime: ${waiting.exists(_.isCompleted)}")
    // A thread still blocks on the pipe.
    Runtime.getRuntime.halt(0)
  }
}
