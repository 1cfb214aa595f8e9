package saltern.client.local

/** A sealed hash, taken apart: `$saltern-seal$v=1,k=<key id>$<nonce>$<ciphertext and tag>`
  * (`functions/seal`, `sealed.rs`). Printing gives the string again.
  *
  * @param head the text up to the `$` before the nonce, inclusive
  * @param body the ciphertext and the tag
  */
private[saltern] final class Sealed private[local] (val head: String, val key: String, val nonce: Array[Byte], val body: Array[Byte]) {
  def print: String = s"$head${PhcBase64.encode(nonce)}$$${PhcBase64.encode(body)}"

  override def toString: String = s"Sealed($key, ..)"
}

private[saltern] object Sealed {

  /** Whether a stored string is sealed, or claims to be. */
  def isSealed(stored: String): Boolean = stored.startsWith(Mark)

  /** Whether a stored string is longer than the contract allows. */
  def isTooLong(stored: String): Boolean = EncodedHash.isTooLong(stored, if (isSealed(stored)) MaxBytes else EncodedHash.MaxBytes)

  /** Returns Unsupported if the string has no seal, or a seal of another version. */
  def parse(stored: String): Either[ParseError, Sealed] =
    for {
      _ <- Either.cond(isSealed(stored), (), ParseError.Unsupported)
      _ <- Text.valid(!isTooLong(stored))
      fields <- Text.fields(stored.substring(Mark.length), '$', 3)
      key <- keyOf(fields(0))
      nonce <- PhcBase64.decode(fields(1))
      body <- PhcBase64.decode(fields(2))
      _ <- Text.valid(nonce.length == NonceBytes && body.length > TagBytes && body.length <= TagBytes + EncodedHash.MaxBytes)
    } yield new Sealed(head(key), key, nonce, body)

  /** Returns the text of a seal under this key, up to the `$` before the nonce. */
  private[local] def head(key: String): String = s"$Mark$Version,k=$key$$"

  /** Whether a text can be the id of a key. */
  private[local] def isKeyId(text: String): Boolean = text.matches("[a-z0-9-]{1,32}")

  private def keyOf(parameters: String): Either[ParseError, String] = parameters.indexOf(",k=") match {
    case -1 => Left(ParseError.Invalid)
    case at =>
      val (version, key) = (parameters.substring(0, at), parameters.substring(at + 3))
      if (!isKeyId(key)) Left(ParseError.Invalid)
      else if (version == Version) Right(key)
      else if (version.matches("v=[1-9][0-9]*")) Left(ParseError.Unsupported)
      else Left(ParseError.Invalid)
  }

  /** The longest sealed string that is read, in bytes (HTTP contract, "Passwords and hashes"). */
  val MaxBytes: Int = 1457

  /** 96 bits (NIST SP 800-38D §8.2.2). */
  private[local] val NonceBytes = 12

  /** 128 bits, the longest tag of GCM. */
  private[local] val TagBytes = 16

  private val Mark = "$saltern-seal$"
  private val Version = "v=1"
}
