package saltern.client

import java.net.URI
import java.nio.file.Path
import javax.net.ssl.SSLContext
import saltern.client.local.{AcceptedWeak, FirebaseProject}
import saltern.client.resilience.{BreakerSettings, RetryBudget}
import scala.concurrent.duration.*

/** Settings of a client. An abstract type with `withX` instead of a case class, so that settings can be added without
  * breaking whoever was compiled against fewer. Every `withX` gives changed settings and leaves these as they are; a value out
  * of its range is refused there, with an `IllegalArgumentException` whose sentence says what is wanted.
  */
sealed abstract class ClientConfig {

  /** Where the service is. A path in it stands before the contract's own. */
  def endpoint: URI

  /** What proves to the service who asks. [[RequestAuth.none]] unless set. */
  def auth: RequestAuth

  /** Of a whole call, from the method's start to its answer. 1 ms to 60 s: what the contract's header can carry. */
  def deadline: FiniteDuration

  /** Of one exchange, the wait for a connection included. More than 0. Where local hashing follows, an exchange is given no more
    * than half of the time that its call has left.
    */
  def attemptTimeout: FiniteDuration

  /** Of opening a connection. More than 0. */
  def connectTimeout: FiniteDuration

  /** Exchanges at the same time, and over HTTP/1.1 connections. At least 1. */
  def maxConnections: Int

  /** Tokens for second attempts (ten each; an answer brings one back). 0 or more; 0: never try again. */
  def retryBudget: Int

  /** Whether the local side hashes where the service cannot. */
  def fallback: Boolean

  /** What computes local hashes. */
  def localKernels: LocalKernels

  /** Cores that hash locally, at most. At least 1. */
  def localWorkers: Int

  /** Calls that wait for them. 0 or more; 0: nobody waits. */
  def localQueue: Int

  /** Memory that local hashes hold together, in bytes; each worker has its share. More than 0. */
  def localMemoryBytes: Long

  /** Where the policy document is read from. */
  def policies: PolicySource

  /** Most calls that travel as one, 1 to 8; 1 turns coalescing off. */
  def coalesceAtMost: Int

  /** How long a call waits for others while some are in flight. More than 0. */
  def coalesceWindow: FiniteDuration

  /** Who is told what happens. */
  def listener: ClientListener

  /** For TLS to the service. `None`: the JDK's default. */
  def sslContext: Option[SSLContext]

  /** How often the service's policy digest is compared with the client's. More than 0. */
  def policyCheckInterval: FiniteDuration

  private[saltern] def breaker: BreakerSettings

  /** Unsalted and fast schemes that the local side verifies all the same. */
  private[saltern] def acceptedWeak: AcceptedWeak

  /** Whose Firebase hashes the local side verifies. */
  private[saltern] def firebaseProject: Option[FirebaseProject]

  /** Verifies these unsalted and fast schemes locally too: the names that the service was given with `--accept-weak`, or `all`.
    * Refused where a name is no weak scheme's.
    */
  def withAcceptedWeak(schemes: String*): ClientConfig

  /** Proves to the service who asks. */
  def withAuth(auth: RequestAuth): ClientConfig

  /** How long the breaker leaves the service alone: `shortest` at first, doubled while probes fail, never more than `longest`.
    * Refused unless 0 < `shortest` <= `longest`. 250 ms and 1 s unless set.
    */
  def withBreakerOpenFor(shortest: FiniteDuration, longest: FiniteDuration): ClientConfig

  /** An answer that took so long is slow; the breaker opens where four fifths of the last calls were slow or failed. More than
    * 0; 1.5 s unless set.
    */
  def withBreakerSlowCall(slowCall: FiniteDuration): ClientConfig

  /** How many calls travel as one, 1 to 8, and how long one waits for others, more than 0. */
  def withCoalescing(atMost: Int, window: FiniteDuration): ClientConfig

  /** Of opening a connection. More than 0. */
  def withConnectTimeout(timeout: FiniteDuration): ClientConfig

  /** Of a whole call. 1 ms to 60 s. */
  def withDeadline(deadline: FiniteDuration): ClientConfig

  /** Of one exchange, the wait for a connection included. More than 0; with fallback never more than half of what the call has
    * left.
    */
  def withAttemptTimeout(timeout: FiniteDuration): ClientConfig

  /** Whether the local side hashes where the service cannot. Without it calls end in [[SalternError.NotSent]],
    * [[SalternError.MaybeSent]], [[SalternError.Unreadable]] or [[SalternError.Overloaded]] instead.
    */
  def withFallback(enabled: Boolean): ClientConfig

  /** Verifies the hashes of this Firebase project locally: what its console shows as "Password hash parameters". It holds a
    * secret. Refused where it is not that text; the sentence quotes nothing of it.
    */
  def withFirebaseProject(passwordHashParameters: String): ClientConfig

  /** Tells this listener what happens, and no other. */
  def withListener(listener: ClientListener): ClientConfig

