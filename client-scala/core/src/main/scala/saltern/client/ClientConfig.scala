package saltern.client

import java.net.URI
import java.nio.file.Path
import java.util.concurrent.Executor
import java.util.function.Supplier
import javax.net.ssl.SSLContext
import saltern.client.resilience.ShareSettings
import scala.annotation.varargs
import scala.concurrent.duration.*

/** The settings of a client. Every `withX` method returns changed settings and leaves the original
  * as it is. It throws an `IllegalArgumentException` if the value is out of range; the message says
  * which values are allowed.
  *
  * This is a class with `withX` methods and not a case class: settings can be added without
  * breaking binary compatibility.
  */
final class ClientConfig private (private[saltern] val settings: ClientConfig.Settings) {
  import ClientConfig.*
  import settings.copy

  /** Also verifies weak hashes of these schemes locally: unsalted, fast or below a floor. The names
    * are those of the service's `--accept-weak` except `yescrypt`, or `all`. A client with another
    * name cannot be made.
    */
  @varargs
  def withAcceptedWeak(schemes: String*): ClientConfig = changed(copy(acceptedWeak = schemes))

  /** Sets the time for one exchange, including the wait for a connection. More than 0; 3 s by
    * default. With fallback, an exchange gets at most half of the time that its call has left.
    */
  def withAttemptTimeout(timeout: FiniteDuration): ClientConfig = changed(copy(attemptTimeout = positive("attemptTimeout", timeout)))

  /** The same, for Java. */
  def withAttemptTimeout(timeout: java.time.Duration): ClientConfig = withAttemptTimeout(timeout.toNanos.nanos)

  /** Sets the authentication of requests to the service. [[RequestAuth.none]] by default. */
  def withAuth(auth: RequestAuth): ClientConfig = changed(copy(auth = auth))

  /** Sets the pause between two probes of an unreachable service: at most `shortest` at first, doubled
    * while probes fail, and `longest` in the end. A pause is at least half of that, at random.
    * 0 < `shortest` <= `longest` is required. 250 ms and 500 ms by default.
    */
  def withBreakerOpenFor(shortest: FiniteDuration, longest: FiniteDuration): ClientConfig = {
    require(shortest > Duration.Zero && longest >= shortest, "breaker: give 0 < shortest <= longest")
    changed(copy(share = settings.share.copy(openFor = shortest, maxOpenFor = longest)))
  }

  /** Sets how long the service may answer no exchange at all while one is waiting. After that it is
    * unreachable. More than 0; 1 s by default. Set more than the time of the slowest stored hash.
    */
  def withBreakerSilence(silence: FiniteDuration): ClientConfig =
    changed(copy(share = settings.share.copy(silence = positive("silence", silence))))

  /** The same, for Java. */
  def withBreakerSilence(silence: java.time.Duration): ClientConfig = withBreakerSilence(silence.toNanos.nanos)

  /** Sets the largest number of calls in one batch, 1 to 8, and how long a call waits for others
    * while some are in flight, more than 0. With 1 every call travels alone. By default 4 and 2 ms
    * for Lambda, which computes one request at a time, and 1 for a server, which has its own lanes.
    * A hash that this host cannot compute, such as a sealed one without its keys, travels alone.
    */
  def withCoalescing(atMost: Int, window: FiniteDuration): ClientConfig = {
    require(atMost >= 1 && atMost <= LargestCoalesceAtMost, s"coalesceAtMost: give 1 to $LargestCoalesceAtMost")
    changed(copy(coalesceAtMost = atMost, coalesceWindow = positive("coalesceWindow", window)))
  }

  /** Completes the futures of calls on this executor, and runs there the code that follows a call,
    * unless it has an executor of its own. By default the client has as many threads for it as such
    * code blocks at once, up to 256. The executor must have a free thread: deadlines depend on it.
    * The caller ends it.
    */
  def withCompletionExecutor(executor: Executor): ClientConfig = changed(copy(completionExecutor = Some(executor)))

  /** Sets the time for opening a connection. More than 0; 500 ms by default. */
  def withConnectTimeout(timeout: FiniteDuration): ClientConfig = changed(copy(connectTimeout = positive("connectTimeout", timeout)))

  /** The same, for Java. */
  def withConnectTimeout(timeout: java.time.Duration): ClientConfig = withConnectTimeout(timeout.toNanos.nanos)

  /** Sets the time for a whole call, from the start of the method to its answer. 1 ms to 60 s, the
    * range of the contract's header; 10 s by default.
    */
  def withDeadline(deadline: FiniteDuration): ClientConfig = changed(copy(deadline = checkedDeadline(deadline)))

  /** The same, for Java. */
  def withDeadline(deadline: java.time.Duration): ClientConfig = withDeadline(deadline.toNanos.nanos)

