package saltern.client

import scala.concurrent.duration.FiniteDuration

/** Who did the work.
  *
  * @param name in metrics: `remote` or `local`
  */
sealed abstract class Origin(val name: String) {
  override def toString: String = name
}

object Origin {

  /** The service. */
  case object Remote extends Origin("remote")

  /** This host. */
  case object Local extends Origin("local")
}

/** How long an answer took.
  *
  * @param total from the method's start to the answer
  * @param queue the work's wait for a worker, by the worker's own account, where it gave one
  * @param hash the hashing itself, by the same account
  */
final class Timing private[saltern] (
    val total: FiniteDuration,
    val queue: Option[FiniteDuration],
    val hash: Option[FiniteDuration]
) {
  override def toString: String = s"Timing(total=$total, queue=$queue, hash=$hash)"
}

/** A new hash. Its text is absent from `toString`.
  *
  * @param encoded what to store: printable ASCII, at most 1,024 characters and with the shipped policies at most 255
  * @param policy the id of the policy it was made under
  */
final class NewHash private[saltern] (val encoded: String, val policy: String) {
  override def toString: String = s"NewHash(.., policy=$policy)"
}

/** The answer to `hash`.
  *
  * @param hash what was made, and under which policy
  * @param origin who made it
  * @param timing how long it took
  */
final class Hashed private[saltern] (val hash: NewHash, val origin: Origin, val timing: Timing) {

  /** What to store. */
  def encoded: String = hash.encoded

  override def toString: String = s"Hashed($hash, $origin, $timing)"
}

/** Why a stored hash should be replaced at this login (HTTP contract, "Policies").
  *
  * @param name the contract's
  */
sealed abstract class RehashReason(val name: String) {
  override def toString: String = name
}

object RehashReason {

  /** Its policy stands before the current one. */
  case object OlderPolicy extends RehashReason("older_policy")

  /** No policy lists it, and its algorithm is another. */
  case object OtherAlgorithm extends RehashReason("other_algorithm")

  /** No policy lists it, and a cost, its salt or its output is below the current one's. */
  case object UnlistedParameters extends RehashReason("unlisted_parameters")

  /** Unsalted, or so fast that it falls within hours of a leak. */
  case object WeakScheme extends RehashReason("weak_scheme")

  /** A reason that a later service gives and this client does not know: replace the hash all the same. */
  final class Other private[saltern] (name: String) extends RehashReason(name)

  private[saltern] def named(name: String): RehashReason =
    Seq(OlderPolicy, OtherAlgorithm, UnlistedParameters, WeakScheme).find(_.name == name).getOrElse(new Other(name))
}

/** The answer to a verification.
  *
  * @param matches whether the password is the stored one
  * @param rehashReason why the stored hash should be replaced; only with a match
  * @param policy the policy that lists the stored hash's parameters
  * @param rehashed the hash to store instead, by compare-and-swap on the old one. Never made locally
  * @param origin who did the work
  * @param timing how long it took
  */
final class Verified private[saltern] (
    val matches: Boolean,
    val rehashReason: Option[RehashReason],
    val policy: Option[String],
    val rehashed: Option[NewHash],
    val origin: Origin,
    val timing: Timing
) {

  /** Whether the stored hash should be replaced at this login. */
  def needsRehash: Boolean = rehashReason.isDefined

  override def toString: String =
    s"Verified(matches=$matches, rehashReason=$rehashReason, policy=$policy, rehashed=${rehashed.isDefined}, $origin, $timing)"
}