  /** Hashes locally with other code: `NativeKernels.load()` of `saltern-client-native`. */
  def withLocalKernels(kernels: LocalKernels): ClientConfig

  /** Memory for all local hashes together, in bytes. More than 0. */
  def withLocalMemoryBytes(bytes: Long): ClientConfig

  /** Calls that wait for a local worker. 0 or more. */
  def withLocalQueue(calls: Int): ClientConfig

  /** Threads that hash locally. At least 1. */
  def withLocalWorkers(workers: Int): ClientConfig

  /** Exchanges at the same time. At least 1. */
  def withMaxConnections(connections: Int): ClientConfig

  /** Reads the policy document from here. It is read, and refused where it is wrong, when the client is made. */
  def withPolicies(source: PolicySource): ClientConfig

  /** How often the policy documents are compared. More than 0. */
  def withPolicyCheckInterval(interval: FiniteDuration): ClientConfig

  /** Tokens for second attempts, ten each. 0 or more. */
  def withRetryBudget(tokens: Int): ClientConfig

  /** For TLS to the service, where the JDK's default does not fit. */
  def withSslContext(context: SSLContext): ClientConfig

  /** Sends every call by itself. */
  def withoutCoalescing: ClientConfig = withCoalescing(1, coalesceWindow)
}

object ClientConfig {

  /** The contract's own default for an absent header. */
  val DefaultDeadline: FiniteDuration = 10.seconds

  /** Five times the slowest shipped policy under load, and most of the deadline left for local hashing. */
  val DefaultAttemptTimeout: FiniteDuration = 3.seconds

  /** A connection inside a region takes a few milliseconds; one lost SYN is repeated after a second, too late to help. */
  val DefaultConnectTimeout: FiniteDuration = 500.millis

  /** 1,500 logins a second over ten hosts at 100 ms each keep 15 busy; a storm gets eight times that. */
  val DefaultMaxConnections: Int = 128

  /** Ten seconds of bcrypt-10 on one worker. */
  val DefaultLocalQueue: Int = 128

  /** Four lanes gain 3.3 times on bcrypt and fit every L1 cache (facts-primitives.md §1); eight want 48 KiB. */
  val DefaultCoalesceAtMost: Int = 4

  /** As many as the service's lanes. */
  val LargestCoalesceAtMost: Int = 8

  /** A thirtieth of bcrypt-10. */
  val DefaultCoalesceWindow: FiniteDuration = 2.millis

  /** So long may a drift stay unseen; one small request each. */
  val DefaultPolicyCheckInterval: FiniteDuration = 5.minutes

  /** What `Saltern-Deadline-Ms` can carry. */
  val LongestDeadline: FiniteDuration = 60.seconds

  /** Settings with the defaults for an endpoint: an `http` or `https` URI with a host, without query and fragment, or an
    * `IllegalArgumentException`. A path in it stands before the contract's own.
    */
  def apply(endpoint: URI): ClientConfig = {
    require(
      endpoint.getHost != null && (endpoint.getScheme == "http" || endpoint.getScheme == "https"),
      "endpoint: an http or https URI with a host is needed"
    )
    require(endpoint.getQuery == null && endpoint.getFragment == null, "endpoint: no query and no fragment can be kept")
    val cores = Runtime.getRuntime.availableProcessors
    Settings(
      endpoint = endpoint,
      auth = RequestAuth.none,
      deadline = DefaultDeadline,
      attemptTimeout = DefaultAttemptTimeout,
      connectTimeout = DefaultConnectTimeout,
      maxConnections = DefaultMaxConnections,
      retryBudget = RetryBudget.DefaultCapacity,
      fallback = true,
      localKernels = LocalKernels.Jvm,
      // Half the cores stay with the host.
      localWorkers = math.max(1, cores / 2),
      localQueue = DefaultLocalQueue,
      // A quarter of the heap: a hash that needs more is answered NotAvailableLocally.
      localMemoryBytes = Runtime.getRuntime.maxMemory / 4,
      policies = PolicySource.Packed,
      coalesceAtMost = DefaultCoalesceAtMost,
      coalesceWindow = DefaultCoalesceWindow,
      listener = ClientListener.Silent,
      sslContext = None,
      policyCheckInterval = DefaultPolicyCheckInterval,
      breaker = BreakerSettings.Default,
      acceptedWeak = AcceptedWeak.None,
      firebaseProject = None
    )
  }

  /** The endpoint as text, for the shortest of programs. */
  def apply(endpoint: String): ClientConfig = apply(URI.create(endpoint))

