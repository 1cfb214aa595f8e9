package saltern.checks

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.file.{Files, Path, Paths}
import java.time.Instant
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.locks.LockSupport
import saltern.checks.LoadRecord.{Ended, Piece}
import saltern.client.{ClientConfig, Hashed, Match, Origin, Password, PolicySource, Saltern, SalternError, Verified}
import saltern.example.Arguments
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Random, Success, Try}

/** Question: does the login hold in a live event when the clients make the batches themselves?
  *
  * The audience is that of `loadtest/live-event.ts`: the same rates, users, mix and budgets. It
  * arrives independently, and each login goes through one of `--backends` clients. The time of a
  * login counts from the moment at which its caller came. `loadtest/event` runs this program.
  */
object LiveEvent {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(
      arguments.toSeq,
      Map(
        "--url" -> "",
        "--users" -> "../loadtest/pool.json",
        "--policies" -> "../loadtest/policies.json",
        "--backends" -> "2",
        "--at-most" -> "4",
        "--baseline" -> "200",
        "--invitation" -> "1500",
        "--second-wave" -> "3000",
        "--baseline-seconds" -> "10",
        "--rise-seconds" -> "10",
        "--crowd-seconds" -> "20"
      )
    )
    require(settings("--url").nonEmpty, "--url: give the address of the service")
    val (backends, atMost) = (settings("--backends").toInt, settings("--at-most").toInt)
    val config = ClientConfig(settings("--url"))
      .withCoalescing(atMost, 2.millis)
      .withPolicies(PolicySource.File(Paths.get(settings("--policies"))))
      .withDeadline(Deadline)
      // The floor would hide the time of the answers.
      .withLoginFloor(Duration.Zero)
    val pieces = schedule(settings)
    val clients = Vector.fill(backends)(Saltern(config))
    val audience = new Audience(clients, users(Paths.get(settings("--users"))), new Random(1))
    // A backend is warm when its audience comes. These logins are not counted.
    val _ = sent(Vector(Piece(pieces.head.perSecond, WarmUpSeconds)), audience)
    val ended = sent(pieces, audience)
    clients.foreach(_.close())
    val lastPieceSeconds = pieces.last.seconds
    val afterwards = ended.map(_.at).max.minusMillis((lastPieceSeconds * 1000).toLong)
    val broken = budgets("", ended) ++ budgets("afterwards: ", ended.filter(_.at.isAfter(afterwards)))
    println(
      s"${ended.size} operations, ${ended.count(_.isLocal)} of them hashed locally; ${if (broken.isEmpty) "every budget was kept" else broken.mkString("; ")}"
    )
    val knobs = Map("LOAD_BATCH_OPERATIONS" -> atMost.toDouble, "LOAD_BACKENDS" -> backends.toDouble) ++
      Seq("LOAD_DEADLINE_MS" -> Deadline.toMillis.toDouble, "LOAD_P90_BUDGET_MS" -> P90BudgetMillis, "LOAD_ERROR_BUDGET_PERCENT" -> ErrorBudgetPercent)
    LoadRecord.wanted().foreach(_.write("saltern.checks.LiveEvent", knobs, pieces, ended, broken))
    sys.exit(if (broken.isEmpty) 0 else LoadRecord.BudgetBroken)
  }

  private def schedule(settings: Map[String, String]): Vector[Piece] = {
    def piece(rate: String, seconds: String): Piece = Piece(settings(rate).toDouble, settings(seconds).toDouble)
    Vector(
      piece("--baseline", "--baseline-seconds"),
      piece("--invitation", "--rise-seconds"),
      piece("--invitation", "--crowd-seconds"),
      piece("--second-wave", "--rise-seconds"),
      piece("--second-wave", "--crowd-seconds"),
      piece("--baseline", "--rise-seconds"),
      piece("--baseline", "--baseline-seconds")
    )
  }

  /** Sends the audience and returns all operations after the last one has ended. */
  private def sent(pieces: Vector[Piece], audience: Audience): Vector[Ended] = {
    val (ended, random) = (new ConcurrentLinkedQueue[Ended], new Random(2))
    val (startedAt, started) = (Instant.now(), System.nanoTime())
    val lasts = pieces.map(_.seconds).sum
    var (at, calls) = (0.0, 0)
    while (at < lasts) {
      // A late sender loses nothing, because the next moment does not depend on the clock.
      val due = started + (at * 1e9).toLong
      while (System.nanoTime() < due) LockSupport.parkNanos(due - System.nanoTime())
      val call = audience.comes()
      calls += 1
      call.result.onComplete { result =>
        val nanos = System.nanoTime()
        val (kind, isLocal) = call.kind(result)
        val _ = ended.add(Ended(startedAt.plusNanos(nanos - started), (nanos - due) / 1e6, kind, isLocal))
      }(ExecutionContext.parasitic)
      at += -math.log(1 - random.nextDouble()) / rate(pieces, at)
    }
    val giveUp = System.nanoTime() + (2 * Deadline).toNanos
    while (ended.size < calls && System.nanoTime() < giveUp) Thread.sleep(10)
    require(ended.size == calls, s"${calls - ended.size} calls have no end after two deadlines")
    ended.asScala.toVector
  }

  /** The rate moves linearly within each piece, from the last rate of the piece before. */
  private def rate(pieces: Vector[Piece], at: Double): Double = {
    val starts = pieces.scanLeft(0.0)(_ + _.seconds)
    val index = starts.lastIndexWhere(_ <= at).min(pieces.size - 1)
    val (from, to) = (pieces(math.max(index - 1, 0)).perSecond, pieces(index).perSecond)
    from + (to - from) * math.min(1, (at - starts(index)) / pieces(index).seconds)
  }

  /** A call, and the kind of its result. */
  private final class Call(val result: Future[Any], isRight: Any => Boolean) {
    def kind(result: Try[Any]): (String, Boolean) = result match {
      case Success(answer) =>
        val origin = answer match { case v: Verified => v.origin; case h: Hashed => h.origin; case _ => Origin.Remote }
        (if (isRight(answer)) "right" else "wrong", origin == Origin.Local)
      case Failure(_: SalternError.DeadlineExceeded) => ("deadline_exceeded", false)
      case Failure(_: SalternError.Overloaded)       => ("overloaded", false)
      case Failure(_: SalternError.Refused)          => ("refused", false)
      case Failure(_)                                => ("fault", false)
    }
  }

  /** The mix of `loadtest/lib/mix.ts`, in percent of all operations and of all logins. */
  private final class Audience(clients: Vector[Saltern], users: Vector[User], random: Random) {
    private var count = 0

    def comes(): Call = {
      count += 1
      val client = clients(random.nextInt(clients.size))
      if (random.nextInt(100) >= Logins) new Call(client.hash(Password(s"registration number $count"), UsersPolicy), made)
      else {
        val user = users(random.nextInt(users.size))
        random.nextInt(100) match {
          case drawn if drawn < RightLogins         => login(client, user.password, Some(user.hash), isMatch = true)
          case drawn if drawn < 100 - UnknownLogins => login(client, user.password + "!", Some(user.hash), isMatch = false)
          case _                                    => login(client, user.password, None, isMatch = false)
        }
      }
    }

    private def login(client: Saltern, password: String, stored: Option[String], isMatch: Boolean): Call =
      new Call(client.login(Password(password), stored), _.isInstanceOf[Match] == isMatch)

    private def made(answer: Any): Boolean = answer match {
      case hashed: Hashed => hashed.encoded.startsWith("$") && hashed.policy == UsersPolicy
      case _              => false
    }
  }

  /** The budgets of `loadtest/lib/budgets.ts`. Local hashing spends the backend's processors, so it
    * has the budget of a failure.
    */
  private def budgets(phase: String, ended: Vector[Ended]): Vector[String] = {
    val right = ended.filter(_.kind == "right").map(_.millis).sorted
    val p90 = right.lift((right.size * 0.9).toInt).getOrElse(Double.PositiveInfinity)
    def share(of: Ended => Boolean): Double = 100.0 * ended.count(of) / math.max(1, ended.size)
    val (failed, local, wrong) = (share(_.kind != "right"), share(_.isLocal), ended.count(_.kind == "wrong"))
    Vector(
      Option.when(p90 >= P90BudgetMillis)(f"${phase}p90 below $P90BudgetMillis%.0f ms (is $p90%.0f)"),
      Option.when(failed >= ErrorBudgetPercent)(f"${phase}failed below $ErrorBudgetPercent%.1f %% (is $failed%.2f)"),
      Option.when(local >= ErrorBudgetPercent)(f"${phase}hashed by the backends below $ErrorBudgetPercent%.1f %% (is $local%.2f)"),
      Option.when(wrong > 0)(s"${phase}no wrong answer (is $wrong)")
    ).flatten
  }

  private def users(file: Path): Vector[User] = readFromArray[Pool](Files.readAllBytes(file)).users.filter(_.policy == UsersPolicy)

  final case class User(policy: String, password: String, hash: String)
  final case class Pool(users: Vector[User])

  private implicit val codec: JsonValueCodec[Pool] = JsonCodecMaker.make

  private val UsersPolicy = "bcrypt-11-2021"
  private val Logins = 95
  private val RightLogins = 95
  private val UnknownLogins = 1
  private val WarmUpSeconds = 5.0

  /** The deadline of `loadtest/lib/target.ts`. */
  private val Deadline = 2.seconds
  private val P90BudgetMillis = 300.0
  private val ErrorBudgetPercent = 0.1
}
