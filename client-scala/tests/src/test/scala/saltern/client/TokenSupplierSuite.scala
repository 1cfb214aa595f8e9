package saltern.client

import java.net.URI
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}
import saltern.testkit.RecordingListener
import scala.concurrent.{Await, Future, Promise}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** Bearer tokens that change while the client runs. */
class TokenSupplierSuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap}

  /** The end of a wait for an event that comes, however busy the machine is. */
  private val EventualEnd = 60.seconds

  /** A service that takes one token at a time. */
  private final class Service(first: String) extends AutoCloseable {
    val taken = new AtomicReference(first)
    private val server = new RawServer((seen, out) => out.write(seen.named(answer(seen))))
    val listener = new RecordingListener

    private def answer(seen: RawServer.Seen): Array[Byte] =
      if (seen.path == "/policies" || seen.headers.get("authorization").contains(s"Bearer ${taken.get}"))
        RawServer.response(200, "application/json", RawServer.mismatch)
      else
        RawServer.response(
          401,
          "application/problem+json",
          """{"type":"urn:saltern:problem:unauthorized","title":"t","status":401,"code":"unauthorized","detail":"d"}"""
        )

    def tokens: Vector[String] = server.seen.asScala.map(_.headers("authorization").stripPrefix("Bearer ")).toVector

    def client(supplier: TokenSupplier): Saltern = Saltern(
      ClientConfig(server.uri)
        .withPolicies(cheap)
        .withDeadline(EventualEnd)
        .withAttemptTimeout(EventualEnd / 2)
        .withConnectTimeout(EventualEnd / 2)
        .withBreakerSilence(EventualEnd / 2)
        .withListener(listener)
        .withAuth(RequestAuth.bearer(supplier))
    )

    def close(): Unit = server.close()
  }

  private def verify(client: Saltern): Verified = Await.result(client.verify(Password("secret"), bcrypt4), EventualEnd)

  private def inFile(test: Path => Unit): Unit = {
    val file = Files.createTempFile("saltern-token", "")
    try test(file)
    finally { val _ = Files.deleteIfExists(file) }
  }

  test("a token that was replaced in its file is read again after a 401, and the same request is answered") {
    inFile { file =>
      Files.writeString(file, "one\n")
      val service = new Service("one")
      val client = service.client(TokenSupplier.file(file))
      assertEquals(verify(client).origin, Origin.Remote: Origin)
      Files.writeString(file, "two\n")
      service.taken.set("two")
      for (_ <- 1 to 3) assertEquals(verify(client).origin, Origin.Remote: Origin)
      assertEquals(service.tokens, Vector("one", "one", "two", "two", "two"))
      assertEquals(service.listener.fallbacks, Vector.empty)
      client.close()
      service.close()
    }
  }

  test("a client that is closed leaves the token's file to others with the same settings") {
    inFile { file =>
      Files.writeString(file, "one")
      val (service, supplier) = (new Service("one"), TokenSupplier.file(file))
      service.client(supplier).close()
      val client = service.client(supplier)
      assertEquals(verify(client).origin, Origin.Remote: Origin)
      client.close()
      service.close()
    }
  }

  test("without a readable file, or with one that holds no token, calls are hashed locally") {
    inFile { file =>
      val service = new Service("one")
      for (content <- Seq(Some("two words"), Some(""), None)) {
        content.fold(Files.delete(file))(text => { val _ = Files.writeString(file, text) })
        val client = service.client(TokenSupplier.file(file))
        assertEquals(verify(client).origin, Origin.Local: Origin)
        client.close()
      }
      assertEquals(service.tokens, Vector.empty)
      assertEquals(service.listener.fallbacks.distinct, Vector(FallbackReason.CredentialsFailed: FallbackReason))
      service.close()
    }
  }

  test("the supplier is asked once for many requests that were refused at once") {
    val service = new Service("one")
    val supplier = new Scripted
    val client = service.client(supplier)
    supplier.answer(Token("one"))
    verify(client)
    service.taken.set("two")
    val calls = Vector.fill(20)(client.verify(Password("secret"), bcrypt4))
    val end = EventualEnd.fromNow
    while (service.tokens.size < 21 && end.hasTimeLeft()) Thread.sleep(1)
    supplier.answer(Token("two"))
    assertEquals(calls.map(Await.result(_, EventualEnd).origin).distinct, Vector(Origin.Remote: Origin))
    assertEquals((supplier.asked, service.tokens.count(_ == "one"), service.tokens.count(_ == "two")), (2, 21, 20))
    client.close()
    assert(supplier.closed, "the supplier is closed with the client")
    service.close()
  }

  test("after its time a token is sent until there is the next one") {
    val at = new Timed
    at.supplier.answer(Token("one", Some(10.seconds)))
    assertEquals(at.sent(), Some("one"))
    at.pass(9.seconds)
    assertEquals((at.sent(), at.supplier.asked), (Some("one"), 1))
    at.pass(1.second)
    assertEquals((at.sent(), at.sent(), at.supplier.asked), (Some("one"), Some("one"), 2))
    at.supplier.answer(Token("two"))
    assertEquals(at.sent(), Some("two"))
    at.pass(1.hour)
    assertEquals((at.sent(), at.supplier.asked), (Some("two"), 2))
  }

  test("a supplier that fails or has no other token is asked once a second") {
    val at = new Timed
    at.supplier.fail()
    assertEquals((at.sent(), at.sent(), at.supplier.asked), (None, None, 1))
    at.pass(1.second)
    at.supplier.answer(Token("one", Some(10.seconds)))
    assertEquals((at.sent(), at.supplier.asked), (Some("one"), 2))
    at.supplier.answer(Token("one"))
    for (_ <- 1 to 3) assertEquals(at.after("one"), None)
    assertEquals(at.supplier.asked, 3)
    at.pass(1.second)
    at.supplier.fail()
    assertEquals((at.after("one"), at.sent(), at.supplier.asked), (None, Some("one"), 4))
  }

  test("a 401 to an older token gives the newer one without a question") {
    val at = new Timed
    at.supplier.answer(Token("one"))
    at.sent()
    at.supplier.answer(Token("two"))
    assertEquals((at.after("one"), at.after("one"), at.supplier.asked), (Some("two"), Some("two"), 2))
  }

  test("a supplier that never answers holds a request for three seconds") {
    val auth = RequestAuth.bearer(new Scripted)
    val failed = Await.ready(auth.headers("POST", URI.create("http://127.0.0.1"), Nil, Array.emptyByteArray), EventualEnd)
    assert(failed.value.exists(_.isFailure))
  }

  test("a supplier that got no thread, or gave null, is asked again a second later") {
    for (problem <- Seq[() => Future[Token]](() => throw new OutOfMemoryError("unable to create native thread"), () => Future.successful(null))) {
      var now = 0L
      val answers = Iterator[() => Future[Token]](problem, () => Future.successful(Token("one")))
      val supplier: TokenSupplier = () => answers.next()()
      val auth = new SuppliedAuth(supplier, () => now)
      def isSent: Option[Boolean] = auth.headers("POST", URI.create("http://127.0.0.1"), Nil, Array.emptyByteArray).value.map(_.isSuccess)
      assertEquals(isSent, Some(false))
      now = 1.second.toNanos
      assertEquals(isSent, Some(true))
    }
  }

  test("a token is visible ASCII, and nothing prints it") {
    for (wrong <- Seq("", "two words", "marked-tökén", "marked\n", "marked\r\nx: y"); make <- Seq[String => Any](Token(_), RequestAuth.bearer(_: String))) {
      val refused = intercept[IllegalArgumentException](make(wrong))
      assert(!refused.getMessage.contains("marked"), refused.getMessage)
    }
    val auth = RequestAuth.bearer(new Scripted)
    for (text <- Seq(Token("marked").toString, auth.toString, ClientConfig("http://127.0.0.1:1").withAuth(auth).toString))
      assert(!text.contains("marked"), text)
  }

  /** Answers questions in their order with the given answers, and waits for further ones. */
  private final class Scripted extends TokenSupplier {
    private val answers = Iterator.continually(Promise[Token]()).to(LazyList)
    private val answered, questions = new AtomicInteger
    @volatile var closed = false
    def answer(token: Token): Unit = answers(answered.getAndIncrement()).success(token)
    def fail(): Unit = answers(answered.getAndIncrement()).failure(new IllegalStateException)
    def asked: Int = questions.get
    def token(): Future[Token] = answers(questions.getAndIncrement()).future
    override def close(): Unit = closed = true
  }

  /** The authentication alone, in virtual time. A question that is open gives no token. */
  private final class Timed {
    val supplier = new Scripted
    @volatile private var now = 0L
    private val auth = new SuppliedAuth(supplier, () => now)
    def pass(time: FiniteDuration): Unit = now += time.toNanos
    def sent(): Option[String] = tokenOf(auth.headers("POST", URI.create("http://127.0.0.1"), Nil, Array.emptyByteArray))
    def after(token: String): Option[String] =
      auth.headersAfter(RequestAuth.bearerHeaders(token)).value.flatMap(_.toOption).flatten.map(textOf)
    private def tokenOf(headers: Future[Seq[(String, String)]]): Option[String] = headers.value.flatMap(_.toOption).map(textOf)
    private def textOf(headers: Seq[(String, String)]): String = headers.head._2.stripPrefix("Bearer ")
  }
}
