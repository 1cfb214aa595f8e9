package saltern.client

import java.nio.charset.StandardCharsets.US_ASCII
import java.time.ZonedDateTime
import java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME
import saltern.client.Report.Finding
import saltern.client.resilience.{Decision, Outcome}
import saltern.client.wire.{Name, Wire}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.util.{Failure, Success, Try}

/** Asks the service about each point of the setup, beside the calls.
  *
  * It sends a hash under a policy that cannot exist, and a verification of text that is no hash.
  * The service checks the scopes first, refuses both, and computes nothing.
  */
private[client] final class Check(
    config: ClientConfig.Settings,
    transport: Transport,
    scheduler: Scheduler,
    drift: PolicyDrift,
    local: LocalHashing
) {
  import Check.*

  private val time = config.attemptTimeout.min(LongestTime)
  private implicit val parasitic: ExecutionContext = ExecutionContext.parasitic

  def run(): Future[Report] = {
    val digest = drift.ask(time)
    operations().flatMap(asked => digest.map(reportOf(asked, _)))
  }

  private def operations(): Future[Asked] = {
    val (name, ids) = (Name.random(), Vector(Name.random(), Name.random()))
    val body = s"""{"operations":[{"op":"hash","id":"${ids(0)}",$HashMembers},{"op":"verify","id":"${ids(1)}",$VerifyMembers}]}"""
    ask("/batch", name, body).flatMap { answer =>
      val apart = answer.toOption.flatMap(_.header("Date")).flatMap(apartFrom)
      answer.flatMap(Wire.batch(_, name, ids)) match {
        case Left(Outcome.Problem(404, _, _, _)) =>
          for (hash <- alone("/hash", HashMembers); verify <- alone("/verify", VerifyMembers))
            yield new Asked(accessOf(hash), accessOf(verify), hasBatch = false, apart)
        case Left(outcome)   => Future.successful(new Asked(accessOf(outcome), accessOf(outcome), hasBatch = true, apart))
        case Right(outcomes) => Future.successful(new Asked(accessOf(outcomes(0)), accessOf(outcomes(1)), hasBatch = true, apart))
      }
    }
  }

  private def alone(path: String, members: String): Future[Outcome[Any]] = {
    val name = Name.random()
    ask(path, name, s"{$members}").map(_.fold(identity, Wire.single(_, name)))
  }

  private def ask(path: String, name: String, body: String): Future[Either[Outcome[Nothing], Transport.Response]] = {
    val headers = Wire.headers(time, name)
    val request = new Transport.Request("POST", path, headers, body.getBytes(US_ASCII), time, Wire.MaxAnswerBytes * 2)
    Exchanges.within(transport, scheduler, request).transform {
      case Success(response)            => Success(Right(response))
      case Failure(f: TransportFailure) => Success(Left(Outcome.Failed(f.kind, f.detail)))
      case Failure(e)                   => Success(Left(Outcome.Failed(TransportFailure.Kind.Broken, e.getClass.getSimpleName)))
    }
  }

  private def reportOf(asked: Asked, digest: Option[String]): Report = {
    val access = Seq(asked.hash, asked.verify)
    val unreachable = access.collectFirst { case Access.Unreachable(text) => Finding.Bad(text) }
    val unauthorised = access.collectFirst { case Access.Unauthorised(text) => Finding.Bad(text) }
    val unclear = access.collectFirst { case Access.Unclear(text) => Finding.Unknown(text) }
    val notAnswered = unreachable.orElse(unauthorised).map(_ => NotAnswered)
    def scope(name: String, access: Access): Finding = access match {
      case Access.Allowed       => Finding.Good
      case Access.Forbidden     => Finding.Bad(Journal.missingScope(name))
      case Access.Unclear(text) => Finding.Unknown(text)
      case _                    => NotAnswered
    }
    new Report(
      reachable = unreachable.getOrElse(Finding.Good),
      authorised = unreachable.map(_ => NotAnswered).orElse(unauthorised).orElse(unclear).getOrElse(Finding.Good),
      mayHash = scope("hash", asked.hash),
      mayVerify = scope("verify", asked.verify),
      batch = notAnswered
        .orElse(Option.when(!asked.hasBatch)(Finding.Bad(Journal.NoBatch)))
        .orElse(unclear)
        .getOrElse(Finding.Good),
      policies = digest match {
        case None                                => Finding.Unknown("GET /policies gives no digest")
        case Some(theirs) if drift.isOwn(theirs) => Finding.Good
        case Some(theirs)                        => Finding.Bad(drift.text(theirs))
      },
      clock =
        if (!config.auth.usesClock) Finding.Good
        else asked.apart.fold[Finding](Finding.Unknown("the answer has no date"))(clockOf),
      localHashing = local.problem.map(Finding.Bad(_)).orElse(local.limit.map(Finding.Limited(_))).getOrElse(Finding.Good),
      sealKeys = local.sealKeys
    )
  }
}

private object Check {

  private sealed trait Access
  private object Access {
    case object Allowed extends Access
    case object Forbidden extends Access
    final case class Unauthorised(text: String) extends Access
    final case class Unreachable(text: String) extends Access

    /** The service answers, and cannot tell now. */
    final case class Unclear(text: String) extends Access
  }

  /** @param apart this host's clock less that of the answer */
  private final class Asked(val hash: Access, val verify: Access, val hasBatch: Boolean, val apart: Option[FiniteDuration])

  private val NotAnswered = Finding.Unknown("the service did not answer this")

  /** No policy has this name, because the character is not allowed in one. */
  private val HashMembers = "\"password\":\"\",\"policy\":\"?\""

  private val VerifyMembers = "\"password\":\"\",\"hash\":\"?\""

  /** For one exchange, of three at most, one after the other. A program waits for the check at its start. */
  private val LongestTime = 10.seconds

  /** AWS refuses a signature whose time differs by more than five minutes. */
  private val MostApart = 2.minutes

  private def apartFrom(date: String): Option[FiniteDuration] =
    Try(ZonedDateTime.parse(date, RFC_1123_DATE_TIME).toInstant.toEpochMilli).toOption.map(theirs => (System.currentTimeMillis - theirs).millis)

  private def clockOf(apart: FiniteDuration): Finding =
    if (apart.toMillis.abs <= MostApart.toMillis) Finding.Good
    else Finding.Bad(s"this host's clock and the service's are ${apart.toSeconds.abs} s apart, and a signature carries the time: set the clock")

  private def accessOf(outcome: Outcome[Any]): Access = outcome match {
    case Outcome.Answered(_) | Outcome.Problem(400 | 422, _, _, _) => Access.Allowed
    case Outcome.Problem(403, "forbidden", _, _)                   => Access.Forbidden
    case Outcome.Foreign(status @ (401 | 403), _)                  =>
      Access.Unauthorised(Journal.text(FallbackReason.AnswerNotOurs, s"status $status"))
    case other =>
      Decision.after(other, 1.second) match {
        case Decision.GoLocal(reason, detail, _) =>
          val text = Journal.text(reason, detail)
          (reason, other) match {
            case (FallbackReason.CredentialsFailed, _)                         => Access.Unauthorised(text)
            case (FallbackReason.Misconfigured, _) | (_, Outcome.Failed(_, _)) => Access.Unreachable(text)
            case (FallbackReason.AnswerNotOurs, _)                             => Access.Unreachable(text)
            case _                                                             => Access.Unclear(text)
          }
        case _ => Access.Unclear("the answer is not known: give client and service the same version")
      }
  }
}