  /** Sets when passwords are hashed locally: by default, whenever the service does not answer.
    * Otherwise calls fail with [[SalternError.NotSent]], [[SalternError.MaybeSent]],
    * [[SalternError.Unreadable]] or [[SalternError.Overloaded]].
    */
  def withFallback(fallback: Fallback): ClientConfig = changed(copy(fallback = fallback))

  /** Verifies the hashes of this Firebase project locally. The argument is the text that the
    * Firebase console shows as "Password hash parameters"; it contains a secret. A client with an
    * invalid text cannot be made; the message quotes nothing of the text.
    */
  def withFirebaseProject(passwordHashParameters: String): ClientConfig =
    changed(copy(firebaseProject = Some(passwordHashParameters)))

  /** Sets whether new hashes are made locally although the service's policy document differs.
    * `false` by default: such hashes would follow the client's policy, not the service's.
    */
  def withHashesDespiteDrift(allowed: Boolean): ClientConfig = changed(copy(hashesDespiteDrift = allowed))

  /** Sets whether new hashes are made locally although the service compares new passwords with a list
    * of breached ones, which this host does not have. `false` by default: then `hash` fails with
    * [[SalternError.Overloaded]] while the service does not answer. A client that has had no answer
    * since it started does not know of the list, and makes unchecked hashes.
    */
  def withHashesUnchecked(allowed: Boolean): ClientConfig = changed(copy(hashesUnchecked = allowed))

  /** Sets whether new hashes are made locally without a seal, on a host without seal keys. By
    * default they are, until an answer of the service or a stored hash has shown a seal. Then
    * `hash` fails with [[SalternError.NotAvailableLocally]] while the service does not answer.
    *
    * `false` refuses such hashes from the start: set it if the service has seal keys. `true` allows
    * them always. The service seals them at the next login, or refuses them if its keys have
    * `require`.
    */
  def withHashesUnsealed(allowed: Boolean): ClientConfig = changed(copy(hashesUnsealed = Some(allowed)))

  /** Sends the client's events to this listener. It replaces the listener that was set before. */
  def withListener(listener: ClientListener): ClientConfig = changed(copy(listener = listener))

  /** Hashes locally with other code: `NativeKernels.load()` of `saltern-client-native`. */
  def withLocalKernels(kernels: LocalKernels): ClientConfig = changed(copy(localKernels = Some(kernels)))

  /** Sets the memory for all local hashes together, in bytes. More than 0; each worker gets an equal
    * share. By default a quarter of the heap, or of the container with native kernels.
    */
  def withLocalMemoryBytes(bytes: Long): ClientConfig = {
    require(bytes > 0, "localMemoryBytes: give more than 0")
    changed(copy(localMemoryBytes = Some(bytes)))
  }

  /** Sets the number of calls that may wait for a local worker. 0 or more, 128 by default; with 0 no
    * call waits.
    */
  def withLocalQueue(calls: Int): ClientConfig = {
    require(calls >= 0, "localQueue: give 0 or more")
    changed(copy(localQueue = calls))
  }

  /** Sets the largest number of cores that hash locally. At least 1; by default half of the cores.
    * Fewer hash if the memory does not hold a hash of each listed policy for every worker.
    */
  def withLocalWorkers(workers: Int): ClientConfig = {
    require(workers >= 1, "localWorkers: give at least 1, or turn local hashing off by withFallback(Fallback.Never)")
    changed(copy(localWorkers = workers))
  }

  /** Sets the least time of a login, 0 or more; 500 ms by default. Every answer and error comes at
    * the floor or later. No thread waits. 0 turns it off.
    *
    * The floor hides the kinds of the stored hashes only if it is above the time of the slowest
    * one. `ClientListener.onLoginBeyondFloor` tells the logins that took longer. A deadline below
    * the floor takes its place.
    */
  def withLoginFloor(floor: FiniteDuration): ClientConfig = {
    require(floor >= Duration.Zero, "loginFloor: give 0 or more")
    changed(copy(loginFloor = floor))
  }

  /** The same, for Java. */
  def withLoginFloor(floor: java.time.Duration): ClientConfig = withLoginFloor(floor.toNanos.nanos)

  /** Sets the number of concurrent exchanges, and over HTTP/1.1 of connections. At least 1; 128 by
    * default.
    */
  def withMaxConnections(connections: Int): ClientConfig = {
    require(connections >= 1, "maxConnections: give at least 1")
    changed(copy(maxConnections = connections))
  }

  /** Sets the source of the policy document. The document is read and checked when the client is
    * made.
    */
  def withPolicies(source: PolicySource): ClientConfig = changed(copy(policies = source))

