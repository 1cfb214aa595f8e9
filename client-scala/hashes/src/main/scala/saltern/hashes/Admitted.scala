package saltern.hashes

/** The upper bounds for the cost of one hash. Each bound is on the product that decides memory or
  * time. The values come from the policy document. The checks are the service's
  * (`functions/kernels`), except that of both layers of a wrapped hash together.
  */
private[saltern] final case class Ceilings(
    bcryptCost: Long,
    argon2MemoryKib: Long,
    argon2MemoryPassesKib: Long,
    argon2Parallelism: Long,
    pbkdf2IterationsBlocks: Long,
    scryptMemoryBytes: Long,
    scryptNRP: Long,
    shaCryptRounds: Long
)

/** A setting whose cost is below the ceilings. A kernel accepts only this type.
  *
  * @param work in the algorithm's own unit, in which time is linear. The units are key expansions
  *   (bcrypt), KiB written (Argon2), iterations × output blocks (PBKDF2), `N·r·p` (scrypt), and
  *   rounds (schemes that are only verified). A wrapped hash has the sum of both layers: except for
  *   bcrypt, their units take times of the same order.
  * @param memoryBytes needed by the computation; 0 if it is a few KiB
  * @param readingWork the part of the work that may read the password in every round. For a wrapped
  *   hash it is the inner layer's, because the outer layer reads other text; otherwise all of it.
  */
private[saltern] final class Admitted private (val setting: Setting, val work: Long, val memoryBytes: Long, readingWork: Long) {
  private def this(setting: Setting, work: Long, memoryBytes: Long) = this(setting, work, memoryBytes, work)

  /** Returns the work for a password of so many bytes, in units of the work for a short one. */
  def workOf(passwordBytes: Int): Long = work + readingWork * (setting.lengthFactor(passwordBytes) - 1)
}

private[saltern] object Admitted {

  /** Returns `None` if a cost is over its ceiling. Nothing is allocated or computed before. */
  def apply(setting: Setting, ceilings: Ceilings): Option[Admitted] = setting match {
    case Setting.Argon2(p, _, _, _) =>
      // Both factors are below 2^32. The product fits into 64 bits, but may not fit into a signed
      // long.
      val memoryPasses = BigInt(p.memoryKib) * p.passes
      val most = if (p.parallelism > 1) math.min(ceilings.argon2MemoryPassesKib, MostWholeArgon2Kib) else ceilings.argon2MemoryPassesKib
      val bounded = p.memoryKib <= ceilings.argon2MemoryKib && memoryPasses <= most && p.parallelism <= ceilings.argon2Parallelism
      Option.when(bounded)(new Admitted(setting, memoryPasses.toLong, p.memoryKib * 1024))
    case Setting.Bcrypt(_, p, _, _) =>
      Option.when(p.cost <= ceilings.bcryptCost)(new Admitted(setting, 1L << p.cost, 0))
    case s: Setting.Pbkdf2 =>
      val work = BigInt(s.params.iterations) * s.outputBlocks
      Option.when(work <= ceilings.pbkdf2IterationsBlocks)(new Admitted(setting, work.toLong, 0))
    case Setting.Scrypt(p, _, _) => ofScrypt(setting, p, isWhole = p.p * p.r > MostPROfALane, ceilings)
    case s: Setting.VerifyOnly   =>
      s.cost match {
        case Cost.Memory(p)      => ofScrypt(setting, p, isWhole = true, ceilings)
        case Cost.Rounds(rounds) => Option.when(rounds <= ceilings.shaCryptRounds)(new Admitted(setting, rounds, 0))
      }
    // Both layers are bounded, and both take time. They are computed one after the other.
    case Setting.Wrapped(outer, inner) =>
      for (below <- Admitted(inner.setting, ceilings); above <- Admitted(outer, ceilings)) yield {
        val unit = inner.setting match { case _: Setting.Bcrypt => BcryptUnitInOthers; case _ => 1L }
        val reading = below.work * unit
        new Admitted(setting, above.work + reading, math.max(below.memoryBytes, above.memoryBytes), reading)
      }
  }

  private def ofScrypt(setting: Setting, p: Params.Scrypt, isWhole: Boolean, ceilings: Ceilings): Option[Admitted] = {
    val blocks = (BigInt(1) << p.logN) * p.r
    // `B` of RFC 7914 §6, and the two states that the service keeps beside it.
    val others = (BigInt(p.p) + 2) * p.r
    val work = blocks * p.p
    val bounded = blocks * ScryptBlockBytes <= ceilings.scryptMemoryBytes &&
      others * ScryptBlockBytes <= ceilings.scryptMemoryBytes / ScryptOtherShare && work <= ceilings.scryptNRP &&
      (!isWhole || work <= MostWholeNRP && others * ScryptEndUnits <= MostWholeEnds)
    Option.when(bounded)(new Admitted(setting, work.toLong, ((blocks + others) * ScryptBlockBytes).toLong))
  }

  /** The most work of a hash that the service cannot stop, as `functions/kernels` has it: Argon2 with
    * p > 1, `m·t` in KiB.
    */
  private val MostWholeArgon2Kib = 512L << 10

  /** Firebase's scrypt, and scrypt with a large p·r: `N·r·p`. */
  private val MostWholeNRP = 1L << 20

  /** The same for both ends of these. */
  private val MostWholeEnds = MostWholeNRP / 8

  /** The work of both ends of scrypt for each `(p + 2)·r`, in units of `N·r·p`. */
  private val ScryptEndUnits = 6

  /** The largest p·r of scrypt that the service computes in slices. */
  private val MostPROfALane = 1L << 10

  /** The weight of bcrypt's unit beneath another layer. A key expansion takes dozens of
    * microseconds; the units of the others take from a tenth of a microsecond to a few.
    */
  private val BcryptUnitInOthers = 64L

  /** Beside `128·N·r` a hash gets an eighth of the ceiling. Only a very small N needs more, and no
    * real hash has one.
    */
  private val ScryptOtherShare = 8

  /** One unit of `N·r` is a block of 128 bytes (RFC 7914 §5). */
  private val ScryptBlockBytes = 128
}
