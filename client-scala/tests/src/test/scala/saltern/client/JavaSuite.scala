package saltern.client

import saltern.javauser.JavaUser
import saltern.testkit.{Answers, InMemoryService}
import scala.concurrent.duration.*

/** [[JavaUser]] compiles, and what it writes means what its names say. */
class JavaSuite extends PatientSuite {

  test("settings of Java are those of Scala") {
    val settings = JavaUser.settings("http://127.0.0.1:9000").settings
    assertEquals(settings.deadline, 60.seconds)
    assertEquals(settings.fallback, Fallback.UnreachableOrOverloaded: Fallback)
    assertEquals(settings.policies, PolicySource.Packed: PolicySource)
    assertEquals(settings.acceptedWeak, Seq("ldap-sha", "django-md5"))
  }

  test("Java tells the sides and the states apart") {
    val service = InMemoryService(InMemoryService.CheapPolicies)
    val client = Saltern(ClientConfig("https://service.invalid").withPolicies(InMemoryService.CheapPolicies), service)
    try {
      assertEquals(JavaUser.originOf(client), Origin.Remote: Origin)
      service.failAlways(InMemoryService.Fault.Fails(TransportFailure.Kind.ConnectFailed))
      assert(JavaUser.isLocal(client.blocking.login(Password("secret"), None)))
    } finally client.close()
    assertEquals(Seq(BreakerState.Closed, BreakerState.HalfOpen, BreakerState.Open).map(JavaUser.severity(_)), Seq(0, 1, 2))
  }

  test("a Java program's login answers each outcome, and brings the new hash") {
    val fake = JavaUser.scripted()
    assertEquals(Seq.fill(5)(JavaUser.status(fake, "secret", "stored")), Seq(200, 403, 400, 503, 500))
    fake.answers(Answers.matched(Some("fresh")))
    assertEquals(JavaUser.rehash(fake, "stored").orElseThrow, "older_policy fresh")
  }
}
