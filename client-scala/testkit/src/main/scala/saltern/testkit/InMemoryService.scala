package saltern.testkit

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.charset.StandardCharsets.UTF_8
import java.security.SecureRandom
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import saltern.client.{PolicySource, RefusalCode, RehashReason, SealKeySource, Transport, TransportFailure}
import saltern.client.LocalHashing.Failure
import saltern.client.wire.Name
import saltern.hashes.{KeyDocument, LocalHasher, Policies, Seals}
import scala.concurrent.{Future, Promise}
import scala.jdk.CollectionConverters.*
import scala.util.control.NonFatal

/** The service in memory. It answers as the contract says, by real hashing, with the client's
  * packed policies. Faults are scripted: each request meets the next fault, and without a fault the
  * service answers normally.
  *
  * It hashes on the calling thread. Use [[InMemoryService.CheapPolicies]], or `Fault.Answer`.
  */
final class InMemoryService private (policies: Policies) extends Transport {
  import InMemoryService.*

  private val seals = Seals.none
  private val hasher = new LocalHasher(policies, new SecureRandom, seals = seals)
  private val script = new ConcurrentLinkedQueue[Fault]
  private val seen = new ConcurrentLinkedQueue[Recorded]
  private val givenUp = new AtomicInteger
  @volatile private var always: Option[Fault] = None
  @volatile private var blocklist = ""

  /** The next requests meet these faults, in order. */
  def next(faults: Fault*): Unit = faults.foreach(script.add)

  /** Every request meets this fault, until `recover`. */
  def failAlways(fault: Fault): Unit = always = Some(fault)

  /** Removes all faults. */
  def recover(): Unit = { always = None; script.clear() }

  /** Opens and seals hashes with these keys from now on, as `saltern serve --seal-keys` does. An
    * invalid document is an `IllegalArgumentException`.
    */
  def useSealKeys(source: SealKeySource): Unit =
    seals.replace(KeyDocument.read(source.read()).fold(problem => throw new IllegalArgumentException(problem), identity))

  /** Tells from now on that it has a list of breached passwords. The list is empty. */
  def useBlocklist(): Unit = blocklist = ""","blocklist":{"digest":"sha256:0","entries":0,"false_refusals":0}"""

  /** Every request that arrived, oldest first, without the policy check's `GET /policies`. */
  def requests: Vector[Recorded] = seen.asScala.toVector

  /** Forgets the requests that have arrived. */
  def clear(): Unit = seen.clear()

  /** The number of exchanges that the client ended before their answer, by a timeout or a cancel.
    */
  def abandoned: Int = givenUp.get

  override def send(request: Transport.Request): Transport.Exchange = {
    if (request.path != "/policies") seen.add(new Recorded(request.method, request.path, request.headers, operationsOf(request)))
    def named(response: Transport.Response): Transport.Exchange = new Settled(Future.successful(InMemoryService.named(request, response)))
    // The scripted faults are for calls.
    val fault = if (request.path == "/policies") always else always.orElse(Option(script.poll()))
    fault match {
      case None                                      => named(answer(request))
      case Some(Fault.Answer(status, headers, body)) =>
        new Settled(Future.successful(new Transport.Response(status, headers, body.getBytes(UTF_8))))
      case Some(Fault.Body(status, text))    => named(json(withNames(request, text), status))
      case Some(Fault.Fails(kind))           => new Settled(Future.failed(new TransportFailure(kind, "scripted")))
      case Some(Fault.Never)                 => new Settled(Promise[Transport.Response]().future)
      case Some(Fault.Problem(status, code)) => named(problem(status, code))
    }
  }

  override def close(): Unit = ()

  private final class Settled(val response: Future[Transport.Response]) extends Transport.Exchange {
    def cancel(): Unit = if (!response.isCompleted) { val _ = givenUp.incrementAndGet() }
  }

  private def answer(request: Transport.Request): Transport.Response =
    try
      request.path match {
        case "/policies" => json(s"""{"digest":"${policies.digest}"$blocklist}""")
        case "/hash"     => single(readFromArray[Operation](request.body).copy(op = Some("hash")))
        case "/verify"   => single(readFromArray[Operation](request.body).copy(op = Some("verify")))
        case "/batch"    =>
          val results = readFromArray[Batch](request.body).operations.map { operation =>
            val id = operation.id.fold("")(text => s""""id":"$text",""")
            run(operation) match {
              case Right(body)          => s"""{$id"status":200,"body":$body}"""
              case Left((status, code)) => s"""{$id"status":$status,"problem":${problemText(status, code)}}"""
            }
          }
          json(results.mkString("{\"results\":[", ",", "]}"))
        case _ => problem(404, "not_found")
      }
    catch { case NonFatal(_) => problem(400, "invalid_request") }

  private def single(operation: Operation): Transport.Response = run(operation).fold({ case (status, code) => problem(status, code) }, json(_))

