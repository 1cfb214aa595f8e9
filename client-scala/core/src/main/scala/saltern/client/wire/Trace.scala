package saltern.client.wire

import saltern.client.Transport

/** The headers by which a caller's own request is found in logs and traces. They prove nothing:
  * proxies may replace them.
  */
private[saltern] final case class Trace(requestId: Option[String], traceparent: Option[String])

private[saltern] object Trace {
  val none: Trace = Trace(None, None)

  val RequestId: String = "x-request-id"
  val Traceparent: String = "traceparent"

  /** Text in another form is no id. The service would replace it. */
  def requestId(text: String): Option[String] = Option(text).filter(_.matches("[A-Za-z0-9._-]{1,64}"))

  /** Text in another form than that of W3C Trace Context, level 1, is no trace. */
  def traceparent(text: String): Option[String] = Option(text).filter(_.matches("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"))

  /** Returns the id under which the service, or a proxy in front of it, logged the request. */
  def loggedAs(response: Transport.Response): Option[String] = response.header(RequestId).flatMap(requestId)
}