  /** Sets how often the client compares its policy digest with the service's. More than 0; 5 min by
    * default.
    */
  def withPolicyCheckInterval(interval: FiniteDuration): ClientConfig =
    changed(copy(policyCheckInterval = positive("policyCheckInterval", interval)))

  /** Sets the number of tokens for second attempts. A retry takes ten, and an answer returns one. 0
    * or more, 100 by default; 0 turns retries off.
    */
  def withRetryBudget(tokens: Int): ClientConfig = {
    require(tokens >= 0, "retryBudget: give 0 or more")
    changed(copy(retryBudget = tokens))
  }

  /** Opens sealed hashes locally, and seals new ones, with the keys of this source. It is read when
    * the client is made, and then once a minute.
    *
    * Without it a login with a sealed hash fails with [[SalternError.NotAvailableLocally]] while
    * the service does not answer. With it a thief of this host's memory or files can open every
    * sealed row.
    */
  def withSealKeys(source: SealKeySource): ClientConfig = changed(copy(sealKeys = Some(source)))

  /** Sets the TLS context for the service, if the JDK's default does not fit. */
  def withSslContext(context: SSLContext): ClientConfig = changed(copy(sslContext = Some(context)))

  /** Asks this at each login: while it answers `false`, or throws, no login asks for a new hash. It
    * must not block. By default it is always `true`.
    */
  def withUpgrades(allowed: Supplier[java.lang.Boolean]): ClientConfig = changed(copy(upgrades = allowed))

  /** Sets how many logins a second may ask the service for a new hash of an outdated one: 0 or more,
    * and 5 by default. Each costs the service a second hash, so a changed policy would double its
    * work. Beyond the rate a login is a [[Match]] without a new hash, and a later one asks.
    */
  def withUpgradesPerSecond(logins: Int): ClientConfig = {
    require(logins >= 0, "upgradesPerSecond: give 0 or more")
    changed(copy(upgradesPerSecond = logins))
  }

  /** Sends every call alone. */
  def withoutCoalescing: ClientConfig = withCoalescing(1, settings.coalesceWindow)

  // The endpoint is left out because its host name may be confidential. The auth redacts itself.
  override def toString: String = {
    import settings.*
    s"ClientConfig(deadline=${deadline.toCoarsest}, attemptTimeout=${attemptTimeout.toCoarsest}, fallback=$fallback, ..)"
  }

  private def changed(other: Settings): ClientConfig = new ClientConfig(other)
}

object ClientConfig {

  /** Each setting, with its default. The methods of [[ClientConfig]] say what it does. */
  private[saltern] final case class Settings(
      endpoint: URI,
      coalesceAtMost: Int,
      auth: RequestAuth = RequestAuth.none,
      // The contract's default for an absent header.
      deadline: FiniteDuration = 10.seconds,
      // Five times the time of the slowest shipped policy under load. Most of the deadline is left
      // for local hashing.
      attemptTimeout: FiniteDuration = 3.seconds,
      // Opening a connection inside a region takes a few milliseconds. A lost SYN is repeated after
      // a second, which is too late to help.
      connectTimeout: FiniteDuration = 500.millis,
      // Twice the time of bcrypt-12, the slowest shipped policy, and too short for a user to mind.
      loginFloor: FiniteDuration = 500.millis,
      // 1,500 logins a second over ten hosts, at 100 ms each, keep 15 connections busy. This is
      // eight times that number.
      maxConnections: Int = 128,
      // Ten retries in a row, then one for every ten answers: at most a tenth more load.
      retryBudget: Int = 100,
      fallback: Fallback = Fallback.UnreachableOrOverloaded,
      localKernels: Option[LocalKernels] = None,
      // Half of the cores stay free for the host's own work. A host of one core hashes too, because
      // without it an outage ends every login. Linux lets the host's threads run first, as they
      // mostly sleep.
      localWorkers: Int = math.max(1, Runtime.getRuntime.availableProcessors / 2),
      // Ten seconds of bcrypt-10 on one worker.
      localQueue: Int = 128,
      localMemoryBytes: Option[Long] = None,
      policies: PolicySource = PolicySource.Packed,
      // A thirtieth of the time of one bcrypt-10 hash.
      coalesceWindow: FiniteDuration = 2.millis,
      completionExecutor: Option[Executor] = None,
      listener: ClientListener = ClientListener.Silent,
      sslContext: Option[SSLContext] = None,
      // A difference between the documents is noticed within this time. Each check is one small
      // request.
      policyCheckInterval: FiniteDuration = 5.minutes,
      hashesDespiteDrift: Boolean = false,
      hashesUnchecked: Boolean = false,
      hashesUnsealed: Option[Boolean] = None,
      sealKeys: Option[SealKeySource] = None,
      // A policy of 250 ms adds little more than the work of one core. A hundred thousand users who
      // log in are upgraded within six hours.
      upgradesPerSecond: Int = 5,
      upgrades: Supplier[java.lang.Boolean] = () => true,
      share: ShareSettings = ShareSettings.Default,
      acceptedWeak: Seq[String] = Nil,
      // A secret.
      firebaseProject: Option[String] = None
  ) {
    override def toString: String = "Settings(..)"
  }

