package saltern.client

import java.net.URI
import java.nio.file.Path
import java.util.concurrent.Executor
import java.util.function.Supplier
import javax.net.ssl.SSLContext
import saltern.client.local.{AcceptedWeak, OtherSchemes, Project}
import saltern.client.resilience.{RetryBudget, ShareSettings}
import scala.concurrent.duration.*

/** The settings of a client. Every `withX` method returns changed settings and leaves the original
  * as it is. It throws an `IllegalArgumentException` if the value is out of range; the message says
  * which values are allowed.
  *
  * This is an abstract type with `withX` methods and not a case class: settings can be added
  * without breaking binary compatibility.
  */
sealed abstract class ClientConfig {

  /** The address of the service. The contract's paths are appended to its path. */
  def endpoint: URI

  /** The authentication of requests to the service. [[RequestAuth.none]] by default. */
  def auth: RequestAuth

  /** The time for a whole call, from the start of the method to its answer. 1 ms to 60 s, the range
    * of the contract's header.
    */
  def deadline: FiniteDuration

  /** The time for one HTTP exchange, including the wait for a connection. More than 0. With
    * fallback, an exchange gets at most half of the time that its call has left.
    */
  def attemptTimeout: FiniteDuration

  /** The time for opening a connection. More than 0. */
  def connectTimeout: FiniteDuration

  /** The least time of a login. 0 or more. */
  def loginFloor: FiniteDuration

  /** The number of concurrent exchanges, and over HTTP/1.1 of connections. At least 1. */
  def maxConnections: Int

  /** Tokens for second attempts. 0 or more; 0 turns retries off. A retry takes ten tokens, an
    * answer returns one.
    */
  def retryBudget: Int

  /** When passwords are hashed locally. */
  def fallback: Fallback

  /** The code that computes local hashes. */
  def localKernels: LocalKernels

  /** The largest number of cores that hash locally. At least 1. Fewer hash if the memory does not
    * hold a hash of each listed policy for every worker.
    */
  def localWorkers: Int

  /** The number of calls that may wait for local hashing. 0 or more; with 0 no call waits. */
  def localQueue: Int

  /** The memory for all local hashes together, in bytes. Each worker gets an equal share. More than
    * 0. `None`: a quarter of the heap, or of the container with native kernels.
    */
  def localMemoryBytes: Option[Long]

  /** The source of the policy document. */
  def policies: PolicySource

  /** The largest number of calls in one batch, 1 to 8. 1 turns coalescing off. By default 4 for
    * Lambda, which computes one request at a time, and 1 for a server, which has its own lanes.
    */
  def coalesceAtMost: Int

  /** How long a call waits for others while some are in flight. More than 0. */
  def coalesceWindow: FiniteDuration

  /** Where code runs that follows a call. `None`: threads of the client's own. */
  def completionExecutor: Option[Executor]

  /** The listener that receives the client's events. */
  def listener: ClientListener

  /** The TLS context for the service. `None`: the JDK's default. */
  def sslContext: Option[SSLContext]

  /** How often the client compares its policy digest with the service's. More than 0. */
  def policyCheckInterval: FiniteDuration

  /** Whether new hashes are made locally although the service's policy document is another one. */
  def hashesDespiteDrift: Boolean

  /** Whether new hashes are made locally without a seal, on a host without seal keys. `None`: until
    * the service or the table has shown a seal.
    */
  def hashesUnsealed: Option[Boolean]

  /** The source of the seal keys. `None`: only the service opens sealed hashes. */
  def sealKeys: Option[SealKeySource]

  /** How many logins a second may ask the service for a new hash of an outdated one. 0 or more. */
  def upgradesPerSecond: Int

  private[saltern] def upgrades: Supplier[java.lang.Boolean]

  private[saltern] def share: ShareSettings

  /** The unsalted and fast schemes that are verified locally. */
  private[saltern] def acceptedWeak: AcceptedWeak

  /** The Firebase project whose hashes are verified locally. */
  private[saltern] def firebaseProject: Option[Project]

  /** Also verifies weak hashes of these schemes locally: unsalted, fast or below a floor. The names
    * are those of the service's `--accept-weak` except `yescrypt`, or `all`. Throws an
    * `IllegalArgumentException` if a name is not that of a scheme.
    */
  def withAcceptedWeak(schemes: String*): ClientConfig

