package saltern.client.local

import java.util.{ArrayDeque, Arrays}
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.{Block, BlockPool}

/** The memory of one hash at a time. It is kept for the next hash, and wiped when a hash ends.
  *
  * It keeps memory for one algorithm. So it never holds more than the largest hash has needed.
  */
private[saltern] final class Workspace extends BlockPool {
  private val blocks = new ArrayDeque[Block]
  private var kept = Workspace.NoRows

  /** Returns a block of Argon2. It is all zeros. */
  def allocate(): Block = {
    kept = Workspace.NoRows
    val block = blocks.poll()
    if (block == null) new Block else block
  }

  def deallocate(block: Block): Unit = blocks.push(block.clear())

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
