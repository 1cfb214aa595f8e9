package saltern.hashes

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, readFromString, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.file.{Files, Path, Paths}
import java.security.SecureRandom
import java.util.Base64
import saltern.client.LocalHashing.Failure
import saltern.client.PolicySource
import saltern.client.nativekernels.TestKernels
import saltern.hashes.verifyonly.FirebaseProject
import scala.jdk.CollectionConverters.*

class VectorsSuite extends VectorsThrough(Kernels.compute)

/** Runs every test of the service's vectors through the local side, and counts them.
  *
  * @param compute the kernels that compute them
  */
abstract class VectorsThrough(compute: Kernels.Compute) extends saltern.client.PatientSuite {
  import VectorsThrough.*

  private val directory: Path = Paths.get(sys.props("saltern.vectors"))
  private val policies =
    Policies.of(PolicySource.Packed)
  private val hasher = hasherWith(None)
  private val topics = Seq(
    "argon2",
    "bcrypt",
    "crypt",
    "deviations",
    "floors",
    "foreign",
    "frameworks",
    "hostile",
    "ldap",
    "pbkdf2",
    "products",
    "scrypt",
    "sites",
    "wrapped"
  )

  test("every file of vectors is tested") {
    val files = Files.list(directory).iterator.asScala.map(_.getFileName.toString).filterNot(_ == "vectors.schema.json").toSet
    // `SealKeysSuite` has the seals.
    assertEquals(files, (topics :+ "seal").map(_ + ".json").toSet)
  }

  for (topic <- topics) test(s"$topic: every vector gives the service's answer") {
    val file = readFromArray[File](Files.readAllBytes(directory.resolve(s"$topic.json")))
    val ran = file.testGroups.flatMap { group =>
      group.tests.map { vector =>
        val expected = if (isOfTheServiceAlone(vector)) NotAvailableLocally else vector.result
        assertEquals(answer(group, vector), expected, s"$topic tcId ${vector.tcId}: ${vector.comment}")
        vector.tcId
      }
    }
    assertEquals(ran.distinct.size, file.numberOfTests)
  }

  /** Any text of yescrypt, under its own name, behind LDAP's label or beneath another layer. */
  private def isOfTheServiceAlone(vector: Vector1): Boolean =
    vector.hash.exists { hash =>
      hash.startsWith("$y$") || hash.startsWith("{CRYPT}$y$") || hash.startsWith("{crypt}$y$") || hash.startsWith("$saltern-wrap$") && hash.contains("$y$j")
    }

  private def answer(group: Group, vector: Vector1): String = group.`type` match {
    case "verify"     => verified(vector.siteKey.fold(hasher)(withSiteKey), bytes(vector.password), vector.hash.get)
    case "firebase"   => firebase(group.project.get, vector)
    case "keycloak"   => keycloak(vector)
    case "pbkdf2_raw" => raw(vector, pbkdf2Setting(vector))
    case "scrypt_raw" => raw(vector, scryptSetting(vector))
    case other        => s"unknown group $other"
  }

  private def verified(hasher: LocalHasher, password: Array[Byte], hash: String): String =
    hasher.prepareVerify(Some(hash), password) match {
      case Left(Failure.Refused(code))      => code
      case Left(Failure.NotAvailable(what)) => what
      case Left(Failure.UnknownScheme)      => NotAvailableLocally
      case Left(ofASeal)                    => ofASeal.toString
      case Right(job)                       => if (job.run(compute).matches) "match" else "mismatch"
    }

  private def firebase(project: Project, vector: Vector1): String = {
    val parameters = s"""hash_config {
                        |  algorithm: SCRYPT,
                        |  base64_signer_key: ${project.signerKey},
                        |  base64_salt_separator: ${project.saltSeparator},
                        |  rounds: ${project.rounds},
                        |  mem_cost: ${project.memCost},
                        |}""".stripMargin
    val read = FirebaseProject.read(parameters).fold(problem => fail(problem), identity)
    // Firebase's Admin SDK exports Base64 for URLs, its command line exports standard Base64.
    def standard(text: Option[String]) = PaddedBase64.encode(Base64.getDecoder.decode(text.get.replace('-', '+').replace('_', '/')))
    val (salt, output) = (standard(vector.salt), standard(vector.passwordHash))
    val stored = s"$$fbscrypt$$v=1,n=${project.memCost},r=${project.rounds},p=1$$$salt$$$output"
    verified(hasherWith(Some(read)), bytes(vector.password), stored)
  }

