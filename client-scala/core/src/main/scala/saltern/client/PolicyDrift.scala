package saltern.client

import java.util.concurrent.atomic.{AtomicLong, AtomicReference}
import saltern.client.wire.{Name, Wire}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** Compares the service's policy digest with the client's, and learns whether the service has a list
  * of breached passwords. It runs beside the calls and never delays them.
  *
  * A difference changes no verification, because stored hashes carry their own parameters. New
  * hashes made locally would follow another policy than the service's, so they are refused unless a
  * setting allows them. The reasons for a rehash and the ceilings may differ too.
  */
private[client] final class PolicyDrift(
    config: ClientConfig.Settings,
    transport: Transport,
    scheduler: Scheduler,
    own: Option[String],
    listener: ClientListener,
    journal: Journal
) {
  private val next = new AtomicLong(scheduler.nanos)
  private val known = new AtomicReference[Option[String]](None)
  @volatile private var blocklist = false

  /** Whether the service's latest digest is another one. */
  def differs: Boolean = known.get.exists(!isOwn(_))

  /** Whether the service compares new passwords with a list of breached ones. This host has none. */
  def hasBlocklist: Boolean = blocklist

  def isOwn(digest: String): Boolean = own.forall(_ == digest)

  def text(theirs: String): String =
    s"the policy document of the service ($theirs) differs from the client's (${own.mkString}): give both the same document; " +
      (if (config.hashesDespiteDrift) "until then local hashes follow the client's" else "until then no new hash is made locally")

  /** Called after an answer of the service. Requests the policies, unless they were requested a short
    * time ago. A request without an answer is soon repeated.
    */
  def check(): Unit = {
    val (due, now) = (next.get(), scheduler.nanos)
    if (now - due >= 0 && next.compareAndSet(due, now + config.policyCheckInterval.toNanos))
      ask(config.attemptTimeout).foreach(found => if (found.isEmpty) next.set(now + Again.toNanos))(ExecutionContext.parasitic)
  }

  /** Requests the policies and compares their digest. `None` says nothing, because the calls judge the
    * service's health.
    */
  def ask(time: FiniteDuration): Future[Option[String]] = {
    val name = Name.random()
    val request = new Transport.Request(
      "GET",
      "/policies",
      Seq("Accept" -> "application/json", Name.Header -> name),
      Array.emptyByteArray,
      time,
      Wire.MaxAnswerBytes * 4
    )
    Exchanges
      .within(transport, scheduler, request)
      .map { response =>
        val body = Option.when(response.status == 200 && Wire.carries(response, name))(response.body)
        val policies = body.flatMap(Wire.read[Wire.Policies](_)).filter(policies => isDigest(policies.digest))
        policies.foreach { theirs => blocklist = theirs.blocklist.nonEmpty; compare(theirs.digest) }
        policies.map(_.digest)
      }(ExecutionContext.parasitic)
      .recover { case _ => None }(ExecutionContext.parasitic)
  }

  private def compare(theirs: String): Unit = {
    val isNew = !known.getAndSet(Some(theirs)).contains(theirs)
    if (!isOwn(theirs)) {
      if (isNew) own.foreach(listener.onPolicyDrift(theirs, _))
      journal.drifted(text(theirs))
    }
  }

  /** After a request without an answer. */
  private val Again = 10.seconds

  private def isDigest(text: String): Boolean = text.matches("sha256:[0-9a-f]{64}")
}
