package saltern.client

import scala.collection.mutable

/** Bounds the number of exchanges in flight. A caller without a permit waits in line and may leave
  * the line.
  */
private[client] final class Permits(most: Int, longestLine: Int) {
  private var free = most
  private var letting = false
  private val line = mutable.LinkedHashSet.empty[Permits.Ticket]

  /** Runs `granted` now, or later on the thread that freed the permit. Returns `None` if the line
    * is full.
    */
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

  /** Returns whether the ticket was still waiting. */
  def withdraw(ticket: Permits.Ticket): Boolean = synchronized(line.remove(ticket))

  /** Grants permits in a loop and not by nested calls. A line of a thousand callers would otherwise
    * need a stack of a thousand frames.
    */
  def release(): Unit = {
    val mine = synchronized {
      free += 1
      val mine = !letting
      letting = true
      mine
    }
    if (mine) {
      var next = head()
      try
        while (next.isDefined) {
          next.foreach(_.granted())
          next = head()
        }
      catch {
        case e: Throwable =>
          synchronized { letting = false }
          throw e
      }
    }
  }

  /** Ends the loop in the same step that finds no work, so that no release is missed. */
  private def head(): Option[Permits.Ticket] = synchronized {
    val ticket = if (free > 0) line.headOption else None
    ticket match {
      case Some(first) => line -= first; free -= 1
      case None        => letting = false
    }
    ticket
  }
}

private[client] object Permits {
  final class Ticket(val granted: () => Unit)
}
