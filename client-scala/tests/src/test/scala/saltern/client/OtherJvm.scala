package saltern.client

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Paths
import scala.jdk.CollectionConverters.*

/** Runs a main class of the tests in a separate JVM. */
object OtherJvm {
  final case class Ended(exitCode: Int, said: String)

  /** Runs it with this JVM's class path.
    *
    * @param main the name of its class
    */
  def run(options: Seq[String], main: String, arguments: String*): Ended = run(options, entries, main, arguments)

  /** Runs it without the classes of a module: the name of the module's directory. */
  def runWithout(module: String, main: String, arguments: String*): Ended = {
    val others = entries.filterNot(_.contains(s"client-scala/$module/target/"))
    require(others.size < entries.size, s"$module is not on the class path")
    val properties = Seq("saltern.root", "saltern.vectors").map(name => s"-D$name=${sys.props(name)}")
    run(properties, others, main, arguments)
  }

  /** Runs it without the jars whose names start so. */
  def runWithoutJar(start: String, main: String, arguments: String*): Ended = {
    val others = entries.filterNot(Paths.get(_).getFileName.toString.startsWith(start))
    require(others.size < entries.size, s"$start is not on the class path")
    run(Nil, others, main, arguments)
  }

  private def entries: Seq[String] = sys.props("java.class.path").split(File.pathSeparatorChar).toSeq

  private def run(options: Seq[String], classPath: Seq[String], main: String, arguments: Seq[String]): Ended = {
    val launcher = Paths.get(sys.props("java.home"), "bin", "java").toString
    val command = Seq(launcher) ++ options ++ Seq("-cp", classPath.mkString(File.pathSeparator), main) ++ arguments
    val process = new ProcessBuilder(command.asJava).redirectErrorStream(true).start()
    val said = new String(process.getInputStream.readAllBytes(), UTF_8)
    Ended(process.waitFor(), said)
  }
}
