package saltern.hashes

/** scrypt in modular crypt format: `$7$<log2 N><5 characters of r><5 of p><salt>$<43 characters>`.
  * The salt is the text itself. Source: Openwall yescrypt 1.1.0, `yescrypt-common.c`; libxcrypt
  * `crypt-scrypt.c`.
  */
private[hashes] case object Scrypt7 extends PrefixedScheme("scrypt-7", "$7$") {
  override def reading: Reading = Reading.OfCStrings

  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      costs <- Text.splitAt(rest, 1 + 2 * FactorCharacters)
      logN <- CryptBase64.number(costs._1.substring(0, 1))
      r <- CryptBase64.number(costs._1.substring(1, 1 + FactorCharacters))
      p <- CryptBase64.number(costs._1.substring(1 + FactorCharacters))
      parts <- Text.splitOnce(costs._2, '$')
      (salt, outputText) = parts
      _ <- Text.valid(CryptBase64.isInAlphabet(salt))
      output <- CryptBase64.decode(outputText)
      encoded <- ScryptScheme.in(this, logN, r, p, Text.utf8(salt), OutputBytes, output) { bytes =>
        val head = CryptBase64.numberText(logN, 1) + Seq(r, p).map(CryptBase64.numberText(_, FactorCharacters)).mkString
        s"$prefix$head$salt$$${CryptBase64.encode(bytes)}"
      }
    } yield encoded

  private val FactorCharacters = 5
  private val OutputBytes = 32
}