  /** Sets the authentication of requests to the service. */
  def withAuth(auth: RequestAuth): ClientConfig

  /** Sets the pause between two probes of an unreachable service: `shortest` at first, doubled
    * while probes fail, at most `longest`. 0 < `shortest` <= `longest` is required. 250 ms and
    * 500 ms by default.
    */
  def withBreakerOpenFor(shortest: FiniteDuration, longest: FiniteDuration): ClientConfig

  /** Sets how long the service may answer no exchange at all while one is waiting. After that it is
    * unreachable. More than 0; 1 s by default. Set more than the time of the slowest stored hash.
    */
  def withBreakerSilence(silence: FiniteDuration): ClientConfig

  /** Sets the largest number of calls in one batch, 1 to 8, and how long a call waits for others,
    * more than 0.
    */
  def withCoalescing(atMost: Int, window: FiniteDuration): ClientConfig

  /** Completes the futures of calls on this executor, and runs there the code that follows a call,
    * unless it has an executor of its own. By default the client has as many threads for it as such
    * code blocks at once, up to 256. The executor must have a free thread: deadlines depend on it.
    * The caller ends it.
    */
  def withCompletionExecutor(executor: Executor): ClientConfig

  /** Sets the time for opening a connection. More than 0. */
  def withConnectTimeout(timeout: FiniteDuration): ClientConfig

  /** Sets the time for a whole call. 1 ms to 60 s. */
  def withDeadline(deadline: FiniteDuration): ClientConfig

  /** Sets the time for one exchange, including the wait for a connection. More than 0. With
    * fallback, an exchange gets at most half of the time that its call has left.
    */
  def withAttemptTimeout(timeout: FiniteDuration): ClientConfig

  /** Sets when passwords are hashed locally. Otherwise calls fail with [[SalternError.NotSent]],
    * [[SalternError.MaybeSent]], [[SalternError.Unreadable]] or [[SalternError.Overloaded]].
    */
  def withFallback(fallback: Fallback): ClientConfig

  /** Verifies the hashes of this Firebase project locally, with `saltern-client-legacy`. The
    * argument is the text that the Firebase console shows as "Password hash parameters"; it
    * contains a secret. Throws an `IllegalArgumentException` if the text is invalid or the module
    * is missing; the message quotes nothing of the text.
    */
  def withFirebaseProject(passwordHashParameters: String): ClientConfig

  /** Sets whether new hashes are made locally although the service's policy document differs.
    * `false` by default: such hashes would follow the client's policy, not the service's.
    */
  def withHashesDespiteDrift(allowed: Boolean): ClientConfig

  /** Sets whether new hashes are made locally without a seal, on a host without seal keys. By
    * default they are, until an answer of the service or a stored hash has shown a seal. Then
    * `hash` fails with [[SalternError.NotAvailableLocally]] while the service does not answer.
    *
    * `false` refuses such hashes from the start: set it if the service has seal keys. `true` allows
    * them always. The service seals them at the next login, or refuses them if its keys have
    * `require`.
    */
  def withHashesUnsealed(allowed: Boolean): ClientConfig

  /** Sends the client's events to this listener. It replaces the listener that was set before. */
  def withListener(listener: ClientListener): ClientConfig

  /** Hashes locally with other code: `NativeKernels.load()` of `saltern-client-native`. */
  def withLocalKernels(kernels: LocalKernels): ClientConfig

  /** Sets the least time of a login, 0 or more. Every answer and error comes at the floor or later.
    * No thread waits. 0 turns it off.
    *
    * The floor hides the kinds of the stored hashes only if it is above the time of the slowest
    * one. `ClientListener.onLoginBeyondFloor` tells the logins that took longer. A deadline below
    * the floor takes its place.
    */
  def withLoginFloor(floor: FiniteDuration): ClientConfig

  /** The same, for Java. */
  def withLoginFloor(floor: java.time.Duration): ClientConfig = withLoginFloor(floor.toNanos.nanos)

  /** The same as the other `withDeadline`, for Java. */
  def withDeadline(deadline: java.time.Duration): ClientConfig = withDeadline(deadline.toNanos.nanos)

  /** The same as the other `withAttemptTimeout`, for Java. */
  def withAttemptTimeout(timeout: java.time.Duration): ClientConfig = withAttemptTimeout(timeout.toNanos.nanos)

