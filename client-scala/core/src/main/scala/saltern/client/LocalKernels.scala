package saltern.client

import saltern.client.local.{Ceilings, JvmKernels, Kernels, OpenedKernels}

/** The code that computes local hashes: [[LocalKernels.Jvm]], or the native kernels of
  * `saltern-client-native`. Both compute the same hashes.
  */
abstract class LocalKernels private[saltern] () {

  /** Returns the number of hashes that so many workers have in progress at the same time. */
  private[saltern] def hashesAtOnce(workers: Int): Int

  /** Why these kernels cannot compute the policies' hashes, with the operator's next step. */
  private[saltern] def problem: Option[String] = None

  /** Returns the bytes for all local hashes if none are set: a quarter of the heap. One hash may
    * take a third, so that a small host still answers.
    *
    * @param most needed by one hash of a listed policy
    */
  private[saltern] def memoryBytes(most: Long): Long = {
    val heap = Runtime.getRuntime.maxMemory
    if (most <= heap / LocalKernels.LargestShare) math.max(heap / LocalKernels.UsualShare, most) else heap / LocalKernels.UsualShare
  }

  /** Returns what the operator does to have so much memory for local hashes. An eighth more, because
    * some collectors do not count all of the heap.
    */
  private[saltern] def hostFor(mib: Long): String =
    s"start the JVM with -Xmx${mib * LocalKernels.UsualShare * 9 / 8}m or more"

  /** Returns the kernels for one client. This is cheap, because many clients never hash locally.
    *
    * @param memoryBytes for the hashes of all workers together
    */
  private[saltern] def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels
}

object LocalKernels {
  private val UsualShare = 4L
  private val LargestShare = 3L

  /** Bouncy Castle's code, and our own code over the JDK's digests. One hash at a time for each
    * worker.
    */
  val Jvm: LocalKernels = new LocalKernels {
    def hashesAtOnce(workers: Int): Int = workers
    def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new JvmKernels
    override def problem: Option[String] = Kernels.problem
    override def toString: String = "LocalKernels.Jvm"
  }
}
