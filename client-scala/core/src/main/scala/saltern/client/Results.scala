package saltern.client

import scala.concurrent.duration.FiniteDuration
import scala.jdk.OptionConverters.*

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

  /** The same, for Java. */
  def remote: Origin = Remote

  /** This host. */
  case object Local extends Origin("local")

  /** The same, for Java. */
  def local: Origin = Local
}

/** The duration of a call.
  *
  * @param total from the start of the method to the answer; of a login without the wait for the floor
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

/** The hash to store after a match in place of the stored one: a new hash, or the same one sealed
  * anew. `toString` does not show its text.
  *
  * @param encoded the text to store: printable ASCII, at most 1,024 characters and with the shipped
  *   policies at most 255; sealed at most 1,457
  * @param policy the id of its policy; `None` only if the same hash was sealed anew, and no policy
  *   lists it
  */
final class NewHash private[saltern] (val encoded: String, val policy: Option[String]) {
  override def toString: String = s"NewHash(.., policy=$policy)"
}

/** The answer to `hash`. `toString` does not show the hash.
  *
  * @param encoded the text to store, as in [[NewHash]]
  * @param policy the id of the policy it was made under
  * @param origin the side that made it
  * @param timing the duration of the call
  */
final class Hashed private[saltern] (val encoded: String, val policy: String, val origin: Origin, val timing: Timing) {
  override def toString: String = s"Hashed(.., policy=$policy, $origin, $timing)"
}

/** The reason why a stored hash should be replaced at this login (HTTP contract).
  *
  * @param name in the contract
  */
sealed abstract class RehashReason(val name: String) {
  override def toString: String = name
}

object RehashReason {

  /** The seal's key is older than the current one. The same hash is sealed anew. */
  case object OlderKey extends RehashReason("older_key")

  /** The hash's policy is older than the current one. */
  case object OlderPolicy extends RehashReason("older_policy")

  /** No policy lists the hash, and its algorithm is not the current policy's. */
  case object OtherAlgorithm extends RehashReason("other_algorithm")

  /** No policy lists the hash, and a cost, its salt or its output is below the current policy's. */
  case object UnlistedParameters extends RehashReason("unlisted_parameters")

  /** The hash has no seal, and the service or this host has seal keys. The same hash is sealed. */
  case object Unsealed extends RehashReason("unsealed")

  /** The hash is unsalted, or so fast that it is guessed within hours of a leak. */
  case object WeakScheme extends RehashReason("weak_scheme")

  /** A reason of a later version of the service that this client does not know. Replace the hash.
    */
  final class Other private[saltern] (name: String) extends RehashReason(name)

  private[saltern] def named(name: String): RehashReason =
    Seq(OlderKey, OlderPolicy, OtherAlgorithm, UnlistedParameters, Unsealed, WeakScheme).find(_.name == name).getOrElse(new Other(name))
}

/** The answer to a verification: a [[Match]] or a [[Mismatch]]. It holds no Boolean, so the caller
  * must match on it.
  *
  * @param policy the policy that lists the stored hash's parameters
  * @param origin the side that did the work
  * @param timing the duration of the call
  */
sealed abstract class Verified private[saltern] (val policy: Option[String], val origin: Origin, val timing: Timing) {
  private[client] def common: String = s"policy=$policy, $origin, $timing"
}

/** The password matches the stored hash.
  *
  * @param rehash the hash to store instead, by compare-and-swap on the old hash; never made locally
  * @param rehashReason why the stored hash should be replaced
  */
final class Match private[saltern] (
    val rehash: Option[NewHash],
    val rehashReason: Option[RehashReason],
    policy: Option[String],
    origin: Origin,
    timing: Timing
) extends Verified(policy, origin, timing) {

  /** [[rehash]] for Java. */
  def rehashOptional: java.util.Optional[NewHash] = rehash.toJava

  /** [[rehashReason]] for Java. */
  def rehashReasonOptional: java.util.Optional[RehashReason] = rehashReason.toJava

  override def toString: String = s"Match(rehash=${rehash.isDefined}, rehashReason=$rehashReason, $common)"
}

object Match {

  /** For `case Match(rehash)`. */
  def unapply(answer: Match): Some[Option[NewHash]] = Some(answer.rehash)
}

/** The password does not match, or there is no stored hash. */
final class Mismatch private[saltern] (policy: Option[String], origin: Origin, timing: Timing)
    extends Verified(policy, origin, timing) {
  override def toString: String = s"Mismatch($common)"
}
