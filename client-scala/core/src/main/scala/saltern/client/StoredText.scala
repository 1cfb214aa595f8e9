package saltern.client

import java.nio.charset.StandardCharsets.UTF_8

/** What the text of a stored hash shows without being read (HTTP contract). */
private[saltern] object StoredText {

  /** The longest hash without its seal, in bytes. */
  val MaxBytes: Int = 1024

  /** The longest sealed hash, in bytes. */
  val MaxSealedBytes: Int = 1457

  val SealMark = "$saltern-seal$"

  /** Whether it is sealed, or claims to be. */
  def isSealed(stored: String): Boolean = stored.startsWith(SealMark)

  def isTooLong(stored: String): Boolean = isTooLong(stored, if (isSealed(stored)) MaxSealedBytes else MaxBytes)

  /** The limit is in bytes of UTF-8. Text with too many characters is not encoded. */
  def isTooLong(stored: String, most: Int): Boolean = stored.length > most || stored.getBytes(UTF_8).length > most
}