  /** For Lambda. Four lanes make bcrypt 3.3 times as fast and fit every L1 cache; eight lanes need
    * 48 KiB.
    */
  private val CoalesceAtMostOfLambda = 4

  /** The number of lanes in the service. */
  private val LargestCoalesceAtMost = 8

  /** The largest value of `Saltern-Deadline-Ms`. */
  val LongestDeadline: FiniteDuration = 60.seconds

  /** Returns default settings for an endpoint. It must be an `https` URI with a host, or an `http`
    * URI with a loopback address, without query and fragment. Otherwise an
    * `IllegalArgumentException` is thrown. The contract's paths are appended to its path.
    */
  def apply(endpoint: URI): ClientConfig = {
    val settings = withoutTls(endpoint)
    require(
      endpoint.getScheme == "https" || isLoopback(endpoint.getHost),
      "endpoint: http sends passwords in the clear; give an https URI, or ClientConfig.withoutTls if the network encrypts"
    )
    settings
  }

  /** The same, with `http` to any host. Passwords then travel in the clear: use it only inside a
    * network that encrypts itself.
    */
  def withoutTls(endpoint: URI): ClientConfig = {
    require(
      endpoint.getHost != null && (endpoint.getScheme == "http" || endpoint.getScheme == "https"),
      "endpoint: give an http or https URI with a host"
    )
    require(endpoint.getQuery == null && endpoint.getFragment == null, "endpoint: remove the query and the fragment")
    new ClientConfig(Settings(endpoint, if (isLambda(endpoint.getHost)) CoalesceAtMostOfLambda else 1))
  }

  /** The address of a Function URL, or of Lambda's API or its VPC endpoint. */
  private def isLambda(host: String): Boolean =
    host.endsWith(".on.aws") || host.contains("lambda.") && host.contains(".amazonaws.com")

  private def isLoopback(host: String): Boolean = host == "localhost" || host == "[::1]" || host.matches("127(\\.\\d{1,3}){3}")

  /** The same as the other `apply`, with the endpoint as text. */
  def apply(endpoint: String): ClientConfig = apply(URI.create(endpoint))

  /** The same as the other `withoutTls`, with the endpoint as text. */
  def withoutTls(endpoint: String): ClientConfig = withoutTls(URI.create(endpoint))

  private[saltern] def checkedDeadline(deadline: FiniteDuration): FiniteDuration = {
    require(deadline >= 1.milli && deadline <= LongestDeadline, s"deadline: give 1 ms to $LongestDeadline")
    deadline
  }

  private def positive(name: String, value: FiniteDuration): FiniteDuration = {
    require(value > Duration.Zero, s"$name: give more than 0")
    value
  }
}

/** When this host hashes a password itself.
  *
  * @param name in settings files, in lower case with hyphens
  */
sealed abstract class Fallback(val name: String) {
  override def toString: String = name
}

object Fallback {

  /** Never. */
  case object Never extends Fallback("never")

  /** The same, for Java. */
  def never: Fallback = Never

  /** If the service gives no answer, or an answer that is not the service's. If it is overloaded,
    * the call fails with [[SalternError.Overloaded]].
    */
  case object Unreachable extends Fallback("unreachable")

  /** The same, for Java. */
  def unreachable: Fallback = Unreachable

  /** Also if the service is overloaded. The default. */
  case object UnreachableOrOverloaded extends Fallback("unreachable-or-overloaded")

  /** The same, for Java. */
  def unreachableOrOverloaded: Fallback = UnreachableOrOverloaded

  /** Every value. */
  val all: Seq[Fallback] = Seq(Never, Unreachable, UnreachableOrOverloaded)
}

/** The source of the policy document. The document must be the service's, byte for byte, because
  * the digests are compared.
  */
sealed trait PolicySource
object PolicySource {

  /** The document that Saltern ships. */
  case object Packed extends PolicySource

  /** The same, for Java. */
  def packed: PolicySource = Packed

  /** A file.
    *
    * @param path of the document; it is read when the client is made
    */
  final case class File(path: Path) extends PolicySource

  /** A resource on the class path, for a document inside the application's jar.
    *
    * @param name as a class loader takes it, without a leading slash
    */
  final case class Resource(name: String) extends PolicySource
}
