package saltern.client.local

/** passlib's PBKDF2: `$pbkdf2-sha256$29000$<salt>$<output>`, where a PHC string has `i=29000,l=32`; SHA-1 is `$pbkdf2$`. Source:
  * passlib `passlib/handlers/pbkdf2.py`.
  */
private[local] case object PasslibPbkdf2 extends Scheme("passlib-pbkdf2") {
  def claims(stored: String): Boolean =
    // A PHC string's costs begin with the name of a parameter.
    hasId(stored) && !stored.startsWith("i=", stored.indexOf('$'.toInt, 1) + 1)

  /** Whether it begins as passlib's or as a PHC string of PBKDF2. */
  def hasId(stored: String): Boolean = Scheme.id(stored).exists(id => Params.Prf.all.exists(_.scheme == id))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(stored, '$', 5)
      prf <- Params.Prf.all.find(_.scheme == parts(1)).toRight(ParseError.Invalid)
      encoded <- parse(this, s"$$${prf.scheme}$$", prf, parts(2), parts(3), parts(4))
    } yield encoded

  /** Salt and output in adapted Base64; the output is one block, as passlib and OpenLDAP ask for. */
  def parse(
      scheme: Scheme,
      head: String,
      prf: Params.Prf,
      iterationsText: String,
      saltText: String,
      outputText: String
  ): Either[ParseError, EncodedHash] =
    for {
      iterations <- Text.decimal(iterationsText)
      salt <- AdaptedBase64.decode(saltText)
      output <- AdaptedBase64.decode(outputText)
      encoded <- Pbkdf2Scheme.in(scheme, prf, iterations, salt, prf.blockBytes, output) { bytes =>
        s"$head$iterations$$${AdaptedBase64.encode(salt)}$$${AdaptedBase64.encode(bytes)}"
      }
    } yield encoded
}
