package saltern.hashes

import java.util.ArrayDeque

/** The memory of one hash of Argon2 at a time. Every block is kept for the next hash, and wiped when
  * a hash ends. So it never holds more than the largest hash has needed.
  */
private[saltern] final class Workspace {

  /** Of a type that only [[BouncyCastle]] knows. */
  private val blocks = new ArrayDeque[AnyRef]

  /** Returns a kept block, or null. */
  def block(): AnyRef = blocks.poll()

  /** @param block that is wiped */
  def keep(block: AnyRef): Unit = blocks.push(block)
}
