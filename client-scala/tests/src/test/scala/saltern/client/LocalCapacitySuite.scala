package saltern.client

import saltern.hashes.LocalHasherSuite
import saltern.testkit.{InMemoryService, VirtualClient}
import saltern.testkit.InMemoryService.Fault
import scala.concurrent.Future
import scala.concurrent.duration.*
import scala.util.{Failure, Success}

/** What small hosts answer while the service is away. */
class LocalCapacitySuite extends PatientSuite {
  import EngineSuite.{bcrypt4, cheap, hasher}
  import LocalCapacitySuite.answerOf

  private val secret = Password("secret")
  private lazy val argon2 = LocalHasherSuite.hash(hasher, "argon2id-2", "secret")

  private def client(change: ClientConfig => ClientConfig): VirtualClient = {
    val service = InMemoryService(cheap)
    service.failAlways(Fault.Answer(502, Nil, ""))
    new VirtualClient(change(ClientConfig("https://local-capacity-suite.invalid").withPolicies(cheap).withLoginFloor(Duration.Zero)), service)
  }

  test("a host that cannot hash a listed policy answers all logins alike, and says so at the start") {
    val warnings = new Warnings("local-capacity-suite.invalid: this host cannot hash")
    val virtual = client(_.withLocalMemoryBytes(1024))
    val logins = Seq(Some(bcrypt4), Some(argon2), None).map(virtual.client.login(secret, _))
    virtual.runLocal()
    assertEquals(logins.map(answerOf), Seq.fill(3)("not_available_locally"))
    // A verification that is no login says nothing about accounts.
    val verified = virtual.client.verify(secret, bcrypt4)
    virtual.runLocal()
    assertEquals(answerOf(verified), "local")
    assert(warnings.lines.sizeIs == 1 && warnings.lines.head.contains("set localMemoryBytes to"), warnings.lines.mkString("\n"))
    warnings.close()
    val report = virtual.client.check()
    virtual.advance(1.minute)
    assert(report.value.exists(_.get.localHashing.toString.startsWith("NO: this host cannot hash")), report.toString)
  }

  test("as many workers hash as the memory has room for, and the check tells the limit") {
    val room = 100L * 1024
    val limited = client(_.withLocalWorkers(8).withLocalMemoryBytes(room))
    val report = limited.client.check()
    limited.advance(1.minute)
    assert(report.value.exists(_.get.localHashing.toString.startsWith("yes: 1 of 8 local workers")), report.value.toString)
    val logins = Seq(Some(bcrypt4), Some(argon2), None).map(limited.client.login(secret, _))
    limited.runLocal()
    assertEquals(logins.map(answerOf), Seq.fill(3)("local"))
    val enough = client(_.withLocalWorkers(8))
    val unlimited = enough.client.check()
    enough.advance(1.minute)
    assertEquals(unlimited.value.map(_.get.localHashing), Some(Report.Finding.Good: Report.Finding))
  }

  test("a client that never hashes locally has no limit") {
    val virtual = client(_.withLocalMemoryBytes(1024).withFallback(Fallback.Never))
    val report = virtual.client.check()
    virtual.advance(1.minute)
    assertEquals(report.value.map(_.get.localHashing), Some(Report.Finding.Good: Report.Finding))
  }

  for (collector <- Seq("Serial", "Parallel", "G1"))
    test(s"under the shipped policies a heap of 220 MB answers all logins, and one of 96 MB says why it answers none: ${collector}GC") {
      def said(heap: String): String = OtherJvm.run(Seq(s"-Xmx$heap", s"-XX:+Use${collector}GC"), "saltern.client.OutageLogins", "1", "8").said
      val small = said("220m")
      assertEquals(small.linesIterator.filter(_.startsWith("> ")).toSeq, Seq("> 1: local local local", "> 8: local local local"), small)
      assert(small.contains("1 of 8 local workers"), small)
      val tiny = said("96m")
      val none = Seq.fill(3)("not_available_locally").mkString(" ")
      assertEquals(tiny.linesIterator.filter(_.startsWith("> ")).toSeq, Seq(s"> 1: $none", s"> 8: $none"), tiny)
      assert(tiny.contains("this host cannot hash `argon2id-2026`") && tiny.contains("-Xmx288m"), tiny)
    }
}

object LocalCapacitySuite {
  def answerOf(login: Future[Verified]): String = login.value match {
    case Some(Success(verified))            => verified.origin.name
    case Some(Failure(error: SalternError)) => error.code
    case other                              => other.toString
  }
}

/** Says who answers logins while the service is away, for each number of workers: with a bcrypt hash, with one of the current policy, and
  * without a hash.
  */
object OutageLogins {
  private val Bcrypt = "$2b$10$abcdefghijklmnopqrstuufRJKqnIgp8iBP9JHlC9QlAWTNb2ftPm"
  private val Argon2 = "$argon2id$v=19$m=65536,t=4,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

  def main(workers: Array[String]): Unit = for (count <- workers) {
    val config = ClientConfig("http://127.0.0.1:1").withLocalWorkers(count.toInt).withLoginFloor(Duration.Zero).withDeadline(60.seconds)
    val client = Saltern(config)
    val answers = Seq(Some(Bcrypt), Some(Argon2), None).map { stored =>
      LocalCapacitySuite.answerOf(scala.concurrent.Await.ready(client.login(Password("secret"), stored), 60.seconds))
    }
    println(answers.mkString(s"> $count: ", " ", ""))
    client.close()
  }
}
