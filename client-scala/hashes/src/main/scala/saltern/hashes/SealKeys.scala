package saltern.hashes

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import java.security.SecureRandom
import java.util.Arrays
import javax.crypto.{AEADBadTagException, Cipher, Mac, SecretKey}
import javax.crypto.spec.GCMParameterSpec
import saltern.client.{RefusalCode, StoredText}
import saltern.client.LocalHashing.Failure

/** The checked keys of a document, from oldest to newest. They seal stored hashes and open them, by
  * AES-256-GCM (`functions/seal`, `keys.rs`).
  *
  * @param currentIndex the key that seals
  * @param requiresSeal whether hashes without a seal are refused
  * @param siteKeys the peppers of passwords that a site prepared, by their ids. The keys have them
  *   for themselves from now on.
  */
private[saltern] final class SealKeys private[hashes] (
    val list: Vector[SealKeys.Key],
    currentIndex: Int,
    val requiresSeal: Boolean,
    siteKeys: Map[String, Array[Byte]] = Map.empty
) {
  import SealKeys.*

  private var peppers = siteKeys

  def current: Key = list(currentIndex)

  /** Checks the form first, then the key, the context and the tag. */
  def open(stored: String, context: Option[String]): Either[Failure, Opened] =
    for {
      seal <- Sealed.parse(stored).left.map(failureOf)
      at = list.indexWhere(_.id == seal.key)
      key <- list.lift(at).toRight(Failure.NoSealKey(NotListed, KeyUnavailable))
      associated <- key.associated(context)
      text <- key.open(seal, associated)
      _ <- Either.cond(!StoredText.isSealed(text), (), Invalid)
    } yield new Opened(text, at < currentIndex)

  /** Seals the text of a hash under the current key, with a new nonce. */
  def seal(text: String, context: Option[String], random: SecureRandom): Either[Failure, String] =
    current.associated(context).map { associated =>
      val nonce = new Array[Byte](Sealed.NonceBytes)
      random.nextBytes(nonce)
      current.seal(text, nonce, associated).print
    }

  /** Returns a copy of the site key with this id. The caller wipes it. */
  def siteKey(id: String): Option[Array[Byte]] = peppers.get(id).map(_.clone())

  /** Overwrites every key. To seal or to open afterwards is an `IllegalStateException`, and no site
    * key is known.
    */
  def wipe(): Unit = {
    list.foreach(_.wipe())
    peppers.values.foreach(Arrays.fill(_, 0.toByte))
    peppers = Map.empty
  }

  override def toString: String = s"SealKeys(${list.map(_.id).mkString(", ")})"
}

private[saltern] object SealKeys {

  /** @param isOlder whether the key of the seal stands before the current one */
  final class Opened(val text: String, val isOlder: Boolean)

  /** One key.
    *
    * @param bytes the key has them for itself from now on
    * @param wantsContext whether it wants a context, to seal and to open
    */
  final class Key(val id: String, bytes: Array[Byte], val wantsContext: Boolean) {
    private val aes = new AesKey(bytes)
    private val head = Sealed.head(id)

    /** Two hosts with the same value have the same key. */
    val checkValue: String = {
      val mac = Mac.getInstance("HmacSHA256")
      mac.init(aes)
      LowerHex.encode(mac.doFinal(Text.utf8(CheckedText)).take(CheckValueBytes))
    }

    /** Returns the associated data of a seal under this key. */
    def associated(context: Option[String]): Either[Failure, String] =
      if (wantsContext) context.map(head + _).toRight(Failure.ContextMissing) else Right(head)

    def seal(text: String, nonce: Array[Byte], associated: String): Sealed =
      new Sealed(head, id, nonce, cipher(Cipher.ENCRYPT_MODE, nonce, associated).doFinal(Text.utf8(text)))

    def open(seal: Sealed, associated: String): Either[Failure, String] =
      try {
        val bytes = cipher(Cipher.DECRYPT_MODE, seal.nonce, associated).doFinal(seal.body)
        try Right(UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes)).toString)
        catch { case _: CharacterCodingException => Left(Invalid) }
        finally Arrays.fill(bytes, 0.toByte)
      } catch { case _: AEADBadTagException => Left(Failure.Refused(RefusalCode.SealBroken)) }

    def wipe(): Unit = aes.destroy()

    private def cipher(mode: Int, nonce: Array[Byte], associated: String): Cipher = {
      val cipher = Cipher.getInstance("AES/GCM/NoPadding")
      cipher.init(mode, aes, new GCMParameterSpec(Sealed.TagBytes * java.lang.Byte.SIZE, nonce))
      cipher.updateAAD(Text.utf8(associated))
      cipher
    }

    override def toString: String = s"Key($id, ..)"
  }

  /** The JDK's `SecretKeySpec` keeps a copy that nothing wipes. */
  private final class AesKey(bytes: Array[Byte]) extends SecretKey {
    @volatile private var destroyed = false

    def getAlgorithm: String = "AES"
    def getFormat: String = "RAW"
    def getEncoded: Array[Byte] = if (destroyed) throw new IllegalStateException("the key was wiped") else bytes.clone()
    override def destroy(): Unit = { destroyed = true; Arrays.fill(bytes, 0.toByte) }
    override def isDestroyed: Boolean = destroyed
    override def toString: String = "AesKey(..)"
  }

  private def failureOf(error: ParseError): Failure = error match {
    case ParseError.Invalid                                => Invalid
    case ParseError.Unsupported | ParseError.UnknownScheme => Failure.Refused(RefusalCode.UnsupportedHash)
  }

  private val Invalid: Failure = Failure.Refused(RefusalCode.InvalidHash)

  private[hashes] val NoSiteKey: Failure =
    Failure.NoSealKey("the stored hash has a pepper, and this host does not have that site key", KeyUnavailable)

  private val NotListed = "the stored hash is sealed under a key that this host does not have"

  /** The service's code for the same. */
  private lazy val KeyUnavailable = "key_unavailable"

  /** The key of AES-256. */
  private[hashes] val KeyBytes = 32

  /** The text whose HMAC is the key check value (HTTP contract). */
  private val CheckedText = "saltern-seal key check v1"

  /** Eight hexadecimal digits: enough to tell keys apart, and too few to find one. */
  private val CheckValueBytes = 4
}
