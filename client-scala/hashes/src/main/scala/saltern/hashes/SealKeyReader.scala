package saltern.hashes

import java.util.concurrent.atomic.AtomicBoolean
import saltern.client.{LocalHashing, SealKeySource}
import scala.concurrent.duration.*
import scala.util.control.NonFatal

/** Reads the seal keys again, so that a rotation needs no restart. */
private[hashes] final class SealKeyReader(source: SealKeySource, seals: Seals, host: LocalHashing.Host) {
  import SealKeyReader.*

  private val reading = new AtomicBoolean

  def start(): Unit = {
    val _ = host.scheduler.after(Interval) { () =>
      start()
      // A source that hangs holds one thread.
      if (!reading.compareAndSet(false, true)) host.journal.sealKeysUnread("the source has not answered for a minute")
      else
        try host.keyReader.execute(() => again())
        // The system starts no more threads. The next time may have one.
        catch { case e: OutOfMemoryError => reading.set(false); host.journal.sealKeysUnread(e.getClass.getSimpleName) }
    }
  }

  private def again(): Unit =
    try KeyDocument.read(source.read()).fold(host.journal.sealKeysUnread, seals.replace)
    catch {
      case e: SealKeySource.NotPrivate => host.journal.sealKeysUnread(e.getMessage)
      // The message of the host's own exception may contain anything.
      case e @ (NonFatal(_) | _: LinkageError) => host.journal.sealKeysUnread(e.getClass.getSimpleName)
    } finally reading.set(false)
}

private[hashes] object SealKeyReader {

  /** Reads the keys for the first time. */
  def first(source: SealKeySource): SealKeys =
    KeyDocument.read(source.read()).fold(problem => throw new IllegalArgumentException(s"sealKeys: $problem"), identity)

  /** A new key is listed long before it seals (HTTP contract). */
  private[hashes] val Interval = 1.minute
}
