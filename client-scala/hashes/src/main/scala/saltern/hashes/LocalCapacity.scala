package saltern.hashes

import saltern.client.{ClientConfig, Fallback}

/** What this host can hash while the service does not answer: whether its memory holds a hash of
  * each listed policy, and how many at once.
  */
private[hashes] final class LocalCapacity(kernels: HashKernels, config: ClientConfig.Settings, policies: Policies) {
  import LocalCapacity.*

  private val needs = policies.list.flatMap { policy =>
    Admitted(Setting.fresh(policy.params, new Array[Byte](Setting.NewSaltBytes)), policies.ceilings).map(policy.id -> _.memoryBytes)
  }
  private val (largest, most) = needs.maxBy(_._2)

  /** For all workers together. */
  val memoryBytes: Long = config.localMemoryBytes.getOrElse(kernels.memoryBytes(most))

  /** As many as are set, or as many as have room for a hash of each policy; at least one. */
  val workers: Int = if (most == 0) config.localWorkers else math.max(1L, math.min(config.localWorkers.toLong, memoryBytes / most)).toInt

  /** Why a policy's hash has no room, with the operator's next step. */
  private val tooLittle: Option[String] = {
    val without = needs.collect { case (id, need) if need > memoryBytes => s"`$id`" }
    Option.when(isUsed && without.nonEmpty)(
      s"this host cannot hash ${without.mkString(", ")}: a hash needs ${mib(most)} MiB, and local hashes have ${memoryBytes / MiB} MiB; " +
        s"${hostFor(1)}. Until then every login fails while the service does not answer"
    )
  }

  /** Why fewer workers hash than are set. */
  val limit: Option[String] = Option.when(isUsed && tooLittle.isEmpty && workers < config.localWorkers)(
    s"$workers of ${config.localWorkers} local workers are used: a hash of `$largest` needs ${mib(most)} MiB, and local hashes have " +
      s"${memoryBytes / MiB} MiB; for all workers ${hostFor(config.localWorkers)}"
  )

  /** Why this host cannot compute every listed policy. Then it computes no login. Otherwise an
    * outage would show whose hash is of which policy, and whether there is one.
    */
  lazy val problem: Option[String] = tooLittle.orElse(if (isUsed && namesBouncyCastle) kernels.problem else None)

  private def isUsed: Boolean = config.fallback != Fallback.Never

  private def namesBouncyCastle: Boolean = policies.list.exists(_.params match { case _: Params.Pbkdf2 => false; case _ => true })

  private def hostFor(hashes: Int): String =
    if (config.localMemoryBytes.isEmpty) kernels.hostFor(mib(most) * hashes) else s"set localMemoryBytes to ${mib(most) * hashes} MiB or more"
}

private object LocalCapacity {
  private val MiB = 1L << 20

  private def mib(bytes: Long): Long = (bytes + MiB - 1) / MiB
}
