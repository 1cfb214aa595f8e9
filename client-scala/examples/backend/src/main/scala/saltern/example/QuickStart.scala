package saltern.example

import saltern.client.{ClientConfig, Match, Mismatch, Password, Saltern}

/** A new hash and a login, and their answers: remote if `saltern serve` is running, otherwise
  * local.
  */
object QuickStart {
  def main(arguments: Array[String]): Unit = {
    val client = Saltern(ClientConfig(arguments.headOption.getOrElse("http://127.0.0.1:9000")))
    // This program has one thread, which may wait. A server uses the futures of the client itself.
    val saltern = client.blocking
    try {
      val hashed = saltern.hash(Password("correct horse"))
      val verified = saltern.login(Password("correct horse"), Some(hashed.encoded))
      val answer = verified match {
        case Match(_)    => "match"
        case _: Mismatch => "mismatch"
      }
      println(s"hashed ${hashed.origin} under ${hashed.policy}; verified ${verified.origin}: $answer")
    } finally client.close()
  }
}
