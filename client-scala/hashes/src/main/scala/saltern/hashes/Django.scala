package saltern.hashes

/** Django's hashes: a name, costs, salt and output, separated by dollar signs. The salt is used as
  * the text that it is. Source: Django `django/contrib/auth/hashers.py`.
  */
private[hashes] object Django {

  /** A PHC string behind a name: `argon2$argon2id$…`. */
  case object Argon2 extends Scheme("django-argon2") {
    def claims(stored: String): Boolean = stored.startsWith("argon2$")
    def parse(stored: String): Either[ParseError, EncodedHash] = Argon2Scheme.parseBehind("argon2", this, stored)
  }

  case object Bcrypt extends Scheme("django-bcrypt") {
    override val reading: Reading = BcryptScheme.reading
    def claims(stored: String): Boolean = stored.startsWith("bcrypt$")
    def parse(stored: String): Either[ParseError, EncodedHash] = BcryptScheme.parseBehind("bcrypt$", this, stored)
  }

  case object BcryptSha256 extends Scheme("django-bcrypt-sha256") {
    override val reading: Reading = Reading(preparation = Preparation.HexSha256)
    def claims(stored: String): Boolean = stored.startsWith("bcrypt_sha256$")
    def parse(stored: String): Either[ParseError, EncodedHash] = BcryptScheme.parseBehind("bcrypt_sha256$", this, stored)
  }

  /** `pbkdf2_sha256$<iterations>$<salt>$<Base64>`. */
  case object Pbkdf2 extends Scheme("django-pbkdf2") {
    def claims(stored: String): Boolean = functions.keys.exists(name => stored.startsWith(name + "$"))

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.fields(stored, '$', 4)
        prf <- functions.get(parts(0)).toRight(ParseError.Invalid)
        iterations <- Text.decimal(parts(1))
        salt <- Text.salt(parts(2))
        output <- PaddedBase64.decode(parts(3))
        // Django asks for one block of output, with either digest.
        encoded <- Pbkdf2Scheme.in(this, prf, iterations, salt, prf.blockBytes, output) { bytes =>
          s"${parts(0)}$$$iterations$$${parts(2)}$$${PaddedBase64.encode(bytes)}"
        }
      } yield encoded

    private val functions = Map("pbkdf2_sha1" -> Params.Prf.Sha1, "pbkdf2_sha256" -> Params.Prf.Sha256)
  }

  /** `scrypt$<N>$<salt>$<r>$<p>$<Base64>`. */
  case object Scrypt extends Scheme("django-scrypt") {
    def claims(stored: String): Boolean = stored.startsWith("scrypt$")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.fields(stored, '$', 6)
        n <- Text.decimal(parts(1))
        logN <- Text.log2(n)
        salt <- Text.salt(parts(2))
        r <- Text.decimal(parts(3))
        p <- Text.decimal(parts(4))
        output <- PaddedBase64.decode(parts(5))
        encoded <- ScryptScheme.in(this, logN, r, p, salt, OutputBytes, output) { bytes =>
          s"scrypt$$$n$$${parts(2)}$$$r$$$p$$${PaddedBase64.encode(bytes)}"
        }
      } yield encoded

    /** `ScryptPasswordHasher.encode`, `dklen`. */
    private val OutputBytes = 64
  }

  val schemes: Seq[Scheme] = Seq(Argon2, Bcrypt, BcryptSha256, Pbkdf2, Scrypt)
}
