package saltern.example

import saltern.client.{ClientConfig, Match, Mismatch, Password, Saltern}
import scala.concurrent.Await
import scala.concurrent.duration.*

/** The three lines, and their answers: remote if `saltern serve` is running, otherwise local. */
object QuickStart {
  def main(arguments: Array[String]): Unit = {
    val saltern = Saltern(ClientConfig(arguments.headOption.getOrElse("http://127.0.0.1:9000")))
    val hashed = Await.result(saltern.hash(Password("correct horse")), 10.seconds)
    val verified = Await.result(saltern.verify(Password("correct horse"), hashed.encoded), 10.seconds)
    val answer = verified match {
      case Match(_)    => "match"
      case _: Mismatch => "mismatch"
    }
    println(s"hashed ${hashed.origin} under ${hashed.hash.policy}; verified ${verified.origin}: $answer")
    saltern.close()
  }
}
