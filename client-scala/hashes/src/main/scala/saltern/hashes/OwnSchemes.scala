package saltern.hashes

/** bcrypt in modular crypt format: `$2b$<cost>$<22 characters of salt><31 characters of output>`.
  */
private[saltern] object BcryptScheme extends Scheme("bcrypt") {
  override val reading: Reading = Reading(mostBytes = Some(Params.Bcrypt.MaxPasswordBytes), mayStopAtNul = true)

  def claims(stored: String): Boolean = Scheme.id(stored).exists(Set("2a", "2b", "2y"))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(stored, '$', 4)
      prefix = parts(1)
      (costText, body) = (parts(2), parts(3))
      _ <- Text.valid(costText.length == 2 && Text.digits(costText) && body.length == 53)
      params <- Params.Bcrypt(costText.toInt).toRight(ParseError.Invalid)
      salt <- BcryptBase64.decodeSalt(body.substring(0, 22))
      output <- BcryptBase64.decode(body.substring(22))
      setting = Setting.Bcrypt(prefix, params, salt, BcryptBase64.paddingOfSalt(body.charAt(21)))
      encoded <- EncodedHash(this, setting, output)(setting.print)
    } yield encoded
}

/** Argon2 as a PHC string. */
private[saltern] object Argon2Scheme extends Scheme("argon2") {
  def claims(stored: String): Boolean = Scheme.id(stored).exists(Set("argon2d", "argon2i", "argon2id"))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.splitOnce(stored.substring(1), '$')
      variant <- Params.Variant.named(parts._1).toRight(ParseError.Invalid)
      rest <- Text.splitOnce(parts._2, '$')
      (first, afterFirst) = rest
      versioned <-
        if (!first.startsWith("v=")) Right((None, first, afterFirst))
        else
          for {
            number <- Text.field(first, "v")
            version <- Params.Version.numbered(number).toRight(ParseError.Unsupported)
            costsAndRest <- Text.splitOnce(afterFirst, '$')
          } yield (Some(version), costsAndRest._1, costsAndRest._2)
      (version, costs, saltAndOutput) = versioned
      // Argon2id is younger than the `v=` field, so no software printed it without the field.
      _ <- Text.valid(version.isDefined || variant != Params.Variant.Id)
      // A secret key or associated data changes the result. Without them every password would be
      // wrong.
      _ <- Either.cond(!costs.contains(",keyid=") && !costs.contains(",data="), (), ParseError.Unsupported)
      spelling = Setting.Argon2.spellingOf(version.isDefined, costs)
      values <- Text.named(costs, spelling.order*)
      value = spelling.order.zip(values).toMap
      params <- Params
        .Argon2(variant, version.getOrElse(Params.Version.V16), value("m"), value("t"), value("p"))
        .toRight(ParseError.Invalid)
      so <- Phc.saltAndOutput(saltAndOutput)
      _ <- Text.valid(so._2.length >= Params.Argon2.MinOutputBytes)
      setting = Setting.Argon2(params, so._1, so._2.length, spelling)
      encoded <- EncodedHash(this, setting, so._2)(setting.print)
    } yield encoded
}

