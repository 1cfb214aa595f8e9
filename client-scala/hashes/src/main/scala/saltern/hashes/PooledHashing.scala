package saltern.hashes

import java.security.SecureRandom
import saltern.client.{Cancellable, ClientConfig, Hashed, LocalHashing, Operation, Origin, RehashReason, Report, Timing}
import saltern.client.LocalHashing.{Failure, Host, Made}
import saltern.hashes.LocalHasher.Job
import saltern.hashes.verifyonly.FirebaseProject

/** Hashes in a bounded pool of this host, for one client. */
private[hashes] final class PooledHashing(kernels: HashKernels, config: ClientConfig.Settings, host: Host) extends LocalHashing {
  import Hashes.valid

  private val own = Policies.of(config.policies)
  private val random = new SecureRandom
  private val seals = new Seals(config.sealKeys.map(SealKeyReader.first), config.hashesUnsealed, random)
  private val hasher = new LocalHasher(
    own,
    random,
    valid("acceptedWeak", AcceptedWeak.named(config.acceptedWeak)),
    config.firebaseProject.map(text => valid("firebaseProject", FirebaseProject.read(text))),
    seals
  )
  private val capacity = new LocalCapacity(kernels, config, own)
  private val pool = {
    val atOnce = kernels.hashesAtOnce(capacity.workers)
    val started = kernels.start(capacity.workers, capacity.memoryBytes, own.ceilings)
    new LocalPool(capacity.workers, atOnce, config.localQueue, capacity.memoryBytes, started, host.workers(atOnce), host.scheduler, host.listener)
  }
  config.sealKeys.foreach(new SealKeyReader(_, seals, host).start())

  def policies: Option[String] = Some(own.digest)
  def rehashReason(stored: String, context: Option[String]): Option[RehashReason] = hasher.rehashReason(stored, context)
  def isUpToDate(stored: String, context: Option[String]): Boolean = hasher.isUpToDate(stored, context)
  def problem: Option[String] = capacity.problem
  def limit: Option[String] = capacity.limit
  def sealKeys: Seq[Report.SealKey] = seals.listed
  def lacksSealKeys: Boolean = seals.lacksKeys
  def noteSeals(yes: Boolean): Unit = seals.note(yes)

  def costsOf(operation: Operation[?]): Option[LocalHashing.Costs] = operation match {
    case Operation.Hash(policy, _)                     => own.forHashing(policy).toOption.map(_.params)
    case Operation.Verify(None, _, _, _)               => Some(own.decoy.params)
    case Operation.Verify(Some(stored), _, context, _) => hasher.costsOf(stored, context)
  }

  def start[A](operation: Operation[A], password: Array[Byte], deadline: Long)(done: Either[Failure, Made[A]] => Unit): Cancellable = {
    val prepared =
      try prepare(operation, password)
      // Not only what is NonFatal: the call would wait for its deadline.
      catch { case e: Throwable => Left(LocalPool.faultOf(e)) }
    prepared match {
      case Left(failure) =>
        done(Left(failure))
        LocalPool.NoPlace
      case Right(job) => pool.submit(job, deadline)(done)
    }
  }

  def close(): Unit = {
    pool.close()
    // A hash that ends after this is not sealed, and its result is dropped.
    seals.close()
  }

  private def prepare[A](operation: Operation[A], password: Array[Byte]): Either[Failure, Job[Timing => A]] = operation match {
    case Operation.Hash(policy, context) =>
      hasher.prepareHash(policy, password, context).map { job =>
        job.map(made => timing => new Hashed(made.encoded, made.policy, Origin.Local, timing))
      }
    case Operation.Verify(_, _, _, true) if capacity.problem.isDefined => Left(Failure.NotAvailable(capacity.problem.mkString))
    case Operation.Verify(stored, _, context, _)                       =>
      hasher.prepareVerify(stored, password, context).map { job =>
        // Never with a new hash: it would be a second one on a host that is short of capacity. The
        // next login makes it.
        job.map(verdict => timing => Operation.verified(verdict.matches, None, verdict.rehashReason, verdict.policy, Origin.Local, timing))
      }
  }
}
