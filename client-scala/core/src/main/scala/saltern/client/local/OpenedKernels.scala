package saltern.client.local

import saltern.client.Cancellable
import scala.concurrent.duration.FiniteDuration
import scala.util.control.NoStackTrace

/** The kernels of one client. */
private[saltern] trait OpenedKernels {

  /** On the calling thread, which waits. Throws [[OpenedKernels.Stopped]] where there is no output, for a reason that is known.
    *
    * @param begun is given what ends the call before its output, from another thread, where these kernels can be told; it may come
    *   too early or too late, and then the call goes on
    */
  def compute(
      admitted: Admitted,
      password: Array[Byte],
      timeLeft: FiniteDuration,
      begun: Cancellable => Unit = OpenedKernels.NeverCancelled
  ): Array[Byte]

  /** What is under way is finished. */
  def close(): Unit
}

private[saltern] object OpenedKernels {
  final class Stopped(val why: LocalPool.Failure) extends RuntimeException with NoStackTrace

  private val NeverCancelled: Cancellable => Unit = _ => ()
}

/** On the caller's thread: nothing to open, and no hash can be ended. */
private[saltern] object JvmKernels extends OpenedKernels {
  def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] =
    Kernels.compute(admitted, password)
  def close(): Unit = ()
}
