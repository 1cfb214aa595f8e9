package saltern.example.springboot

import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.support.GenericApplicationContext
import saltern.client.{Fallback, LoginExampleSuite, Saltern, TransportFailure}
import saltern.client.FrameworkFixtures.config
import saltern.testkit.InMemoryService
import saltern.testkit.InMemoryService.Fault
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters.*

class LoginBackendSuite extends LoginExampleSuite {
  def start(saltern: Saltern, users: concurrent.Map[String, String]): (Int, () => Unit) = start(saltern, users, fallback = true)

  private def start(saltern: Saltern, users: concurrent.Map[String, String], fallback: Boolean, arguments: String*): (Int, () => Unit) = {
    val application = new SpringApplicationBuilder(classOf[LoginBackend])
      .initializers { (context: GenericApplicationContext) =>
        context.registerBean(classOf[Saltern], () => saltern)
        context.registerBean(classOf[Users], () => new Users(users.asJava))
      }
      .properties("server.port=0", "server.address=127.0.0.1", s"saltern.fallback=$fallback", "spring.main.banner-mode=off", "logging.level.root=WARN")
      .run(arguments*)
    (application.getEnvironment.getProperty("local.server.port").toInt, () => application.close())
  }

  test("a login that began before a change of the password leaves the new hash") {
    val table = TrieMap("ada" -> "old")
    val users = new Users(table.asJava)
    val atLogin = users.loadUserByUsername("ada")
    table.put("ada", "changed")
    assertEquals(users.updatePassword(atLogin, "rehashed").getPassword, "changed")
  }

  test("the health is up while somebody can log in, and names the problems where they may be shown") {
    val away = Fault.Fails(TransportFailure.Kind.ConnectFailed)
    val cases = Seq((Fallback.Never, 503, Some(away)), (Fallback.Unreachable, 200, Some(away)), (Fallback.Never, 200, None)) ++
      // Busy, and without the right to verify.
      Seq((Fallback.Never, 200, Some(Fault.Problem(429, "overloaded"))), (Fallback.Never, 503, Some(Fault.Problem(403, "forbidden"))))
    for (((fallback, status, fault), shown) <- cases.map(_ -> true) :+ (cases.head -> false)) {
      val service = InMemoryService(config.settings.policies)
      fault.foreach(service.failAlways)
      val saltern = Saltern(config.withFallback(fallback), service)
      val (port, end) = start(saltern, TrieMap.empty, fallback != Fallback.Never, (if (shown) Seq(ShowDetails) else Nil)*)
      try {
        val health = LoginExampleSuite.get(port, "/actuator/health")
        assertEquals(health.statusCode, status, health.body)
        assertEquals(health.body.contains("check host and port"), shown && fault.contains(away), health.body)
      } finally { end(); saltern.close() }
    }
  }

  private val ShowDetails = "--management.endpoint.health.show-details=always"
}
