package saltern.hashes

import com.github.plokhotnyuk.jsoniter_scala.core.*
import com.github.plokhotnyuk.jsoniter_scala.macros.{CodecMakerConfig, JsonCodecMaker}
import java.security.MessageDigest
import saltern.client.{PolicySource, RefusalCode, RehashReason}
import saltern.client.LocalHashing.Failure
import saltern.client.wire.Wire

/** A set of parameters with an id. The meaning of an id never changes. */
private[saltern] final case class Policy(id: String, params: Params, active: Boolean)

/** The active set of policies: the service's own document, read by the same rules.
  *
  * @param digest `sha256:<hex>` of the document's bytes: equal if service and client hold the same
  *   document
  */
private[saltern] final class Policies private (
    val list: Vector[Policy],
    currentIndex: Int,
    val decoy: Policy,
    val rehashTruncated: Boolean,
    val ceilings: Ceilings,
    floors: Floors,
    keep: Map[String, Long],
    val digest: String
) {
  def current: Policy = list(currentIndex)

  def forHashing(id: Option[String]): Either[Failure, Policy] = id match {
    case None       => Right(current)
    case Some(name) =>
      list
        .find(_.id == name)
        .toRight(Failure.Refused(RefusalCode.UnknownPolicy))
        .filterOrElse(_.active, Failure.Refused(RefusalCode.PolicyNotForHashing))
  }

  /** Returns the policy that the hash was made under. A hash does not belong to a policy if its
    * salt or output is shorter than the policy's. A hash of a transformed password belongs to no
    * policy.
    */
  def policyOf(encoded: EncodedHash): Option[Policy] =
    if (encoded.isPrepared) None
    else list.find(policy => encoded.setting.params == policy.params && !shorterThanFresh(encoded.setting, policy.params))

  def rehashReason(encoded: EncodedHash, policy: Option[Policy]): Option[RehashReason] = policy match {
    case Some(listed) => Option.when(list.indexOf(listed) < currentIndex)(RehashReason.OlderPolicy)
    case None         => reasonWithoutPolicy(encoded)
  }

  private def reasonWithoutPolicy(encoded: EncodedHash): Option[RehashReason] = {
    val setting = encoded.setting
    val below = (setting.params, current.params) match {
      case _ if encoded.isPrepared                                                => None
      case (own: Params.Argon2, now: Params.Argon2) if own.variant == now.variant =>
        Some(
          own.version.number < now.version.number || own.memoryKib < now.memoryKib || own.passes < now.passes ||
            own.parallelism < now.parallelism
        )
      case (own: Params.Bcrypt, now: Params.Bcrypt)                       => Some(own.cost < now.cost)
      case (own: Params.Pbkdf2, now: Params.Pbkdf2) if own.prf == now.prf => Some(own.iterations < now.iterations)
      case (own: Params.Scrypt, now: Params.Scrypt)                       => Some(own.logN < now.logN || own.r < now.r || own.p < now.p)
      case _                                                              => None
    }
    below match {
      case _ if isWeak(encoded) || isWeak(encoded.innermost) => Some(RehashReason.WeakScheme)
      case _ if keeps(encoded)                               => None
      case None                                              => Some(RehashReason.OtherAlgorithm)
      case Some(isBelow)                                     =>
        Option.when(isBelow || shorterThanFresh(setting, current.params))(RehashReason.UnlistedParameters)
    }
  }

  /** Whether the hash is as dear to guess as one of the current policy, by `keep`. A hash of a
    * transformed password is not kept.
    */
  private def keeps(encoded: EncodedHash): Boolean =
    !encoded.isPrepared &&
      Policies.keepMeasure(encoded.setting).exists { case (name, value) => keep.get(name).exists(value >= _) }

  /** Whether the scheme is unsalted or fast, or the hash is below a floor. Such a hash is verified
    * only if its scheme was allowed by name.
    */
  def isWeak(encoded: EncodedHash): Boolean = encoded.scheme.isWeak || floors.below(encoded.setting).isDefined

  private def shorterThanFresh(setting: Setting, params: Params): Boolean = {
    val fresh = Setting.fresh(params, new Array[Byte](Setting.NewSaltBytes))
    setting.salt.length < fresh.salt.length || setting.outputBytes < fresh.outputBytes
  }
}

