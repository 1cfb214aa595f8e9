package saltern.client.fleet

import java.nio.charset.StandardCharsets.UTF_8
import saltern.client.{PolicySource, Transport, TransportFailure}
import saltern.hashes.Policies
import saltern.testkit.VirtualScheduler
import scala.collection.mutable
import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.*

/** The service in virtual time: a fixed capacity, one queue, and the contract's rules for deadlines
  * and overload. It computes nothing.
  */
private[fleet] final class ModelService(clock: VirtualScheduler, workers: Int, hash: FiniteDuration) {
  import ModelService.*

  private val hashNanos = hash.toNanos
  private val queue = mutable.LinkedHashSet.empty[Job]
  private val running = mutable.LinkedHashSet.empty[Job]
  private var busySince = Option.empty[Long]
  private var lastRefusal = Option.empty[Long]
  private val hung = mutable.LinkedHashSet.empty[Job]
  private var state: State = Well

  var received = 0
  var refused = 0

  /** Hashes whose caller had left. */
  var wasted = 0

  def capacity: Double = workers * 1e9 / hashNanos

  /** Requests meet this state from now on. A service that dies loses its work. */
  def become(next: State): Unit = {
    state = next
    if (next == Dead) {
      (queue ++ running ++ hung).foreach(_.fail(TransportFailure.Kind.Broken))
      Seq(queue, running, hung).foreach(_.clear())
      busySince = None
      lastRefusal = None
    }
  }

  val transport: Transport = new Transport {
    def send(request: Transport.Request): Transport.Exchange = {
      val job = new Job(request)
      clock.after(OneWay)(() => arrive(job))
      job
    }
    def close(): Unit = ()
  }

  private final class Job(request: Transport.Request) extends Transport.Exchange {
    private val promise = Promise[Transport.Response]()
    private val headers = request.headers.toMap
    val asksPolicies: Boolean = request.path == "/policies"
    var gone = false
    var arrived = 0L
    var started = 0L
    val deadline: Long = headers.get("Saltern-Deadline-Ms").fold(10000L)(_.toLong) * 1000000

    def response: Future[Transport.Response] = promise.future

    def cancel(): Unit = { val _ = clock.after(OneWay) { () => gone = true; queue.remove(this); hung.remove(this); idle() } }

    def answer(status: Int, body: String, more: (String, String)*): Unit = {
      val kind = if (status == 200) "application/json" else "application/problem+json"
      val sent = Seq("Content-Type" -> kind) ++ headers.get("Saltern-Request-Id").map("Saltern-Request-Id" -> _) ++ more
      val response = new Transport.Response(status, sent, body.getBytes(UTF_8))
      val _ = clock.after(OneWay)(() => { val _ = promise.trySuccess(response) })
    }

    def refuse(code: String, more: String = ""): Unit =
      answer(503, s"""{"type":"urn:saltern:problem:$code","title":"$code","status":503,"code":"$code","detail":""$more}""")

    def fail(kind: TransportFailure.Kind): Unit = {
      val _ = clock.after(OneWay)(() => { val _ = promise.tryFailure(new TransportFailure(kind, "modelled")) })
    }
  }

  private def arrive(job: Job): Unit = state match {
    case _ if job.gone                      => ()
    case Dead                               => job.fail(TransportFailure.Kind.ConnectFailed)
    case Well | Hanging if job.asksPolicies =>
      job.answer(200, s"""{"digest":"$Digest"}""")
    case Hanging => hung += job
    case Well    => admit(job)
  }

  private def admit(job: Job): Unit = {
    received += 1
    val now = clock.nanos
    job.arrived = now
    val under = running.iterator.map(j => j.started + hashNanos - now).sum
    val wait = if (running.size < workers) 0L else (under + queue.size * hashNanos) / workers
    val lasting = busySince.exists(now - _ >= LastingAfter.toNanos) || lastRefusal.exists(now - _ < CalmAfter.toNanos)
    if (hashNanos > job.deadline) job.refuse("deadline_exceeded")
    else if (wait + hashNanos > job.deadline || wait > LongestQueue.toNanos || lasting && wait > shortWait) {
      refused += 1
      if (lasting) lastRefusal = Some(now)
      job.refuse("overloaded", s""","retry_after_ms":${math.max(1L, wait / 1000000)}""")
    } else {
      queue += job
      start()
      if (queue.nonEmpty && busySince.isEmpty) busySince = Some(now)
    }
  }

  /** The service's bound under lasting overload. It is shorter for long hashes. */
  private def shortWait: Long = {
    val mean = if (queue.isEmpty) 0L else hashNanos
    (ShortStay.toNanos - mean).max(ShortestQueue.toNanos).min(LongestShortQueue.toNanos)
  }

  private def start(): Unit = {
    while (running.size < workers && queue.nonEmpty) {
      val job = queue.head
      queue -= job
      val now = clock.nanos
      if (now + hashNanos - job.arrived > job.deadline) job.refuse("deadline_exceeded")
      else {
        job.started = now
        running += job
        clock.after(hash) { () =>
          if (running.remove(job)) {
            if (job.gone) wasted += 1
            val waited = (job.started - job.arrived) / 1e6
            job.answer(200, Match, "Server-Timing" -> f"queue;dur=$waited%.2f, hash;dur=${hashNanos / 1e6}%.2f")
            start()
          }
        }
      }
    }
    idle()
  }

  private def idle(): Unit = if (queue.isEmpty) busySince = None
}

private[fleet] object ModelService {
  sealed trait State
  case object Well extends State

  /** Nothing listens. */
  case object Dead extends State

  /** Logins are never answered; `/policies` is. */
  case object Hanging extends State

  private val Digest = Policies.of(PolicySource.Packed).digest
  private val Match = """{"match":true,"needs_rehash":false,"rehash_reason":null,"policy":null}"""
  private val OneWay = 1.milli

  // The service's queue (functions/pool/src/schedule.rs).
  private val LongestQueue = 2.seconds
  private val LastingAfter = 2500.millis
  private val CalmAfter = 500.millis
  private val ShortStay = 270.millis
  private val LongestShortQueue = 140.millis
  private val ShortestQueue = 40.millis
}
