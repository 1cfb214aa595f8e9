package saltern.hashes

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentLinkedDeque
import saltern.client.{Cancellable, LocalHashing}
import scala.concurrent.duration.FiniteDuration
import scala.util.control.NoStackTrace

/** The kernels of one client. */
private[saltern] trait OpenedKernels {

  /** Computes on the calling thread, which blocks. Throws [[OpenedKernels.Stopped]] if the kernels
    * stop without an output for a known reason.
    *
    * @param begun receives a function that cancels the computation from another thread, if these
    *   kernels support it. A cancel that comes too early or too late has no effect.
    */
  def compute(
      admitted: Admitted,
      password: Array[Byte],
      timeLeft: FiniteDuration,
      begun: Cancellable => Unit = OpenedKernels.NeverCancelled
  ): Array[Byte]

  /** Work in progress is completed. */
  def close(): Unit
}

private[saltern] object OpenedKernels {
  final class Stopped(val why: LocalHashing.Failure) extends RuntimeException with NoStackTrace

  private val NeverCancelled: Cancellable => Unit = _ => ()
}

/** Computes on the caller's thread, and a hash cannot be cancelled.
  *
  * The memory of Argon2 is kept for later hashes: as many workspaces as hashes of it were
  * in progress at once. The JVM may take back an idle one when the heap gets short.
  *
  * @param hash computes in the given memory
  */
private[saltern] final class JvmKernels(hash: (Workspace, Admitted, Array[Byte]) => Array[Byte] = Kernels.computeIn)
    extends OpenedKernels {
  private val idle = new ConcurrentLinkedDeque[SoftReference[Workspace]]

  def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = admitted.setting match {
    case _: Setting.Argon2 | _: Setting.Wrapped =>
      val memory = workspace()
      try hash(memory, admitted, password)
      finally idle.push(new SoftReference(memory))
    // Held by scrypt, an idle one could not be taken back, and a worker would use twice its share.
    case _ => hash(new Workspace, admitted, password)
  }

  def close(): Unit = idle.clear()

  /** The one that was used last, because its memory is in the caches. */
  private def workspace(): Workspace = Option(idle.poll()).fold(new Workspace)(kept => Option(kept.get).getOrElse(workspace()))
}