  /** The same as the other `withConnectTimeout`, for Java. */
  def withConnectTimeout(timeout: java.time.Duration): ClientConfig = withConnectTimeout(timeout.toNanos.nanos)

  /** The same as the other `withBreakerSilence`, for Java. */
  def withBreakerSilence(silence: java.time.Duration): ClientConfig = withBreakerSilence(silence.toNanos.nanos)

  /** Sets the memory for all local hashes together, in bytes. More than 0. */
  def withLocalMemoryBytes(bytes: Long): ClientConfig

  /** Sets the number of calls that may wait for a local worker. 0 or more. */
  def withLocalQueue(calls: Int): ClientConfig

  /** Sets the number of threads that hash locally. At least 1. */
  def withLocalWorkers(workers: Int): ClientConfig

  /** Sets the number of concurrent exchanges. At least 1. */
  def withMaxConnections(connections: Int): ClientConfig

  /** Sets the source of the policy document. The document is read and checked when the client is
    * made.
    */
  def withPolicies(source: PolicySource): ClientConfig

  /** Sets how often the client compares its policy digest with the service's. More than 0. */
  def withPolicyCheckInterval(interval: FiniteDuration): ClientConfig

  /** Sets the number of tokens for second attempts. A retry takes ten. 0 or more. */
  def withRetryBudget(tokens: Int): ClientConfig

  /** Opens sealed hashes locally, and seals new ones, with the keys of this source. It is read when
    * the client is made, and then once a minute.
    *
    * Without it a login with a sealed hash fails with [[SalternError.NotAvailableLocally]] while
    * the service does not answer. With it a thief of this host's memory or files can open every
    * sealed row.
    */
  def withSealKeys(source: SealKeySource): ClientConfig

  /** Sets the TLS context for the service, if the JDK's default does not fit. */
  def withSslContext(context: SSLContext): ClientConfig

  /** Asks this at each login: while it answers `false`, or throws, no login asks for a new hash. It
    * must not block. By default it is always `true`.
    */
  def withUpgrades(allowed: Supplier[java.lang.Boolean]): ClientConfig

  /** Sets how many logins a second may ask the service for a new hash of an outdated one: 0 or more,
    * and 5 by default. Each costs the service a second hash, so a changed policy would double its
    * work. Beyond the rate a login is a [[Match]] without a new hash, and a later one asks.
    */
  def withUpgradesPerSecond(logins: Int): ClientConfig

  /** Sends every call alone. */
  def withoutCoalescing: ClientConfig = withCoalescing(1, coalesceWindow)
}

object ClientConfig {

  /** The contract's default for an absent header. */
  val DefaultDeadline: FiniteDuration = 10.seconds

  /** Five times the time of the slowest shipped policy under load. Most of the deadline is left for
    * local hashing.
    */
  val DefaultAttemptTimeout: FiniteDuration = 3.seconds

  /** Opening a connection inside a region takes a few milliseconds. A lost SYN is repeated after a
    * second, which is too late to help.
    */
  val DefaultConnectTimeout: FiniteDuration = 500.millis

  /** 1,500 logins a second over ten hosts, at 100 ms each, keep 15 connections busy. This is eight
    * times that number.
    */
  val DefaultMaxConnections: Int = 128

  /** Twice the time of bcrypt-12, the slowest shipped policy, and too short for a user to mind. */
  val DefaultLoginFloor: FiniteDuration = 500.millis

  /** Ten seconds of bcrypt-10 on one worker. */
  val DefaultLocalQueue: Int = 128

  /** For Lambda. Four lanes make bcrypt 3.3 times as fast and fit every L1 cache; eight lanes need
    * 48 KiB.
    */
  val DefaultCoalesceAtMost: Int = 4

  /** The number of lanes in the service. */
  val LargestCoalesceAtMost: Int = 8

  /** A thirtieth of the time of one bcrypt-10 hash. */
  val DefaultCoalesceWindow: FiniteDuration = 2.millis

  /** A difference between the documents is noticed within this time. Each check is one small
    * request.
    */
  val DefaultPolicyCheckInterval: FiniteDuration = 5.minutes

