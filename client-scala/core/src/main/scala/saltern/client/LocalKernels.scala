package saltern.client

import saltern.client.local.{Ceilings, JvmKernels, OpenedKernels}

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
  private[saltern] def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels
}

object LocalKernels {

  /** Bouncy Castle's code and our own over the JDK's digests: one hash at a time for each worker. */
  val Jvm: LocalKernels = new LocalKernels {
    def hashesAtOnce(workers: Int): Int = workers
    def open(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels = JvmKernels
    override def toString: String = "LocalKernels.Jvm"
  }
}
