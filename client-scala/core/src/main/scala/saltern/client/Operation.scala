package saltern.client

import saltern.client.local.{Costs, EncodedHash, LocalHasher, Policies}
import saltern.client.wire.{JsonBytes, Wire}
import scala.concurrent.duration.FiniteDuration

/** A requested operation in all its forms: a request body, an operation of a batch, a local job, an
  * answer.
  */
private[client] sealed trait Operation[A] {
  def name: String
  def path: String

  /** Writes the members of its JSON object, without the braces. */
  def write(json: JsonBytes, password: Array[Byte]): Unit

  /** Returns the answer, or `None` if a member that the contract promises is missing. */
  def read(answer: Wire.Answer, timing: Timing): Option[A]

  def local(hasher: LocalHasher, password: Array[Byte]): Either[LocalHasher.Refusal, LocalHasher.Job[Timing => A]]

  /** The amount of work, if the client can tell it. Calls of equal work may share a batch. */
  def work(policies: Policies): Option[Operation.Work]
}

private[client] object Operation {
  final case class Work(costs: Costs, mayRehash: Boolean)

  final case class Hash(policy: Option[String]) extends Operation[Hashed] {
    def name: String = "hash"
    def path: String = "/hash"

    def write(json: JsonBytes, password: Array[Byte]): Unit = {
      json.raw("\"password\":").string(password)
      policy.foreach(id => json.raw(",\"policy\":").string(utf8(id)))
    }

    def read(answer: Wire.Answer, timing: Timing): Option[Hashed] = answer match {
      case Wire.Answer(Some(hash), Some(made), None, None, None, None) if storable(hash) && policy.forall(_ == made) =>
        Some(new Hashed(new NewHash(hash, made), Origin.Remote, timing))
      case _ => None
    }

    def local(hasher: LocalHasher, password: Array[Byte]): Either[LocalHasher.Refusal, LocalHasher.Job[Timing => Hashed]] =
      hasher.prepareHash(policy, password).map { job =>
        job.map(made => timing => new Hashed(new NewHash(made.encoded, made.policy), Origin.Local, timing))
      }

    def work(policies: Policies): Option[Work] =
      policies.forHashing(policy).toOption.map(chosen => Work(chosen.params, mayRehash = false))
  }

  final case class Verify(stored: Option[String], rehash: Boolean) extends Operation[Verified] {
    def name: String = "verify"
    def path: String = "/verify"

    def write(json: JsonBytes, password: Array[Byte]): Unit = {
      json.raw("\"password\":").string(password).raw(",\"hash\":")
      stored.fold(json.raw("null"))(hash => json.string(utf8(hash)))
      if (rehash) json.raw(",\"rehash\":true")
      ()
    }

    def read(answer: Wire.Answer, timing: Timing): Option[Verified] = answer match {
      case Wire.Answer(None, policy, Some(matches), Some(needsRehash), reason, rehashed)
          if consistent(matches, needsRehash, reason, rehashed) =>
        val made = rehashed.map(r => new NewHash(r.hash, r.policy))
        Some(Operation.verified(matches, made, reason.map(RehashReason.named), policy, Origin.Remote, timing))
      case _ => None
    }

    /** The service never answers a match without a stored hash, or a reason without `needs_rehash`.
      */
    private def consistent(
        matches: Boolean,
        needsRehash: Boolean,
        reason: Option[String],
        rehashed: Option[Wire.Rehashed]
    ): Boolean = (!matches || stored.isDefined) && (!needsRehash || matches) && needsRehash == reason.isDefined &&
      rehashed.forall(made => rehash && needsRehash && storable(made.hash))

    def local(hasher: LocalHasher, password: Array[Byte]): Either[LocalHasher.Refusal, LocalHasher.Job[Timing => Verified]] =
      hasher.prepareVerify(stored, password).map { job =>
        job.map { verdict => timing =>
          // Never an upgrade hash: it would be a second hash on a host that is short of capacity.
          // The next login makes it.
          Operation.verified(verdict.matches, None, verdict.rehashReason, verdict.policy, Origin.Local, timing)
        }
      }

    def work(policies: Policies): Option[Work] =
      stored match {
        case None       => Some(Work(policies.decoy.params, rehash))
        case Some(text) => EncodedHash.parse(text).toOption.map(encoded => Work(encoded.setting.params, rehash))
      }

    override def toString: String = "Verify(..)"
  }

  private def verified(
      matches: Boolean,
      made: Option[NewHash],
      reason: Option[RehashReason],
      policy: Option[String],
      origin: Origin,
      timing: Timing
  ): Verified = if (matches) new Match(made, reason, policy, origin, timing) else new Mismatch(policy, origin, timing)

  /** Returns the code of the refusal if the service would not take the operation's text. */
  def textProblem(operation: Operation[?]): Option[String] = operation match {
    // A null comes from Java.
    case Hash(Some(null))  => Some(RefusalCode.UnknownPolicy)
    case Verify(null, _)   => Some(RefusalCode.InvalidHash)
    case Hash(policy)      => policy.filterNot(isUnicode).map(_ => RefusalCode.UnknownPolicy)
    case Verify(stored, _) =>
      stored.collect {
        case null => RefusalCode.InvalidHash
        // Rejects text here that the service would reject.
        case text if EncodedHash.isTooLong(text) => RefusalCode.InvalidHash
        case text if !isUnicode(text)            => RefusalCode.InvalidText
      }
  }

  private def utf8(text: String): Array[Byte] = text.getBytes(java.nio.charset.StandardCharsets.UTF_8)

  private def isUnicode(text: String): Boolean = java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(text)

  /** The caller stores this hash in a database, so it must look like a hash. */
  private def storable(hash: String): Boolean =
    hash.startsWith("$") && hash.length <= EncodedHash.MaxBytes && hash.forall(c => c > 0x20 && c < 0x7f)
}

/** The duration of one exchange on each side. */
private[client] final case class Measured(queue: Option[FiniteDuration], hash: Option[FiniteDuration])
