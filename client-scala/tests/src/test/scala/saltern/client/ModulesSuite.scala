package saltern.client

import com.typesafe.config.ConfigFactory
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.Base64
import saltern.client.hocon.HoconConfig
import saltern.client.lambda.LambdaInvoke
import saltern.client.micrometer.MicrometerListener
import saltern.client.sigv4.SigV4
import saltern.hashes.{Admitted, Estimator, Policies, Setting}
import saltern.testkit.{InMemoryService, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.{Await, Future, Promise}
import scala.concurrent.duration.*
import software.amazon.awssdk.auth.credentials.{AwsCredentialsProvider, AwsSessionCredentials, StaticCredentialsProvider}
import software.amazon.awssdk.core.exception.SdkClientException

/** The modules around core. */
class ModulesSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap}

  private val secret = Password("secret")

  // SigV4

  test("SigV4 signs for Lambda with the session token, and gives the same signature as our own computation") {
    val credentials = AwsSessionCredentials.create("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "session-1")
    val auth = SigV4("eu-north-1", StaticCredentialsProvider.create(credentials))
    val uri = URI.create("https://abc.lambda-url.eu-north-1.on.aws/verify")
    val body = "{\"password\":\"x\"}".getBytes(UTF_8)
    val sent = Seq("Content-Type" -> "application/json", "Saltern-Deadline-Ms" -> "1000")
    val proof = Await.result(auth.headers("POST", uri, sent, body), 60.seconds)
    val byName = proof.map { case (n, v) => n.toLowerCase -> v }.toMap
    assertEquals(byName("x-amz-security-token"), "session-1")
    assert(!byName.contains("host") && !byName.contains("content-type"), "no header twice, and none that the HTTP client refuses")
    val Form = """AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(\d{8})/eu-north-1/lambda/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})""".r
    byName("authorization") match {
      case Form(date, names, signature) =>
        val all = byName ++ sent.map { case (n, v) => n.toLowerCase -> v } + ("host" -> uri.getHost)
        assertEquals(
          signature,
          ModulesSuite.sigV4(
            credentials.secretAccessKey,
            date,
            "eu-north-1",
            byName("x-amz-date"),
            "/verify",
            names.split(';').toSeq.map(n => n -> all(n)),
            body
          )
        )
        assert(Seq("host", "x-amz-date", "x-amz-security-token", "saltern-deadline-ms").forall(names.split(';').contains(_)), names)
      case other => fail(other)
    }
    assert(!auth.toString.contains("AKID"))
    // Another client may have the same settings.
    auth.close()
    assert(Await.result(auth.headers("POST", uri, sent, body), 60.seconds).nonEmpty)
  }

  test("if there are no credentials, signing fails and the call is hashed locally") {
    val none: AwsCredentialsProvider = () => throw SdkClientException.create("no credentials")
    val auth = SigV4("eu-north-1", none)
    val server = RawServer.always(Array.emptyByteArray)
    val client = Saltern(ClientConfig(server.uri).withPolicies(cheap).withAuth(auth))
    val verified = Await.result(client.verify(secret, bcrypt4), 60.seconds)
    assertEquals((verified.matches, verified.origin, server.seen.size), (true, Origin.Local: Origin, 0))
    client.close()
    server.close()
  }

  test("the default credentials chain takes the role of a service account on EKS") {
    val session =
      """<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
        |<AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>key</SecretAccessKey><SessionToken>session-2</SessionToken>
        |<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>""".stripMargin
    val sts = RawServer.always(RawServer.response(200, "text/xml", session))
    val token = Files.writeString(Files.createTempFile("saltern-pod", ""), "token-of-the-pod")
    val options = Seq(
      "-Daws.region=eu-north-1",
      "-Daws.roleArn=arn:aws:iam::123456789012:role/saltern",
      "-Daws.roleSessionName=saltern",
      s"-Daws.webIdentityTokenFile=$token",
      s"-Daws.endpointUrlSts=${sts.uri}"
    )
    val ended = OtherJvm.run(options, "saltern.client.SignOnEks", "eu-north-1")
    assert(ended.said.contains("Credential=ASIAEXAMPLE/"), ended.said)
    val asked = sts.seen.peek.body
    assert(Seq("Action=AssumeRoleWithWebIdentity", "WebIdentityToken=token-of-the-pod").forall(asked.contains(_)), asked)
    Files.delete(token)
    sts.close()
  }

  // Lambda

  private final class Invoked(answer: Transport.Response) extends Transport {
    @volatile var requests: Vector[(String, String)] = Vector.empty
    def send(r: Transport.Request): Transport.Exchange = {
      val event = new String(r.body, UTF_8)
      requests :+= ((r.path, event))
      val name = "\"saltern-request-id\":\"([0-9a-f]{32})\"".r.findFirstMatchIn(event).get.group(1)
      val named = new String(answer.body, UTF_8).replace(RawServer.NoName, name).getBytes(UTF_8)
      val headers = Seq("Retry-After", "X-Amz-Function-Error").flatMap(h => answer.header(h).map(h -> _))
      new Transport.Exchange {
        val response: Future[Transport.Response] = Promise.successful(new Transport.Response(answer.status, headers, named)).future
        def cancel(): Unit = ()
      }
    }
    def close(): Unit = ()
  }

  private def invoked(answer: Transport.Response): (Invoked, Future[Verified], VirtualClient) = {
    val http = new Invoked(answer)
    val config = ClientConfig("https://lambda.eu-north-1.amazonaws.com").withPolicies(cheap)
    val virtual = new VirtualClient(config, LambdaInvoke.transport(http, "saltern", "live"))
    val future = virtual.client.verify(secret, bcrypt4)
    (http, future, virtual)
  }

  private def lambdaAnswer(status: Int, body: String, headers: (String, String)*) =
    new Transport.Response(status, headers, body.getBytes(UTF_8))

  test("Invoke sends a payload-v2 event, and its answer is read like an HTTP answer") {
    val inner = """{\"match\":true,\"needs_rehash\":false,\"rehash_reason\":null,\"policy\":null}"""
    val (http, future, _) =
      invoked(lambdaAnswer(
        200,
        s"""{"statusCode":200,"headers":{"content-type":"application/json","saltern-request-id":"${RawServer.NoName}"},"body":"$inner","isBase64Encoded":false,"cookies":[]}"""
      ))
    assertEquals(future.value.map(_.get.origin), Some(Origin.Remote: Origin))
    val (path, event) = http.requests.head
    assertEquals(path, "/2015-03-31/functions/saltern/invocations?Qualifier=live")
    for (part <- Seq("\"version\":\"2.0\"", "\"routeKey\":\"$default\"", "\"isBase64Encoded\":true", "\"saltern-deadline-ms\":\"2950\""))
      assert(event.contains(part), s"$part in $event")
  }

  test("an invocation's answer without the name of its request is not believed") {
    val inner = """{\"match\":false,\"needs_rehash\":false,\"rehash_reason\":null,\"policy\":null}"""
    for (more <- Seq("", s""","saltern-request-id":"${"1" * 32}"""")) {
      val (_, future, virtual) = invoked(lambdaAnswer(200, s"""{"statusCode":200,"headers":{"content-type":"application/json"$more},"body":"$inner"}"""))
      virtual.runLocal()
      assertEquals(future.value.map(v => (v.get.matches, v.get.origin)), Some((true, Origin.Local: Origin)))
    }
  }

  test("the body of an event is the request's body in Base64") {
    val (http, _, _) = invoked(lambdaAnswer(502, ""))
    val event = http.requests.head._2
    val Body = """.*"rawPath":"/verify".*"body":"([A-Za-z0-9+/=]+)"}""".r
    event match {
      case Body(text) => assertEquals(new String(Base64.getDecoder.decode(text), UTF_8), s"""{"password":"secret","hash":"$bcrypt4"}""")
      case other      => fail(other)
    }
  }

  test("failures of Lambda itself are hashed locally") {
    for (
      answer <- Seq(
        lambdaAnswer(429, "{\"Reason\":\"ReservedFunctionConcurrentInvocationLimitExceeded\"}", "Retry-After" -> "1"),
        lambdaAnswer(403, "{\"Message\":\"x\"}"),
        lambdaAnswer(404, "{\"Message\":\"x\"}"),
        lambdaAnswer(200, "{\"errorMessage\":\"x\"}", "X-Amz-Function-Error" -> "Unhandled"),
        lambdaAnswer(200, "null"),
        lambdaAnswer(200, "{\"statusCode\":200,\"body\":\"%%%\",\"isBase64Encoded\":true}")
      )
    ) {
      val (_, future, virtual) = invoked(answer)
      virtual.runLocal()
      assertEquals(future.value.map(_.get.origin), Some(Origin.Local: Origin), answer.toString)
    }
  }

  test("names that cannot stand in a path are refused") {
    for ((name, qualifier) <- Seq(("a/b", "live"), ("", "live"), ("f", "a?b"), ("f", "")))
      intercept[IllegalArgumentException](LambdaInvoke.transport(new Invoked(lambdaAnswer(200, "")), name, qualifier))
  }

  // Micrometer

  test("every documented meter exists under its name") {
    val registry = new SimpleMeterRegistry
    val service = InMemoryService(cheap)
    val config = ClientConfig("https://service.invalid").withPolicies(cheap).withListener(new MicrometerListener(registry))
    val virtual = new VirtualClient(config, service)
    virtual.client.verify(secret, bcrypt4)
    service.next(Fault.Problem(500, "internal"))
    virtual.client.verify(secret, bcrypt4)
    virtual.runLocal()
    virtual.client.verify(Password("\ud800"), bcrypt4)
    def calls(outcome: String) = registry.get("saltern.client.calls").tag("outcome", outcome).timer().count()
    assertEquals((calls("remote"), calls("local"), calls("refused")), (1L, 1L, 1L))
    assertEquals(registry.get("saltern.client.fallback").tag("reason", "server_error").counter().count(), 1.0)
    assertEquals(registry.get("saltern.client.fallback").tag("reason", "throttled").counter().count(), 0.0)
    assertEquals(registry.get("saltern.client.sends").counter().count(), 2.0)
    for (_ <- 1 to 20) { service.next(Fault.Problem(500, "internal")); virtual.client.verify(secret, bcrypt4); virtual.runLocal(); virtual.advance(30.millis) }
    assertEquals(registry.get("saltern.client.breaker").gauge().value(), 2.0)
  }

  test("the meters of two clients are apart by their names") {
    val registry = new SimpleMeterRegistry
    val (users, partners) = (new MicrometerListener(registry, "users"), new MicrometerListener(registry, "partners"))
    partners.onBreaker(BreakerState.Open)
    partners.onAnswer("verify", Origin.Remote, 1.milli, None)
    users.onFallback(FallbackReason.Throttled, "detail", None)
    def breaker(client: String) = registry.get("saltern.client.breaker").tag("client", client).gauge().value()
    assertEquals((breaker("users"), breaker("partners")), (0.0, 2.0))
    assertEquals(registry.get("saltern.client.calls").tag("client", "partners").timers().size, 1)
    val fallbacks = registry.get("saltern.client.fallback").tag("reason", "throttled")
    assertEquals(fallbacks.tag("client", "users").counter().count(), 1.0)
    registry.getMeters.forEach(meter => assert(meter.getId.getTag("client") != null, meter.getId.toString))
  }

  test("the gauge of the breaker is that of the client that was made last") {
    val registry = new SimpleMeterRegistry
    def breaker: Double = registry.get("saltern.client.breaker").gauge().value()
    new MicrometerListener(registry).onBreaker(BreakerState.Open)
    val next = new MicrometerListener(registry)
    assertEquals(breaker, 0.0)
    next.onBreaker(BreakerState.HalfOpen)
    assertEquals(breaker, 1.0)
  }

  // Testkit

  test("the testkit's cheap policies have the shipped ids, and each hash takes a few milliseconds") {
    val (cheapest, shipped) = (Policies.of(InMemoryService.CheapPolicies), Policies.of(PolicySource.Packed))
    assertEquals(cheapest.list.map(policy => (policy.id, policy.active)), shipped.list.map(policy => (policy.id, policy.active)))
    assertEquals(cheapest.current.id, shipped.current.id)
    for (policy <- cheapest.list) {
      val admitted = Admitted(Setting.fresh(policy.params, new Array[Byte](16)), cheapest.ceilings).get
      assert(new Estimator().estimate(admitted, admitted.work) < 10.millis, policy.id)
    }
  }

  // HOCON

  test("HOCON reads every setting, needs only the endpoint, and refuses invalid settings") {
    val full = HoconConfig.from(ConfigFactory.parseString("""
      endpoint = "http://127.0.0.1:9000", token = t, deadline = 5s, attempt-timeout = 2s, connect-timeout = 100ms
      max-connections = 7, retry-budget = 20, policy-check-interval = 1m, policies-resource = "x.json"
      login-floor = 1s, upgrades-per-second = 3, accept-weak = [ldap-sha, django-md5], firebase-project = p
      fallback { when = never, workers = 3, queue = 5, memory = 64MiB, hash-unsealed = false, seal-keys-file = "keys.json" }
      fallback.hash-despite-drift = true
      coalescing { at-most = 8, window = 3ms }
      breaker { open-for = 2s, max-open-for = 4s, silence = 3s }""")).settings
    assertEquals((full.deadline, full.attemptTimeout, full.connectTimeout), (5.seconds, 2.seconds, 100.millis))
    assertEquals((full.maxConnections, full.retryBudget, full.policyCheckInterval), (7, 20, 1.minute))
    assertEquals((full.fallback, full.localWorkers, full.localQueue, full.localMemoryBytes), (Fallback.Never: Fallback, 3, 5, Some(64L * 1024 * 1024)))
    assertEquals((full.coalesceAtMost, full.coalesceWindow), (8, 3.millis))
    assertEquals((full.hashesUnsealed, full.sealKeys.map(_.toString)), (Some(false), Some("SealKeySource.file(..)")))
    assertEquals((full.share.openFor, full.share.maxOpenFor, full.share.silence), (2.seconds, 4.seconds, 3.seconds))
    assertEquals(full.policies, PolicySource.Resource("x.json"): PolicySource)
    assertEquals((full.loginFloor, full.upgradesPerSecond, full.acceptedWeak, full.firebaseProject), (1.second, 3, Seq("ldap-sha", "django-md5"), Some("p")))
    assertEquals((full.hashesDespiteDrift, full.hashesUnchecked), (true, false))
    val files = HoconConfig.from(ConfigFactory.parseString("""
      endpoint = "http://127.0.0.1:9000", token-file = t, policies-file = "p.json", fallback.hash-unchecked = true""")).settings
    assertEquals((files.policies, files.hashesDespiteDrift, files.hashesUnchecked), (PolicySource.File(Paths.get("p.json")): PolicySource, false, true))
    assertEquals(Seq(full, files).map(_.auth.toString), Seq.fill(2)("RequestAuth.bearer(..)"))
    val least = HoconConfig.from(ConfigFactory.parseString("endpoint = \"http://127.0.0.1:9000\"")).settings
    assertEquals(least.deadline, 10.seconds)
    assertEquals(HoconConfig.from(ConfigFactory.parseString("endpoint = \"http://x\", without-tls = true")).settings.endpoint.getHost, "x")
    for (
      wrong <- Seq(
        "",
        "endpoint = \"ftp://x\"",
        "endpoint = \"http://x\"",
        "endpoint = \"https://x\", deadlien = 1s",
        "endpoint = \"https://x\", deadline = 2m",
        "endpoint = \"https://x\", coalescing.at-most = 9",
        "endpoint = \"https://x\", policies-file = a, policies-resource = b",
        "endpoint = \"https://x\", token = a, token-file = b",
        "endpoint = \"https://x\", token = \"a\\n\""
      )
    )
      intercept[RuntimeException](HoconConfig.from(ConfigFactory.parseString(wrong)))
  }

  test("the guide has the defaults") {
    val guide = java.nio.file.Files.readString(java.nio.file.Paths.get(sys.props("saltern.root"), "client-scala/docs/guide/4-tuning.md"))
    val own = ClientConfig("http://127.0.0.1:9000").settings
    def text(time: FiniteDuration): String =
      if (time == time.toMinutes.minutes) s"${time.toMinutes} min"
      else if (time == time.toSeconds.seconds) s"${time.toSeconds} s" else s"${time.toMillis} ms"
    for (
      (setting, default) <- Seq(
        "withDeadline" -> text(own.deadline),
        "withAttemptTimeout" -> text(own.attemptTimeout),
        "withConnectTimeout" -> text(own.connectTimeout),
        "withLoginFloor" -> text(own.loginFloor),
        "withMaxConnections" -> own.maxConnections.toString,
        "withRetryBudget" -> s"${own.retryBudget} tokens",
        "withUpgradesPerSecond" -> own.upgradesPerSecond.toString,
        "withCoalescing" ->
          s"Lambda: ${ClientConfig("https://x.lambda-url.eu-north-1.on.aws").settings.coalesceAtMost} calls, ${text(own.coalesceWindow)}; a server: off",
        "withBreakerOpenFor" -> s"${text(own.share.openFor)} to ${text(own.share.maxOpenFor)}",
        "withBreakerSilence" -> text(own.share.silence),
        "withPolicyCheckInterval" -> text(own.policyCheckInterval),
        "withLocalQueue" -> s"${own.localQueue} calls"
      )
    ) assert(guide.contains(s"| `$setting` | $default |"), s"$setting: $default")
    assertEquals(own.coalesceAtMost, 1)
  }

  test("http beyond loopback is taken only by its own name") {
    for (near <- Seq("http://127.0.0.1:9000", "http://127.8.9.10", "http://localhost:9000", "http://[::1]:9000", "https://far.example"))
      assertEquals(ClientConfig(near).settings.endpoint.toString, near)
    for (far <- Seq("http://far.example", "http://127.0.0.1.far.example", "http://10.0.0.1", "http://localhost.far.example")) {
      val refused = intercept[IllegalArgumentException](ClientConfig(far))
      assert(refused.getMessage.contains("withoutTls"), refused.getMessage)
      assertEquals(ClientConfig.withoutTls(far).settings.endpoint.toString, far)
    }
  }

  test("settings refuse values out of range") {
    val config = ClientConfig("http://127.0.0.1:9000")
    intercept[IllegalArgumentException](config.withDeadline(0.millis))
    intercept[IllegalArgumentException](config.withDeadline(61.seconds))
    intercept[IllegalArgumentException](config.withLocalWorkers(0))
    intercept[IllegalArgumentException](config.withMaxConnections(0))
    intercept[IllegalArgumentException](ClientConfig("http://127.0.0.1:9000?x=1"))
    intercept[IllegalArgumentException](Saltern(config.withPolicies(PolicySource.Resource("nowhere.json"))))
  }
}

/** Signs with the default credentials chain, and prints the proof. */
object SignOnEks {
  def main(arguments: Array[String]): Unit = {
    val auth = SigV4(arguments(0))
    val uri = URI.create("https://abc.lambda-url.eu-north-1.on.aws/verify")
    println(Await.result(auth.headers("POST", uri, Nil, Array.emptyByteArray), 60.seconds))
  }
}

object ModulesSuite {

  /** Signature Version 4, written from its documentation with the JDK alone. */
  def sigV4(secret: String, date: String, region: String, time: String, path: String, headers: Seq[(String, String)], body: Array[Byte]): String = {
    def hex(bytes: Array[Byte]) = bytes.map("%02x".format(_)).mkString
    def sha256(bytes: Array[Byte]) = hex(java.security.MessageDigest.getInstance("SHA-256").digest(bytes))
    def hmac(key: Array[Byte], text: String) = {
      val mac = javax.crypto.Mac.getInstance("HmacSHA256")
      mac.init(new javax.crypto.spec.SecretKeySpec(key, "HmacSHA256"))
      mac.doFinal(text.getBytes(UTF_8))
    }
    val canonical = Seq("POST", path, "", headers.map { case (n, v) => s"$n:$v\n" }.mkString, headers.map(_._1).mkString(";"), sha256(body)).mkString("\n")
    val scope = s"$date/$region/lambda/aws4_request"
    val toSign = Seq("AWS4-HMAC-SHA256", time, scope, sha256(canonical.getBytes(UTF_8))).mkString("\n")
    hex(hmac(Seq(date, region, "lambda", "aws4_request").foldLeft(s"AWS4$secret".getBytes(UTF_8))(hmac), toSign))
  }
}
