package saltern.hashes

import saltern.client.{ClientConfig, LocalHashing, LocalKernels}

/** Computes hashes in this process. */
private[saltern] abstract class HashKernels extends LocalKernels {

  /** Returns the number of hashes that so many workers have in progress at the same time. */
  def hashesAtOnce(workers: Int): Int

  /** Why these kernels cannot compute the policies' hashes, with the operator's next step. */
  def problem: Option[String] = None

  /** Returns the bytes for all local hashes if none are set: a quarter of the heap. One hash may
    * take a third, so that a small host still answers.
    *
    * @param most needed by one hash of a listed policy
    */
  def memoryBytes(most: Long): Long = {
    val heap = Runtime.getRuntime.maxMemory
    if (most <= heap / HashKernels.LargestShare) math.max(heap / HashKernels.UsualShare, most) else heap / HashKernels.UsualShare
  }

  /** Returns what the operator does to have so much memory for local hashes. An eighth more, because
    * some collectors do not count all of the heap.
    */
  def hostFor(mib: Long): String = s"start the JVM with -Xmx${mib * HashKernels.UsualShare * 9 / 8}m or more"

  /** Returns the kernels for one client.
    *
    * @param memoryBytes for the hashes of all workers together
    */
  def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels

  final private[saltern] def open(config: ClientConfig.Settings, host: LocalHashing.Host): LocalHashing = new PooledHashing(this, config, host)
}

private[saltern] object HashKernels {
  private val UsualShare = 4L
  private val LargestShare = 3L

  val Jvm: HashKernels = new OfTheJvm
}

/** Bouncy Castle's code, and our own code over the JDK's digests. One hash at a time for each
  * worker. The client finds this class by its name in `META-INF/services`.
  */
private[saltern] final class OfTheJvm extends HashKernels {
  def hashesAtOnce(workers: Int): Int = workers
  def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = new JvmKernels
  override def problem: Option[String] = Kernels.problem
  override def toString: String = "the JVM's kernels"
}
