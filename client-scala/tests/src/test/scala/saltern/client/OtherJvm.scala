package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Paths
import scala.jdk.CollectionConverters.*

/** Runs a main class of the tests in a separate JVM, with this JVM's class path. */
object OtherJvm {
  final case class Ended(exitCode: Int, said: String)

  /** @param main the name of its class */
  def run(options: Seq[String], main: String, arguments: String*): Ended = {
    val launcher = Paths.get(sys.props("java.home"), "bin", "java").toString
    val command = Seq(launcher) ++ options ++ Seq("-cp", sys.props("java.class.path"), main) ++ arguments
    val process = new ProcessBuilder(command.asJava).redirectErrorStream(true).start()
    val said = new String(process.getInputStream.readAllBytes(), UTF_8)
    Ended(process.waitFor(), said)
  }
}
