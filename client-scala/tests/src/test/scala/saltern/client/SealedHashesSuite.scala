package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.security.SecureRandom
import java.util.Base64
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executor, TimeUnit}
import saltern.client.wire.Wire
import saltern.hashes.{Admitted, EncodedHash, Kernels, LocalHasher, LocalHasherSuite, Params, SealKeys, SealKeysSuite, Seals, Setting}
import saltern.testkit.{InMemoryService, RecordingListener, VirtualClient, VirtualScheduler}
import saltern.testkit.InMemoryService.Fault
import saltern.testkit.RecordingListener.Event
import scala.concurrent.Future
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.reflect.ClassTag
import scala.util.{Failure, Success}

/** Sealed hashes through the whole client, under virtual time. */
class SealedHashesSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap, hasher}
  import SealKeysSuite.{entry, keysOf, one, One, Two}

  private val secret = Password("secret")
  private val host = "sealed-hashes-suite.invalid"
  private val random = new SecureRandom

  private val first = one("first", entry("first", One))
  private val second = s"""{"current": "second", "keys": [${entry("first", One)}, ${entry("second", Two)}]}"""
  private val contexts = s"""{"current": "c", "keys": [{"id": "c", "key": "$One", "context": true}]}"""

  /** A source whose document a test replaces. */
  private final class Source(@volatile var document: String) extends SealKeySource {
    @volatile var last: Array[Byte] = Array.emptyByteArray
    def read(): Array[Byte] = { last = document.getBytes(UTF_8); last }
  }

  private final class World(ofService: Option[String] = None, change: ClientConfig => ClientConfig = identity) {
    private val warnings = new Warnings(host)
    val listener = new RecordingListener
    val service: InMemoryService = InMemoryService(cheap)
    ofService.foreach(document => service.useSealKeys(new Source(document)))
    val virtual = new VirtualClient(
      change(ClientConfig(s"https://$host").withPolicies(cheap).withListener(listener).withRetryBudget(0).withLoginFloor(Duration.Zero)),
      service
    )
    val client: Saltern = virtual.client
    def lines: Vector[String] = warnings.lines
    def away(): Unit = service.failAlways(Fault.Answer(502, Nil, ""))

    /** Calling this computes the waiting local hashes. */
    def ended[A](call: => Future[A]): Future[A] = { val future = call; virtual.runLocal(); future }
    def end(): Unit = { client.close(); warnings.close() }
  }

  private def now[A](future: Future[A]): A = future.value match {
    case Some(Success(answer)) => answer
    case Some(Failure(error))  => fail(s"$error: ${error.asInstanceOf[SalternError].detailed}")
    case None                  => fail("not answered yet")
  }

  private def failure[E <: SalternError: ClassTag](future: Future[Any]): E = future.value match {
    case Some(Failure(error: E)) => error
    case other                   => fail(s"$other")
  }

  private def sealedUnder(document: String, text: String, context: Option[String] = None): String =
    keysOf(document).seal(text, context, random).fold(refusal => fail(refusal.toString), identity)

  private val current = LocalHasherSuite.hash(hasher, "argon2id-2", "secret")

  // The answers of the service

  test("the service seals, seals anew and refuses, and the client reads every answer") {
    val world = new World(Some(second))
    val made = now(world.client.hash(secret))
    assert(made.encoded.startsWith("$saltern-seal$v=1,k=second$") && made.policy == "argon2id-2")
    assert(now(world.client.verify(secret, made.encoded)).matches && !now(world.client.verify(Password("wrong"), made.encoded)).matches)
    for ((stored, reason) <- Seq(current -> RehashReason.Unsealed, sealedUnder(first, current) -> RehashReason.OlderKey)) {
      val answer = now(world.client.login(secret, Some(stored)))
      assertEquals(answer.rehashReason, Some(reason))
      assertEquals(answer.rehashed.map(_.policy), Some(Some("argon2id-2")))
      assertEquals(keysOf(second).open(answer.rehashed.get.encoded, None).map(_.text), Right(current))
      assertEquals(now(world.client.verify(secret, stored)).rehashed, None)
    }
    val older = now(world.client.login(secret, Some(sealedUnder(first, bcrypt4))))
    assertEquals((older.rehashReason, older.rehashed.flatMap(_.policy)), (Some(RehashReason.OlderPolicy), Some("argon2id-2")))
    assert(StoredText.isSealed(older.rehashed.get.encoded))
    for (
      (stored, code) <- Seq(
        made.encoded.dropRight(4) + "AAAA" -> RefusalCode.SealBroken,
        made.encoded.replace("v=1,", "v=2,") -> RefusalCode.UnsupportedHash,
        made.encoded + "=" -> RefusalCode.InvalidHash
      )
    ) assertEquals(failure[SalternError.BadHash](world.client.login(secret, Some(stored))).code, code)
    world.end()
  }

  test("a string that no policy lists is sealed anew without a policy") {
    val stored = {
      val setting = Setting.fresh(Params.Argon2(Params.Variant.Id, Params.Version.V19, 128, 2, 1).get, new Array[Byte](16))
      val admitted = Admitted(setting, hasher.policies.ceilings).get
      setting.print(Kernels.compute(admitted, LocalHasherSuite.bytes("secret")))
    }
    val world = new World(Some(first))
    val answer = now(world.client.login(secret, Some(stored)))
    assertEquals((answer.policy, answer.rehashReason), (None, Some(RehashReason.Unsealed)))
    assertEquals(answer.rehashed.map(_.policy), Some(None))
    world.end()
  }

  test("the longest sealed string is sent, and a longer one is refused") {
    val id = "k" * 32
    val document = one(id, entry(id, One))
    val longest = sealedUnder(document, "x" * 1024)
    val world = new World(Some(document))
    assertEquals(longest.length, 1457)
    assertEquals(failure[SalternError.BadHash](world.client.verify(secret, longest)).origin, Origin.Remote: Origin)
    assertEquals(failure[SalternError.BadHash](world.client.verify(secret, longest + "A")).origin, Origin.Local: Origin)
    world.end()
  }

  test("an answer whose seal does not fit its reason or its policy is not believed") {
    val sealedText = sealedUnder(first, current)
    def read(stored: String, reason: String, policy: Option[String], rehashed: Option[(String, Option[String])]) =
      Operation.Verify(Some(stored), rehash = true, None).read(
        Wire.Answer(None, policy, Some(true), Some(true), Some(reason), rehashed.map { case (hash, own) => Wire.Rehashed(hash, own) }),
        new Timing(1.milli, None, None)
      )
    val p = Some("p")
    for (
      (stored, reason, policy, rehashed) <- Seq(
        (current, "unsealed", p, Some(sealedText -> p)),
        (current, "unsealed", None, Some(sealedText -> None)),
        (current, "unsealed", p, None),
        (sealedText, "older_key", p, Some(sealedText -> p)),
        (sealedText, "older_policy", p, Some(sealedText -> Some("q"))),
        (current, "older_policy", p, Some(current -> Some("q"))),
        (current, "a_later_one", p, Some(current -> None))
      )
    ) assert(read(stored, reason, policy, rehashed).isDefined, s"$reason $policy $rehashed")
    for (
      (stored, reason, policy, rehashed) <- Seq(
        (sealedText, "unsealed", p, None),
        (current, "older_key", p, None),
        (current, "unsealed", p, Some(current -> p)),
        (current, "unsealed", p, Some(sealedText -> None)),
        (current, "unsealed", p, Some(sealedText -> Some("q"))),
        (sealedText, "older_key", None, Some(sealedText -> p)),
        (current, "older_policy", p, Some(current -> None)),
        (current, "older_policy", p, Some("$" + "x" * 1024 -> p)),
        (sealedText, "older_key", p, Some("$saltern-seal$" + "x" * 1444 -> p))
      )
    ) assertEquals(read(stored, reason, policy, rehashed), None, s"$reason $policy $rehashed")
  }

  // The context

  test("the context of a call is in its request, through every facade, and alone or in a batch") {
    val bodies = new ConcurrentLinkedQueue[String]
    val service = InMemoryService(cheap)
    val recording = new Transport {
      def send(request: Transport.Request): Transport.Exchange = {
        if (request.path != "/policies") bodies.add(new String(request.body, UTF_8))
        service.send(request)
      }
      def close(): Unit = ()
    }
    service.useSealKeys(new Source(contexts))
    val client = Saltern(ClientConfig(s"https://$host").withPolicies(cheap).withLoginFloor(Duration.Zero).withDeadline(60.seconds), recording)
    try {
      val own = client.withContext("user \"7\"")
      val made = own.blocking.hash(secret).encoded
      val calls = Seq[() => Verified](
        () => own.blocking.login(secret, Some(made)),
        () => client.blocking.withContext("user \"7\"").verify(secret, made),
        () => client.stages.withContext("user \"7\"").login(secret, java.util.Optional.of(made)).get,
        () => client.withDeadline(50.seconds).withContext("user \"7\"").withDeadline(40.seconds).blocking.verify(secret, made)
      )
      for (call <- calls) assert(call().matches)
      assert(bodies.asScala.toVector.forall(_.contains(""""context":"user \"7\""""")), bodies.toString)
      assertEquals(intercept[SalternError.BadHash](client.withContext("user 8").blocking.login(secret, Some(made))).code, RefusalCode.SealBroken)
      val missing = intercept[SalternError.Misconfigured](client.blocking.login(secret, Some(made)))
      assertEquals((missing.code, missing.origin), (RefusalCode.InvalidRequest, Origin.Remote: Origin))
    } finally client.close()
  }

  test("a context that the service would not take is refused before anything is sent") {
    val world = new World(Some(contexts))
    for (context <- Seq("", "x" * 257, "é" * 129, "\ud800", null)) {
      val own = world.client.withContext(context)
      for (call <- Seq[Future[Any]](own.hash(secret), own.hash(secret, "bcrypt-4"), own.verify(secret, bcrypt4), own.login(secret, None))) {
        val error = failure[SalternError.Misconfigured](call)
        assertEquals((error.code, error.origin), (RefusalCode.InvalidRequest, Origin.Local: Origin))
        assert(error.detailed.contains("context"), error.detailed)
      }
    }
    assertEquals(world.service.requests, Vector.empty)
    for (context <- Seq("7", "x" * 256, "é" * 128)) assert(StoredText.isSealed(now(world.client.withContext(context).hash(secret)).encoded))
    world.end()
  }

  // A host without keys

  test("while the service is away, a sealed hash is not available on a host without keys; it is counted, and told once") {
    val world = new World(Some(first), _.withLoginFloor(400.millis))
    val stored = sealedUnder(first, current)
    world.away()
    // Unknown users are answered as these, once a seal was seen.
    for (row <- Seq.fill(5)(Some(stored)) ++ Seq.fill(3)(None)) {
      val login = world.client.login(secret, row)
      assertEquals(world.virtual.localWaiting, 1, "the decoy's work")
      world.virtual.runLocal()
      world.virtual.advance(399.millis)
      assert(!login.isCompleted, "before the floor")
      world.virtual.advance(1.milli)
      val error = failure[SalternError.NotAvailableLocally](login)
      assert(error.detailed.contains("no seal keys"), error.detailed)
    }
    assertEquals(world.listener.events.count { case Event.Error("verify", _: SalternError.NotAvailableLocally) => true; case _ => false }, 5)
    assertEquals(world.lines.count(_.contains("withSealKeys")), 1, world.lines.mkString("\n"))
    assert(world.lines.forall(!_.contains("$saltern-seal$")))
    world.end()
  }

  test("without keys a full host refuses the login of a sealed hash as that of an unknown user") {
    val world = new World(Some(first), _.withLocalWorkers(1).withLocalQueue(0))
    val stored = sealedUnder(first, current)
    world.away()
    val running = world.client.verify(secret, current)
    assertEquals(world.virtual.localWaiting, 1)
    val waits = for (row <- Seq(Some(stored), None)) yield failure[SalternError.Overloaded](world.client.login(secret, row)).retryAfter
    assertEquals(waits.distinct.size, 1, waits.toString)
    world.virtual.runLocal()
    assert(running.isCompleted)
    world.end()
  }

  test("without keys a new hash is made locally only until a seal was seen, or as the setting says") {
    def madeAway(world: World): Future[Hashed] = { world.away(); world.ended(world.client.hash(secret)) }
    def isRefused(call: Future[Hashed]): Boolean = call.value.exists(_.failed.toOption.exists(_.isInstanceOf[SalternError.NotAvailableLocally]))
    val seen = Seq[World => Any](
      world => now(world.client.hash(secret)),
      world => now(world.client.login(secret, Some(current))),
      world => now(world.client.verify(secret, current)),
      world => now(world.client.login(secret, Some(sealedUnder(first, current)))),
      world => { world.away(); world.client.login(secret, Some(sealedUnder(first, current))) }
    )
    for ((shows, at) <- seen.zipWithIndex) {
      val world = new World(Some(first))
      shows(world)
      assert(isRefused(madeAway(world)), s"$at")
      assert(world.lines.exists(_.contains("new hashes are sealed")), world.lines.mkString("\n"))
      world.end()
      val allowed = new World(Some(first), _.withHashesUnsealed(true))
      shows(allowed)
      assert(!StoredText.isSealed(now(madeAway(allowed)).encoded))
      allowed.end()
    }
    val unseen = new World(Some(first))
    assert(!StoredText.isSealed(now(madeAway(unseen)).encoded))
    unseen.end()
    val never = new World(Some(first), _.withHashesUnsealed(false))
    assert(isRefused(madeAway(never)))
    never.end()
    val left = new World()
    left.client.rehashReason(sealedUnder(first, current))
    assert(isRefused(madeAway(left)))
    left.service.recover()
    while (now(left.ended(left.client.verify(secret, bcrypt4))).origin == Origin.Local) left.virtual.advance(100.millis)
    assert(!StoredText.isSealed(now(left.client.hash(secret)).encoded))
    assert(!isRefused(madeAway(left)), "the service does not seal any more")
    left.end()
  }

  test("a sealed hash has no reason that this host cannot see") {
    val without = new World()
    assertEquals(without.client.rehashReason(sealedUnder(first, bcrypt4)), None)
    without.end()
    val keyed = new World(change = _.withSealKeys(new Source(second)))
    for (
      (stored, reason) <- Seq(
        sealedUnder(first, bcrypt4) -> Some(RehashReason.OlderPolicy),
        sealedUnder(first, current) -> Some(RehashReason.OlderKey),
        sealedUnder(second, current) -> None,
        current -> Some(RehashReason.Unsealed)
      )
    ) assertEquals(keyed.client.rehashReason(stored), reason)
    keyed.end()
  }

  // A host with keys

  test("to seal hashes anew takes no login's upgrade") {
    val world = new World(Some(second), _.withSealKeys(new Source(second)).withUpgradesPerSecond(1))
    for (_ <- 1 to 3; stored <- Seq(current, sealedUnder(first, current)))
      assert(now(world.client.login(secret, Some(stored))).rehashed.isDefined)
    world.end()
  }

  test("while the service is away, a host with keys gives the service's answers") {
    val world = new World(Some(second), _.withSealKeys(new Source(second)))
    val made = now(world.client.hash(secret)).encoded
    world.away()
    val stored = Seq(made -> None, sealedUnder(first, current) -> Some(RehashReason.OlderKey), current -> Some(RehashReason.Unsealed))
    for ((hash, reason) <- stored :+ (sealedUnder(first, bcrypt4) -> Some(RehashReason.OlderPolicy))) {
      val answer = now(world.ended(world.client.login(secret, Some(hash))))
      assertEquals((answer.matches, answer.origin, answer.rehashReason, answer.rehashed), (true, Origin.Local: Origin, reason, None))
      assert(!now(world.ended(world.client.login(Password("wrong"), Some(hash)))).matches)
    }
    val local = now(world.ended(world.client.hash(secret)))
    assertEquals(local.origin, Origin.Local: Origin)
    assert(local.encoded.startsWith("$saltern-seal$v=1,k=second$"))
    val known = InMemoryService(cheap)
    known.useSealKeys(new Source(second))
    val other = new VirtualClient(ClientConfig(s"https://$host").withPolicies(cheap).withLoginFloor(Duration.Zero), known)
    assert(now(other.client.login(secret, Some(local.encoded))).matches, "the service opens what this host sealed")
    other.client.close()
    world.end()
  }

  test("with keys a wrong context, a damaged seal, an unknown key, a nested seal and a seal over rubbish have typed answers") {
    val keys = keysOf(contexts)
    def of(text: String, context: String = "7") = keys.seal(text, Some(context), random).fold(refusal => fail(refusal.toString), identity)
    val good = of(current)
    def shorter = {
      val (head, body) = good.splitAt(good.lastIndexOf('$') + 1)
      head + Base64.getEncoder.withoutPadding.encodeToString(Base64.getDecoder.decode(body).dropRight(1))
    }
    def flipped(at: Int) = good.updated(at, if (good(at) == 'A') 'B' else 'A')
    val world = new World(Some(contexts), _.withSealKeys(new Source(contexts)))
    world.away()
    def login(stored: String, context: Option[String] = Some("7")): Future[Verified] =
      world.ended(context.fold(world.client)(world.client.withContext).login(secret, Some(stored)))
    assert(now(login(good)).matches)
    for (
      (stored, code) <- Seq(
        of(current, "8") -> RefusalCode.SealBroken,
        flipped(good.length - 2) -> RefusalCode.SealBroken,
        flipped(good.length - 40) -> RefusalCode.SealBroken,
        flipped(26) -> RefusalCode.SealBroken,
        shorter -> RefusalCode.SealBroken,
        good.take(30) -> RefusalCode.InvalidHash,
        good.replace("v=1", "v=2") -> RefusalCode.UnsupportedHash,
        of(good) -> RefusalCode.InvalidHash,
        of("$2b$04$short") -> RefusalCode.InvalidHash,
        of("rubbish") -> RefusalCode.UnsupportedHash,
        of("$2b$31$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S") -> RefusalCode.CostOutOfBounds
      )
    ) {
      val error = failure[SalternError.BadHash](login(stored))
      assertEquals((error.code, error.origin), (code, Origin.Local: Origin), stored)
    }
    assertEquals(failure[SalternError.Misconfigured](login(good, None)).code, RefusalCode.InvalidRequest)
    assertEquals(failure[SalternError.Misconfigured](world.ended(world.client.hash(secret))).code, RefusalCode.InvalidRequest)
    val _ = failure[SalternError.NotAvailableLocally](login(sealedUnder(one("other", entry("other", Two)), current)))
    assertEquals(world.lines.count(_.contains("a key that this host does not have")), 1, world.lines.mkString("\n"))
    world.end()
  }

  test("every bit of a sealed hash flipped, and every part of it, is never a match or a mismatch") {
    val stored = sealedUnder(first, current)
    val world = new World(change = _.withSealKeys(new Source(first)).withFallback(Fallback.UnreachableOrOverloaded))
    world.away()
    val flipped = for (at <- stored.indices; bit <- 0 until 7) yield stored.updated(at, (stored(at).toInt ^ 1 << bit).toChar)
    val parts = (1 until stored.length).flatMap(length => Seq(stored.take(length), stored.drop(length)))
    for (damaged <- flipped ++ parts) {
      val answer = world.ended(world.client.verify(secret, damaged)).value
      assert(
        answer.exists(_.failed.toOption.exists { case _: SalternError.BadHash | _: SalternError.NotAvailableLocally => true; case _ => false }),
        s"$damaged: $answer"
      )
    }
    world.end()
  }

  test("where the document has `require`, an unsealed hash is refused, and new ones are sealed") {
    val requiring = first.replace("{\"current\"", "{\"require\": true, \"current\"")
    val world = new World(Some(requiring), _.withSealKeys(new Source(requiring)).withHashesUnsealed(true))
    for (away <- Seq(false, true)) {
      if (away) world.away()
      assertEquals(failure[SalternError.BadHash](world.ended(world.client.verify(secret, current))).code, RefusalCode.UnsupportedHash)
      assert(StoredText.isSealed(now(world.ended(world.client.hash(secret))).encoded))
    }
    world.end()
  }

  test("a rotation needs no restart; a document that cannot be read leaves the last keys in use, and is told once") {
    val source = new Source(first)
    val world = new World(Some(first), _.withSealKeys(source))
    world.away()
    def madeUnder: String = now(world.ended(world.client.hash(secret))).encoded.split('$')(2)
    assertEquals(madeUnder, "v=1,k=first")
    source.document = second
    world.virtual.advance(59.seconds)
    assertEquals(madeUnder, "v=1,k=first")
    world.virtual.advance(1.second)
    assertEquals(madeUnder, "v=1,k=second")
    assert(source.last.nonEmpty && source.last.forall(_ == 0), "the document is not wiped")
    for (broken <- Seq("{", null)) {
      source.document = broken
      world.virtual.advance(1.minute)
      assertEquals(madeUnder, "v=1,k=second")
    }
    assertEquals(world.lines.count(_.contains("the seal keys cannot be read again")), 1, world.lines.mkString("\n"))
    assert(now(world.ended(world.client.login(secret, Some(sealedUnder(first, current))))).matches)
    world.end()
  }

  test("a system that starts no thread to read the keys again delays them by a minute") {
    val (source, scheduler) = (new Source(first), new VirtualScheduler)
    var threads = 0
    val reader: Executor = task => if (threads > 0) task.run() else throw new OutOfMemoryError("unable to create native thread")
    val config = ClientConfig(s"https://$host").withPolicies(cheap).withSealKeys(source).withCompletionExecutor(_.run())
    val client = Saltern.wired(config, InMemoryService(cheap), scheduler, _ => reader, () => 0.5, reader)
    def keys: Seq[String] = now(client.check()).sealKeys.map(_.id)
    source.document = second
    scheduler.advance(1.minute)
    assertEquals(keys, Seq("first"))
    threads = 1
    scheduler.advance(1.minute)
    assertEquals(keys, Seq("first", "second"))
    client.close()
  }

  test("a source of keys that hangs is told") {
    val (warnings, scheduler) = (new Warnings(host), new VirtualScheduler)
    val hanging: Executor = _ => ()
    val config = ClientConfig(s"https://$host").withPolicies(cheap).withSealKeys(new Source(first)).withCompletionExecutor(_.run())
    val client = Saltern.wired(config, InMemoryService(cheap), scheduler, _ => hanging, () => 0.5, hanging)
    def told: Int = warnings.lines.count(_.contains("cannot be read again: the source has not answered for a minute"))
    scheduler.advance(1.minute)
    assertEquals(told, 0)
    scheduler.advance(1.minute)
    assertEquals(told, 1)
    client.close()
    warnings.close()
  }

  test("a source of keys that lacks a class is told") {
    var broken = false
    val source: SealKeySource = () => if (broken) throw new NoClassDefFoundError("of the store") else first.getBytes(UTF_8)
    val world = new World(change = _.withSealKeys(source))
    broken = true
    world.virtual.advance(1.minute)
    assertEquals(world.lines.count(_.contains("cannot be read again: NoClassDefFoundError;")), 1, world.lines.mkString("\n"))
    world.end()
  }

  test("a client with an invalid document of keys is not made") {
    for (document <- Seq("{", first.replace(One, "AAAA"))) {
      val refused = intercept[IllegalArgumentException](Saltern(ClientConfig(s"https://$host").withSealKeys(new Source(document)), InMemoryService(cheap)))
      assert(refused.getMessage.startsWith("sealKeys: ") && !refused.getMessage.contains(One.take(8)), refused.getMessage)
    }
  }

  test("the report has each key's check value") {
    val world = new World(Some(second), _.withSealKeys(new Source(second)))
    val report = world.client.check()
    world.virtual.advance(1.minute)
    val keys = now(report).sealKeys
    assertEquals(keys.map(key => (key.id, key.isCurrent)), Seq(("first", false), ("second", true)))
    assertEquals(keys.map(_.checkValue), keysOf(second).list.map(_.checkValue))
    assert(now(report).toString.endsWith(s"seal key second: ${keys(1).checkValue}, current"), now(report).toString)
    world.end()
  }

  test("calls with sealed hashes share a batch only where this host can open them") {
    def costs(keys: Option[SealKeys]) =
      new LocalHasher(hasher.policies, random, seals = new Seals(keys, None, random)).costsOf(sealedUnder(first, bcrypt4), None)
    assertEquals(costs(Some(keysOf(first))), EncodedHash.parse(bcrypt4).toOption.map(_.setting.params))
    assertEquals(costs(None), None)
  }

  test("synchronous interfaces store the hash that was sealed anew, and hash nothing twice") {
    val service = InMemoryService(cheap)
    service.useSealKeys(new Source(second))
    val client = Saltern(ClientConfig(s"https://$host").withPolicies(cheap).withLoginFloor(Duration.Zero).withDeadline(60.seconds), service)
    try {
      val encoder = new FrameworkEncoder(client)
      for (stored <- Seq(current, sealedUnder(first, current), sealedUnder(first, bcrypt4))) {
        service.clear()
        val password = new String("secret")
        assert(encoder.matches(password, stored) && encoder.needsUpgrade(stored), stored)
        val made = encoder.encode(password)
        assert(made.startsWith("$saltern-seal$v=1,k=second$"), made)
        assertEquals(service.requests.map(_.path), Vector("/verify"), "no second request")
        assert(encoder.matches(password, made) && !encoder.needsUpgrade(made))
      }
      service.useSealKeys(new Source(contexts))
      val ofUser = encoder.withContext("7")
      val made = ofUser.encode("secret")
      assert(ofUser.matches("secret", made))
      intercept[SalternError.BadHash](encoder.withContext("8").matches("secret", made))
    } finally client.close()
  }

  test("the keys are read again on a daemon thread") {
    val read = new CountDownLatch(1)
    Threads.onDemand("saltern-seal-keys", atMost = 1).execute { () =>
      if (Thread.currentThread.isDaemon && Thread.currentThread.getName.startsWith("saltern-seal-keys")) read.countDown()
    }
    assert(read.await(60, TimeUnit.SECONDS))
  }
}
