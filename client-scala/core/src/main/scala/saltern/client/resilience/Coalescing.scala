package saltern.client.resilience

import scala.concurrent.duration.FiniteDuration

/** Decides which calls of one key travel together. Pure: each step returns the next action.
  *
  * A call leaves at once if no call of its key is in flight. Otherwise it waits for others, at most
  * `window`. The waiting calls leave when there are `most` of them, when the window ends, or when
  * no call is in flight any more.
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

  /** Removes a call that has ended, so that it takes no place in the batch. Does nothing if the
    * call has left.
    */
  def withdraw(call: A): Coalescing[A] = {
    val fewer = waiting.filterNot(_ == call)
    // With its last call the round ends. Its window does not count for the next round.
    copy(waiting = fewer, round = if (waiting.nonEmpty && fewer.isEmpty) round + 1 else round)
  }

  /** A batch in flight was answered. */
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
