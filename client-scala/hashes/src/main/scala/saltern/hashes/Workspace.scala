package saltern.hashes

import java.util.{ArrayDeque, Arrays}

/** The memory of one hash at a time. It is kept for the next hash, and wiped when a hash ends.
  *
  * It keeps memory for one algorithm. So it never holds more than the largest hash has needed.
  */
private[saltern] final class Workspace {

  /** Of a type that only [[BouncyCastle]] knows. */
  private val blocks = new ArrayDeque[AnyRef]
  private var kept = Workspace.NoRows

  /** Returns a kept block of Argon2, or null. */
  def block(): AnyRef = { kept = Workspace.NoRows; blocks.poll() }

  /** @param block that is wiped */
  def keep(block: AnyRef): Unit = blocks.push(block)

  /** Calls `mix` with at least so many rows for scrypt, and wipes them. */
  def withRows(rows: Int, words: Int)(mix: Array[Array[Int]] => Unit): Unit = {
    blocks.clear()
    if (kept.length < rows || kept(0).length != words) {
      val same = if (kept.nonEmpty && kept(0).length == words) kept else Workspace.NoRows
      kept = Workspace.NoRows
      kept = Array.tabulate(rows)(at => if (at < same.length) same(at) else new Array[Int](words))
    }
    val lent = kept
    try mix(lent)
    finally for (at <- 0 until rows) Arrays.fill(lent(at), 0)
  }
}

private object Workspace {
  private val NoRows = Array.empty[Array[Int]]
}
