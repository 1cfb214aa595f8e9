package saltern.example.play

import saltern.client.{LoginExampleSuite, Saltern}
import scala.collection.concurrent

class LoginServerSuite extends LoginExampleSuite {
  def start(saltern: Saltern, users: concurrent.Map[String, String]): (Int, () => Unit) = {
    val server = LoginServer.start(0, saltern, users)
    (server.mainAddress.getPort, () => server.stop())
  }
}
