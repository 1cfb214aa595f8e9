package saltern.hashes

import com.github.plokhotnyuk.jsoniter_scala.core.*
import com.github.plokhotnyuk.jsoniter_scala.macros.{CodecMakerConfig, JsonCodecMaker}
import java.security.MessageDigest
import java.util.{Arrays, Base64}
import saltern.client.wire.Wire

/** The document with the seal keys (`functions/seal`, `document.rs`). */
private[saltern] object KeyDocument {

  /** Reads a document, and wipes it. Returns a sentence if the document breaks a rule. The sentence
    * quotes nothing of the document.
    */
  def read(document: Array[Byte]): Either[String, SealKeys] =
    try
      if (document.length > MaxBytes) Left(s"the document has more than $MaxBytes bytes: remove keys under which no row is sealed")
      else Wire.read[RawDocument](document).toRight(Form).flatMap(checked)
    finally Arrays.fill(document, 0.toByte)

  private def checked(raw: RawDocument): Either[String, SealKeys] = {
    val keys = raw.keys.map(entry => entry.id -> entry.key.takeBytes())
    val siteKeys = raw.site_keys.map(entry => entry.id -> entry.key.takeBytes())
    val current = raw.keys.indexWhere(_.id == raw.current)
    val problem = problemIn("keys", keys, distinct = true, Not32Bytes)(_.length == SealKeys.KeyBytes)
      .orElse(problemIn("site_keys", siteKeys, distinct = false, NotBase64)(key => key.nonEmpty && key.length <= MaxSiteKeyBytes))
      .orElse(Option.when(current < 0)(CurrentNotListed))
    if (problem.isDefined) (keys ++ siteKeys).foreach { case (_, value) => Arrays.fill(value, 0.toByte) }
    problem.toLeft {
      val sealing = keys.zip(raw.keys).map { case ((id, value), entry) => new SealKeys.Key(id, value, entry.context) }
      new SealKeys(sealing, current, raw.require, siteKeys.toMap)
    }
  }

  /** @param distinct whether two entries must not have one value */
  private def problemIn(name: String, entries: Vector[(String, Array[Byte])], distinct: Boolean, notAKey: String)(
      isKey: Array[Byte] => Boolean
  ): Option[String] =
    entries.iterator.zipWithIndex.flatMap { case ((id, value), at) =>
      val earlier = entries.take(at)
      val problem =
        if (!isKey(value)) Some(notAKey)
        else if (!Sealed.isKeyId(id)) Some(NotAnId)
        else if (earlier.exists(_._1 == id)) Some(SameId)
        else if (distinct && earlier.exists { case (_, other) => MessageDigest.isEqual(other, value) }) Some(SameValue)
        else None
      problem.map(text => s"key ${at + 1} of `$name`: $text")
    }.nextOption()

  /** A key as the document has it: JSON, and not yet known to be a string. Its bytes can be wiped,
    * as those of a `String` cannot.
    */
  private[hashes] final class Secret(json: Array[Byte]) {

    /** Returns the bytes of the Base64, and wipes the text. Returns none if it is not Base64, in
      * its one spelling with or without padding, between quotes.
      */
    def takeBytes(): Array[Byte] = {
      val start = json.indexWhere(byte => Space.indexOf(byte.toInt) < 0)
      val text = if (start >= 0 && json(start) == '"') Arrays.copyOfRange(json, start + 1, json.length - 1) else Array.emptyByteArray
      val decoded =
        try Base64.getDecoder.decode(text)
        catch { case _: IllegalArgumentException => Array.emptyByteArray }
      val spellings = Seq(Base64.getEncoder, Base64.getEncoder.withoutPadding).map(_.encode(decoded))
      val bytes = if (spellings.exists(MessageDigest.isEqual(_, text))) decoded.clone() else Array.emptyByteArray
      (Seq(json, text, decoded) ++ spellings).foreach(Arrays.fill(_, 0.toByte))
      bytes
    }

    override def toString: String = "Secret(..)"
  }

  private[hashes] final case class RawKey(id: String, key: Secret, context: Boolean = false)

  private[hashes] final case class RawSiteKey(id: String, key: Secret)

  private[hashes] final case class RawDocument(
      current: String,
      keys: Vector[RawKey],
      require: Boolean = false,
      site_keys: Vector[RawSiteKey] = Vector.empty
  )

  private implicit val secretCodec: JsonValueCodec[Secret] = new JsonValueCodec[Secret] {
    def nullValue: Secret = new Secret(Array.emptyByteArray)
    def decodeValue(in: JsonReader, default: Secret): Secret = new Secret(in.readRawValAsBytes())
    def encodeValue(secret: Secret, out: JsonWriter): Unit = throw new UnsupportedOperationException("a key is not written")
  }

  private implicit val codec: JsonValueCodec[RawDocument] =
    JsonCodecMaker.make(CodecMakerConfig.withSkipUnexpectedFields(false))

  /** The longest document, in bytes (HTTP contract). */
  private[saltern] val MaxBytes = 4096

  /** As long as the longest password. */
  private val MaxSiteKeyBytes = 1024

  private val Space = " \t\n\r"

  private val Form = """write {"current": "<id>", "keys": [{"id": "<id>", "key": "<32 bytes in Base64>"}]}, each member once"""
  private val Not32Bytes = "write 32 bytes in Base64, as `saltern keys add` makes them"
  private val NotBase64 = "write 1 to 1024 bytes in Base64"
  private val NotAnId = "write an id of 1 to 32 characters of a-z, 0-9 and -"
  private val SameId = "an earlier key has this id: give each key its own"
  private val SameValue = "an earlier key has this value: make a new one with `saltern keys add`"
  private val CurrentNotListed = "`current` names no key of `keys`: list the key, or name another one"
}
