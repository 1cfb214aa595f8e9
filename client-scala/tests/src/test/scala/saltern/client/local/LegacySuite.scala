package saltern.client.local

import com.github.plokhotnyuk.jsoniter_scala.core.readFromArray
import java.nio.file.{Files, Paths}
import java.security.SecureRandom
import saltern.client.*
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** The core without `saltern-client-legacy`. The module is on the tests' own class path. */
class LegacySuite extends PatientSuite {
  test("the core finds the module on the class path") {
    assertEquals(OtherSchemes.found.map(_.getClass.getName), Some("saltern.client.local.legacy.LegacySchemes"))
  }

  test("without the module its hashes go to the service, and without the service the error names the module") {
    val ended = OtherJvm.runWithout("legacy", "saltern.client.local.WithoutLegacy")
    assertEquals(ended.exitCode, 0, ended.said)
  }
}

/** Runs in a JVM without the module. Ends with an exception if an answer is wrong. */
object WithoutLegacy {
  private val names = Files.readAllLines(Paths.get(sys.props("saltern.root"), "client-scala", "local-schemes.txt")).asScala.toSeq

  /** Of the vectors, of `saltern`. */
  private val ofCrypt = Seq("$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", "{CRYPT}saTK9dxacx.Qo", "{SHA512-CRYPT}$6$salt$x", "{MD5}$1$salt$x")

  def main(arguments: Array[String]): Unit = {
    require(arguments.isEmpty && OtherSchemes.found.isEmpty)
    require(Scheme.all.size > 25 && Scheme.all.forall(scheme => names.contains(scheme.name) && !scheme.isWeak), Scheme.all.mkString(" "))
    refusals()
    settings()
    calls()
  }

  /** Every vector is refused as with the module, or not read. */
  private def refusals(): Unit = {
    val policies = Policies.read(PolicySource.read(PolicySource.Packed)).fold(sys.error(_), identity)
    val hasher = new LocalHasher(policies, new SecureRandom, AcceptedWeak.named(Seq("all")).fold(sys.error(_), identity))
    val files = Files.list(Paths.get(sys.props("saltern.vectors"))).iterator.asScala.filter(_.toString.endsWith(".json"))
    val vectors = files.filterNot(file => file.endsWith("vectors.schema.json") || file.endsWith("seal.json")).flatMap { file =>
      readFromArray[VectorsThrough.File](Files.readAllBytes(file)).testGroups.filter(_.`type` == "verify").flatMap(_.tests)
    }.toVector
    require(vectors.size > 500, s"${vectors.size} vectors")
    for (vector <- vectors; stored <- vector.hash)
      hasher.prepareVerify(Some(stored), Array[Byte](1)) match {
        case Left(LocalHasher.Refusal.Code(code)) => require(code == vector.result, s"$stored: $code")
        case Right(_)                             => require(Set("match", "mismatch")(vector.result), stored)
        case Left(_)                              => ()
      }
  }

  private def settings(): Unit = {
    val config = ClientConfig("http://127.0.0.1:1")
    for (set <- Seq[() => Any](() => config.withAcceptedWeak("ldap-sha"), () => config.withFirebaseProject("hash_config {}")))
      refused(set()) match {
        case problem: IllegalArgumentException => require(problem.getMessage.contains("add saltern-client-legacy"), problem.getMessage)
        case other                             => throw other
      }
  }

  private def calls(): Unit = {
    val server = RawServer.always(RawServer.response(200, "application/json", RawServer.mismatch))
    // Long enough for a busy machine.
    val patient = ClientConfig(server.uri)
      .withPolicies(EngineSuite.cheap)
      .withDeadline(60.seconds)
      .withAttemptTimeout(30.seconds)
      .withConnectTimeout(30.seconds)
      .withBreakerSilence(30.seconds)
    val near = Saltern(patient)
    for (stored <- ofCrypt) require(await(near.verify(Password("saltern"), stored)).origin == Origin.Remote, stored)
    near.close()
    server.close()
    val alone = Saltern(patient)
    def detail(stored: String): String = refused(await(alone.verify(Password("saltern"), stored))) match {
      case error: SalternError.NotAvailableLocally => error.detailed
      case other                                   => throw other
    }
    for (stored <- ofCrypt) require(detail(stored).contains("add saltern-client-legacy"), detail(stored))
    // No module reads it, and neither does the service.
    require(refused(await(alone.verify(Password("saltern"), "secret"))).isInstanceOf[SalternError.BadHash])
    // The module does not read it either.
    require(!detail("$y$j9T$salt$hash").contains("legacy"))
    require(await(alone.verify(Password("secret"), EngineSuite.bcrypt4)).origin == Origin.Local)
    alone.close()
  }

  private def refused(result: => Any): Throwable =
    scala.util.Try(result).fold(identity, result => throw new AssertionError(s"no failure: $result"))

  private def await[A](future: Future[A]): A = Await.result(future, 60.seconds)
}
