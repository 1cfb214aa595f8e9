package saltern.example.pekkohttp

import org.apache.pekko.actor.ActorSystem
import saltern.client.{LoginExampleSuite, Saltern}
import scala.collection.concurrent
import scala.concurrent.Await
import scala.concurrent.duration.*

class LoginServerSuite extends LoginExampleSuite {
  def start(saltern: Saltern, users: concurrent.Map[String, String]): (Int, () => Unit) = {
    implicit val system: ActorSystem = ActorSystem("test")
    val binding = Await.result(LoginServer.start(0, saltern, users), 1.minute)
    (binding.localAddress.getPort, () => { val _ = Await.result(system.terminate(), 1.minute) })
  }
}
