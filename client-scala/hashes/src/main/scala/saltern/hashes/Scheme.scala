package saltern.hashes

import java.util.{Arrays, Base64}
import saltern.hashes.verifyonly.*

/** The textual form of a stored hash. Several schemes may use one algorithm: Django's PBKDF2 and
  * our own are computed alike.
  *
  * @param name in `local-schemes.txt`
  * @param serviceName the service's name for it, in settings and in the vectors. Several schemes
  *   here may be one of the service.
  */
private[saltern] abstract class Scheme(val name: String, val serviceName: String) {
  def this(name: String) = this(name, name)

  /** Whether the hash is unsalted, or so fast that a guess takes well under a tenth of a
    * millisecond. Such a scheme is verified only if it was allowed by name.
    */
  def isWeak: Boolean = false

  /** The part of a password that the scheme reads, and its transformation before hashing. */
  def reading: Reading = Reading.Whole

  /** Returns whether a string has this scheme, by its beginning. No two schemes claim one string.
    */
  private[hashes] def claims(stored: String): Boolean

  private[hashes] def parse(stored: String): Either[ParseError, EncodedHash]

  /** Reads a hash of this scheme behind a name that other software puts before it. */
  private[hashes] final def parseBehind(before: String, other: Scheme, stored: String): Either[ParseError, EncodedHash] =
    for {
      inner <- Text.after(before, stored)
      _ <- Scheme.oneOf(Seq(this), inner)
      encoded <- parse(inner)
    } yield encoded.behind(before, other)

  override def toString: String = name
}

/** A scheme whose strings begin with `prefix`. */
private[hashes] abstract class PrefixedScheme(name: String, val prefix: String, serviceName: String)
    extends Scheme(name, serviceName) {
  def this(name: String, prefix: String) = this(name, prefix, name)

  def claims(stored: String): Boolean = stored.startsWith(prefix)
  final def parse(stored: String): Either[ParseError, EncodedHash] = Text.after(prefix, stored).flatMap(parseRest)

  /** Reads what follows the prefix. */
  def parseRest(rest: String): Either[ParseError, EncodedHash]
}

private[saltern] object Scheme {

  /** Those of crypt(3), on various systems. */
  private[hashes] lazy val crypt: Seq[Scheme] =
    Seq(BcryptScheme, Scrypt7, MdCrypt.FreeBsd, Sha1Crypt, SunMd5) ++ DesCrypt.schemes ++ ShaCrypt.schemes

  /** Every scheme that is read here, as `local-schemes.txt` lists them. yescrypt is missing because
    * no JVM library has it.
    */
  lazy val all: Seq[Scheme] =
    (crypt ++ Seq(Argon2Scheme, Pbkdf2Scheme, ScryptScheme, WrappedScheme) ++ LdapPbkdf2.schemes ++ PasslibBcryptSha256.schemes ++
      Seq(Atlassian, PasslibPbkdf2, Grub, WordPress) ++ Django.schemes ++ Werkzeug.schemes ++ Spring.schemes ++ AspNet.schemes ++
      Seq(MdCrypt.Apache, Firebase, KratosDigest, MysqlNative, WerkzeugHmac) ++ Phpass.schemes ++ LdapDigest.schemes ++
      DjangoDigests.all ++ SpringDigests.all).sortBy(_.name)

  /** Returns the scheme of a stored string, or `None` if nothing identifies it. The scheme of a
    * bare digest is not guessed.
    */
  private[hashes] def of(stored: String): Option[Scheme] = all.find(_.claims(stored))

  /** Returns the scheme of the text behind a label or a name, if it is one of `admitted`. */
  private[hashes] def oneOf(admitted: Seq[Scheme], text: String): Either[ParseError, Scheme] = of(text) match {
    case Some(scheme) if admitted.contains(scheme) => Right(scheme)
    case None if id(text).exists(_.nonEmpty)       => Left(unread(text))
    case _                                         => Left(ParseError.Invalid)
  }

  /** Returns why a string without a known scheme is not read. */
  private[hashes] def unread(stored: String): ParseError =
    if (id(stored).exists(RefusedByName)) ParseError.Unsupported else ParseError.UnknownScheme

  /** The first version of bcrypt, and crypt_blowfish's name for its own old bug. Both are other
    * algorithms.
    */
  private val RefusedByName = Set("2", "2x")

  /** The text between the first two dollar signs. */
  private[hashes] def id(stored: String): Option[String] =
    Option.when(stored.startsWith("$"))(stored.indexOf('$'.toInt, 1)).filter(_ > 0).map(stored.substring(1, _))
}

/** The schemes of which weak hashes are verified: unsalted, fast or below a floor. By default there
  * are none.
  */
private[saltern] final class AcceptedWeak private (schemes: Set[Scheme]) {
  def names(scheme: Scheme): Boolean = schemes(scheme)
}

private[saltern] object AcceptedWeak {
  val None: AcceptedWeak = new AcceptedWeak(Set.empty)

  /** Reads the service's names of schemes, or `all` alone. If a name is not that of a scheme,
    * returns a sentence that lists the names.
    */
  def named(names: Seq[String]): Either[String, AcceptedWeak] = {
    val all = Scheme.all
    val known = all.map(_.serviceName).distinct
    if (names == Seq("all")) Right(new AcceptedWeak(all.toSet))
    else if (names.forall(known.contains)) Right(new AcceptedWeak(all.filter(s => names.contains(s.serviceName)).toSet))
    else Left(s"give `all`, or names of this list: ${known.mkString(" ")}")
  }
}

