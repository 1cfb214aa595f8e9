package saltern.hashes

import saltern.client.LocalHashing

/** An algorithm with its cost, which decides how long a stored hash takes. */
private[saltern] sealed trait Costs extends LocalHashing.Costs {
  def algorithm: String
}

private[saltern] object Costs {

  /** An algorithm that is only verified: no policy names it. */
  final case class VerifyOnly(algorithm: String, cost: Cost) extends Costs

  /** argon2id over another hash. */
  final case class Wrapped(outer: Params.Argon2, inner: Costs) extends Costs { def algorithm: String = "wrapped" }
}

/** The cost of a computation: the ceiling that bounds it, and the work in which its time is linear.
  */
private[saltern] sealed trait Cost
private[saltern] object Cost {

  /** As scrypt. */
  final case class Memory(params: Params.Scrypt) extends Cost

  /** Passes of a digest or a cipher, each over a password and a few bytes more. Bounded by
    * `sha_crypt_rounds`.
    */
  final case class Rounds(rounds: Long) extends Cost
}

/** An algorithm with its cost parameters: a policy names them, and a stored hash states them. The
  * constructors allow only possible values.
  */
private[saltern] sealed trait Params extends Costs

private[saltern] object Params {
  sealed abstract case class Bcrypt(cost: Int) extends Params { def algorithm: String = "bcrypt" }
  object Bcrypt {

    /** The range that the format can state. Admission stops far below its end. */
    val Costs: Range = 4 to 31

    /** The bytes of a password that bcrypt reads; the rest has no effect. */
    val MaxPasswordBytes: Int = 72

    /** The reference implementation drops the last byte of 24. */
    val OutputBytes: Int = 23

    def apply(cost: Int): Option[Bcrypt] = if (Costs.contains(cost)) Some(new Bcrypt(cost) {}) else None
  }

  sealed abstract class Variant(val name: String)
  object Variant {
    case object D extends Variant("argon2d")
    case object I extends Variant("argon2i")
    case object Id extends Variant("argon2id")
    def named(name: String): Option[Variant] = Seq(D, I, Id).find(_.name == name)
  }

  sealed abstract class Version(val number: Int)
  object Version {
    case object V16 extends Version(16)
    case object V19 extends Version(19)
    def numbered(number: Long): Option[Version] = Seq(V16, V19).find(_.number.toLong == number)
  }

  sealed abstract case class Argon2(variant: Variant, version: Version, memoryKib: Long, passes: Long, parallelism: Long)
      extends Params {
    def algorithm: String = variant.name
  }
  object Argon2 {

    /** RFC 9106 §3.1. */
    val MinOutputBytes: Int = 4
    private val MaxParallelism = (1L << 24) - 1
    private val MinMemoryKibPerLane = 8L

    def apply(variant: Variant, version: Version, memoryKib: Long, passes: Long, parallelism: Long): Option[Argon2] =
      if (parallelism < 1 || parallelism > MaxParallelism || passes < 1 || memoryKib < parallelism * MinMemoryKibPerLane) None
      else Some(new Argon2(variant, version, memoryKib, passes, parallelism) {})
  }

  sealed abstract class Prf(val scheme: String, val algorithm: String, val digest: String, val blockBytes: Int)
  object Prf {
    case object Sha1 extends Prf("pbkdf2", "pbkdf2-sha1", "SHA-1", 20)
    case object Sha256 extends Prf("pbkdf2-sha256", "pbkdf2-sha256", "SHA-256", 32)
    case object Sha512 extends Prf("pbkdf2-sha512", "pbkdf2-sha512", "SHA-512", 64)
    val all: Seq[Prf] = Seq(Sha1, Sha256, Sha512)
  }

  sealed abstract case class Pbkdf2(prf: Prf, iterations: Long) extends Params { def algorithm: String = prf.algorithm }
  object Pbkdf2 {
    def apply(prf: Prf, iterations: Long): Option[Pbkdf2] =
      if (iterations < 1) None else Some(new Pbkdf2(prf, iterations) {})
  }

  sealed abstract case class Scrypt(logN: Int, r: Long, p: Long) extends Params { def algorithm: String = "scrypt" }
  object Scrypt {

    /** `N` must fit into a number of 64 bits. */
    private val MaxLogN = 63L

    /** RFC 7914 §2. */
    private val MaxRP = (1L << 30) - 1

    def apply(logN: Long, r: Long, p: Long): Option[Scrypt] = {
      // Each factor is below 2^32, so the product of two may pass 2^63. The factors are bounded
      // first.
      val rpValid = r >= 1 && p >= 1 && r <= MaxRP && p <= MaxRP && r * p <= MaxRP
      // N < 2^(128·r/8).
      if (logN < 1 || logN > MaxLogN || !rpValid || logN >= r * 16) None
      else Some(new Scrypt(logN.toInt, r, p) {})
    }
  }
}

/** Everything in a stored hash except its output (crypt(3) calls this the setting). */
private[saltern] sealed trait Setting {
  def params: Costs
  def salt: Array[Byte]
  def outputBytes: Int

  /** How many times longer a round takes with a password of so many bytes than with a short one, if
    * rounds read the password.
    */
  def lengthFactor(passwordBytes: Int): Int = 1
  override def toString: String = s"Setting($params, ..)"
}

