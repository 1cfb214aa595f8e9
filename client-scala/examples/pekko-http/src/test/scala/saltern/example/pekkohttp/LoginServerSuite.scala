package saltern.example.pekkohttp

import java.util.concurrent.{CountDownLatch, TimeUnit}
import org.apache.pekko.actor.ActorSystem
import saltern.client.{LoginExampleSuite, Saltern, Transport}
import saltern.client.FrameworkFixtures.{config, oldHash, Distant}
import scala.collection.concurrent
import scala.collection.concurrent.TrieMap
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*

class LoginServerSuite extends LoginExampleSuite {
  def start(saltern: Saltern, users: concurrent.Map[String, String]): (Int, () => Unit) = {
    implicit val system: ActorSystem = ActorSystem("test")
    val binding = Await.result(LoginServer.start(0, saltern, users), 1.minute)
    (binding.localAddress.getPort, () => { val _ = Await.result(system.terminate(), 1.minute) })
  }

  test("the end of the system waits for a login in flight") {
    val (arrived, distant) = (new CountDownLatch(1), new Distant(1, 500.millis))
    val saltern = Saltern(
      config,
      new Transport {
        def send(request: Transport.Request): Transport.Exchange = { arrived.countDown(); distant.send(request) }
        def close(): Unit = distant.close()
      }
    )
    val (port, end) = start(saltern, TrieMap("ada" -> oldHash))
    try {
      val login = Future(LoginExampleSuite.login(port, "ada", "wrong"))(ExecutionContext.global)
      assert(arrived.await(1, TimeUnit.MINUTES))
      end()
      assertEquals(Await.result(login, 1.minute).statusCode, 401)
    } finally saltern.close()
  }
}