/** The part of a password that a scheme reads.
  *
  * @param mostBytes bytes that are read; the rest has no effect
  * @param mayStopAtNul whether some of the software that made such hashes stopped at the first NUL
  * @param sevenBits whether the eighth bit of each byte has no effect
  * @param trims characters that have no effect at both ends of the password
  */
private[saltern] final case class Reading(
    mostBytes: Option[Int] = None,
    mayStopAtNul: Boolean = false,
    sevenBits: Boolean = false,
    trims: String = "",
    preparation: Preparation = Preparation.None
)

private[saltern] object Reading {
  val Whole: Reading = Reading()
  val OfCStrings: Reading = Reading(mayStopAtNul = true)
}

/** A transformation of the password before it is hashed. */
private[saltern] sealed abstract class Preparation {

  /** Returns the bytes that the algorithm hashes, for a password and this salt. They are as secret
    * as the password. The caller wipes them.
    */
  def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte]

  /** Returns the number of bytes that are hashed for a password of so many bytes. */
  def lengthOf(passwordBytes: Int): Int
}

private[saltern] object Preparation {
  case object None extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = password
    def lengthOf(passwordBytes: Int): Int = passwordBytes
  }

  /** A digest of the password, in lower-case hexadecimal. */
  sealed abstract class Hex(digest: String, digestBytes: Int) extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] =
      wiping(SecretDigest(digest, password))(LowerHex.encodeToBytes)
    def lengthOf(passwordBytes: Int): Int = 2 * digestBytes
  }

  /** Drupal 7, if Drupal 6 had stored nothing else. */
  case object HexMd5 extends Hex("MD5", 16)

  /** As a site made it. */
  case object HexSha1 extends Hex("SHA-1", 20)

  /** Django's `bcrypt_sha256`. */
  case object HexSha256 extends Hex("SHA-256", 32)

  /** A digest of the salt and the password, in Base64. */
  sealed abstract class InBase64(digestBytes: Int, digest: (Array[Byte], Array[Byte]) => Array[Byte]) extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = wiping(digest(salt, password))(Base64.getEncoder.encode(_))
    def lengthOf(passwordBytes: Int): Int = (digestBytes + 2) / 3 * 4
  }

  /** The password's HMAC-SHA-384 under a fixed key. The key is not secret; it only separates these
    * digests from all others (`wp_hash_password`).
    */
  case object WordPress extends InBase64(48, (_, password) => SecretDigest.keyed("SHA-384", Text.utf8("wp-sha384"), password))

  /** The password's SHA-256: passlib's `bcrypt_sha256` before 1.7.3. */
  case object Base64Sha256 extends InBase64(32, (_, password) => SecretDigest("SHA-256", password))

  /** The password's HMAC-SHA-256, keyed with the text of bcrypt's salt: passlib's `bcrypt_sha256`.
    */
  case object Base64HmacSha256
      extends InBase64(32, (salt, password) => SecretDigest.keyed("SHA-256", Text.utf8(BcryptBase64.encode(salt)), password))

  private def wiping(digest: Array[Byte])(text: Array[Byte] => Array[Byte]): Array[Byte] =
    try text(digest)
    finally Arrays.fill(digest, 0.toByte)
}

/** A label that some software puts in front of a complete hash: LDAP's `{CRYPT}`, Dovecot's
  * `{SHA512-CRYPT}`, Spring Security's `{bcrypt}`.
  *
  * @param follows the schemes of the hash behind it
  * @param begin the hash begins with it; otherwise the text is no label
  */
private[hashes] final case class Label(text: String, follows: Seq[Scheme], begin: String = "")

private[hashes] object Label {

  /** Returns `None` if the string begins with no label. */
  def parse(stored: String): Option[Either[ParseError, EncodedHash]] =
    all.find(label => stored.startsWith(label.text + label.begin)).map { label =>
      val rest = stored.substring(label.text.length)
      val isCrypt = OfCrypt.contains(label.text)
      if (rest.startsWith(Yescrypt) && !isCrypt) Left(ParseError.Invalid)
      else Scheme.oneOf(label.follows, rest).flatMap(_.parse(rest)).map(_.behind(label.text))
    }

  /** A scheme of crypt(3) that the service reads and that has no other label. */
  val Yescrypt: String = "$y$"

  /** The labels of crypt(3)'s schemes. */
  private val OfCrypt = Seq("{CRYPT}", "{crypt}")

  /** Dovecot's own meaning of MD5. Without the dollar sign it is LDAP's. */
  private val Md5 = "{MD5}"
  val Md5Crypt: String = Md5 + "$"

  private lazy val all: Seq[Label] =
    Seq("{ARGON2ID}", "{ARGON2I}", "{ARGON2}", "{argon2@SpringSecurity_v5_8}", "{argon2}").map(Label(_, Seq(Argon2Scheme))) ++
      Seq("{BLF-CRYPT}", "{bcrypt}").map(Label(_, Seq(BcryptScheme))) ++
      OfCrypt.map(Label(_, Scheme.crypt)) ++
      Seq(
        Label("{DES-CRYPT}", Seq(DesCrypt.Traditional)),
        Label("{MD5-CRYPT}", Seq(MdCrypt.FreeBsd)),
        Label(Md5, Seq(MdCrypt.FreeBsd), begin = "$"),
        Label("{SHA256-CRYPT}", Seq(ShaCrypt.Sha256)),
        Label("{SHA512-CRYPT}", Seq(ShaCrypt.Sha512))
      )
}
