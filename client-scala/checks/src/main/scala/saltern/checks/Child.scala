package saltern.checks

import java.net.Socket
import java.nio.file.Paths
import scala.concurrent.duration.*

/** A program that a measurement starts, and ends at the latest when it ends itself. */
final class Child private (process: Process) {
  Runtime.getRuntime.addShutdownHook(new Thread(() => { val _ = process.destroyForcibly() }))

  /** It keeps its connections and answers nothing. */
  def pause(): Unit = require(new ProcessBuilder("kill", "-STOP", process.pid.toString).start().waitFor() == 0, "kill -STOP failed")

  def stop(): Unit = { val _ = process.destroyForcibly().waitFor() }
}

object Child {

  /** A main class of this class path, in a separate JVM. Without `nodelay` the stub's answers wait
    * 40 ms for a delayed acknowledgement.
    */
  def apply(program: String, arguments: String*): Child = start(
    Seq(
      Paths.get(sys.props("java.home"), "bin", "java").toString,
      "-Xmx512m",
      "-Dsun.net.httpserver.nodelay=true",
      "-cp",
      sys.props("java.class.path"),
      program
    ) ++ arguments
  )

  /** Any program. */
  def start(command: Seq[String]): Child =
    new Child(new ProcessBuilder(command*).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start())

  def awaitPort(port: Int): Unit = {
    val ends = System.nanoTime() + 30.seconds.toNanos
    var open = false
    while (!open) {
      require(System.nanoTime() < ends, s"nothing listens on port $port after 30 s")
      try { new Socket("127.0.0.1", port).close(); open = true }
      catch { case _: java.io.IOException => Thread.sleep(20) }
    }
  }
}
