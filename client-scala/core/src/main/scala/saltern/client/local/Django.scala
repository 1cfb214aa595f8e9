package saltern.client.local

/** Django's hashes: a name, costs, salt and output, separated by dollar signs. The salt is used as
  * the text that it is.
  *
  * `sha1$<salt>$<hex>` is not read because it is ambiguous. In Django before 5.1 it is SHA-1 of
  * salt and password. In Werkzeug before 0.9 it is HMAC-SHA-1 keyed with the salt. Source: Django
  * `django/contrib/auth/hashers.py`.
  */
private[local] object Django {

  /** A PHC string behind a name: `argon2$argon2id$…`. */
  case object Argon2 extends Scheme("django-argon2") {
    def claims(stored: String): Boolean = stored.startsWith("argon2$")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        inner <- Text.after("argon2", stored)
        _ <- Scheme.oneOf(Seq(Argon2Scheme), inner)
        encoded <- Argon2Scheme.parse(inner)
      } yield encoded.behind("argon2", this)
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

  /** `md5$<salt>$<hex>`: MD5 of salt and password. */
  case object Md5 extends Scheme("django-md5") {
    override def isWeak: Boolean = true
    def claims(stored: String): Boolean = stored.startsWith("md5$")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        parts <- Text.fields(stored, '$', 3)
        salt <- Text.salt(parts(1))
        output <- LowerHex.decode(parts(2))
        encoded <- EncodedHash(this, new Digest(Digest.Md5, Digest.SaltFirst, salt), output) { bytes =>
          s"md5$$${parts(1)}$$${LowerHex.encode(bytes)}"
        }
      } yield encoded
  }

  /** `sha1$$<hex>`: SHA-1 of the password alone. Only Django marks a missing salt in this way. */
  case object UnsaltedSha1 extends Scheme("django-unsalted-sha1") {
    override def isWeak: Boolean = true
    def claims(stored: String): Boolean = stored.startsWith("sha1$$")

    def parse(stored: String): Either[ParseError, EncodedHash] =
      for {
        text <- Text.after("sha1$$", stored)
        output <- LowerHex.decode(text)
        encoded <- EncodedHash(this, new Digest(Digest.Sha1, Digest.SaltFirst, Array.emptyByteArray), output) { bytes =>
          "sha1$$" + LowerHex.encode(bytes)
        }
      } yield encoded
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

  val schemes: Seq[Scheme] = Seq(Argon2, Bcrypt, BcryptSha256, Md5, UnsaltedSha1, Pbkdf2, Scrypt)
}
