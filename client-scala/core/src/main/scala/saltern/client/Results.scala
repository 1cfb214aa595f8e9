package saltern.client

import scala.concurrent.duration.FiniteDuration

/** Who did the work. */
sealed abstract class Origin(val name: String) {
  override def toString: String = name
}

object Origin {
  case object Remote extends Origin("remote")
  case object Local extends Origin("local")
}

/** How long an answer took. `queue` and `hash` are the worker's own account, where it gave one. */
final class Timing private[saltern] (
    val total: FiniteDuration,
    val queue: Option[FiniteDuration],
    val hash: Option[FiniteDuration]
) {
  override def toString: String = s"Timing(total=$total, queue=$queue, hash=$hash)"
}

/** A new hash: what to store, and the policy it was made under. Its text is absent from `toString`. */
final class NewHash private[saltern] (val encoded: String, val policy: String) {
  override def toString: String = s"NewHash(.., policy=$policy)"
}

/** The answer to `hash`. */
final class Hashed private[saltern] (val hash: NewHash, val origin: Origin, val timing: Timing) {

  /** What to store. */
  def encoded: String = hash.encoded

  override def toString: String = s"Hashed($hash, $origin, $timing)"
}

/** Why a stored hash should be replaced at this login (HTTP contract, "Policies"). */
sealed abstract class RehashReason(val name: String) {
  override def toString: String = name
}

object RehashReason {
  case object OlderPolicy extends RehashReason("older_policy")
  case object OtherAlgorithm extends RehashReason("other_algorithm")
  case object UnlistedParameters extends RehashReason("unlisted_parameters")
  case object WeakScheme extends RehashReason("weak_scheme")

  /** A reason that a later service gives and this client does not know: replace the hash all the same. */
  final class Other private[saltern] (name: String) extends RehashReason(name)

  private[saltern] def named(name: String): RehashReason =
    Seq(OlderPolicy, OtherAlgorithm, UnlistedParameters, WeakScheme).find(_.name == name).getOrElse(new Other(name))
}

/** The answer to a verification. */
final class Verified private[saltern] (
    /** Whether the password is the stored one. */
    val matches: Boolean,
    /** Why the stored hash should be replaced; only with a match. */
    val rehashReason: Option[RehashReason],
    /** The policy that lists the stored hash's parameters. */
    val policy: Option[String],
    /** The hash to store instead, by compare-and-swap on the old one. Never made locally. */
    val rehashed: Option[NewHash],
    val origin: Origin,
    val timing: Timing
) {

  /** Whether the stored hash should be replaced at this login. */
  def needsRehash: Boolean = rehashReason.isDefined

  override def toString: String =
    s"Verified(matches=$matches, rehashReason=$rehashReason, policy=$policy, rehashed=${rehashed.isDefined}, $origin, $timing)"
}
