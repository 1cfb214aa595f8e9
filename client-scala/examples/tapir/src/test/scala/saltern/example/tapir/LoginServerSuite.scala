package saltern.example.tapir

import cats.effect.IO
import cats.effect.unsafe.implicits.global
import saltern.client.{LoginExampleSuite, Saltern}
import saltern.client.catseffect.SalternF
import scala.collection.concurrent

class LoginServerSuite extends LoginExampleSuite {
  def start(saltern: Saltern, users: concurrent.Map[String, String]): (Int, () => Unit) = {
    val (server, end) = LoginServer.server(0, SalternF.of[IO](saltern), users).allocated.unsafeRunSync()
    (server.address.getPort, () => end.unsafeRunSync())
  }
}
