package saltern.client.hocon

import com.typesafe.config.{Config, ConfigFactory}
import java.net.URI
import java.nio.file.Paths
import saltern.client.{ClientConfig, Fallback, PolicySource, RequestAuth, SealKeySource, TokenSupplier}
import saltern.client.resilience.ShareSettings
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** Settings from HOCON. Only `endpoint` is required. An unknown name is refused, because a mistyped
  * one would silently keep the default.
  *
  * {{{
  * saltern {
  *   endpoint = "http://127.0.0.1:9000"
  *   without-tls = false                            # true: http to any host
  *   token = "..."                                  # a secret, for example from the environment
  *   token-file = "/run/secrets/saltern"            # in its place; read once a minute, and after a 401
  *   deadline = 10s
  *   attempt-timeout = 3s
  *   connect-timeout = 500ms
  *   login-floor = 500ms
  *   max-connections = 128
  *   retry-budget = 100
  *   upgrades-per-second = 5                        # new hashes of outdated ones
  *   policies-file = "/etc/saltern/policies.json"   # or policies-resource
  *   policy-check-interval = 5m
  *   accept-weak = [ldap-sha, django-md5]           # or [all]
  *   firebase-project = "..."                       # a secret: "Password hash parameters"
  *   fallback { when = unreachable-or-overloaded, workers = 1, queue = 128, memory = 64MiB }
  *   fallback.hash-despite-drift = false
  *   fallback.hash-unchecked = false                # without the service's list of breached ones
  *   fallback.hash-unsealed = false                 # by default until a seal was seen
  *   fallback.seal-keys-file = "/run/secrets/keys"  # read again once a minute
  *   coalescing { at-most = 4, window = 2ms }
  *   breaker { open-for = 250ms, max-open-for = 500ms, silence = 1s }
  * }
  * }}}
  */
object HoconConfig {

  /** Reads `saltern` of the application's own configuration. Throws as `from` does. */
  def load(): ClientConfig = from(ConfigFactory.load().getConfig("saltern"))

  /** Reads the settings inside the braces of `saltern`. Throws `IllegalArgumentException` for an
    * unknown name or a value out of range, and `ConfigException` for a wrong type or a missing
    * `endpoint`.
    */
  def from(config: Config): ClientConfig = {
    val known = setters.map(_._1).toSet + "endpoint" + "without-tls"
    config.entrySet.asScala.map(_.getKey).find(!known(_)).foreach { name =>
      throw new IllegalArgumentException(s"saltern.$name is not a setting; the settings are ${known.toSeq.sorted.mkString(", ")}")
    }
    require(
      !(config.hasPath("policies-file") && config.hasPath("policies-resource")),
      "saltern: give policies-file or policies-resource, not both"
    )
    require(!(config.hasPath("token") && config.hasPath("token-file")), "saltern: give token or token-file, not both")
    val endpoint = URI.create(config.getString("endpoint"))
    val least = if (config.hasPath("without-tls") && config.getBoolean("without-tls")) ClientConfig.withoutTls(endpoint) else ClientConfig(endpoint)
    setters.foldLeft(least) { case (settings, (name, set)) =>
      if (config.hasPath(name)) set(settings, config, name) else settings
    }
  }

  private type Setter = (ClientConfig, Config, String) => ClientConfig

  private val setters: Seq[(String, Setter)] = Seq(
    "token" -> ((s, c, n) => s.withAuth(RequestAuth.bearer(c.getString(n)))),
    "token-file" -> ((s, c, n) => s.withAuth(RequestAuth.bearer(TokenSupplier.file(Paths.get(c.getString(n)))))),
    "deadline" -> ((s, c, n) => s.withDeadline(duration(c, n))),
    "attempt-timeout" -> ((s, c, n) => s.withAttemptTimeout(duration(c, n))),
    "connect-timeout" -> ((s, c, n) => s.withConnectTimeout(duration(c, n))),
    "login-floor" -> ((s, c, n) => s.withLoginFloor(duration(c, n))),
    "max-connections" -> ((s, c, n) => s.withMaxConnections(c.getInt(n))),
    "retry-budget" -> ((s, c, n) => s.withRetryBudget(c.getInt(n))),
    "upgrades-per-second" -> ((s, c, n) => s.withUpgradesPerSecond(c.getInt(n))),
    "policies-file" -> ((s, c, n) => s.withPolicies(PolicySource.File(Paths.get(c.getString(n))))),
    "policies-resource" -> ((s, c, n) => s.withPolicies(PolicySource.Resource(c.getString(n)))),
    "policy-check-interval" -> ((s, c, n) => s.withPolicyCheckInterval(duration(c, n))),
    "accept-weak" -> ((s, c, n) => s.withAcceptedWeak(c.getStringList(n).asScala.toSeq*)),
    "firebase-project" -> ((s, c, n) => s.withFirebaseProject(c.getString(n))),
    "fallback.when" -> ((s, c, n) => s.withFallback(fallback(c.getString(n)))),
    "fallback.workers" -> ((s, c, n) => s.withLocalWorkers(c.getInt(n))),
    "fallback.queue" -> ((s, c, n) => s.withLocalQueue(c.getInt(n))),
    "fallback.memory" -> ((s, c, n) => s.withLocalMemoryBytes(c.getBytes(n))),
    "fallback.hash-despite-drift" -> ((s, c, n) => s.withHashesDespiteDrift(c.getBoolean(n))),
    "fallback.hash-unchecked" -> ((s, c, n) => s.withHashesUnchecked(c.getBoolean(n))),
    "fallback.hash-unsealed" -> ((s, c, n) => s.withHashesUnsealed(c.getBoolean(n))),
    "fallback.seal-keys-file" -> ((s, c, n) => s.withSealKeys(SealKeySource.file(Paths.get(c.getString(n))))),
    "coalescing.at-most" -> ((s, c, n) => s.withCoalescing(c.getInt(n), s.settings.coalesceWindow)),
    "coalescing.window" -> ((s, c, n) => s.withCoalescing(s.settings.coalesceAtMost, duration(c, n))),
    "breaker.open-for" -> ((s, c, n) => s.withBreakerOpenFor(duration(c, n), longestRest(c, duration(c, n)))),
    "breaker.max-open-for" -> ((s, c, n) => s.withBreakerOpenFor(shortestRest(c, duration(c, n)), duration(c, n))),
    "breaker.silence" -> ((s, c, n) => s.withBreakerSilence(duration(c, n)))
  )

  private def duration(config: Config, name: String): FiniteDuration = config.getDuration(name).toNanos.nanos

  private def fallback(name: String): Fallback = Fallback.all
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"saltern.fallback.when: give ${Fallback.all.map(_.name).mkString(", ")}"))

  /** Both ends of the breaker's range are set together. If only one is given, the other keeps its
    * default if possible.
    */
  private def longestRest(config: Config, shortest: FiniteDuration): FiniteDuration =
    if (config.hasPath("breaker.max-open-for")) duration(config, "breaker.max-open-for") else shortest.max(ShareSettings.Default.maxOpenFor)

  private def shortestRest(config: Config, longest: FiniteDuration): FiniteDuration =
    if (config.hasPath("breaker.open-for")) duration(config, "breaker.open-for") else longest.min(ShareSettings.Default.openFor)
}
