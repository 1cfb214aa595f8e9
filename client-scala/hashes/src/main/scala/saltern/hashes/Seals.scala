package saltern.hashes

import java.security.SecureRandom
import saltern.client.{RefusalCode, RehashReason, Report, StoredText}
import saltern.client.LocalHashing.Failure
import scala.util.control.NonFatal

/** The seal keys in use, if this host has some. They take the seal off stored hashes, and seal new
  * ones (`functions/service`, `seal.rs`).
  *
  * Replaced keys are wiped at once. A lock keeps a key whole while it is in use, for microseconds.
  *
  * @param unsealedAllowed whether new hashes are made without a seal where there are no keys;
  *   `None`: until the service or the table has shown a seal
  */
private[saltern] final class Seals(first: Option[SealKeys], unsealedAllowed: Option[Boolean], random: SecureRandom) {
  import Seals.*

  private var keys = first
  private var closed = false

  /** Whether the service seals new hashes, as far as is known. */
  @volatile private var serviceSeals = false

  /** Takes the seal off a stored hash. */
  def open(stored: String, context: Option[String]): Either[Failure, Unsealed] = synchronized {
    (keys, StoredText.isSealed(stored)) match {
      case (None, true) =>
        serviceSeals = true
        Left(Failure.NoSealKey("the stored hash is sealed, and this host has no seal keys", RefusalCode.UnsupportedHash))
      case (None, false)                          => Right(new Unsealed(stored, None))
      case (Some(own), false) if own.requiresSeal => Left(Failure.Refused(RefusalCode.UnsupportedHash))
      case (Some(_), false)                       => Right(new Unsealed(stored, Some(RehashReason.Unsealed)))
      case (Some(own), true)                      =>
        try own.open(stored, context).map(opened => new Unsealed(opened.text, Option.when(opened.isOlder)(RehashReason.OlderKey)))
        // The message of another provider's exception may contain anything.
        catch { case NonFatal(e) => Left(Failure.NotAvailable(s"AES-GCM failed: ${e.getClass.getSimpleName}")) }
    }
  }

  /** Returns how the text of a new hash is sealed: under the key that is then the current one. It
    * throws if that is not possible any more, and never leaves a text as it is where there are
    * keys.
    */
  def sealing(context: Option[String]): Either[Failure, String => String] = synchronized {
    keys match {
      case Some(own)                                        => own.current.associated(context).map(_ => (text: String) => seal(text, context))
      case None if unsealedAllowed.getOrElse(!serviceSeals) => Right((text: String) => text)
      case None                                             =>
        Left(Failure.NoSealKey("new hashes are sealed, and this host has no seal keys", RefusalCode.UnsupportedHash))
    }
  }

  private def seal(text: String, context: Option[String]): String = synchronized {
    keys.map(_.seal(text, context, random)) match {
      case Some(Right(made)) => made
      // The keys have changed since.
      case _ => throw new IllegalStateException("the hash cannot be sealed")
    }
  }

  /** Returns a copy of the site key with this id. The caller wipes it. */
  def siteKey(id: String): Either[Failure, Array[Byte]] = synchronized {
    keys match {
      case Some(own) => own.siteKey(id).toRight(SealKeys.NoSiteKey)
      case None      => Left(Failure.NoSealKey("the stored hash has a pepper, and this host has no keys", RefusalCode.UnsupportedHash))
    }
  }

  def lacksKeys: Boolean = synchronized(keys.isEmpty && (serviceSeals || unsealedAllowed.contains(false)))

  /** An answer of the service shows whether it seals new hashes. */
  def note(seals: Boolean): Unit = serviceSeals = seals

  /** Uses these keys from now on, and wipes those before. */
  def replace(next: SealKeys): Unit = synchronized {
    if (closed) next.wipe()
    else {
      keys.foreach(_.wipe())
      keys = Some(next)
    }
  }

  /** The id of each key, its key check value, and whether it is the current one. */
  def listed: Seq[Report.SealKey] = synchronized {
    keys.toSeq.flatMap(own => own.list.map(key => new Report.SealKey(key.id, key.checkValue, key eq own.current)))
  }

  /** Wipes the keys. To open or to seal a hash fails from now on. */
  def close(): Unit = synchronized {
    closed = true
    keys.foreach(_.wipe())
  }
}

private[saltern] object Seals {

  /** A stored hash without its seal.
    *
    * @param due why a match should seal the same text anew
    */
  final class Unsealed(val text: String, val due: Option[RehashReason])

  /** Of a host without keys that makes hashes without a seal. */
  def none: Seals = new Seals(None, Some(true), new SecureRandom)
}
