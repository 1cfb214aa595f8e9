package saltern.client.nativekernels

import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.nio.file.Paths
import saltern.client.LocalKernels
import saltern.client.local.{Admitted, Ceilings, Kernels, Setting}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** The native kernels for tests: a library that does not load here is a failure, never a reason to test the JVM's twice. */
object TestKernels {
  lazy val native: LocalKernels = NativeKernels
    .attempt()
    .fold(reason => throw new AssertionError(s"$reason. client-scala/native/build makes this machine's library"), identity)

  val NoCeilings: Ceilings = {
    val none = Long.MaxValue
    Ceilings(none, none, none, none, none, none, none, none)
  }

  val Workers = 2

  private lazy val opened = native.open(Workers, 1L << 30, NoCeilings)

  val compute: Kernels.Compute = (admitted, password) => opened.compute(admitted, password, 60.seconds)

  /** A pool of the library's own, without what stands in front of it. */
  final class Pool(ceilings: Array[Long] = Array.fill(8)(Long.MaxValue)) extends AutoCloseable {
    locally { val _ = native }
    private val number = NativeCalls.open(Workers, 1L << 26, ceilings)
    require(number > 0, "the library gave no pool")

    def compute(setting: Setting.Own, password: Array[Byte], left: FiniteDuration, output: Array[Byte]): Int =
      compute(setting.print(new Array[Byte](setting.outputBytes)).getBytes(US_ASCII), password, left, output)

    def compute(setting: Array[Byte], password: Array[Byte], left: FiniteDuration, output: Array[Byte]): Int =
      NativeCalls.compute(number, setting, password, left.toNanos, output)

    def close(): Unit = NativeCalls.close(number)
  }

  def admitted(setting: Setting): Admitted = Admitted(setting, NoCeilings).get

  final case class Ended(exitCode: Int, said: String)

  /** A main of the tests in a JVM of its own. */
  def inJvm(options: Seq[String], main: String, arguments: String*): Ended = {
    val launcher = Paths.get(sys.props("java.home"), "bin", "java").toString
    val command = Seq(launcher) ++ options ++ Seq("-cp", sys.props("java.class.path"), s"saltern.client.nativekernels.$main") ++ arguments
    val process = new ProcessBuilder(command.asJava).redirectErrorStream(true).start()
    val said = new String(process.getInputStream.readAllBytes(), UTF_8)
    Ended(process.waitFor(), said)
  }
}
