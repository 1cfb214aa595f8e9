package saltern.client.nativekernels

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.atomic.AtomicLong
import saltern.client.OtherJvm
import saltern.hashes.{Admitted, Ceilings, HashKernels, Kernels, OpenedKernels, Setting}
import scala.concurrent.duration.*

/** The native kernels for tests. If the library does not load, the tests fail; they never test the
  * JVM's kernels twice.
  */
object TestKernels {
  lazy val native: HashKernels = NativeKernels.loaded
    .fold(reason => throw new AssertionError(s"$reason. client-scala/native/build makes this machine's library"), identity)

  val NoCeilings: Ceilings = {
    val none = Long.MaxValue
    Ceilings(none, none, none, none, none, none, none, none)
  }

  val Workers = 2

  private lazy val opened: OpenedKernels = native.start(Workers, 1L << 30, NoCeilings)

  val compute: Kernels.Compute = (admitted, password) => opened.compute(admitted, password, 60.seconds)

  /** A pool of the library, called directly. */
  final class Pool(ceilings: Array[Long] = Array.fill(8)(Long.MaxValue)) extends AutoCloseable {
    locally { val _ = native }
    private val calls = new AtomicLong
    private val number = NativeCalls.open(Workers, 1L << 26, ceilings)
    require(number > 0, "the library gave no pool")

    def compute(setting: Setting.Own, password: Array[Byte], left: FiniteDuration, output: Array[Byte]): Int =
      compute(setting.print(new Array[Byte](setting.outputBytes)).getBytes(US_ASCII), password, left, output)

    def compute(setting: Array[Byte], password: Array[Byte], left: FiniteDuration, output: Array[Byte]): Int =
      NativeCalls.compute(number, calls.incrementAndGet(), setting, password, left.toNanos, output)

    /** The number of the call that was made so many calls ago. */
    def cancel(ago: Int): Unit = NativeCalls.cancel(number, calls.get - ago)

    def close(): Unit = NativeCalls.close(number)
  }

  def admitted(setting: Setting): Admitted = Admitted(setting, NoCeilings).get

  /** Runs a main class of these tests in a separate JVM. */
  def inJvm(options: Seq[String], main: String, arguments: String*): OtherJvm.Ended =
    OtherJvm.run(options, s"saltern.client.nativekernels.$main", arguments*)
}
