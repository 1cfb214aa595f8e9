package saltern.hashes

/** passlib's PBKDF2: `$pbkdf2-sha256$29000$<salt>$<output>`, where a PHC string has `i=29000,l=32`;
  * SHA-1 is `$pbkdf2$`. Source: passlib `passlib/handlers/pbkdf2.py`.
  */
private[hashes] case object PasslibPbkdf2 extends Scheme("passlib-pbkdf2") {
  def claims(stored: String): Boolean =
    // In a PHC string the costs begin with the name of a parameter.
    hasId(stored) && !stored.startsWith("i=", stored.indexOf('$'.toInt, 1) + 1)

  /** Whether the string begins as a PBKDF2 hash of passlib or as a PHC string. */
  def hasId(stored: String): Boolean = Scheme.id(stored).exists(id => Params.Prf.all.exists(_.scheme == id))

  def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      parts <- Text.fields(stored, '$', 5)
      prf <- Params.Prf.all.find(_.scheme == parts(1)).toRight(ParseError.Invalid)
      encoded <- parse(this, s"$$${prf.scheme}$$", prf, parts(2), parts(3), parts(4), AdaptedBase64)
    } yield encoded

  /** Salt and output in this encoding. The output is one block, as passlib and directories request
    * it.
    */
  def parse(
      scheme: Scheme,
      head: String,
      prf: Params.Prf,
      iterationsText: String,
      saltText: String,
      outputText: String,
      encoding: Encoding
  ): Either[ParseError, EncodedHash] =
    for {
      iterations <- Text.decimal(iterationsText)
      salt <- encoding.decode(saltText)
      output <- encoding.decode(outputText)
      encoded <- Pbkdf2Scheme.in(scheme, prf, iterations, salt, prf.blockBytes, output) { bytes =>
        s"$head$iterations$$${encoding.encode(salt)}$$${encoding.encode(bytes)}"
      }
    } yield encoded
}

/** passlib's bcrypt of a digest: `$bcrypt-sha256$v=2,t=2b,r=12$<salt>$<output>`, before 1.7.3
  * `$bcrypt-sha256$2b,12$…`. Source: passlib `passlib/handlers/bcrypt.py`, class `bcrypt_sha256`.
  */
private[hashes] sealed abstract class PasslibBcryptSha256(name: String, preparation: Preparation, prefixes: Set[String])
    extends Scheme(name, "passlib-bcrypt-sha256") {
  final override val reading: Reading = Reading(preparation = preparation)

  /** bcrypt's prefix and cost. */
  protected def read(costs: String): Either[ParseError, (String, Long)]
  protected def print(prefix: String, cost: Long): String

  final def parse(stored: String): Either[ParseError, EncodedHash] =
    for {
      rest <- Text.after(PasslibBcryptSha256.Head, stored)
      parts <- Text.fields(rest, '$', 3)
      prefixAndCost <- read(parts(0))
      (prefix, cost) = prefixAndCost
      _ <- Text.valid(prefixes(prefix) && parts(1).length == SaltCharacters && cost < 100)
      // Not by the `f` interpolator: it writes the digits of the host's language.
      inner <- BcryptScheme.parse(s"$$$prefix$$${if (cost < 10) "0" else ""}$cost$$" + parts(1) + parts(2))
      salt = inner.setting.salt
      // No software printed a salt with bits set beyond its bytes in this form.
      _ <- Text.valid(BcryptBase64.encode(salt) == parts(1))
      encoded <- EncodedHash(this, inner.setting, inner.output) { bytes =>
        s"${PasslibBcryptSha256.Head}${print(prefix, cost)}$$${parts(1)}$$${BcryptBase64.encode(bytes)}"
      }
    } yield encoded

  private val SaltCharacters = 22
}

private[hashes] object PasslibBcryptSha256 {

  /** bcrypt of the SHA-256. */
  case object V1 extends PasslibBcryptSha256("passlib-bcrypt-sha256-v1", Preparation.Base64Sha256, Set("2a", "2b")) {
    def claims(stored: String): Boolean = stored.startsWith(Head) && !stored.startsWith(Versioned)

    protected def read(costs: String): Either[ParseError, (String, Long)] =
      for (parts <- Text.fields(costs, ',', 2); cost <- Text.decimal(parts(1))) yield (parts(0), cost)

    protected def print(prefix: String, cost: Long): String = s"$prefix,$cost"
  }

  /** bcrypt of the HMAC. */
  case object V2 extends PasslibBcryptSha256("passlib-bcrypt-sha256", Preparation.Base64HmacSha256, Set("2b")) {
    def claims(stored: String): Boolean = stored.startsWith(Versioned)

    protected def read(costs: String): Either[ParseError, (String, Long)] =
      for {
        parts <- Text.fields(costs, ',', 3)
        version <- Text.field(parts(0), "v")
        _ <- Either.cond(version == Version, (), ParseError.Unsupported)
        prefix <- Text.after("t=", parts(1))
        cost <- Text.field(parts(2), "r")
      } yield (prefix, cost)

    protected def print(prefix: String, cost: Long): String = s"v=$Version,t=$prefix,r=$cost"
  }

  lazy val schemes: Seq[Scheme] = Seq(V1, V2)

  private val Head = "$bcrypt-sha256$"
  private val Versioned = Head + "v="
  private val Version = 2L
}
