package saltern.hashes

import java.security.{MessageDigest, SecureRandom}
import java.util.Arrays
import saltern.client.{RefusalCode, RehashReason}
import saltern.client.LocalHashing.Failure
import saltern.hashes.verifyonly.FirebaseProject

/** Computes the service's answers locally, with the same admission, the same candidates and the
  * same verdict (`functions/policy`). Nothing is computed before it is admitted: a
  * [[LocalHasher.Job]] exists only for admitted work.
  */
private[saltern] final class LocalHasher(
    val policies: Policies,
    random: SecureRandom,
    acceptedWeak: AcceptedWeak = AcceptedWeak.None,
    project: Option[FirebaseProject] = None,
    val seals: Seals = Seals.none
) {
  import LocalHasher.*

  /** @param context the row to which the new hash belongs, for its seal */
  def prepareHash(policyId: Option[String], password: Array[Byte], context: Option[String] = None): Either[Failure, Job[NewText]] =
    for {
      seal <- seals.sealing(context)
      policy <- policies.forHashing(policyId)
      _ <- refuseWhatBcryptIgnores(policy, password)
      salt = { val bytes = new Array[Byte](Setting.NewSaltBytes); random.nextBytes(bytes); bytes }
      setting = Setting.fresh(policy.params, salt)
      admitted <- Admitted(setting, policies.ceilings).toRight(Failure.Refused(RefusalCode.CostOutOfBounds))
    } yield new Job[NewText](admitted, admitted.work, compute => NewText(seal(setting.print(compute(admitted, password))), policy.id))

  /** `None` does the decoy's work and is a mismatch. */
  def prepareVerify(stored: Option[String], password: Array[Byte], context: Option[String] = None): Either[Failure, Job[Verdict]] = stored match {
    case None =>
      val setting = Setting.fresh(policies.decoy.params, new Array[Byte](Setting.NewSaltBytes))
      admit(setting).map { admitted =>
        val candidates = candidatesOf(readingOf(policies.decoy.params), password, password.length)
        new Job[Verdict](
          admitted,
          workOf(admitted, candidates),
          compute => {
            candidates.foreach(_.prepared(setting.salt, password)(compute(admitted, _)))
            Verdict(matches = false, None, None)
          }
        )
      }
    // A null comes from Java.
    case Some(null) => Left(Failure.Refused(RefusalCode.InvalidHash))
    case Some(text) =>
      for {
        unsealed <- seals.open(text, context)
        encoded <- EncodedHash.parse(unsealed.text).left.map(failureOf(_, unsealed.text))
        resolved <- resolve(encoded)
        (setting, expected) = resolved
        // A hash below a floor may exceed a ceiling too. No permission helps then.
        admitted <- admit(setting)
        _ <- Either.cond(
          !policies.isWeak(encoded) || acceptedWeak.names(encoded.scheme),
          (),
          Failure.NotAvailable(s"the `${encoded.scheme.serviceName}` hash is weak, and its scheme is not accepted: see withAcceptedWeak")
        )
        work <- withCandidates(encoded.innermost, password)((_, candidates) => workOf(admitted, candidates))
      } yield new Job[Verdict](admitted, work, verdict(encoded, unsealed.due, expected, admitted, password, _))
  }

  /** Without the password it is not known whether part of it was ignored. A seal that does not open
    * hides every reason.
    */
  def rehashReason(stored: String, context: Option[String] = None): Option[RehashReason] =
    seals.open(stored, context).toOption.flatMap { unsealed =>
      EncodedHash.parse(unsealed.text) match {
        case Right(encoded) => policies.rehashReason(encoded, policies.policyOf(encoded)).orElse(unsealed.due)
        case Left(error)    => Option.when(failureOf(error, unsealed.text) == Failure.UnknownScheme)(RehashReason.OtherAlgorithm)
      }
    }

  /** Whether this host reads the hash and knows no reason to replace it. */
  def isUpToDate(stored: String, context: Option[String]): Boolean =
    costsOf(stored, context).isDefined && rehashReason(stored, context).isEmpty

  /** Returns the costs of a stored hash if this host can read it. */
  def costsOf(stored: String, context: Option[String]): Option[Costs] =
    seals.open(stored, context).toOption.flatMap(unsealed => EncodedHash.parse(unsealed.text).toOption).map(_.setting.params)

  private def admit(setting: Setting): Either[Failure, Admitted] =
    Admitted(setting, policies.ceilings).toRight(Failure.Refused(RefusalCode.CostOutOfBounds))

  /** Returns the setting to compute and the output for a correct password. Both are as stored,
    * except for Firebase, whose project parameters are settings of the client.
    */
  private def resolve(encoded: EncodedHash): Either[Failure, (Setting, Array[Byte])] = encoded.setting match {
    case own: Setting.OfProject =>
      project.flatMap(_.resolve(own, encoded.output)).toRight(Failure.NotAvailable("no Firebase project with these costs is set: see withFirebaseProject"))
    case setting => Right((setting, encoded.output))
  }

  /** Returns the result of `use` for the text that was hashed, and for its readings. A text that a
    * site prepared is wiped when `use` has ended.
    */
  private def withCandidates[A](innermost: EncodedHash, password: Array[Byte])(use: (Array[Byte], Vector[Candidate]) => A): Either[Failure, A] = {
    val reading = innermost.scheme.reading
    innermost.sitePreparation match {
      case None              => Right(use(password, candidatesOf(reading, password, password.length)))
      case Some(preparation) =>
        preparation.siteKey.fold[Either[Failure, Array[Byte]]](Right(Array.emptyByteArray))(seals.siteKey).flatMap { siteKey =>
          val text = preparation(siteKey, password)
          try
            if (hidesThePassword(preparation, siteKey, reading)) Left(Failure.Refused(RefusalCode.UnsupportedHash))
            else Right(use(text, candidatesOf(reading, text, preparation.passwordEnd(siteKey.length, password.length))))
          finally Seq(text, siteKey).foreach(Arrays.fill(_, 0.toByte))
        }
    }
  }

  private def verdict(
      encoded: EncodedHash,
      sealDue: Option[RehashReason],
      expected: Array[Byte],
      admitted: Admitted,
      password: Array[Byte],
      compute: Kernels.Compute
  ): Verdict = {
    val policy = policies.policyOf(encoded)
    val salt = encoded.innermost.setting.salt
    val matched = withCandidates(encoded.innermost, password) { (text, candidates) =>
      // Every output is compared, so that the time does not show which candidate matched.
      val matching = candidates.map(c => MessageDigest.isEqual(c.prepared(salt, text)(compute(admitted, _)), expected))
      candidates.zip(matching).collectFirst { case (candidate, true) => candidate }
    }.getOrElse(throw new IllegalStateException("the site key was replaced"))
    val reason = matched.flatMap { candidate =>
      // The ignored part of the password was never checked. A new hash would make it required.
      val ofThePolicy = if (candidate.ignoresPart && !policies.rehashTruncated) None else policies.rehashReason(encoded, policy)
      // The same string is sealed anew, so nothing becomes required.
      ofThePolicy.orElse(sealDue)
    }
    Verdict(matched.isDefined, reason, policy.map(_.id))
  }
}

