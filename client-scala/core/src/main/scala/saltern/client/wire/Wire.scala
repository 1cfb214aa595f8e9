package saltern.client.wire

import com.github.plokhotnyuk.jsoniter_scala.core.*
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import saltern.client.Transport
import saltern.client.resilience.{Attempt, Outcome}
import scala.concurrent.duration.*
import scala.util.control.NonFatal

/** Reads the contract's answers. Members that a later service may add are skipped; known members
  * must be valid. If a body cannot be read, none of it is kept.
  */
private[saltern] object Wire {

  /** @param policy `None` if the same string is sealed anew, and no policy lists it */
  final case class Rehashed(hash: String, policy: Option[String])

  /** The 200 bodies of /hash and /verify in one type. Each operation knows which members it needs.
    */
  final case class Answer(
      hash: Option[String],
      policy: Option[String],
      `match`: Option[Boolean],
      needs_rehash: Option[Boolean],
      rehash_reason: Option[String],
      rehashed: Option[Rehashed]
  )

  final case class Problem(
      `type`: String,
      status: Int,
      code: String,
      field: Option[String],
      retry_after_ms: Option[Long]
  )

  final case class Result(id: Option[String], status: Int, body: Option[Answer], problem: Option[Problem])
  final case class Batch(results: Vector[Result])
  final case class Policies(digest: String, blocklist: Option[Blocklist])
  final case class Blocklist(entries: Long)

  implicit val answerCodec: JsonValueCodec[Answer] = JsonCodecMaker.make
  implicit val problemCodec: JsonValueCodec[Problem] = JsonCodecMaker.make
  implicit val batchCodec: JsonValueCodec[Batch] = JsonCodecMaker.make
  implicit val policiesCodec: JsonValueCodec[Policies] = JsonCodecMaker.make

  /** The headers of a request with this name, whose answer is wanted within this time. */
  def headers(time: FiniteDuration, name: String, trace: Trace = Trace.none): Seq[(String, String)] = Seq(
    "Content-Type" -> "application/json",
    "Accept" -> "application/json, application/problem+json",
    "Saltern-Deadline-Ms" -> Attempt.millisForService(time).toString,
    Name.Header -> name,
    Trace.RequestId -> trace.requestId.getOrElse(name)
  ) ++ trace.traceparent.map(Trace.Traceparent -> _)

  /** The longest answer to one operation, in bytes: a hash has at most 1,457, and a problem is one
    * sentence.
    */
  val MaxAnswerBytes: Int = 16 * 1024

  def read[A: JsonValueCodec](bytes: Array[Byte]): Option[A] =
    try Some(readFromArray[A](bytes, readerConfig))
    catch { case NonFatal(_) => None }

  /** Reads the answer to an operation that was sent alone, in the request with this name. */
  def single(response: Transport.Response, name: String): Outcome[Answer] = body[Answer](response, name).fold(identity, Outcome.Answered(_))

  /** Reads the answer to a batch of the operations with these names: one outcome for each, in
    * order, or one for all.
    */
  def batch(response: Transport.Response, name: String, operations: Vector[String]): Either[Outcome[Nothing], Vector[Outcome[Answer]]] =
    body[Batch](response, name)
      .filterOrElse(_.results.map(_.id) == operations.map(Option(_)), Outcome.Unreadable("the results do not carry the names of the operations in their order"))
      .map(_.results.map(resultOf))

  private def body[A: JsonValueCodec](response: Transport.Response, name: String): Either[Outcome[Nothing], A] =
    if (response.status != 200) Left(notAnswered(response, name))
    else if (!isJson(response)) Left(Outcome.Unreadable("status 200 with a content type that is not JSON"))
    else if (!carries(response, name)) Left(unnamed)
    else read[A](response.body).toRight(Outcome.Unreadable("status 200 with a body that does not follow the contract"))

  private def resultOf(result: Result): Outcome[Answer] = result match {
    case Result(_, 200, Some(answer), None)                                                 => Outcome.Answered(answer)
    case Result(_, status, None, Some(problem)) if status != 200 && isOurs(problem, status) => problemOf(problem, None)
    case _ => Outcome.Unreadable("a result that is neither a body nor a problem")
  }

  def carries(response: Transport.Response, name: String): Boolean = response.header(Name.Header).contains(name)

  private val unnamed = Outcome.Unreadable(s"an answer that does not carry the name of its request (${Name.Header})")

  private def notAnswered(response: Transport.Response, name: String): Outcome[Nothing] = {
    val isProblem = contentType(response).contains("application/problem+json")
    val problem = Option.when(isProblem)(response).flatMap(r => read[Problem](r.body)).filter(isOurs(_, response.status))
    val retryAfter = response.header("Retry-After").flatMap(secondsOf)
    problem match {
      case Some(ours) if carries(response, name) => problemOf(ours, retryAfter)
      // The service does not know the name if it did not read the head, as over its limit of connections.
      case Some(_) if response.status < 500 => unnamed
      case _                                => Outcome.Foreign(response.status, retryAfter)
    }
  }

  /** The type tells the service's problems from those of platforms and proxies. */
  private def isOurs(problem: Problem, status: Int): Boolean =
    problem.`type` == s"urn:saltern:problem:${problem.code}" && problem.status == status && isCode(problem.code)

  private def problemOf(problem: Problem, retryAfter: Option[FiniteDuration]): Outcome[Nothing] = {
    val precise = problem.retry_after_ms.filter(ms => ms >= 0 && ms <= MaxRetryAfterMillis).map(_.millis)
    // The field's name is fixed by the contract. A longer or different text is not repeated. In a batch
    // the place of the operation stands before it, and that is this client's.
    val field = problem.field.map(_.replaceFirst("^operations\\[\\d+\\]\\.", "")).filter(isCode)
    Outcome.Problem(problem.status, problem.code, field, precise.orElse(retryAfter))
  }

  private def isCode(text: String): Boolean =
    text.nonEmpty && text.length <= 64 && text.forall(c => c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')

  private def isJson(response: Transport.Response): Boolean = contentType(response).contains("application/json")

  private def contentType(response: Transport.Response): Option[String] =
    response.header("Content-Type").map(_.takeWhile(_ != ';').trim.toLowerCase(java.util.Locale.ROOT))

  /** Only seconds: a date would make the wall clock part of a decision. */
  private def secondsOf(text: String): Option[FiniteDuration] =
    text.trim.toLongOption.filter(s => s >= 0 && s <= MaxRetryAfterMillis / 1000).map(_.seconds)

  /** A longer `Retry-After` is ignored. */
  private val MaxRetryAfterMillis = 24L * 60 * 60 * 1000

  /** jsoniter-scala adds a hex dump of the input to its exceptions by default. That input may
    * contain hashes.
    */
  private val readerConfig: ReaderConfig = ReaderConfig.withAppendHexDumpToParseException(false)
}
