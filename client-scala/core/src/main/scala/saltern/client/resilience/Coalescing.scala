package saltern.client.resilience

import scala.concurrent.duration.FiniteDuration

/** Which calls of one key travel together. Pure: each step says what to do next.
  *
  * A call that finds nothing of its key in flight leaves at once. Others wait for company, at most `window`, and leave
  * when they are `most`, when the window ends, or when nothing is in flight any more.
  */
private[saltern] final case class Coalescing[A](most: Int, inFlight: Int, waiting: Vector[A], round: Long) {
  import Coalescing.*

  def arrive(call: A, window: FiniteDuration): (Coalescing[A], Step[A]) = {
    val joined = waiting :+ call
    if (inFlight == 0 || joined.size >= most) leave(joined)
    else (copy(waiting = joined), if (waiting.isEmpty) Step.WakeAfter(window, round) else Step.Wait)
  }

  /** The window of this round ended. */
  def wake(of: Long): (Coalescing[A], Step[A]) =
    if (of != round || waiting.isEmpty) (this, Step.Wait) else leave(waiting)

  /** Whoever waits for it no more takes no place in the batch. Nothing to do where it has left. */
  def withdraw(call: A): Coalescing[A] = {
    val fewer = waiting.filterNot(_ == call)
    // With the last of them the round ends: its window is not the next one's.
    copy(waiting = fewer, round = if (waiting.nonEmpty && fewer.isEmpty) round + 1 else round)
  }

  /** What was sent is answered. */
  def finish: (Coalescing[A], Step[A]) = {
    val fewer = copy(inFlight = inFlight - 1)
    if (fewer.inFlight == 0 && waiting.nonEmpty) fewer.leave(waiting) else (fewer, Step.Wait)
  }

  def idle: Boolean = inFlight == 0 && waiting.isEmpty

  private def leave(calls: Vector[A]): (Coalescing[A], Step[A]) =
    (copy(inFlight = inFlight + 1, waiting = Vector.empty, round = round + 1), Step.Send(calls))
}

private[saltern] object Coalescing {
  def empty[A](most: Int): Coalescing[A] = Coalescing(most, 0, Vector.empty, 0)

  sealed trait Step[+A]
  object Step {
    final case class Send[A](calls: Vector[A]) extends Step[A]
    final case class WakeAfter(window: FiniteDuration, round: Long) extends Step[Nothing]
    case object Wait extends Step[Nothing]
  }
}
