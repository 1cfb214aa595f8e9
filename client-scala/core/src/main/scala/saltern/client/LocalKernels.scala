package saltern.client

import saltern.client.local.{Admitted, Ceilings, Kernels, LocalPool}
import scala.concurrent.duration.FiniteDuration
import scala.util.control.NoStackTrace

/** What computes local hashes: [[LocalKernels.Jvm]], unless `saltern-client-native` brings Saltern's own. The hashes are the
  * same bit by bit.
  */
abstract class LocalKernels private[saltern] () {

  /** Hashes that so many workers have in progress at the same time. */
  private[saltern] def hashesAtOnce(workers: Int): Int

  /** Makes ready for a client, cheaply: a client that never hashes locally pays nothing.
    *
    * @param memoryBytes what the hashes of all workers may hold together
    */
  private[saltern] def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): LocalKernels.Opened
}

object LocalKernels {

  /** Bouncy Castle's code and our own over the JDK's digests: one hash at a time for each worker. */
  val Jvm: LocalKernels = new LocalKernels {
    def hashesAtOnce(workers: Int): Int = workers

    def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): Opened = new Opened {
      def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration): Array[Byte] =
        Kernels.compute(admitted, password)
      def close(): Unit = ()
    }

    override def toString: String = "LocalKernels.Jvm"
  }

  /** The kernels of one client. */
  private[saltern] trait Opened {

    /** On the calling thread, which waits. Throws [[Stopped]] where there is no output, for a reason that is known. */
    def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration): Array[Byte]

    /** What is under way is finished. */
    def close(): Unit
  }

  private[saltern] final class Stopped(val why: LocalPool.Failure) extends RuntimeException with NoStackTrace
}
