package saltern.client.wire

import java.security.SecureRandom

/** Names of requests and operations. An answer belongs to its request only if it carries the name.
  * The names are random, so that no other answer carries it by chance.
  */
private[saltern] object Name {

  /** The header of requests and answers. No proxy sets it, unlike `x-request-id`. */
  val Header: String = "Saltern-Request-Id"

  def random(): String = {
    val bytes = new Array[Byte](Bytes)
    source.nextBytes(bytes)
    bytes.map(b => f"${b & 0xff}%02x").mkString
  }

  /** 128 bits. */
  private val Bytes = 16
  private val source = new SecureRandom
}
