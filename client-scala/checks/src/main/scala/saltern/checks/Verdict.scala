package saltern.checks

import java.util.concurrent.atomic.AtomicBoolean

/** Judges the figures of a measurement by their limits. */
private[checks] object Verdict {
  private val missed = new AtomicBoolean

  /** Returns the word to print, and remembers a missed limit. */
  def of(kept: Boolean): String =
    if (kept) "kept"
    else {
      missed.set(true)
      "MISSED"
    }

  /** Ends the program with status 1 if a figure has missed its limit. Call it last. */
  def end(): Unit = if (missed.get) sys.exit(1)
}
