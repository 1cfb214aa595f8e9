package saltern.client.local

import java.util.{Arrays, Base64}
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

/** The form in which a stored hash is written. Several forms may state one algorithm: Django's PBKDF2 and ours are computed
  * alike. Each has the name that it has in the service, in settings and in the vectors.
  */
private[saltern] abstract class Scheme(val name: String) {

  /** Unsalted, or so fast that a try costs well under a tenth of a millisecond: verified only where that was allowed by name. */
  def isWeak: Boolean = false

  /** Which part of a password it reads, and what it makes of it first. */
  def reading: Reading = Reading.Whole

  /** Whether a string has this form, by what it begins with. No two schemes claim one string. */
  private[local] def claims(stored: String): Boolean

  private[local] def parse(stored: String): Either[ParseError, EncodedHash]

  override def toString: String = name
}

private[saltern] object Scheme {

  /** Every form that is read here; `local-schemes.txt` has their names. yescrypt is missing: no library of the JVM has it. */
  lazy val all: Seq[Scheme] = (
    Seq(Argon2Scheme, BcryptScheme, Pbkdf2Scheme, ScryptScheme, Scrypt7, WrappedScheme) ++
      DesCrypt.schemes ++ MdCrypt.schemes ++ ShaCrypt.schemes ++ Seq(Sha1Crypt, SunMd5) ++ Phpass.schemes ++
      LdapDigest.schemes ++ LdapPbkdf2.schemes ++ PasslibBcryptSha256.schemes ++ Seq(Atlassian, PasslibPbkdf2) ++ Django.schemes ++ Werkzeug.schemes ++
      Spring.schemes ++ AspNet.schemes ++ Seq(Grub, WordPress, Firebase)
  ).sortBy(_.name)

  /** Whose form a stored string has. `None` where nothing says so: a bare digest is not guessed. */
  private[local] def of(stored: String): Option[Scheme] = all.find(_.claims(stored))

  /** The form of what stands behind a label or a name, where only the `admitted` ones may. */
  private[local] def oneOf(admitted: Seq[Scheme], text: String): Either[ParseError, Scheme] = of(text) match {
    case Some(scheme) if admitted.contains(scheme) => Right(scheme)
    case None if id(text).exists(_.nonEmpty)       => Left(unread(text))
    case _                                         => Left(ParseError.Invalid)
  }

  /** Why a string that has no scheme of ours is not read. */
  private[local] def unread(stored: String): ParseError =
    if (id(stored).exists(RefusedByName)) ParseError.Unsupported else ParseError.UnknownScheme

  /** The first bcrypt of all, and crypt_blowfish's name for its own old bug: other algorithms. */
  private val RefusedByName = Set("2", "2x")

  /** What stands between the first two dollar signs. */
  private[local] def id(stored: String): Option[String] =
    Option.when(stored.startsWith("$"))(stored.indexOf('$'.toInt, 1)).filter(_ > 0).map(stored.substring(1, _))
}

/** The unsalted and fast schemes that are verified all the same: none, but those that were named. */
private[saltern] final class AcceptedWeak private (schemes: Set[Scheme]) {
  def accepts(scheme: Scheme): Boolean = !scheme.isWeak || schemes(scheme)
}

private[saltern] object AcceptedWeak {
  val None: AcceptedWeak = new AcceptedWeak(Set.empty)

  /** Names of schemes, or `all` alone. A name that is no weak scheme's is answered with a sentence that says which there are. */
  def named(names: Seq[String]): Either[String, AcceptedWeak] = {
    val weak = Scheme.all.filter(_.isWeak)
    if (names == Seq("all")) Right(new AcceptedWeak(weak.toSet))
    else if (names.forall(name => weak.exists(_.name == name))) Right(new AcceptedWeak(weak.filter(s => names.contains(s.name)).toSet))
    else Left(s"write `all`, or some of these: ${weak.map(_.name).mkString(" ")}")
  }
}

/** How a scheme reads a password.
  *
  * @param mostBytes bytes that are read; the rest has no effect
  * @param mayStopAtNul whether software on C strings made such hashes: it stopped at the first NUL, other software went on
  * @param sevenBits whether the eighth bit of each byte has no effect
  * @param trims characters that have no effect before and behind the password
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

/** What some software hashes in place of the password itself. */
private[saltern] sealed abstract class Preparation {

  /** What is hashed under this salt, in the bytes that the algorithm takes: as secret as the password. Whoever asks for it
    * wipes it.
    */
  def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte]

  /** Bytes of what is hashed in place of so many. */
  def lengthOf(passwordBytes: Int): Int
}

