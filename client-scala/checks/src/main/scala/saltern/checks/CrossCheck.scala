package saltern.checks

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonReader, JsonValueCodec, JsonWriter}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.nio.file.{Files, Path, Paths}
import saltern.client.{ClientConfig, Fallback, Match, Mismatch, Origin, Password, Saltern, SalternError, SealKeySource, Verified}
import saltern.example.Arguments
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import scala.util.{Failure, Random, Success, Try}

/** Question: do the service and the client's local side answer alike? It uses the real server, in
  * both directions. Both have the seal keys of the vectors:
  *
  * - every vector that is text, verified on both sides: the same match, need, reason and policy, or
  *   the same refusal; sealed strings too
  * - some random changes of each of these strings: the same, whatever the string is now
  * - for every active policy: hashed by the service and verified locally, hashed locally and
  *   verified by the service
  */
object CrossCheck {
  def main(arguments: Array[String]): Unit = {
    val settings =
      Arguments(arguments.toSeq, Map("--server" -> "", "--vectors" -> sys.props("saltern.vectors"), "--seed" -> s"${System.nanoTime}"))
    val seed = settings("--seed").toLong
    require(settings("--server").nonEmpty, "--server: give the path of the `saltern` binary")
    val directory = Paths.get(settings("--vectors"))
    val seals = readFromArray[SealFile](Files.readAllBytes(directory.resolve("seal.json"))).testGroups.head
    // Only its owner may read it.
    val keys = Files.write(Files.createTempFile("seal-keys", ".json"), seals.keys.json)
    val server = Child.start(
      Seq(settings("--server"), "serve", "--listen", s"127.0.0.1:$Port", "--insecure", "--accept-weak", "all", "--seal-keys", s"$keys") ++
        Seq("--log-format", "json")
    )
    val patient = ClientConfig(s"http://127.0.0.1:$Port").withDeadline(60.seconds).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds)
    val there = Saltern(patient.withFallback(Fallback.Never))
    val here = Saltern(
      ClientConfig("http://127.0.0.1:1")
        .withDeadline(60.seconds)
        .withLocalMemoryBytes(2L << 30)
        .withAcceptedWeak("all")
        .withSealKeys(SealKeySource.file(keys))
    )
    try {
      Child.awaitPort(Port)
      println(s"--seed $seed")
      val results = vectors(directory, there, here, new Random(seed)) ++ sealedVectors(seals, there, here) ++
        policies(there.withContext("7"), here.withContext("7"))
      results.collect { case Left(problem) => println(problem) }
      println(s"${results.count(_.isRight)} passed, ${results.count(_.isLeft)} failed")
      if (results.exists(_.isLeft)) sys.exit(1)
    } finally { there.close(); here.close(); server.stop(); Files.delete(keys) }
  }

  private type Checked = Either[String, Unit]

  private def vectors(directory: Path, there: Saltern, here: Saltern, random: Random): Seq[Checked] = {
    val topics =
      Seq("argon2", "bcrypt", "crypt", "deviations", "floors", "foreign", "frameworks", "hostile", "ldap", "pbkdf2", "products", "scrypt", "sites", "wrapped")
    for {
      topic <- topics
      vector <- readFromArray[File](Files.readAllBytes(directory.resolve(s"$topic.json"))).testGroups.filter(_.`type` == "verify").flatMap(_.tests)
      password <- text(vector.password).toSeq
      // Only the service reads yescrypt.
      recorded <- vector.hash.toSeq.filterNot(_.contains("$y$"))
      hash <- recorded +: Seq.fill(Mutants)(mutated(recorded, random)).filterNot(_.contains("y$"))
    } yield {
      val (remote, local) = (said(there.verify(Password(password), hash), Origin.Remote), said(here.verify(Password(password), hash), Origin.Local))
      Either.cond(remote == local, (), s"$topic tcId ${vector.tcId}: of $hash the service says $remote, the client $local")
    }
  }

  /** Replaces, removes, inserts or repeats some characters. */
  private def mutated(hash: String, random: Random): String = {
    val (at, length) = (random.nextInt(hash.length + 1), random.nextInt(3))
    val inserted = random.nextInt(3) match {
      case 0 => hash.slice(at, at + random.nextInt(9))
      case 1 => ""
      case _ => Characters(random.nextInt(Characters.length)).toString
    }
    hash.take(at) + inserted + hash.drop(at + length)
  }

  private def sealedVectors(seals: SealGroup, there: Saltern, here: Saltern): Seq[Checked] =
    // Without its key the service sends no answer that says more, and the client has none.
    for (vector <- seals.tests.filterNot(_.result == "key_unavailable")) yield {
      def of(client: Saltern): Future[Verified] = vector.context.fold(client)(client.withContext).verify(Password("x"), vector.hash)
      val (remote, local) = (said(of(there), Origin.Remote), said(of(here), Origin.Local))
      Either.cond(remote == local, (), s"seal tcId ${vector.tcId}: the service says $remote, the client $local")
    }

  private def policies(there: Saltern, here: Saltern): Seq[Checked] =
    for {
      policy <- Seq("bcrypt-12-2023", "argon2id-2026")
      password <- Seq("", "correct horse", "pässwörd €😀", "\"quoted\\\"\u0007", "x" * 72)
      (name, maker, checker) <- Seq(("there", there, here), ("here", here, there))
    } yield {
      val made = Await.result(maker.hash(Password(password), policy), 60.seconds)
      val right = Await.result(checker.verify(Password(password), made.encoded), 60.seconds)
      val wrong = Await.result(checker.verify(Password(password + "x"), made.encoded), 60.seconds)
      // bcrypt reads 72 bytes. Both sides ignore one more.
      val ignored = policy.startsWith("bcrypt") && password.length == 72
      val alike = made.policy == policy && made.origin != right.origin && right.isInstanceOf[Match] && right.policy.contains(policy) &&
        wrong.isInstanceOf[Match] == ignored
      Either.cond(alike, (), s"a hash of $policy made $name is not verified on the other side")
    }

  /** A short form of an answer. Schemes that only the service reads are unsupported in both. */
  private def said(call: Future[Verified], expected: Origin): String = Try(Await.result(call, 70.seconds)) match {
    case Success(v) if v.origin == expected =>
      val reason = v match { case m: Match => m.rehashReason.map(_.name); case _: Mismatch => None }
      s"match=${v.isInstanceOf[Match]} reason=$reason policy=${v.policy}"
    case Success(v)                       => s"an answer from the ${v.origin} side"
    case Failure(e: SalternError.Refused) => e.code
    // Any other reason would be a fault of the local side.
    case Failure(e: SalternError.NotAvailableLocally) if e.detailed.contains("unknown scheme") => "unsupported_hash"
    // Neither side has the pepper.
    case Failure(e: SalternError) if Seq("key_unavailable", "that site key").exists(e.detailed.contains(_)) => "key_unavailable"
    case Failure(e: SalternError)                                                                           => e.detailed
    case Failure(e)                                                                                         => e.toString
  }

  private def text(hex: String): Option[String] =
    try Some(StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray)).toString)
    // Not UTF-8, so not a password of the contract.
    catch { case _: CharacterCodingException => None }

  final case class OneVector(tcId: Int, password: String, hash: Option[String])
  final case class Group(`type`: String, tests: Vector[OneVector])
  final case class File(testGroups: Vector[Group])

  final case class SealVector(tcId: Int, hash: String, context: Option[String], result: String)
  final case class SealGroup(keys: Raw, tests: Vector[SealVector])
  final case class SealFile(testGroups: Vector[SealGroup])

  /** A member that is not read. */
  final class Raw(val json: Array[Byte])

  private implicit val codec: JsonValueCodec[File] = JsonCodecMaker.make
  private implicit val rawCodec: JsonValueCodec[Raw] = new JsonValueCodec[Raw] {
    def nullValue: Raw = new Raw(Array.emptyByteArray)
    def decodeValue(in: JsonReader, default: Raw): Raw = new Raw(in.readRawValAsBytes())
    def encodeValue(raw: Raw, out: JsonWriter): Unit = out.writeRawVal(raw.json)
  }
  private implicit val sealCodec: JsonValueCodec[SealFile] = JsonCodecMaker.make
  private val Port = 18341

  /** Random changes of one string. */
  private val Mutants = 10
  private val Characters = "$,=+-./:{}_ 0123456789azAZmtpirlnv\né\u0000"
}
