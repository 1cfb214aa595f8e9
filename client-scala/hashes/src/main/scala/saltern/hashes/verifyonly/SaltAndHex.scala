package saltern.hashes
package verifyonly

/** `<function>$<salt>$<hex>`: one digest over password and salt, which is used as the text that it
  * is.
  *
  * @param functions the digests that the software names
  */
private[hashes] abstract class SaltAndHex(name: String, functions: Map[String, Digest.Hash], order: Digest.Order) extends Scheme(name) {
  override def isWeak: Boolean = true

  def claims(stored: String): Boolean = functions.keys.exists(name => stored.startsWith(name + "$"))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(stored, '$', 3)
      hash <- functions.get(parts(0)).toRight(ParseError.Invalid)
      salt <- Text.salt(parts(1))
      output <- LowerHex.decode(parts(2))
      encoded <- EncodedHash(this, new Digest(hash, order, salt), output)(bytes => s"${parts(0)}$$${parts(1)}$$${LowerHex.encode(bytes)}")
    } yield encoded
}
