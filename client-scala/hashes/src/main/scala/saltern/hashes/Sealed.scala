package saltern.hashes

import saltern.client.StoredText

/** A sealed hash, taken apart: `$saltern-seal$v=1,k=<key id>$<nonce>$<ciphertext and tag>`
  * (`functions/seal`, `sealed.rs`). Printing gives the string again.
  *
  * @param head the text up to the `$` before the nonce, inclusive
  * @param body the ciphertext and the tag
  */
private[saltern] final class Sealed private[hashes] (val head: String, val key: String, val nonce: Array[Byte], val body: Array[Byte]) {
  def print: String = s"$head${PhcBase64.encode(nonce)}$$${PhcBase64.encode(body)}"

  override def toString: String = s"Sealed($key, ..)"
}

private[saltern] object Sealed {

  /** Returns Unsupported if the string has no seal, or a seal of another version. */
  def parse(stored: String): Either[ParseError, Sealed] =
    for {
      _ <- Either.cond(StoredText.isSealed(stored), (), ParseError.Unsupported)
      _ <- Text.valid(!StoredText.isTooLong(stored))
      fields <- Text.fields(stored.substring(StoredText.SealMark.length), '$', 3)
      key <- keyOf(fields(0))
      nonce <- PhcBase64.decode(fields(1))
      body <- PhcBase64.decode(fields(2))
      _ <- Text.valid(nonce.length == NonceBytes && body.length > TagBytes && body.length <= TagBytes + StoredText.MaxBytes)
    } yield new Sealed(head(key), key, nonce, body)

  /** Returns the text of a seal under this key, up to the `$` before the nonce. */
  private[hashes] def head(key: String): String = s"${StoredText.SealMark}$Version,k=$key$$"

  /** Whether a text can be the id of a key. */
  private[hashes] def isKeyId(text: String): Boolean = text.matches("[a-z0-9-]{1,32}")

  private def keyOf(parameters: String): Either[ParseError, String] = parameters match {
    case Parameters(Version, key) if isKeyId(key)                                 => Right(key)
    case Parameters(other, key) if isKeyId(key) && other.matches("v=[1-9][0-9]*") => Left(ParseError.Unsupported)
    case _                                                                        => Left(ParseError.Invalid)
  }

  /** 96 bits (NIST SP 800-38D §8.2.2). */
  private[hashes] val NonceBytes = 12

  /** 128 bits, the longest tag of GCM. */
  private[hashes] val TagBytes = 16

  private val Version = "v=1"
  private val Parameters = "(?s)(.*?),k=(.*)".r
}
