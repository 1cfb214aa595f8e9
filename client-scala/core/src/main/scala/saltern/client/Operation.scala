package saltern.client

import saltern.client.wire.{JsonBytes, Wire}

/** A requested operation: the members of its JSON object, and its answer.
  */
private[saltern] sealed trait Operation[A] {
  def name: String
  def path: String

  /** The row to which the hash belongs, if the caller names it. */
  def context: Option[String]

  /** Whether a new hash is wanted if the stored one is outdated. */
  def rehash: Boolean

  /** Writes the members of its JSON object, without the braces. */
  def write(json: JsonBytes, password: Array[Byte]): Unit

  /** Returns the answer, or `None` if a member is missing or does not fit the operation. */
  def read(answer: Wire.Answer, timing: Timing): Option[A]

  /** The first member that the contract promises and the answer lacks. */
  def missing(answer: Wire.Answer): Option[String]
}

private[saltern] object Operation {
  final case class Hash(policy: Option[String], context: Option[String]) extends Operation[Hashed] {
    def name: String = "hash"
    def path: String = "/hash"
    def rehash: Boolean = false

    def write(json: JsonBytes, password: Array[Byte]): Unit = {
      json.raw("\"password\":").string(password)
      policy.foreach(id => json.raw(",\"policy\":").string(utf8(id)))
      writeContext(json, context)
    }

    def read(answer: Wire.Answer, timing: Timing): Option[Hashed] = answer match {
      case Wire.Answer(Some(hash), Some(made), None, None, None, None) if storable(hash) && policy.forall(_ == made) =>
        Some(new Hashed(hash, made, Origin.Remote, timing))
      case _ => None
    }

    def missing(answer: Wire.Answer): Option[String] = firstAbsent("hash" -> answer.hash, "policy" -> answer.policy)

    override def toString: String = "Hash(..)"
  }

  /** @param isLogin it is for a user who waits, and may be unknown */
  final case class Verify(stored: Option[String], rehash: Boolean, context: Option[String], isLogin: Boolean = false) extends Operation[Verified] {
    def name: String = "verify"
    def path: String = "/verify"

    def write(json: JsonBytes, password: Array[Byte]): Unit = {
      json.raw("\"password\":").string(password).raw(",\"hash\":")
      stored.fold(json.raw("null"))(hash => json.string(utf8(hash)))
      if (rehash) json.raw(",\"rehash\":true")
      writeContext(json, context)
    }

    def read(answer: Wire.Answer, timing: Timing): Option[Verified] = answer match {
      case Wire.Answer(None, policy, Some(matches), Some(needsRehash), reason, rehashed)
          if consistent(matches, needsRehash, reason, policy, rehashed) =>
        val made = rehashed.map(r => new NewHash(r.hash, r.policy))
        Some(Operation.verified(matches, made, reason.map(RehashReason.named), policy, Origin.Remote, timing))
      case _ => None
    }

    def missing(answer: Wire.Answer): Option[String] = firstAbsent("match" -> answer.`match`, "needs_rehash" -> answer.needs_rehash)

    /** The service never answers a match without a stored hash, or a reason without `needs_rehash`.
      */
    private def consistent(
        matches: Boolean,
        needsRehash: Boolean,
        reason: Option[String],
        policy: Option[String],
        rehashed: Option[Wire.Rehashed]
    ): Boolean = (!matches || stored.isDefined) && (!needsRehash || matches) && needsRehash == reason.isDefined &&
      rehashed.forall(made => rehash && needsRehash && storable(made.hash)) && reason.forall(fits(_, policy, rehashed))

    /** Whether the reason fits the stored hash, and the replacement fits the reason. */
    private def fits(reason: String, policy: Option[String], rehashed: Option[Wire.Rehashed]): Boolean = {
      val isSealed = stored.exists(StoredText.isSealed)
      def isSealedAnew = rehashed.forall(made => StoredText.isSealed(made.hash) && made.policy == policy)
      RehashReason.named(reason) match {
        case RehashReason.OlderKey => isSealed && isSealedAnew
        case RehashReason.Unsealed => !isSealed && isSealedAnew
        case _: RehashReason.Other => true
        case _                     => rehashed.forall(_.policy.isDefined)
      }
    }

    override def toString: String = "Verify(..)"
  }

  private def firstAbsent(members: (String, Option[Any])*): Option[String] = members.collectFirst { case (name, None) => name }

  def verified(
      matches: Boolean,
      made: Option[NewHash],
      reason: Option[RehashReason],
      policy: Option[String],
      origin: Origin,
      timing: Timing
  ): Verified = if (matches) new Match(made, reason, policy, origin, timing) else new Mismatch(policy, origin, timing)

  /** Returns the refusal if the service would not take the operation's text. */
  def textProblem(operation: Operation[?]): Option[SalternError.Refused] = {
    val code = operation match {
      // A null comes from Java.
      case Hash(Some(null), _)     => Some(RefusalCode.UnknownPolicy)
      case Verify(null, _, _, _)   => Some(RefusalCode.InvalidHash)
      case Hash(policy, _)         => policy.filterNot(isUnicode).map(_ => RefusalCode.UnknownPolicy)
      case Verify(stored, _, _, _) =>
        stored.collect {
          case null => RefusalCode.InvalidHash
          // Rejects text here that the service would reject.
          case text if StoredText.isTooLong(text) => RefusalCode.InvalidHash
          case text if !isUnicode(text)           => RefusalCode.InvalidText
        }
    }
    code.map(SalternError.refused(_, Origin.Local)).orElse(operation.context.filterNot(isContext).map(_ => SalternError.ofTheContext))
  }

  /** Returns whether the answer shows that the service seals new hashes. `None`: it does not tell.
    */
  def showsSeals(operation: Operation[?], answer: Wire.Answer): Option[Boolean] =
    answer.hash.orElse(answer.rehashed.map(_.hash)).map(StoredText.isSealed(_)).orElse {
      val opened = operation match {
        case Verify(stored, _, _, _) => stored.exists(StoredText.isSealed)
        case _: Hash                 => false
      }
      Option.when(opened || answer.rehash_reason.contains(RehashReason.Unsealed.name))(true)
    }

  private def writeContext(json: JsonBytes, context: Option[String]): Unit =
    context.foreach(id => json.raw(",\"context\":").string(utf8(id)))

  private def utf8(text: String): Array[Byte] = text.getBytes(java.nio.charset.StandardCharsets.UTF_8)

  private def isUnicode(text: String): Boolean = java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(text)

  private def isContext(text: String): Boolean =
    text != null && text.nonEmpty && text.length <= MaxContextBytes && isUnicode(text) && utf8(text).length <= MaxContextBytes

  /** The longest context, in bytes (HTTP contract). */
  private val MaxContextBytes = 256

  /** The caller stores this hash in a database, so it must look like a hash. */
  private def storable(hash: String): Boolean =
    hash.startsWith("$") && !StoredText.isTooLong(hash) && hash.forall(c => c > 0x20 && c < 0x7f)
}
