package saltern.client.local

import java.security.{MessageDigest, SecureRandom}
import java.util.Arrays
import saltern.client.{RefusalCode, RehashReason}

/** The service's answers, computed here: the same admission, the same candidates, the same verdict (`functions/policy`).
  * Nothing is computed before it is admitted: [[LocalHasher.Job]]s exist only for admitted work.
  */
private[saltern] final class LocalHasher(val policies: Policies, random: SecureRandom) {
  import LocalHasher.*

  def prepareHash(policyId: Option[String], password: Array[Byte]): Either[Refusal, Job[NewText]] =
    for {
      policy <- policies.forHashing(policyId)
      _ <- refuseWhatBcryptIgnores(policy, password)
      salt = { val bytes = new Array[Byte](Setting.NewSaltBytes); random.nextBytes(bytes); bytes }
      setting = Setting.fresh(policy.params, salt)
      admitted <- Admitted(setting, policies.ceilings).toRight(Refusal.Code(RefusalCode.CostOutOfBounds))
    } yield new Job[NewText](admitted, 1, () => NewText(setting.print(Kernels.compute(admitted, password)), policy.id))

  /** `None` does the decoy's work and is a mismatch. */
  def prepareVerify(stored: Option[String], password: Array[Byte]): Either[Refusal, Job[Verdict]] = stored match {
    case None =>
      val setting = Setting.fresh(policies.decoy.params, new Array[Byte](Setting.NewSaltBytes))
      admit(setting).map { admitted =>
        val candidates = candidatesOf(setting.params, password)
        new Job[Verdict](
          admitted,
          candidates.size,
          () => {
            candidates.foreach(c => Kernels.compute(admitted, c.password))
            Verdict(matches = false, None, None)
          }
        )
      }
    case Some(text) =>
      for {
        encoded <- EncodedHash.parse(text).left.map(refusalOf)
        admitted <- admit(encoded.setting)
        candidates = candidatesOf(encoded.setting.params, password)
      } yield new Job[Verdict](admitted, candidates.size, () => verdict(encoded, admitted, candidates))
  }

  private def admit(setting: Setting): Either[Refusal, Admitted] =
    Admitted(setting, policies.ceilings).toRight(Refusal.Code(RefusalCode.CostOutOfBounds))

  private def verdict(encoded: EncodedHash, admitted: Admitted, candidates: Vector[Candidate]): Verdict = {
    val policy = policies.policyOf(encoded.setting)
    // Every output is compared: which candidate matched must not show in the time.
    val matching = candidates.map(c => MessageDigest.isEqual(Kernels.compute(admitted, c.password), encoded.output))
    val matched = candidates.zip(matching).collectFirst { case (candidate, true) => candidate }
    val reason = matched.flatMap { candidate =>
      // The part that nobody checked must not become required by being hashed now.
      if (candidate.ignoresPart && !policies.rehashTruncated) None else policies.rehashReason(encoded.setting, policy)
    }
    Verdict(matched.isDefined, reason, policy.map(_.id))
  }
}

private[saltern] object LocalHasher {

  /** Work that was admitted. `run` takes `times` times the admitted work. */
  final class Job[+A](val admitted: Admitted, val times: Int, val run: () => A)

  final case class NewText(encoded: String, policy: String) {
    override def toString: String = s"NewText(.., $policy)"
  }
  final case class Verdict(matches: Boolean, rehashReason: Option[RehashReason], policy: Option[String])

  /** Why nothing is computed. */
  sealed trait Refusal
  object Refusal {

    /** As the service would refuse. */
    final case class Code(code: String) extends Refusal

    /** The service might know the scheme; this client does not. */
    case object UnknownScheme extends Refusal
  }

  /** One reading of a password. Software on C strings stopped at a NUL, other software went on, and a bcrypt hash does
    * not say which made it.
    */
  private final case class Candidate(password: Array[Byte], ignoresPart: Boolean)

  private def candidatesOf(params: Params, password: Array[Byte]): Vector[Candidate] = params match {
    case _: Params.Bcrypt =>
      val whole = Candidate(password, ignoresPart = password.length > Params.Bcrypt.MaxPasswordBytes)
      password.indexOf(0.toByte) match {
        case -1  => Vector(whole)
        case nul => Vector(Candidate(Arrays.copyOf(password, nul), ignoresPart = true), whole)
      }
    case _ => Vector(Candidate(password, ignoresPart = false))
  }

  private def refuseWhatBcryptIgnores(policy: Policy, password: Array[Byte]): Either[Refusal, Unit] = policy.params match {
    case _: Params.Bcrypt if password.length > Params.Bcrypt.MaxPasswordBytes =>
      Left(Refusal.Code(RefusalCode.PasswordTooLong))
    case _: Params.Bcrypt if password.contains(0.toByte) => Left(Refusal.Code(RefusalCode.PasswordHasNul))
    case _                                               => Right(())
  }

  private def refusalOf(error: ParseError): Refusal = error match {
    case ParseError.Invalid       => Refusal.Code(RefusalCode.InvalidHash)
    case ParseError.Unsupported   => Refusal.Code(RefusalCode.UnsupportedHash)
    case ParseError.UnknownScheme => Refusal.UnknownScheme
  }
}
