package saltern.client.nativekernels

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.atomic.AtomicLong
import saltern.client.{LocalKernels, OtherJvm}
import saltern.client.local.{Admitted, Ceilings, Kernels, OpenedKernels, Setting}
import scala.concurrent.duration.*

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

  private lazy val opened: OpenedKernels = native.open(Workers, 1L << 30, NoCeilings)

  val compute: Kernels.Compute = (admitted, password) => opened.compute(admitted, password, 60.seconds)

  /** A pool of the library's own, without what stands in front of it. */
  final class Pool(ceilings: Array[Long] = Array.fill(8)(Long.MaxValue)) extends AutoCloseable {
    locally { val _ = native }
    private val calls = new AtomicLong
    private val number = NativeCalls.open(Workers, 1L << 26, ceilings)
    require(number > 0, "the library gave no pool")

    def compute(setting: Setting.Own, password: Array[Byte], left: FiniteDuration, output: Array[Byte]): Int =
      compute(setting.print(new Array[Byte](setting.outputBytes)).getBytes(US_ASCII), password, left, output)

    def compute(setting: Array[Byte], password: Array[Byte], left: FiniteDuration, output: Array[Byte]): Int =
      NativeCalls.compute(number, calls.incrementAndGet(), setting, password, left.toNanos, output)

    /** The call that was made so many calls ago. */
    def cancel(ago: Int): Unit = NativeCalls.cancel(number, calls.get - ago)

    def close(): Unit = NativeCalls.close(number)
  }

  def admitted(setting: Setting): Admitted = Admitted(setting, NoCeilings).get

  /** A main of these tests in a JVM of its own. */
  def inJvm(options: Seq[String], main: String, arguments: String*): OtherJvm.Ended =
    OtherJvm.run(options, s"saltern.client.nativekernels.$main", arguments*)
}
