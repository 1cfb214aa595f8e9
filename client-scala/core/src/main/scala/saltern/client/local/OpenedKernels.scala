package saltern.client.local

import saltern.client.Cancellable
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
  final class Stopped(val why: LocalPool.Failure) extends RuntimeException with NoStackTrace

  private val NeverCancelled: Cancellable => Unit = _ => ()
}

/** Computes on the caller's thread. There is nothing to open, and a hash cannot be cancelled. */
private[saltern] object JvmKernels extends OpenedKernels {
  def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] =
    Kernels.compute(admitted, password)
  def close(): Unit = ()
}