/** PBKDF2 as a PHC string: `$pbkdf2-sha512$i=210000,l=32$<salt>$<output>`; SHA-1 is `$pbkdf2$`. */
private[saltern] object Pbkdf2Scheme extends Scheme("pbkdf2") {
  def claims(stored: String): Boolean =
    PasslibPbkdf2.hasId(stored) && !PasslibPbkdf2.claims(stored) || stored.startsWith(s"$$$Sha1WithoutLength$$i=")

  def parse(stored: String): Either[ParseError, EncodedHash] =
    Text.splitOnce(stored.substring(1), '$').flatMap { case (id, rest) =>
      if (rest.takeWhile(_ != '$').contains(',')) withLength(stored) else withoutLength(id, rest)
    }

  private def withLength(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.splitOnce(stored.substring(1), '$')
      prf <- Params.Prf.all.find(_.scheme == parts._1).toRight(ParseError.Invalid)
      rest <- Text.splitOnce(parts._2, '$')
      il <- Text.named(rest._1, "i", "l")
      params <- Params.Pbkdf2(prf, il(0)).toRight(ParseError.Invalid)
      so <- Phc.saltAndOutput(rest._2)
      _ <- Text.valid(il(1) == so._2.length && so._2.length >= Phc.MinOutputBytes)
      setting = Setting.Pbkdf2(params, so._1, so._2.length)
      encoded <- EncodedHash(this, setting, so._2)(setting.print)
    } yield encoded

  /** The form of the Node package @phc/pbkdf2: one block of the function, whose name is in full. */
  private def withoutLength(id: String, rest: String): Either[ParseError, EncodedHash] =
    for {
      prf <- Params.Prf.all.find(prf => id == (if (prf == Params.Prf.Sha1) Sha1WithoutLength else prf.scheme)).toRight(ParseError.Invalid)
      parts <- Text.splitOnce(rest, '$')
      iterations <- Text.field(parts._1, "i")
      so <- Phc.saltAndOutput(parts._2)
      (salt, output) = so
      encoded <- in(this, prf, iterations, salt, prf.blockBytes, output) { bytes =>
        s"$$$id$$i=$iterations$$${PhcBase64.encode(salt)}$$${PhcBase64.encode(bytes)}"
      }
    } yield encoded

  private val Sha1WithoutLength = "pbkdf2-sha1"

  /** PBKDF2 in another form, with the fixed output length of its software. */
  def in(scheme: Scheme, prf: Params.Prf, iterations: Long, salt: Array[Byte], outputBytes: Int, output: Array[Byte])(
      form: Array[Byte] => String
  ): Either[ParseError, EncodedHash] =
    for {
      params <- Params.Pbkdf2(prf, iterations).toRight(ParseError.Invalid)
      _ <- Text.valid(salt.nonEmpty)
      encoded <- EncodedHash(scheme, Setting.Pbkdf2(params, salt, outputBytes), output)(form)
    } yield encoded
}

/** scrypt as a PHC string. */
private[saltern] object ScryptScheme extends PrefixedScheme("scrypt", "$scrypt$") {
  def parseRest(rest: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.splitOnce(rest, '$')
      // AdonisJS writes N itself, others write its logarithm.
      wholeN = rest.startsWith("n=")
      costs <- Text.named(parts._1, if (wholeN) "n" else "ln", "r", "p")
      logN <- if (wholeN) Text.log2(costs(0)) else Right(costs(0))
      params <- Params.Scrypt(logN, costs(1), costs(2)).toRight(ParseError.Invalid)
      so <- Phc.saltAndOutput(parts._2)
      _ <- Text.valid(so._2.length >= Phc.MinOutputBytes)
      setting = Setting.Scrypt(params, so._1, so._2.length)
      encoded <- EncodedHash(this, setting, so._2) { bytes =>
        if (wholeN) s"${prefix}n=${costs(0)},r=${params.r},p=${params.p}$$${PhcBase64.encode(so._1)}$$${PhcBase64.encode(bytes)}"
        else setting.print(bytes)
      }
    } yield encoded

  /** scrypt in another form, with the fixed output length of its software. */
  def in(scheme: Scheme, logN: Long, r: Long, p: Long, salt: Array[Byte], outputBytes: Int, output: Array[Byte])(
      form: Array[Byte] => String
  ): Either[ParseError, EncodedHash] =
    for {
      params <- Params.Scrypt(logN, r, p).toRight(ParseError.Invalid)
      encoded <- EncodedHash(scheme, Setting.Scrypt(params, salt, outputBytes), output)(form)
    } yield encoded
}

/** The rules of the PHC string format for all its schemes. */
private[hashes] object Phc {
  def saltAndOutput(text: String): Either[ParseError, (Array[Byte], Array[Byte])] =
    for {
      parts <- Text.splitOnce(text, '$')
      salt <- PhcBase64.decode(parts._1)
      output <- PhcBase64.decode(parts._2)
      _ <- Text.valid(salt.length >= MinSaltBytes)
    } yield (salt, output)

  /** The shortest salt that is read, in bytes (RFC 8018 §4.1, RFC 9106 §3.1: eight octets). */
  private val MinSaltBytes = 8

  /** The shortest output that is read if the scheme sets no bound, in bytes (PHC string format: 80
    * bits).
    */
  val MinOutputBytes = 10
}
