package saltern.client

import scala.collection.mutable

/** Bounds what is in flight. Who finds no permit waits in line, and may leave it. */
private[client] final class Permits(most: Int, longestLine: Int) {
  private var free = most
  private val line = mutable.LinkedHashSet.empty[Permits.Ticket]

  /** Runs `granted` now or later, on the thread that freed the permit. `None`: the line is full. */
  def request(granted: () => Unit): Option[Permits.Ticket] = {
    val ticket = new Permits.Ticket(granted)
    val now = synchronized {
      if (free > 0) { free -= 1; Some(true) }
      else if (line.size >= longestLine) None
      else { line += ticket; Some(false) }
    }
    now.map { immediately => if (immediately) granted(); ticket }
  }

  def waiting(ticket: Permits.Ticket): Boolean = synchronized(line.contains(ticket))

  /** Whether the ticket was still waiting. */
  def withdraw(ticket: Permits.Ticket): Boolean = synchronized(line.remove(ticket))

  def release(): Unit = {
    val next = synchronized {
      line.headOption match {
        case None         => free += 1; None
        case Some(ticket) => line -= ticket; Some(ticket)
      }
    }
    next.foreach(_.granted())
  }
}

private[client] object Permits {
  final class Ticket(val granted: () => Unit)
}