private[saltern] object Policies {

  /** Reads the document of a source. Throws `IllegalArgumentException` if it is invalid, and
    * `IOException` if a file cannot be read.
    */
  def of(source: PolicySource): Policies =
    read(document(source)).fold(problem => throw new IllegalArgumentException(s"policies: $problem"), identity)

  def document(source: PolicySource): Array[Byte] = source match {
    case PolicySource.Packed         => resource("saltern/hashes/policies.json")
    case PolicySource.File(path)     => java.nio.file.Files.readAllBytes(path)
    case PolicySource.Resource(name) => resource(name)
  }

  private def resource(name: String): Array[Byte] = {
    val context = Option(Thread.currentThread.getContextClassLoader)
    val stream = context
      .flatMap(loader => Option(loader.getResourceAsStream(name)))
      .orElse(Option(getClass.getClassLoader.getResourceAsStream(name)))
      .getOrElse(throw new IllegalArgumentException(s"policies: the class path has no resource `$name`; give a name without a leading slash"))
    try stream.readAllBytes()
    finally stream.close()
  }

  /** Reads a document, or returns a sentence that says what is wrong with it. The document holds no
    * secret.
    */
  def read(document: Array[Byte]): Either[String, Policies] =
    for {
      raw <- Wire.read[RawDocument](document).toRight("the policy document is not JSON, or a member is missing or has a wrong type")
      ceilings <- ceilingsOf(raw.ceilings)
      floors <- floorsOf(raw.floors)
      keep <- keepOf(raw.keep)
      list <- raw.policies.foldLeft[Either[String, Vector[Policy]]](Right(Vector.empty)) { (read, policy) =>
        read.flatMap(done => checked(policy).map(done :+ _))
      }
      _ <- firstTwice(list.map(_.id)).map(id => s"policy id `$id` is used twice: give each policy its own id").toLeft(())
      _ <- firstTwice(list.map(_.params)).map(p => s"two policies have the same ${p.algorithm} parameters").toLeft(())
      _ <- list
        .find(p => Admitted(Setting.fresh(p.params, new Array[Byte](Setting.NewSaltBytes)), ceilings).isEmpty)
        .map(p => s"policy `${p.id}` costs more than a ceiling, so its hashes could not be verified: raise the ceiling")
        .toLeft(())
      _ <- list.iterator
        .flatMap(p => floors.below(Setting.fresh(p.params, new Array[Byte](Setting.NewSaltBytes))).map(p.id -> _))
        .nextOption()
        .map { case (id, floor) => s"policy `$id` is below the floor `$floor`, so its hashes would be refused as weak: lower the floor" }
        .toLeft(())
      current <- indexOf(list, "current", raw.current)
      _ <- Either.cond(list(current).active, (), s"`current` names `${raw.current}`, which is verify-only")
      decoy <- raw.decoy match {
        case Some(id)              => indexOf(list, "decoy", id)
        case None if list.size < 2 => Right(current)
        case None                  => Left("`decoy` is missing: name the policy that most of your users have")
      }
    } yield new Policies(list, current, list(decoy), raw.rehash_truncated, ceilings, floors, keep, digestOf(document))

  private def checked(raw: RawPolicy): Either[String, Policy] = {
    def values(names: String*): Either[String, Vector[Long]] = {
      val unexpected = raw.parameters.collectFirst { case (name, Some(_)) if !names.contains(name) => name }
      val found = names.map(name => raw.parameters.toMap.apply(name))
      if (unexpected.isDefined) Left(s"policy `${raw.id}` has `${unexpected.get}`, which ${raw.algorithm} does not take")
      else if (found.exists(_.isEmpty)) Left(s"policy `${raw.id}` lacks a parameter of ${raw.algorithm}")
      else Right(found.flatten.toVector)
    }
    val params: Either[String, Option[Params]] = raw.algorithm match {
      case "argon2id" =>
        values("memory_kib", "passes", "parallelism")
          .map(v => Params.Argon2(Params.Variant.Id, Params.Version.V19, v(0), v(1), v(2)))
      case "bcrypt" => values("cost").map(v => Params.Bcrypt(math.min(v(0), 99).toInt))
      case "scrypt" => values("log_n", "r", "p").map(v => Params.Scrypt(v(0), v(1), v(2)))
      case name     =>
        Params.Prf.all.find(_.algorithm == name) match {
          case Some(prf) => values("iterations").map(v => Params.Pbkdf2(prf, v(0)))
          case None      => Left(s"policy `${raw.id}` has an algorithm that this client does not know")
        }
    }
    for {
      _ <- Either.cond(raw.id.matches("[A-Za-z0-9._-]{1,64}"), (), "a policy id is 1 to 64 letters, digits, `.`, `_`, `-`")
      possible <- params
      chosen <- possible.toRight(s"policy `${raw.id}` has parameters out of the range of ${raw.algorithm}")
      active <- raw.status match {
        case "active"      => Right(true)
        case "verify-only" => Right(false)
        case _             => Left(s"policy `${raw.id}` has a status that is neither active nor verify-only")
      }
    } yield Policy(raw.id, chosen, active)
  }

  private def ceilingsOf(raw: Map[String, RawCeiling]): Either[String, Ceilings] = {
    val names = Seq(
      "bcrypt_cost",
      "argon2_memory_kib",
      "argon2_memory_passes_kib",
      "argon2_parallelism",
      "pbkdf2_iterations_blocks",
      "scrypt_memory_bytes",
      "scrypt_n_r_p",
      "sha_crypt_rounds"
    )
    exactly("ceiling", names, raw).map { _ =>
      val v = names.map(raw(_).max)
      Ceilings(v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7))
    }
  }

  private def floorsOf(raw: Map[String, RawFloor]): Either[String, Floors] =
    exactly("floor", Floors.Names, raw).map(_ => new Floors(raw.view.mapValues(_.min).toMap))

  private def exactly(kind: String, names: Seq[String], members: Map[String, Any]): Either[String, Unit] =
    names
      .find(!members.contains(_))
      .map(missing => s"the $kind `$missing` is missing")
      .orElse(members.keys.find(!names.contains(_)).map(unknown => s"`$unknown` is not a $kind"))
      .toLeft(())

  private def keepOf(raw: Map[String, RawKeep]): Either[String, Map[String, Long]] =
    raw.keys.find(!KeepNames.contains(_)).map(name => s"`keep` has no threshold `$name`").toLeft(raw.view.mapValues(_.min).toMap)

  /** Returns the name of the setting's threshold in `keep`, and its value. All variants of Argon2
    * share one. The same as in the service (`functions/policy/src/keep.rs`).
    */
  private def keepMeasure(setting: Setting): Option[(String, BigInt)] = setting match {
    case Setting.Argon2(p, _, _, _) => Some("argon2" -> BigInt(p.memoryKib) * (BigInt(p.passes) * 3 - 1))
    case Setting.Bcrypt(_, p, _, _) => Some("bcrypt" -> BigInt(p.cost))
    case s: Setting.Pbkdf2          => Some(s.params.prf.algorithm -> BigInt(s.params.iterations))
    case Setting.Scrypt(p, _, _)    => Some("scrypt" -> (BigInt(1) << p.logN) * p.r * p.p)
    case _                          => None
  }

  private val KeepNames = Set("argon2", "bcrypt", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512", "scrypt")

  private def indexOf(list: Vector[Policy], role: String, id: String): Either[String, Int] =
    Some(list.indexWhere(_.id == id)).filter(_ >= 0).toRight(s"`$role` names `$id`, which is not listed")

  private def firstTwice[A](values: Seq[A]): Option[A] = values.diff(values.distinct).headOption

  private def digestOf(document: Array[Byte]): String =
    MessageDigest.getInstance("SHA-256").digest(document).map("%02x".format(_)).mkString("sha256:", "", "")

  private[hashes] final case class RawCeiling(max: Long, unit: String, memory: String, time: String, source: String)

  private[hashes] final case class RawFloor(min: Long, unit: String, witness: String, source: String)

  private[hashes] final case class RawKeep(min: Long, unit: String, source: String)

  private[hashes] final case class RawPolicy(
      id: String,
      algorithm: String,
      status: String,
      rationale: String,
      source: String,
      cost: Option[Long],
      iterations: Option[Long],
      log_n: Option[Long],
      memory_kib: Option[Long],
      p: Option[Long],
      parallelism: Option[Long],
      passes: Option[Long],
      r: Option[Long]
  ) {
    def parameters: Seq[(String, Option[Long])] = Seq(
      "cost" -> cost,
      "iterations" -> iterations,
      "log_n" -> log_n,
      "memory_kib" -> memory_kib,
      "p" -> p,
      "parallelism" -> parallelism,
      "passes" -> passes,
      "r" -> r
    )
  }

  private[hashes] final case class RawDocument(
      `$schema`: Option[String],
      current: String,
      decoy: Option[String],
      rehash_truncated: Boolean = false,
      policies: Vector[RawPolicy],
      ceilings: Map[String, RawCeiling],
      floors: Map[String, RawFloor],
      keep: Map[String, RawKeep] = Map.empty
  )

  private implicit val codec: JsonValueCodec[RawDocument] =
    JsonCodecMaker.make(CodecMakerConfig.withSkipUnexpectedFields(false))
}