  /** Returns the body, or the status and the code of the problem. */
  private def run(operation: Operation): Either[(Int, String), String] = {
    val password = operation.password.getBytes(UTF_8)
    val context = operation.context
    def problem(failure: Failure): (Int, String) = failure match {
      case Failure.Refused(code)      => 422 -> code
      case Failure.ContextMissing     => 400 -> RefusalCode.InvalidRequest
      case Failure.NoSealKey(_, code) => (if (code == RefusalCode.UnsupportedHash) 422 else 503) -> code
      case _                          => 422 -> RefusalCode.UnsupportedHash
    }
    if (!context.forall(text => ContextBytes.contains(text.getBytes(UTF_8).length))) Left(400 -> RefusalCode.InvalidRequest)
    else if (operation.op.contains("hash"))
      hasher.prepareHash(operation.policy, password, context).left.map(problem).map { job =>
        val made = job.run()
        s"""{"hash":"${made.encoded}","policy":"${made.policy}"}"""
      }
    else
      hasher.prepareVerify(operation.hash, password, context).left.map(problem).map { job =>
        val verdict = job.run()
        val rehashed = verdict.rehashReason.filter(_ => operation.rehash).flatMap {
          case RehashReason.OlderKey | RehashReason.Unsealed => sealedAnew(operation.hash, context).map(_ -> verdict.policy)
          case _                                             =>
            hasher.prepareHash(None, password, context).toOption.map(_.run()).map(made => made.encoded -> Some(made.policy))
        }
        s"""{"match":${verdict.matches},"needs_rehash":${verdict.rehashReason.isDefined},""" +
          s""""rehash_reason":${quoted(verdict.rehashReason.map(_.name))},"policy":${quoted(verdict.policy)}""" +
          rehashed.fold("") { case (hash, policy) => s""","rehashed":{"hash":"$hash","policy":${quoted(policy)}}""" } + "}"
      }
  }

  private def sealedAnew(stored: Option[String], context: Option[String]): Option[String] =
    for (text <- stored; opened <- seals.open(text, context).toOption; seal <- seals.sealing(context).toOption) yield seal(opened.text)

  private def operationsOf(request: Transport.Request): Int = if (request.path == "/batch") idsOf(request).size else 1

  private def idsOf(request: Transport.Request): Vector[String] =
    try readFromArray[Batch](request.body).operations.map(_.id.getOrElse(""))
    catch { case NonFatal(_) => Vector.empty }

  private def withNames(request: Transport.Request, text: String): String =
    idsOf(request).zipWithIndex.foldLeft(text) { case (body, (id, index)) => body.replace(s"{$index}", id) }
}

object InMemoryService {

  /** The shipped policies with costs at their floors, for service and client of a test. A hash
    * takes a few milliseconds. Never use them for real passwords.
    */
  val CheapPolicies: PolicySource = PolicySource.Resource("saltern/testkit/cheap-policies.json")

  /** Makes a service with the shipped policies, or with another document; an invalid one is an
    * `IllegalArgumentException`.
    */
  def apply(source: PolicySource = PolicySource.Packed): InMemoryService = new InMemoryService(Policies.of(source))

  /** The faults that a request may meet instead of an answer. */
  sealed trait Fault
  object Fault {

    /** This answer to any request, without the request's name: something between the client and the
      * service answers.
      *
      * @param status of HTTP
      * @param headers names and values
      * @param body sent as UTF-8
      */
    final case class Answer(status: Int, headers: Seq[(String, String)], body: String) extends Fault

    /** This JSON to any request, with the request's name: the service itself answers wrongly.
      *
      * @param status of HTTP
      * @param text sent as UTF-8. In the answer to a batch, `{0}` stands for the name of its first
      *   operation, `{1}` for that of the second, and so on.
      */
    final case class Body(status: Int, text: String) extends Fault

    /** A problem document of the contract.
      *
      * @param status of HTTP
      * @param code of the contract, such as `overloaded`
      */
    final case class Problem(status: Int, code: String) extends Fault

    /** No answer.
      *
      * @param kind the reason
      */
    final case class Fails(kind: TransportFailure.Kind) extends Fault

    /** No answer and no failure, until the client gives up. */
    case object Never extends Fault
  }

  /** A request as it arrived, without its body.
    *
    * @param method `POST`
    * @param path of the contract
    * @param headers names and values, in their order
    * @param operations in its body: 1, or the number in a batch
    */
  final class Recorded(
      val method: String,
      val path: String,
      val headers: Seq[(String, String)],
      val operations: Int
  ) {

    /** Returns the first value of a header. The name is compared without case. */
    def header(name: String): Option[String] = headers.collectFirst { case (n, v) if n.equalsIgnoreCase(name) => v }
    override def toString: String = s"$method $path ($operations)"
  }

  private final case class Operation(
      op: Option[String],
      id: Option[String],
      password: String,
      policy: Option[String],
      hash: Option[String],
      rehash: Boolean = false,
      context: Option[String]
  )
  private final case class Batch(operations: Vector[Operation])

  private implicit val operationCodec: JsonValueCodec[Operation] = JsonCodecMaker.make
  private implicit val batchCodec: JsonValueCodec[Batch] = JsonCodecMaker.make

  /** The length of a context, in bytes (HTTP contract). */
  private val ContextBytes = 1 to 256

  private def quoted(text: Option[String]): String = text.fold("null")(t => "\"" + t + "\"")

  /** The answer carries the name of its request. */
  private def named(request: Transport.Request, response: Transport.Response): Transport.Response = {
    val name = request.headers.collect { case (key, value) if key.equalsIgnoreCase(Name.Header) => key -> value }
    new Transport.Response(response.status, Seq("Content-Type", "Retry-After").flatMap(h => response.header(h).map(h -> _)) ++ name, response.body)
  }

  private def json(body: String, status: Int = 200): Transport.Response =
    new Transport.Response(status, Seq("Content-Type" -> "application/json"), body.getBytes(UTF_8))

  private def problem(status: Int, code: String): Transport.Response =
    new Transport.Response(status, Seq("Content-Type" -> "application/problem+json"), problemText(status, code).getBytes(UTF_8))

  private def problemText(status: Int, code: String): String =
    s"""{"type":"urn:saltern:problem:$code","title":"$code","status":$status,"code":"$code","detail":"scripted"}"""
}
