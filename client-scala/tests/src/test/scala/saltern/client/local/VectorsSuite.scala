package saltern.client.local

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.file.{Files, Path, Paths}
import java.security.SecureRandom
import saltern.client.PolicySource
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** The vectors that the service is tested with, run through the local side: every test of every file, counted. */
class VectorsSuite extends munit.FunSuite {
  import VectorsSuite.*

  override def munitTimeout: Duration = 10.minutes

  private val directory: Path = Paths.get(sys.props("saltern.functions"), "vectors", "data")
  private val hasher = new LocalHasher(
    Policies.read(PolicySource.read(PolicySource.Packed)).fold(problem => throw new AssertionError(problem), identity),
    new SecureRandom
  )
  private val topics = Seq("argon2", "bcrypt", "deviations", "foreign", "hostile", "pbkdf2", "scrypt")

  /** Families of schemes that only the service verifies. */
  private val ofTheServiceAlone = Seq("crypt", "frameworks", "ldap", "products")

  test("every file of vectors is known here") {
    val files = Files.list(directory).iterator.asScala.map(_.getFileName.toString).filterNot(_ == "vectors.schema.json").toSet
    assertEquals(files, (topics ++ ofTheServiceAlone).map(_ + ".json").toSet)
  }

  for (topic <- topics) test(s"$topic: as the service answers") {
    val file = readFromArray[File](Files.readAllBytes(directory.resolve(s"$topic.json")))
    val ran = file.testGroups.flatMap { group =>
      group.tests.map { vector =>
        assertEquals(answer(group.`type`, vector), vector.result, s"$topic tcId ${vector.tcId}: ${vector.comment}")
        vector.tcId
      }
    }
    assertEquals(ran.distinct.size, file.numberOfTests)
  }

  private def answer(kind: String, vector: Vector1): String = kind match {
    case "verify"      => verified(bytes(vector.password), vector.hash.get)
    case "pbkdf2_raw"  => raw(vector, pbkdf2Setting(vector))
    case "scrypt_raw"  => raw(vector, scryptSetting(vector))
    case other         => s"unknown group $other"
  }

  private def verified(password: Array[Byte], hash: String): String =
    hasher.prepareVerify(Some(hash), password) match {
      case Left(LocalHasher.Refusal.Code(code))    => code
      case Left(LocalHasher.Refusal.UnknownScheme) => "unsupported_hash"
      case Right(job)                              => if (job.run().matches) "match" else "mismatch"
    }

  private def raw(vector: Vector1, setting: Setting): String = {
    val admitted = Admitted(setting, NoCeilings).getOrElse(fail("no ceiling, and refused"))
    val computed = Kernels.compute(admitted, bytes(vector.password))
    if (computed.toSeq == bytes(vector.output.get).toSeq) "match" else "mismatch"
  }

  private def pbkdf2Setting(vector: Vector1): Setting = {
    val prf = Params.Prf.all.find(_.digest.replace("-", "").equalsIgnoreCase(vector.prf.get)).get
    Setting.Pbkdf2(Params.Pbkdf2(prf, vector.iterations.get).get, bytes(vector.salt.get), vector.dkLen.get)
  }

  private def scryptSetting(vector: Vector1): Setting =
    Setting.Scrypt(Params.Scrypt(vector.logN.get, vector.r.get, vector.p.get).get, bytes(vector.salt.get), vector.dkLen.get)

  private def bytes(hex: String): Array[Byte] = hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
}

object VectorsSuite {
  final case class Vector1(
      tcId: Int,
      comment: String,
      password: String,
      hash: Option[String],
      result: String,
      prf: Option[String],
      salt: Option[String],
      iterations: Option[Long],
      dkLen: Option[Int],
      output: Option[String],
      logN: Option[Long],
      r: Option[Long],
      p: Option[Long]
  )
  final case class Group(`type`: String, tests: Vector[Vector1])
  final case class File(numberOfTests: Int, testGroups: Vector[Group])

  implicit val codec: JsonValueCodec[File] = JsonCodecMaker.make

  /** For the raw vectors: they are of the kernel, not of admission. */
  private val NoCeilings = {
    val none = Long.MaxValue
    Ceilings(none, none, none, none, none, none, none)
  }
}