  /** A policy of 250 ms adds little more than the work of one core. A hundred thousand users who log
    * in are upgraded within six hours.
    */
  val DefaultUpgradesPerSecond: Int = 5

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
    val cores = Runtime.getRuntime.availableProcessors
    Settings(
      endpoint = endpoint,
      auth = RequestAuth.none,
      deadline = DefaultDeadline,
      attemptTimeout = DefaultAttemptTimeout,
      connectTimeout = DefaultConnectTimeout,
      loginFloor = DefaultLoginFloor,
      maxConnections = DefaultMaxConnections,
      retryBudget = RetryBudget.DefaultCapacity,
      fallback = Fallback.UnreachableOrOverloaded,
      localKernels = LocalKernels.Jvm,
      // Half of the cores stay free for the host's own work. A host of one core hashes too, because
      // without it an outage ends every login. Linux lets the host's threads run first, as they
      // mostly sleep.
      localWorkers = math.max(1, cores / 2),
      localQueue = DefaultLocalQueue,
      localMemoryBytes = None,
      policies = PolicySource.Packed,
      coalesceAtMost = if (isLambda(endpoint.getHost)) DefaultCoalesceAtMost else 1,
      coalesceWindow = DefaultCoalesceWindow,
      completionExecutor = None,
      listener = ClientListener.Silent,
      sslContext = None,
      policyCheckInterval = DefaultPolicyCheckInterval,
      hashesDespiteDrift = false,
      hashesUnsealed = None,
      sealKeys = None,
      upgradesPerSecond = DefaultUpgradesPerSecond,
      upgrades = () => true,
      share = ShareSettings.Default,
      acceptedWeak = AcceptedWeak.None,
      firebaseProject = None
    )
  }

  /** The address of a Function URL, or of Lambda's API or its VPC endpoint. */
  private def isLambda(host: String): Boolean =
    host.endsWith(".on.aws") || host.contains("lambda.") && host.contains(".amazonaws.com")

  private def isLoopback(host: String): Boolean = host == "localhost" || host == "[::1]" || host.matches("127(\\.\\d{1,3}){3}")

  /** The same as the other `apply`, with the endpoint as text. */
  def apply(endpoint: String): ClientConfig = apply(URI.create(endpoint))

  /** The same as the other `withoutTls`, with the endpoint as text. */
  def withoutTls(endpoint: String): ClientConfig = withoutTls(URI.create(endpoint))

  private final case class Settings(
      endpoint: URI,
      auth: RequestAuth,
      deadline: FiniteDuration,
      attemptTimeout: FiniteDuration,
      connectTimeout: FiniteDuration,
      loginFloor: FiniteDuration,
      maxConnections: Int,
      retryBudget: Int,
      fallback: Fallback,
      localKernels: LocalKernels,
      localWorkers: Int,
      localQueue: Int,
      localMemoryBytes: Option[Long],
      policies: PolicySource,
      coalesceAtMost: Int,
      coalesceWindow: FiniteDuration,
      completionExecutor: Option[Executor],
      listener: ClientListener,
      sslContext: Option[SSLContext],
      policyCheckInterval: FiniteDuration,
      hashesDespiteDrift: Boolean,
      hashesUnsealed: Option[Boolean],
      sealKeys: Option[SealKeySource],
      upgradesPerSecond: Int,
      upgrades: Supplier[java.lang.Boolean],
      share: ShareSettings,
      acceptedWeak: AcceptedWeak,
      firebaseProject: Option[Project]
  ) extends ClientConfig {
    def withAcceptedWeak(schemes: String*): ClientConfig =
      copy(acceptedWeak = readOrRefuse("acceptedWeak", AcceptedWeak.named(schemes)))

    def withAuth(auth: RequestAuth): ClientConfig = copy(auth = auth)

    def withBreakerOpenFor(shortest: FiniteDuration, longest: FiniteDuration): ClientConfig = {
      require(shortest > Duration.Zero && longest >= shortest, "breaker: give 0 < shortest <= longest")
      copy(share = share.copy(openFor = shortest, maxOpenFor = longest))
    }

    def withBreakerSilence(silence: FiniteDuration): ClientConfig =
      copy(share = share.copy(silence = positive("silence", silence)))

    def withCoalescing(atMost: Int, window: FiniteDuration): ClientConfig = {
      require(atMost >= 1 && atMost <= LargestCoalesceAtMost, s"coalesceAtMost: give 1 to $LargestCoalesceAtMost")
      copy(coalesceAtMost = atMost, coalesceWindow = positive("coalesceWindow", window))
    }

    def withCompletionExecutor(executor: Executor): ClientConfig = copy(completionExecutor = Some(executor))

    def withConnectTimeout(timeout: FiniteDuration): ClientConfig =
      copy(connectTimeout = positive("connectTimeout", timeout))

    def withDeadline(deadline: FiniteDuration): ClientConfig = copy(deadline = checkedDeadline(deadline))

    def withAttemptTimeout(timeout: FiniteDuration): ClientConfig =
      copy(attemptTimeout = positive("attemptTimeout", timeout))

    def withFallback(fallback: Fallback): ClientConfig = copy(fallback = fallback)

    def withFirebaseProject(passwordHashParameters: String): ClientConfig =
      copy(firebaseProject = Some(readOrRefuse("firebaseProject", OtherSchemes.firebaseProject(passwordHashParameters))))

    def withHashesDespiteDrift(allowed: Boolean): ClientConfig = copy(hashesDespiteDrift = allowed)

    def withHashesUnsealed(allowed: Boolean): ClientConfig = copy(hashesUnsealed = Some(allowed))

    def withListener(listener: ClientListener): ClientConfig = copy(listener = listener)

    def withLocalKernels(kernels: LocalKernels): ClientConfig = copy(localKernels = kernels)

    def withLocalMemoryBytes(bytes: Long): ClientConfig = {
      require(bytes > 0, "localMemoryBytes: give more than 0")
      copy(localMemoryBytes = Some(bytes))
    }

    def withLocalQueue(calls: Int): ClientConfig = {
      require(calls >= 0, "localQueue: give 0 or more")
      copy(localQueue = calls)
    }

    def withLocalWorkers(workers: Int): ClientConfig = {
      require(workers >= 1, "localWorkers: give at least 1, or turn local hashing off by withFallback(Fallback.Never)")
      copy(localWorkers = workers)
    }

    def withLoginFloor(floor: FiniteDuration): ClientConfig = {
      require(floor >= Duration.Zero, "loginFloor: give 0 or more")
      copy(loginFloor = floor)
    }

    def withMaxConnections(connections: Int): ClientConfig = {
      require(connections >= 1, "maxConnections: give at least 1")
      copy(maxConnections = connections)
    }

    def withPolicies(source: PolicySource): ClientConfig = copy(policies = source)

    def withPolicyCheckInterval(interval: FiniteDuration): ClientConfig =
      copy(policyCheckInterval = positive("policyCheckInterval", interval))

    def withRetryBudget(tokens: Int): ClientConfig = {
      require(tokens >= 0, "retryBudget: give 0 or more")
      copy(retryBudget = tokens)
    }

    def withSealKeys(source: SealKeySource): ClientConfig = copy(sealKeys = Some(source))

    def withSslContext(context: SSLContext): ClientConfig = copy(sslContext = Some(context))

    def withUpgrades(allowed: Supplier[java.lang.Boolean]): ClientConfig = copy(upgrades = allowed)

    def withUpgradesPerSecond(logins: Int): ClientConfig = {
      require(logins >= 0, "upgradesPerSecond: give 0 or more")
      copy(upgradesPerSecond = logins)
    }

    // The endpoint is left out because its host name may be confidential. The auth redacts itself.
    override def toString: String = s"ClientConfig(deadline=$deadline, attemptTimeout=$attemptTimeout, fallback=$fallback, ..)"
  }

  private[saltern] def checkedDeadline(deadline: FiniteDuration): FiniteDuration = {
    require(deadline >= 1.milli && deadline <= LongestDeadline, s"deadline: give 1 ms to $LongestDeadline")
    deadline
  }

  private def readOrRefuse[A](name: String, read: Either[String, A]): A =
    read.fold(problem => throw new IllegalArgumentException(s"$name: $problem"), identity)

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

  /** If the service gives no answer, or an answer that is not the service's. If it is overloaded,
    * the call fails with [[SalternError.Overloaded]].
    */
  case object Unreachable extends Fallback("unreachable")

  /** Also if the service is overloaded. The default. */
  case object UnreachableOrOverloaded extends Fallback("unreachable-or-overloaded")

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

  private[saltern] def read(source: PolicySource): Array[Byte] = source match {
    case Packed         => resource("saltern/client/policies.json")
    case File(path)     => java.nio.file.Files.readAllBytes(path)
    case Resource(name) => resource(name)
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
}
