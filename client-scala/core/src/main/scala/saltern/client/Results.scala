package saltern.client

import scala.concurrent.duration.FiniteDuration

/** The side that did the work.
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

/** The duration of a call.
  *
  * @param total from the start of the method to the answer
  * @param queue the wait for a worker, as the worker reports it, if it does
  * @param hash the hashing alone, as the worker reports it, if it does
  */
final class Timing private[saltern] (
    val total: FiniteDuration,
    val queue: Option[FiniteDuration],
    val hash: Option[FiniteDuration]
) {
  override def toString: String = s"Timing(total=$total, queue=$queue, hash=$hash)"
}

/** A new hash. `toString` does not show its text.
  *
  * @param encoded the text to store: printable ASCII, at most 1,024 characters and with the shipped
  *   policies at most 255
  * @param policy the id of the policy it was made under
  */
final class NewHash private[saltern] (val encoded: String, val policy: String) {
  override def toString: String = s"NewHash(.., policy=$policy)"
}

/** The answer to `hash`.
  *
  * @param hash the new hash and its policy
  * @param origin the side that made it
  * @param timing the duration of the call
  */
final class Hashed private[saltern] (val hash: NewHash, val origin: Origin, val timing: Timing) {

  /** The text to store. */
  def encoded: String = hash.encoded

  override def toString: String = s"Hashed($hash, $origin, $timing)"
}

/** The reason why a stored hash should be replaced at this login (HTTP contract, "Policies").
  *
  * @param name in the contract
  */
sealed abstract class RehashReason(val name: String) {
  override def toString: String = name
}

object RehashReason {

  /** The hash's policy is older than the current one. */
  case object OlderPolicy extends RehashReason("older_policy")

  /** No policy lists the hash, and its algorithm is not the current policy's. */
  case object OtherAlgorithm extends RehashReason("other_algorithm")

  /** No policy lists the hash, and a cost, its salt or its output is below the current policy's. */
  case object UnlistedParameters extends RehashReason("unlisted_parameters")

  /** The hash is unsalted, or so fast that it is guessed within hours of a leak. */
  case object WeakScheme extends RehashReason("weak_scheme")

  /** A reason of a later version of the service that this client does not know. Replace the hash.
    */
  final class Other private[saltern] (name: String) extends RehashReason(name)

  private[saltern] def named(name: String): RehashReason =
    Seq(OlderPolicy, OtherAlgorithm, UnlistedParameters, WeakScheme).find(_.name == name).getOrElse(new Other(name))
}

/** The answer to a verification.
  *
  * @param matches whether the password matches the stored hash
  * @param rehashReason why the stored hash should be replaced; only with a match
  * @param policy the policy that lists the stored hash's parameters
  * @param rehashed the new hash to store, by compare-and-swap on the old one; never made locally
  * @param origin the side that did the work
  * @param timing the duration of the call
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