  /** Follows the rule of `functions/encoded/SCHEMES.md`. A credential that the rule refuses gives
    * no string, so only the service's tests cover it.
    */
  private def keycloak(vector: Vector1): String =
    try {
      val credential = readFromString[Credential](vector.credentialData.get)
      val secret = readFromString[Secret](vector.secretData.get)
      def decoded(text: String) = PaddedBase64.decode(text).getOrElse(throw new IllegalArgumentException("no Base64"))
      val (salt, output) = (decoded(secret.salt), decoded(secret.value))
      def parameter(name: String) = {
        val values = credential.additionalParameters(name)
        require(values.length == 1)
        values.head
      }
      val head = credential.algorithm match {
        case "argon2" =>
          val version = Map("1.0" -> 16, "1.3" -> 19).get(parameter("version"))
          version.filter(_ => Set("d", "i", "id")(parameter("type"))).map { known =>
            require(parameter("hashLength") == output.length.toString)
            s"$$argon2${parameter("type")}$$v=$known$$m=${parameter("memory")},t=${credential.hashIterations},p=${parameter("parallelism")}"
          }
        case id => Some(s"$$$id$$i=${credential.hashIterations},l=${output.length}")
      }
      val (saltText, outputText) = (PhcBase64.encode(salt), PhcBase64.encode(output))
      head.fold(vector.result)(known => verified(hasher, bytes(vector.password), s"$known$$$saltText$$$outputText"))
    } catch { case _: RuntimeException if vector.result == "invalid_hash" => vector.result }

  private def hasherWith(project: Option[FirebaseProject], seals: Seals = Seals.none): LocalHasher =
    new LocalHasher(policies, new SecureRandom, AcceptedWeak.named(Seq("all")).getOrElse(AcceptedWeak.None), project, seals)

  /** A hasher that has the pepper under the id that the vectors name. */
  private def withSiteKey(hex: String): LocalHasher = {
    val siteKeys = SealKeysSuite.entry("site", Base64.getEncoder.encodeToString(bytes(hex)))
    val keys = SealKeysSuite.keysOf(s"""{"current": "a", "keys": [${SealKeysSuite.entry("a", SealKeysSuite.One)}], "site_keys": [$siteKeys]}""")
    hasherWith(None, new Seals(Some(keys), None, new SecureRandom))
  }

  private def raw(vector: Vector1, setting: Setting): String = {
    val computed = compute(TestKernels.admitted(setting), bytes(vector.password))
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

object VectorsThrough {
  final case class Vector1(
      tcId: Int,
      comment: String,
      password: String,
      hash: Option[String],
      siteKey: Option[String],
      result: String,
      flags: Vector[String],
      prf: Option[String],
      salt: Option[String],
      iterations: Option[Long],
      dkLen: Option[Int],
      output: Option[String],
      logN: Option[Long],
      r: Option[Long],
      p: Option[Long],
      passwordHash: Option[String],
      credentialData: Option[String],
      secretData: Option[String]
  )
  final case class Project(signerKey: String, saltSeparator: String, rounds: Int, memCost: Int)
  final case class Group(`type`: String, scheme: Option[String], project: Option[Project], tests: Vector[Vector1])
  final case class File(numberOfTests: Int, testGroups: Vector[Group])
  final case class Credential(algorithm: String, hashIterations: Long, additionalParameters: Map[String, List[String]] = Map.empty)
  final case class Secret(value: String, salt: String)

  implicit val codec: JsonValueCodec[File] = JsonCodecMaker.make
  implicit val credentialCodec: JsonValueCodec[Credential] = JsonCodecMaker.make
  implicit val secretCodec: JsonValueCodec[Secret] = JsonCodecMaker.make

  private val NotAvailableLocally = "not available locally"
}