private[saltern] object Preparation {
  case object None extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = password
    def lengthOf(passwordBytes: Int): Int = passwordBytes
  }

  /** Of the password's MD5: Drupal 7, where Drupal 6 had left nothing else. */
  case object HexMd5 extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = hex("MD5", password)
    def lengthOf(passwordBytes: Int): Int = 2 * Digest.Md5.outputBytes
  }

  /** Of the password's SHA-256: Django's `bcrypt_sha256`. */
  case object HexSha256 extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = hex("SHA-256", password)
    def lengthOf(passwordBytes: Int): Int = 2 * Digest.Sha256.outputBytes
  }

  /** The password's HMAC-SHA-384 under a fixed key, in Base64. The key is no secret, but what keeps these digests apart from
    * all others (`wp_hash_password`).
    */
  case object WordPress extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = base64(keyed("HmacSHA384", Text.utf8("wp-sha384"), password))

    /** Base64 of the 48 bytes of SHA-384. */
    def lengthOf(passwordBytes: Int): Int = 48 / 3 * 4
  }

  /** Of the password's SHA-256: passlib's `bcrypt_sha256` before 1.7.3. */
  case object Base64Sha256 extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] = base64(Digest.ofSecret("SHA-256", password))
    def lengthOf(passwordBytes: Int): Int = Base64OfSha256Bytes
  }

  /** Of the password's HMAC-SHA-256, keyed with the text of bcrypt's salt: passlib's `bcrypt_sha256`. */
  case object Base64HmacSha256 extends Preparation {
    def apply(salt: Array[Byte], password: Array[Byte]): Array[Byte] =
      base64(keyed("HmacSHA256", Text.utf8(BcryptBase64.encode(salt)), password))
    def lengthOf(passwordBytes: Int): Int = Base64OfSha256Bytes
  }

  /** Base64 of the 32 bytes of SHA-256. */
  private val Base64OfSha256Bytes = 44

  private def keyed(name: String, key: Array[Byte], password: Array[Byte]): Array[Byte] = {
    val mac = Mac.getInstance(name)
    mac.init(new SecretKeySpec(key, name))
    mac.doFinal(password)
  }

  private def base64(digest: Array[Byte]): Array[Byte] =
    try Base64.getEncoder.encode(digest)
    finally Arrays.fill(digest, 0.toByte)

  private def hex(name: String, password: Array[Byte]): Array[Byte] = {
    val digest = Digest.ofSecret(name, password)
    try LowerHex.encodeToBytes(digest)
    finally Arrays.fill(digest, 0.toByte)
  }
}

/** What some software puts in front of a hash that says itself what it is: LDAP's `{CRYPT}`, Dovecot's `{SHA512-CRYPT}`,
  * Spring Security's `{bcrypt}`.
  */
private[local] object Label {

  /** `None` where a string begins with none of them. */
  def parse(stored: String): Option[Either[ParseError, EncodedHash]] =
    labels.collectFirst {
      case (text, follows) if stored.startsWith(if (text == Md5) Md5Crypt else text) =>
        val rest = stored.substring(text.length)
        if (rest.startsWith(Yescrypt) && follows != crypt) Left(ParseError.Invalid)
        else Scheme.oneOf(follows, rest).flatMap(_.parse(rest)).map(_.behind(text))
    }

  /** What Dovecot itself calls MD5. Without the dollar sign it is LDAP's. */
  private val Md5 = "{MD5}"
  val Md5Crypt: String = Md5 + "$"

  /** A scheme of crypt(3) that the service reads, and that stands behind no other label. */
  private val Yescrypt = "$y$"

  /** What the crypt(3) of one system or another makes, and is read here. */
  private lazy val crypt: Seq[Scheme] =
    Seq(BcryptScheme, MdCrypt.FreeBsd, Scrypt7, Sha1Crypt, SunMd5) ++ DesCrypt.schemes ++ ShaCrypt.schemes

  private lazy val labels: Seq[(String, Seq[Scheme])] = Seq(
    "{ARGON2ID}" -> Seq(Argon2Scheme),
    "{ARGON2I}" -> Seq(Argon2Scheme),
    "{ARGON2}" -> Seq(Argon2Scheme),
    "{BLF-CRYPT}" -> Seq(BcryptScheme),
    "{CRYPT}" -> crypt,
    "{DES-CRYPT}" -> Seq(DesCrypt.Traditional),
    "{MD5-CRYPT}" -> Seq(MdCrypt.FreeBsd),
    Md5 -> Seq(MdCrypt.FreeBsd),
    "{SHA256-CRYPT}" -> Seq(ShaCrypt.Sha256),
    "{SHA512-CRYPT}" -> Seq(ShaCrypt.Sha512),
    "{argon2@SpringSecurity_v5_8}" -> Seq(Argon2Scheme),
    "{argon2}" -> Seq(Argon2Scheme),
    "{bcrypt}" -> Seq(BcryptScheme),
    "{crypt}" -> crypt
  )
}
