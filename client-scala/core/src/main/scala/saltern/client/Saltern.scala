package saltern.client

import java.security.SecureRandom
import saltern.client.local.{LocalHasher, LocalPool, Policies}
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

/** Password hashing that is remote first, local when it must, harmless always.
  *
  * Every call ends, within its deadline, in an answer or a [[SalternError]]. Methods never block and never throw.
  */
abstract class Saltern private[saltern] () extends AutoCloseable {

  /** A new hash under the current policy. Fails with a [[SalternError]]:
    * `Refused` where the password cannot be hashed.
    */
  def hash(password: Password): Future[Hashed]

  /** A new hash under a named policy. Fails as the other does, and with `Refused` where no policy has the name
    * ([[RefusalCode.UnknownPolicy]]) or it is for verifying only.
    */
  def hash(password: Password, policy: String): Future[Hashed]

  /** Whether the password is the stored one. A mismatch is an answer. Fails with a [[SalternError]]: `Refused` where the stored
    * hash is none that can be read, or costs more than a ceiling; `NotAvailableLocally` where only the service could have.
    */
  def verify(password: Password, stored: String): Future[Verified]

  /** The same; where the stored hash should be replaced and the service has the time, [[Verified.rehashed]] is its
    * replacement. Store it by compare-and-swap on the old one.
    */
  def verifyAndUpgrade(password: Password, stored: String): Future[Verified]

  /** For a login whose user may be unknown: without a stored hash it does the work of the decoy policy and answers a
    * mismatch, so that the time does not tell who has an account.
    */
  def verifyOrDecoy(password: Password, stored: Option[String], upgrade: Boolean = false): Future[Verified]

  /** Ends a call that nobody waits for any more, by the future that its method returned (not one mapped from it): it fails
    * with [[SalternError.Cancelled]] and gives up its place, in the local queue, in a batch that has not left, or its
    * connection. A local hash that has begun is finished, for nobody, unless native kernels compute it in lanes: it gives up its
    * own. `false`: the call has ended, or is not this client's.
    */
  def cancel(call: Future[Any]): Boolean

  /** Why this stored hash should be replaced when its owner has logged in, by the client's own policy document, without a
    * call. [[Verified.rehashReason]] knows more: whether part of the password was ignored, and what the service says. A scheme
    * that only the service reads is another algorithm; text that is no hash has no reason.
    */
  def rehashReason(stored: String): Option[RehashReason]

  /** The same client for callers that must wait for each answer. */
  def blocking: BlockingSaltern = new BlockingSaltern(this)

  /** The same client, with another deadline for the calls made through it: 1 ms to 60 s, or an `IllegalArgumentException`.
    * Closing either closes both.
    */
  def withDeadline(deadline: FiniteDuration): Saltern

  /** Ends what is in flight (with an error that says whether it may have been sent) and the client's threads. */
  def close(): Unit
}

object Saltern {

  /** A client over HTTP. Reads the policy document; throws `IllegalArgumentException` with a sentence where it is wrong, and
    * `IOException` where its file cannot be read. Connects to nothing.
    */
  def apply(config: ClientConfig): Saltern = apply(config, new HttpTransport(config))

  /** The same over another transport, such as a direct `Invoke` or the testkit's, which is closed with the client. */
  def apply(config: ClientConfig, transport: Transport): Saltern = {
    val scheduler = Scheduler.system()
    wired(config, transport, scheduler, LocalPool.threads(config.localKernels.hashesAtOnce(config.localWorkers)), () => math.random())
  }

  private[saltern] def wired(
      config: ClientConfig,
      transport: Transport,
      scheduler: Scheduler,
      localExecutor: java.util.concurrent.Executor,
      chance: () => Double
  ): Saltern = {
    val policies = Policies
      .read(PolicySource.read(config.policies))
      .fold(problem => throw new IllegalArgumentException(s"policies: $problem"), identity)
    val listener = new GuardedListener(config.listener)
    val pool = new LocalPool(
      config.localWorkers,
      config.localKernels.hashesAtOnce(config.localWorkers),
      config.localQueue,
      config.localMemoryBytes,
      config.localKernels.open(config.localWorkers, config.localMemoryBytes, policies.ceilings),
      localExecutor,
      scheduler,
      listener
    )
    val hasher = new LocalHasher(policies, new SecureRandom, config.acceptedWeak, config.firebaseProject)
    val engine = new Engine(config, transport, scheduler, hasher, pool, listener, chance)
    new View(engine, hasher, config.deadline)
  }

  private final class View(engine: Engine, hasher: LocalHasher, deadline: FiniteDuration) extends Saltern {
    def hash(password: Password): Future[Hashed] = engine.call(Operation.Hash(None), password, deadline)
    def hash(password: Password, policy: String): Future[Hashed] =
      engine.call(Operation.Hash(Some(policy)), password, deadline)
    def verify(password: Password, stored: String): Future[Verified] =
      engine.call(Operation.Verify(Some(stored), rehash = false), password, deadline)
    def verifyAndUpgrade(password: Password, stored: String): Future[Verified] =
      engine.call(Operation.Verify(Some(stored), rehash = true), password, deadline)
    def verifyOrDecoy(password: Password, stored: Option[String], upgrade: Boolean): Future[Verified] =
      engine.call(Operation.Verify(stored, rehash = upgrade), password, deadline)
    def cancel(call: Future[Any]): Boolean = engine.cancel(call)
    def rehashReason(stored: String): Option[RehashReason] = Option(stored).flatMap(hasher.rehashReason)
    def withDeadline(other: FiniteDuration): Saltern = new View(engine, hasher, ClientConfig.checkedDeadline(other))
    def close(): Unit = engine.close()
  }
}
