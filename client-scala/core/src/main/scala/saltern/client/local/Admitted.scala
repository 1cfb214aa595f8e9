package saltern.client.local

/** The most that one hash may cost. Each bound is on the product that decides memory or time. The values are the policy
  * document's; the checks are the service's (`functions/algorithm`).
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

/** A setting whose cost stays below the ceilings: the only thing a kernel accepts.
  *
  * @param work in the algorithm's own unit, in which time is linear: key expansions (bcrypt), KiB written (Argon2),
  *   iterations × output blocks (PBKDF2), `N·r·p` (scrypt), rounds (what is only verified); of a wrapped hash the sum of both
  *   layers, nearly linear, since those units are of the same order, but for bcrypt's
  * @param memoryBytes what computing takes; 0 where it is a few KiB
  * @param readingWork how much of the work may read the password in every round: all of it, and of a wrapped hash the inner
  *   layer's alone, since the outer one reads a text of its own
  */
private[saltern] final class Admitted private (val setting: Setting, val work: Long, val memoryBytes: Long, readingWork: Long) {
  private def this(setting: Setting, work: Long, memoryBytes: Long) = this(setting, work, memoryBytes, work)

  /** The work with a password of so many bytes, in that of a short one. */
  def workOf(passwordBytes: Int): Long = work + readingWork * (setting.lengthFactor(passwordBytes) - 1)
}

private[saltern] object Admitted {

  /** `None` where a cost is over its ceiling. Nothing is allocated or computed before. */
  def apply(setting: Setting, ceilings: Ceilings): Option[Admitted] = setting match {
    case Setting.Argon2(p, _, _, _) =>
      // Both factors are below 2^32: the product fits, but perhaps not in a signed long.
      val memoryPasses = BigInt(p.memoryKib) * p.passes
      val bounded = p.memoryKib <= ceilings.argon2MemoryKib &&
        memoryPasses <= ceilings.argon2MemoryPassesKib && p.parallelism <= ceilings.argon2Parallelism
      Option.when(bounded)(new Admitted(setting, memoryPasses.toLong, p.memoryKib * 1024))
    case Setting.Bcrypt(_, p, _, _) =>
      Option.when(p.cost <= ceilings.bcryptCost)(new Admitted(setting, 1L << p.cost, 0))
    case s: Setting.Pbkdf2 =>
      val work = BigInt(s.params.iterations) * s.outputBlocks
      Option.when(work <= ceilings.pbkdf2IterationsBlocks)(new Admitted(setting, work.toLong, 0))
    case Setting.Scrypt(p, _, _) => ofScrypt(setting, p, ceilings)
    case s: Setting.VerifyOnly   =>
      s.cost match {
        case Cost.Memory(p)      => ofScrypt(setting, p, ceilings)
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

  private def ofScrypt(setting: Setting, p: Params.Scrypt, ceilings: Ceilings): Option[Admitted] = {
    val blocks = (BigInt(1) << p.logN) * p.r
    // What the lanes hold before they are mixed (RFC 7914 §6, `B`).
    val lanes = BigInt(p.p) * p.r
    val work = blocks * p.p
    val bounded = blocks * ScryptBlockBytes <= ceilings.scryptMemoryBytes &&
      lanes * ScryptBlockBytes <= ceilings.scryptMemoryBytes / ScryptLanesShare && work <= ceilings.scryptNRP
    Option.when(bounded)(new Admitted(setting, work.toLong, ((blocks + lanes) * ScryptBlockBytes).toLong))
  }

  /** What bcrypt's unit counts for beneath another layer: a unit of the others takes from a tenth of a microsecond to some, a
    * key expansion some dozens.
    */
  private val BcryptUnitInOthers = 64L

  /** With a small N the lanes would be the larger part of the memory, which nobody's hashes are: they get an eighth. */
  private val ScryptLanesShare = 8

  /** One unit of `N·r` is a block of 128 bytes (RFC 7914 §5). */
  private val ScryptBlockBytes = 128
}
