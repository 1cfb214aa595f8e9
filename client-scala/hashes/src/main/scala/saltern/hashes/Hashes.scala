package saltern.hashes

import java.security.SecureRandom
import saltern.client.{Hashed, LocalHashing, Operation, Origin, Password, PolicySource, RehashReason, SalternError, Timing, Verified}
import saltern.hashes.LocalHasher.Job
import scala.concurrent.duration.*

/** Makes and verifies stored hashes on this host alone, without a client: for a tool, or a program
  * that moves a table.
  *
  * A call computes on its own thread, and blocks for as long as the hash takes. The caller bounds
  * how many are in progress at once: argon2id of the shipped policies takes 64 MiB of heap each.
  */
final class Hashes private (hasher: LocalHasher) {

  /** Returns a new hash under the current policy. Throws `SalternError.UserFault` if the password
    * cannot be hashed.
    */
  def hash(password: Password): Hashed = computed(password)(hasher.prepareHash(None, _)) { (made, timing) =>
    new Hashed(made.encoded, made.policy, Origin.Local, timing)
  }

  /** Returns whether the password matches the stored hash. Throws a `SalternError`: `BadHash` if
    * the stored hash cannot be read or costs more than a ceiling; `NotAvailableLocally` if it is
    * weak and its scheme not accepted, or only the service could verify it.
    */
  def verify(password: Password, stored: String): Verified = computed(password)(hasher.prepareVerify(Some(stored), _)) { (verdict, timing) =>
    Operation.verified(verdict.matches, None, verdict.rehashReason, verdict.policy, Origin.Local, timing)
  }

  /** Returns why this stored hash should be replaced, as `Saltern.rehashReason` does. */
  def rehashReason(stored: String): Option[RehashReason] = Option(stored).flatMap(hasher.rehashReason(_))

  private def computed[A, B](password: Password)(prepare: Array[Byte] => Either[LocalHashing.Failure, Job[A]])(answer: (A, Timing) => B): B = {
    val bytes = password.copyBytes().fold(code => throw SalternError.refused(code, Origin.Local), identity)
    try {
      val job = prepare(bytes).fold(failure => throw failure.error(), identity)
      val began = System.nanoTime
      val made = job.run()
      val took = (System.nanoTime - began).nanos
      answer(made, new Timing(took, None, Some(took)))
    } finally java.util.Arrays.fill(bytes, 0.toByte)
  }
}

object Hashes {

  /** Reads the policy document. Throws `IllegalArgumentException` if it is invalid or a name of
    * `acceptedWeak` is none, and `IOException` if a file cannot be read.
    *
    * @param acceptedWeak as in `ClientConfig.withAcceptedWeak`
    */
  def apply(policies: PolicySource, acceptedWeak: String*): Hashes =
    new Hashes(new LocalHasher(Policies.of(policies), new SecureRandom, valid("acceptedWeak", AcceptedWeak.named(acceptedWeak))))

  /** With the policies that Saltern ships, and no weak schemes. */
  def apply(): Hashes = apply(PolicySource.Packed)

  private[hashes] def valid[A](setting: String, read: Either[String, A]): A =
    read.fold(problem => throw new IllegalArgumentException(s"$setting: $problem"), identity)
}
