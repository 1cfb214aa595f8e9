package saltern.hashes

/** Werkzeug's hashes: `pbkdf2:sha256:1000000$<salt>$<hex>` and `scrypt:32768:8:1$<salt>$<hex>`. The
  * salt is used as the text that it is. Source: Werkzeug `src/werkzeug/security.py`.
  */
private[hashes] object Werkzeug {
  case object Pbkdf2 extends Scheme("werkzeug-pbkdf2") {
    def claims(stored: String): Boolean =
      stored.indexOf('$'.toInt) > 0 && methodOf(stored).lift(1).exists(functions.contains) && methodOf(stored).head == "pbkdf2"

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.fields(stored, '$', 3)
        method <- Text.fields(parts(0), ':', 3)
        prf <- functions.get(method(1)).toRight(ParseError.Invalid)
        iterations <- Text.decimal(method(2))
        salt <- Text.salt(parts(1))
        output <- LowerHex.decode(parts(2))
        // `hashlib.pbkdf2_hmac` returns one block of the digest if no length is given.
        encoded <- Pbkdf2Scheme.in(this, prf, iterations, salt, prf.blockBytes, output) { bytes =>
          s"pbkdf2:${method(1)}:$iterations$$${parts(1)}$$${LowerHex.encode(bytes)}"
        }
      } yield encoded
  }

  case object Scrypt extends Scheme("werkzeug-scrypt") {
    def claims(stored: String): Boolean = stored.indexOf('$'.toInt) > 0 && stored.startsWith("scrypt:")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.fields(stored, '$', 3)
        method <- Text.fields(parts(0), ':', 4)
        n <- Text.decimal(method(1))
        logN <- Text.log2(n)
        r <- Text.decimal(method(2))
        p <- Text.decimal(method(3))
        salt <- Text.salt(parts(1))
        output <- LowerHex.decode(parts(2))
        encoded <- ScryptScheme.in(this, logN, r, p, salt, ScryptOutputBytes, output) { bytes =>
          s"scrypt:$n:$r:$p$$${parts(1)}$$${LowerHex.encode(bytes)}"
        }
      } yield encoded
  }

  val schemes: Seq[Scheme] = Seq(Pbkdf2, Scrypt)

  private def methodOf(stored: String): Array[String] = stored.takeWhile(_ != '$').split(":", -1)

  private val functions = Map("sha1" -> Params.Prf.Sha1, "sha256" -> Params.Prf.Sha256, "sha512" -> Params.Prf.Sha512)

  /** `hashlib.scrypt`, `dklen`, if no length is given. */
  private val ScryptOutputBytes = 64
}