  private final case class Settings(
      endpoint: URI,
      auth: RequestAuth,
      deadline: FiniteDuration,
      attemptTimeout: FiniteDuration,
      connectTimeout: FiniteDuration,
      maxConnections: Int,
      retryBudget: Int,
      fallback: Boolean,
      localKernels: LocalKernels,
      localWorkers: Int,
      localQueue: Int,
      localMemoryBytes: Long,
      policies: PolicySource,
      coalesceAtMost: Int,
      coalesceWindow: FiniteDuration,
      listener: ClientListener,
      sslContext: Option[SSLContext],
      policyCheckInterval: FiniteDuration,
      breaker: BreakerSettings,
      acceptedWeak: AcceptedWeak,
      firebaseProject: Option[FirebaseProject]
  ) extends ClientConfig {
    def withAcceptedWeak(schemes: String*): ClientConfig =
      copy(acceptedWeak = readOrRefuse("acceptedWeak", AcceptedWeak.named(schemes)))

    def withAuth(auth: RequestAuth): ClientConfig = copy(auth = auth)

    def withBreakerOpenFor(shortest: FiniteDuration, longest: FiniteDuration): ClientConfig = {
      require(shortest > Duration.Zero && longest >= shortest, "breaker: 0 < shortest <= longest is needed")
      copy(breaker = breaker.copy(openFor = shortest, maxOpenFor = longest))
    }

    def withBreakerSlowCall(slowCall: FiniteDuration): ClientConfig =
      copy(breaker = breaker.copy(slowCall = positive("slowCall", slowCall)))

    def withCoalescing(atMost: Int, window: FiniteDuration): ClientConfig = {
      require(atMost >= 1 && atMost <= LargestCoalesceAtMost, s"coalesceAtMost: 1 to $LargestCoalesceAtMost")
      copy(coalesceAtMost = atMost, coalesceWindow = positive("coalesceWindow", window))
    }

    def withConnectTimeout(timeout: FiniteDuration): ClientConfig =
      copy(connectTimeout = positive("connectTimeout", timeout))

    def withDeadline(deadline: FiniteDuration): ClientConfig = copy(deadline = checkedDeadline(deadline))

    def withAttemptTimeout(timeout: FiniteDuration): ClientConfig =
      copy(attemptTimeout = positive("attemptTimeout", timeout))

    def withFallback(enabled: Boolean): ClientConfig = copy(fallback = enabled)

    def withFirebaseProject(passwordHashParameters: String): ClientConfig =
      copy(firebaseProject = Some(readOrRefuse("firebaseProject", FirebaseProject.read(passwordHashParameters))))

    def withListener(listener: ClientListener): ClientConfig = copy(listener = listener)

    def withLocalKernels(kernels: LocalKernels): ClientConfig = copy(localKernels = kernels)

    def withLocalMemoryBytes(bytes: Long): ClientConfig = {
      require(bytes > 0, "localMemoryBytes: more than 0 is needed")
      copy(localMemoryBytes = bytes)
    }

    def withLocalQueue(calls: Int): ClientConfig = {
      require(calls >= 0, "localQueue: 0 or more is needed")
      copy(localQueue = calls)
    }

    def withLocalWorkers(workers: Int): ClientConfig = {
      require(workers >= 1, "localWorkers: at least 1 is needed; withFallback(false) turns local hashing off")
      copy(localWorkers = workers)
    }

    def withMaxConnections(connections: Int): ClientConfig = {
      require(connections >= 1, "maxConnections: at least 1 is needed")
      copy(maxConnections = connections)
    }

    def withPolicies(source: PolicySource): ClientConfig = copy(policies = source)

    def withPolicyCheckInterval(interval: FiniteDuration): ClientConfig =
      copy(policyCheckInterval = positive("policyCheckInterval", interval))

    def withRetryBudget(tokens: Int): ClientConfig = {
      require(tokens >= 0, "retryBudget: 0 or more is needed")
      copy(retryBudget = tokens)
    }

    def withSslContext(context: SSLContext): ClientConfig = copy(sslContext = Some(context))

    // The endpoint may name a host nobody else should learn; the auth redacts itself.
    override def toString: String = s"ClientConfig(deadline=$deadline, attemptTimeout=$attemptTimeout, fallback=$fallback, ..)"
  }

  private[saltern] def checkedDeadline(deadline: FiniteDuration): FiniteDuration = {
    require(deadline >= 1.milli && deadline <= LongestDeadline, s"deadline: 1 ms to $LongestDeadline")
    deadline
  }

  private def readOrRefuse[A](name: String, read: Either[String, A]): A =
    read.fold(problem => throw new IllegalArgumentException(s"$name: $problem"), identity)

  private def positive(name: String, value: FiniteDuration): FiniteDuration = {
    require(value > Duration.Zero, s"$name: more than 0 is needed")
    value
  }
}

/** Where the policy document is. It must be the service's own, byte for byte: the digests are compared. */
sealed trait PolicySource
object PolicySource {

  /** The document that Saltern ships. */
  case object Packed extends PolicySource

  /** A file.
    *
    * @param path of a document of at most some kilobytes; read when the client is made
    */
  final case class File(path: Path) extends PolicySource

  /** A resource of the class path, for a document that travels in the application's jar.
    *
    * @param name as a class loader takes it, without a slash in front
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
      .getOrElse(throw new IllegalArgumentException(s"policies: the class path has no resource `$name`"))
    try stream.readAllBytes()
    finally stream.close()
  }
}
