package saltern.client

import java.util.concurrent.Executor
import saltern.client.wire.Trace
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

/** Hashes passwords at the service, and locally if the service cannot.
  *
  * Every call ends within its deadline, in an answer or a [[SalternError]]. Methods never block, and
  * calls never throw. Code that runs after a call may block (`ClientConfig.withCompletionExecutor`).
  *
  * It is a trait for the tests of programs: `FakeSaltern` of the testkit is one without hashing.
  * Later versions may add methods.
  */
trait Saltern extends AutoCloseable {

  /** Returns a new hash under the current policy. Fails with a [[SalternError]]:
    * `UserFault` if the password cannot be hashed.
    */
  def hash(password: Password): Future[Hashed]

  /** Returns a new hash under a named policy. Fails as the other method does, and with
    * `Misconfigured` if no policy has the name ([[RefusalCode.UnknownPolicy]]) or the policy is for
    * verifying only.
    */
  def hash(password: Password, policy: String): Future[Hashed]

  /** Checks the password of a login. `stored` is the user's stored hash, or `None` if there is no
    * such user or no password.
    *
    *   - Without a stored hash, or with one that cannot be read, it does the work of the decoy
    *     policy. The first is a [[Mismatch]], the second an error after the same work.
    *   - If the stored hash should be replaced and the service has the time, [[Match.rehash]] is
    *     the new one. Store it by compare-and-swap on the old one. At most five logins a second
    *     bring one (`ClientConfig.withUpgradesPerSecond`).
    *   - Every outcome comes at the floor of time or later (`ClientConfig.withLoginFloor`),
    *     except for a cancelled call.
    *
    * So the time does not show whether the account exists. Fails as [[verify]] does.
    */
  def login(password: Password, stored: Option[String]): Future[Verified]

  /** Returns whether the password matches the stored hash, as soon as it is known and without a new
    * hash. It is for passwords that are no logins, such as tests and migrations. A mismatch is an
    * answer. Fails with a [[SalternError]]: `BadHash` if the stored hash cannot be read or costs
    * more than a ceiling; `NotAvailableLocally` if only the service could verify it.
    */
  def verify(password: Password, stored: String): Future[Verified]

  /** Cancels a call by the future that its method returned. The call fails with
    * [[SalternError.Cancelled]]. It leaves the local queue or a batch that is not yet sent, or
    * closes its connection.
    *
    * A local hash that has started is completed and its result dropped. Native kernels that compute
    * it in a lane free the lane at once. Returns `false` if the call has ended. Throws an
    * `IllegalArgumentException` for an open future that this client did not return, such as one
    * mapped from a call.
    */
  def cancel(call: Future[Any]): Boolean

  /** Returns why this stored hash should be replaced at its owner's next login, by the client's own
    * policy document and without a request.
    *
    * [[Match.rehashReason]] knows more: whether part of the password was ignored, and the
    * service's own answer. A scheme that only the service reads counts as another algorithm. Text
    * that is not a hash has no reason, nor has a sealed hash that this host cannot open.
    */
  def rehashReason(stored: String): Option[RehashReason]

  /** Asks the service whether it is reachable, takes the credentials and their scopes, has `/batch`
    * and holds the same policy document; and whether the clocks agree, and this host can hash. Call
    * it when the program starts, and show [[Report.problems]].
    *
    * It computes no hash, and ends within the attempt's time (three times that without `/batch`). A
    * problem is a finding of the report: the future fails only if the client is closed. Each problem
    * is logged too, once in ten minutes.
    */
  def check(): Future[Report]

  /** The same client for callers that block on each answer. */
  def blocking: BlockingSaltern = new BlockingSaltern(this)

  /** The same client for Java: every call is a `CompletableFuture`. */
  def stages: StagedSaltern = new StagedSaltern(this)

  /** Returns the same client for the calls of one user, whose hash is sealed. Its calls send the
    * context: 1 to 256 bytes, the same for ever, such as the id of the user's row. Otherwise they
    * fail with `Misconfigured` ([[RefusalCode.InvalidRequest]]).
    *
    * A seal key with contexts wants it in every call, and no seal opens in another row. Other keys
    * ignore it. Closing either of them closes both.
    */
  def withContext(context: String): Saltern

  /** Returns the same client with another deadline for the calls made through it: 1 ms to 60 s, or
    * an `IllegalArgumentException`. Closing either of them closes both.
    */
  def withDeadline(deadline: FiniteDuration): Saltern