private[saltern] object Setting {

  /** The settings that new hashes are made under. */
  sealed trait Own extends Setting {
    def params: Params

    /** In the form of new hashes. */
    def print(output: Array[Byte]): String
  }

  /** A setting of an algorithm that is only verified. */
  sealed abstract class VerifyOnly(algorithm: String, val cost: Cost) extends Setting {
    final val params: Costs.VerifyOnly = Costs.VerifyOnly(algorithm, cost)
  }

  /** Passes of a digest or a cipher. The code that computes it is in the file that reads its
    * scheme.
    */
  abstract class InRounds(algorithm: String, rounds: Long) extends VerifyOnly(algorithm, Cost.Rounds(rounds)) {
    def compute(password: Array[Byte]): Array[Byte]
  }

  /** Text that is encrypted under scrypt's output, with parameters that the hashes of a project
    * share and that no stored hash holds.
    */
  abstract class OfProject(algorithm: String, val scrypt: Scrypt) extends VerifyOnly(algorithm, Cost.Memory(scrypt.params)) {
    final def salt: Array[Byte] = scrypt.salt

    /** Returns this setting's output for scrypt's. */
    def encrypted(key: Array[Byte]): Array[Byte]
  }

  /** @param inner its output is all zeros */
  final case class Wrapped(outer: Argon2, inner: EncodedHash) extends Setting {
    def params: Costs = Costs.Wrapped(outer.params, inner.setting.params)
    def salt: Array[Byte] = outer.salt
    def outputBytes: Int = outer.outputBytes
    override def lengthFactor(passwordBytes: Int): Int = inner.setting.lengthFactor(passwordBytes)
    override def toString: String = super.toString
  }

  /** The salt of a new hash, in bytes: 128 bits (NIST SP 800-132 §5.1, RFC 9106 §3.1). */
  val NewSaltBytes: Int = 16

  /** The output of a new hash, in bytes, if the scheme leaves the length open. */
  val NewOutputBytes: Int = 32

  /** The setting of a new hash, in the form that is written today. */
  def fresh(params: Params, salt: Array[Byte]): Own = params match {
    case p: Params.Argon2 => Argon2(p, salt, NewOutputBytes, Argon2.Spelling.Canonical)
    case p: Params.Bcrypt => Bcrypt("2b", p, salt, 0)
    case p: Params.Pbkdf2 => Pbkdf2(p, salt, NewOutputBytes)
    case p: Params.Scrypt => Scrypt(p, salt, NewOutputBytes)
  }

  final case class Argon2(params: Params.Argon2, salt: Array[Byte], outputBytes: Int, spelling: Argon2.Spelling) extends Own {
    def print(output: Array[Byte]): String = {
      val version = if (spelling == Argon2.Spelling.NoVersion) "" else s"$$v=${params.version.number}"
      val value = Map("m" -> params.memoryKib, "t" -> params.passes, "p" -> params.parallelism)
      val costs = spelling.order.map(name => s"$name=${value(name)}").mkString(",")
      s"$$${params.variant.name}$version$$$costs" + tail(salt, output)
    }
    override def toString: String = super.toString
  }

  object Argon2 {

    /** A spelling that differs from the reference software's (`functions/encoded`, deviations). */
    sealed abstract class Spelling(val order: Seq[String])
    object Spelling {
      case object Canonical extends Spelling(Seq("m", "t", "p"))

      /** Software older than the `v=` field omits it and means version 16. */
      case object NoVersion extends Spelling(Seq("m", "t", "p"))

      /** The Node package argon2 since 0.45.0. */
      case object ParallelismBeforePasses extends Spelling(Seq("m", "p", "t"))

      /** AdonisJS, and the Node package @phc/argon2. */
      case object PassesBeforeMemory extends Spelling(Seq("t", "m", "p"))
    }

    private[hashes] def spellingOf(versionWritten: Boolean, costs: String): Spelling =
      if (!versionWritten) Spelling.NoVersion
      else if (costs.split(",", -1).lift(1).exists(_.startsWith("p="))) Spelling.ParallelismBeforePasses
      else if (costs.startsWith("t=")) Spelling.PassesBeforeMemory
      else Spelling.Canonical
  }

  /** @param saltPadding the four bits that follow the salt in its last character; zero in the
    *   canonical form
    */
  final case class Bcrypt(prefix: String, params: Params.Bcrypt, salt: Array[Byte], saltPadding: Int) extends Own {
    def outputBytes: Int = Params.Bcrypt.OutputBytes
    def print(output: Array[Byte]): String = {
      val saltText = BcryptBase64.withPadding(BcryptBase64.encode(salt), saltPadding)
      val cost = if (params.cost < 10) s"0${params.cost}" else params.cost.toString
      s"$$$prefix$$$cost$$" + saltText + BcryptBase64.encode(output)
    }
    override def toString: String = super.toString
  }

  final case class Pbkdf2(params: Params.Pbkdf2, salt: Array[Byte], outputBytes: Int) extends Own {

    /** Each block costs the full number of iterations. */
    def outputBlocks: Int = (outputBytes + params.prf.blockBytes - 1) / params.prf.blockBytes
    def print(output: Array[Byte]): String =
      s"$$${params.prf.scheme}$$i=${params.iterations},l=$outputBytes" + tail(salt, output)
    override def toString: String = super.toString
  }

  final case class Scrypt(params: Params.Scrypt, salt: Array[Byte], outputBytes: Int) extends Own {
    def print(output: Array[Byte]): String =
      s"$$scrypt$$ln=${params.logN},r=${params.r},p=${params.p}" + tail(salt, output)
    override def toString: String = super.toString
  }

  private def tail(salt: Array[Byte], output: Array[Byte]): String =
    s"$$${PhcBase64.encode(salt)}$$${PhcBase64.encode(output)}"
}
