package saltern.client

import java.util.concurrent.atomic.{AtomicLong, AtomicReference}
import saltern.client.wire.Wire
import scala.concurrent.ExecutionContext
import scala.util.Success

/** Compares the service's policy digest with the client's. It runs beside the calls and never
  * delays them.
  *
  * A difference changes no answer, because stored hashes carry their own parameters. Until the
  * documents agree, three things may differ: the policy of hashes made locally, the reasons for a
  * rehash, and the ceilings.
  */
private[client] final class PolicyDrift(
    config: ClientConfig,
    transport: Transport,
    scheduler: Scheduler,
    own: String,
    listener: ClientListener
) {
  private val next = new AtomicLong(scheduler.nanos)
  private val lastWarned = new AtomicReference[Option[String]](None)

  /** Called after an answer of the service. Requests the digest, unless it was requested a short
    * time ago.
    */
  def check(): Unit = {
    val (due, now) = (next.get(), scheduler.nanos)
    if (now - due >= 0 && next.compareAndSet(due, now + config.policyCheckInterval.toNanos)) {
      val request = new Transport.Request(
        "GET",
        "/health",
        Seq("Accept" -> "application/json"),
        Array.emptyByteArray,
        config.attemptTimeout,
        Wire.MaxAnswerBytes
      )
      val exchange = transport.send(request)
      val timer = scheduler.after(config.attemptTimeout)(() => exchange.cancel())
      exchange.response.onComplete { answer =>
        timer.cancel()
        answer match {
          case Success(response) if response.status == 200 =>
            Wire.read[Wire.Health](response.body).map(_.policies).filter(isDigest).foreach(compare)
          // A failed check says nothing here: the calls judge the service's health. The next check
          // follows.
          case _ => ()
        }
      }(ExecutionContext.parasitic)
    }
  }

  private def compare(theirs: String): Unit =
    if (theirs != own && !lastWarned.getAndSet(Some(theirs)).contains(theirs)) {
      listener.onPolicyDrift(theirs, own)
      PolicyDrift.log.log(
        System.Logger.Level.WARNING,
        s"the policy document of the service ($theirs) differs from the client's ($own): give both the same document; until then local hashes follow the client's"
      )
    }

  private def isDigest(text: String): Boolean = text.matches("sha256:[0-9a-f]{64}")
}

private[client] object PolicyDrift {
  private val log = System.getLogger("saltern.client")
}