  /** Returns the same client for the calls of one request of the caller's own, such as a login. Its
    * calls send the id as `x-request-id`, and the service logs it. Calls that travel together have
    * the id of the first. An id that is not of the form `[A-Za-z0-9._-]{1,64}` is not sent.
    */
  def withRequestId(id: String): Saltern

  /** Returns the same client for the calls within one span. Its calls send the value as
    * `traceparent` (W3C Trace Context), and the service logs it. Calls that travel together have
    * that of the first. A value in another form is not sent.
    */
  def withTraceparent(value: String): Saltern

  /** Ends the calls in progress and the client's threads. The calls fail with an error that says
    * whether they may have been sent.
    */
  def close(): Unit
}

object Saltern {

  /** Makes a client over HTTP. It reads the policy document and the seal keys, and opens no
    * connection. Throws `IllegalArgumentException` if one of them is invalid, and `IOException` if
    * a file cannot be read.
    */
  def apply(config: ClientConfig): Saltern = made(config, new HttpTransport(config))

  /** Makes a client over another transport, such as a direct `Invoke` or the testkit's. The
    * transport is closed with the client.
    */
  def apply(config: ClientConfig, transport: Transport): Saltern = made(config, transport)

  /** @param transport is made after the policies and the keys are read: if they are refused, there is none to close */
  private[saltern] def made(config: ClientConfig, transport: => Transport): Saltern = {
    val scheduler = Scheduler.system()
    try wired(config, transport, scheduler, Threads.onDemand("saltern-local", _), () => math.random())
    catch { case e: Throwable => scheduler.close(); throw e }
  }

  private[saltern] def wired(
      from: ClientConfig,
      transport: => Transport,
      scheduler: Scheduler,
      workers: Int => Executor,
      chance: () => Double,
      keyReader: Executor = Threads.onDemand("saltern-seal-keys", atMost = 1)
  ): Saltern = {
    val config = from.settings
    val listener = new GuardedListener(config.listener)
    val journal = new Journal(config, scheduler)
    val local = config.localKernels.orElse(LocalKernels.found) match {
      case Some(kernels) => kernels.open(config, new LocalHashing.Host(scheduler, listener, journal, workers, keyReader))
      case None          =>
        require(
          config.fallback == Fallback.Never,
          "fallback: saltern-core alone does not hash: depend on saltern-client, or set withFallback(Fallback.Never)"
        )
        LocalHashing.Absent
    }
    journal.capacity(local)
    val completions = new Completions(config.completionExecutor)
    val engine = new Engine(config, transport, scheduler, local, listener, journal, chance, completions)
    val upgrades = new Upgrades(config.upgradesPerSecond, config.upgrades, scheduler)
    val logins = new Logins(engine, scheduler, config.loginFloor, upgrades, local, listener, completions)
    new View(engine, logins, completions, local, config.deadline, None, Trace.none)
  }

  private final class View(
      engine: Engine,
      logins: Logins,
      completions: Completions,
      local: LocalHashing,
      deadline: FiniteDuration,
      context: Option[String],
      trace: Trace
  ) extends Saltern {
    def hash(password: Password): Future[Hashed] = engine.call(Operation.Hash(None, context), password, deadline, trace)
    def hash(password: Password, policy: String): Future[Hashed] =
      engine.call(Operation.Hash(Some(policy), context), password, deadline, trace)
    def verify(password: Password, stored: String): Future[Verified] =
      engine.call(Operation.Verify(Some(stored), rehash = false, context), password, deadline, trace)
    def login(password: Password, stored: Option[String]): Future[Verified] = logins.call(password, stored, context, deadline, trace)
    def cancel(call: Future[Any]): Boolean = {
      require(completions.mayHaveShown(call), "cancel: give the future that the client's method returned, not one made from it")
      logins.cancel(call) || engine.cancel(call)
    }
    def rehashReason(stored: String): Option[RehashReason] = Option(stored).flatMap(local.rehashReason(_, context))
    def withContext(other: String): Saltern = changed(context = Some(other))
    def withDeadline(other: FiniteDuration): Saltern = changed(deadline = ClientConfig.checkedDeadline(other))
    def withRequestId(id: String): Saltern = changed(trace = trace.copy(requestId = Trace.requestId(id)))
    def withTraceparent(value: String): Saltern = changed(trace = trace.copy(traceparent = Trace.traceparent(value)))
    def check(): Future[Report] = engine.check()
    def close(): Unit =
      try engine.close()
      finally { logins.close(); completions.close() }

    private def changed(deadline: FiniteDuration = deadline, context: Option[String] = context, trace: Trace = trace): Saltern =
      new View(engine, logins, completions, local, deadline, context, trace)
  }
}