private[saltern] object LocalHasher {

  /** The admitted setting and its total work: for every candidate, and with a password of this
    * length.
    */
  final class Job[+A](val admitted: Admitted, val work: Long, body: Kernels.Compute => A) {
    def run(compute: Kernels.Compute = Kernels.compute): A = body(compute)
    def map[B](f: A => B): Job[B] = new Job(admitted, work, compute => f(body(compute)))
  }

  final case class NewText(encoded: String, policy: String) {
    override def toString: String = s"NewText(.., $policy)"
  }
  final case class Verdict(matches: Boolean, rehashReason: Option[RehashReason], policy: Option[String])

  /** One reading of a password. Some software stopped at a NUL and other software did not. A bcrypt
    * hash does not say which of them made it.
    */
  private[hashes] final case class Candidate(reading: Reading, from: Int, until: Int, ignoresPart: Boolean) {

    /** The number of bytes that are hashed. */
    def length: Int = reading.preparation.lengthOf(until - from)

    /** Makes the bytes that are hashed from the password and this salt, and wipes them when `hash`
      * has ended.
      */
    def prepared[A](salt: Array[Byte], password: Array[Byte])(hash: Array[Byte] => A): A = {
      val read = Arrays.copyOfRange(password, from, until)
      try {
        val bytes = reading.preparation(salt, read)
        try hash(bytes)
        finally Arrays.fill(bytes, 0.toByte)
      } finally Arrays.fill(read, 0.toByte)
    }
  }

  /** @param passwordEnd the end of the password in the text that is hashed */
  private[hashes] def candidatesOf(reading: Reading, text: Array[Byte], passwordEnd: Int): Vector[Candidate] = {
    val whole = candidateOf(reading, text, text.length, passwordEnd)
    text.indexOf(0.toByte) match {
      case nul if nul >= 0 && reading.mayStopAtNul => Vector(candidateOf(reading, text, nul, passwordEnd), whole)
      case _                                       => Vector(whole)
    }
  }

  /** Of the bytes before `end`. */
  private def candidateOf(reading: Reading, text: Array[Byte], end: Int, passwordEnd: Int): Candidate = {
    def kept(at: Int) = reading.trims.indexOf(text(at).toInt) < 0
    val from = (0 until end).find(kept).getOrElse(end)
    val until = (from until end).findLast(kept).fold(end)(_ + 1)
    val read = reading.mostBytes.fold(end)(math.min(_, end))
    val eighthBit = reading.sevenBits && (from until until).exists(text(_) < 0)
    Candidate(reading, from, until, until - from < end || read < passwordEnd || eighthBit)
  }

  /** Whether the scheme reads nothing after this pepper, or too little: every password would match, or
    * one of a few.
    */
  private def hidesThePassword(preparation: SitePreparation, siteKey: Array[Byte], reading: Reading): Boolean = preparation match {
    case _: SitePreparation.PepperPrepend =>
      reading.mostBytes.exists(siteKey.length + LeastBytesLeft > _) || reading.mayStopAtNul && siteKey.contains(0.toByte)
    case _ => false
  }

  /** A pepper before the password leaves so many bytes of it at least. */
  private val LeastBytesLeft = 8

  /** The work of all candidates. */
  private def workOf(admitted: Admitted, candidates: Vector[Candidate]): Long =
    candidates.map(candidate => admitted.workOf(candidate.length)).sum

  private def readingOf(params: Params): Reading = params match {
    case _: Params.Bcrypt => BcryptScheme.reading
    case _                => Reading.Whole
  }

  private def refuseWhatBcryptIgnores(policy: Policy, password: Array[Byte]): Either[Failure, Unit] = policy.params match {
    case _: Params.Bcrypt if password.length > Params.Bcrypt.MaxPasswordBytes =>
      Left(Failure.Refused(RefusalCode.PasswordTooLong))
    case _: Params.Bcrypt if password.contains(0.toByte) => Left(Failure.Refused(RefusalCode.PasswordHasNul))
    case _                                               => Right(())
  }

  private def failureOf(error: ParseError, stored: String): Failure = error match {
    case ParseError.Invalid => Failure.Refused(RefusalCode.InvalidHash)
    // yescrypt is the service's alone.
    case ParseError.UnknownScheme if stored.contains(Label.Yescrypt) => Failure.UnknownScheme
    // The service knows no further scheme, and refuses it too.
    case ParseError.UnknownScheme | ParseError.Unsupported => Failure.Refused(RefusalCode.UnsupportedHash)
  }
}
