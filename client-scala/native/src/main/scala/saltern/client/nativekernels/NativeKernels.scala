package saltern.client.nativekernels

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.concurrent.{Semaphore, TimeUnit}
import java.util.concurrent.atomic.AtomicLong
import saltern.client.{Cancellable, LocalKernels}
import saltern.client.LocalHashing.Failure
import saltern.hashes.{Admitted, Ceilings, HashKernels, JvmKernels, LocalQueue, OpenedKernels, Setting}
import saltern.hashes.OpenedKernels.Stopped
import scala.concurrent.duration.FiniteDuration

/** Saltern's own kernels, in Rust, for local hashing:
  * `config.withLocalKernels(NativeKernels.load())`.
  *
  * They compute bcrypt, PBKDF2, argon2 and scrypt; the JVM computes everything else. Concurrent
  * bcrypt, PBKDF2 and scrypt hashes share a core's lanes, and so do large Argon2 hashes.
  */
object NativeKernels {

  /** Loads the library. If that fails, logs the reason once and returns the JVM's kernels. Never
    * throws.
    */
  def load(): LocalKernels = attempt().getOrElse { warning; HashKernels.Jvm }

  /** Loads the library, or returns the reason as one sentence. The first call loads it, and the
    * result is kept.
    */
  def attempt(): Either[String, LocalKernels] = loaded

  private[saltern] lazy val loaded: Either[String, HashKernels] = loader.load().map(_ => Native)

  private def loader: LibraryLoader = new LibraryLoader(
    Platform.ofThisProcess(),
    PackedLibraries.digests,
    name => Option(getClass.getResourceAsStream(name)),
    System.getProperty("java.io.tmpdir"),
    (library: Path) => System.load(library.toString)
  )

  private lazy val warning: Unit =
    loaded.left.foreach { reason =>
      System.getLogger("saltern.client").log(System.Logger.Level.WARNING, s"the native kernels are not used, and the JVM computes the hashes: $reason")
    }

  private object Native extends HashKernels {
    def hashesAtOnce(workers: Int): Int = workers * LanesOfAWorker

    /** Beside the heap: half of what it leaves of the container, and at most a quarter of the
      * container.
      */
    override def memoryBytes(most: Long): Long =
      math.min(container / QuarterOfContainer, (container - Runtime.getRuntime.maxMemory) / HalfOfRest).max(0)

    override def hostFor(mib: Long): String = {
      val heap = Runtime.getRuntime.maxMemory >> 20
      s"give the container ${math.max(mib * QuarterOfContainer, heap + mib * HalfOfRest)} MiB or more, or the JVM a smaller heap"
    }

    /** The container's limit, or the machine's memory, in bytes. */
    private def container: Long = ManagementFactory.getOperatingSystemMXBean match {
      case system: OperatingSystemMXBean => system.getTotalPhysicalMemorySize
      // Another vendor's JVM.
      case _ => Runtime.getRuntime.maxMemory * 2
    }

    def start(workers: Int, memoryBytes: Long, ceilings: Ceilings): OpenedKernels =
      new OpenedNative(workers, memoryBytes, ceilings, NativeCalls.open)

    override def toString: String = "NativeKernels"
  }

  /** The bcrypt hashes that a worker computes at the same time in the L1 cache (`MOST_BCRYPT_LANES`
    * of `functions/kernels`).
    */
  private val LanesOfAWorker = 8

  private val QuarterOfContainer = 4L
  private val HalfOfRest = 2L
}

/** The native kernels of one client. The workers are threads of the library; the calling threads
  * wait for them.
  *
  * @param start `NativeCalls.open`
  * @param jvm computes what the library does not
  */
private[nativekernels] final class OpenedNative(
    workers: Int,
    memoryBytes: Long,
    ceilings: Ceilings,
    start: (Int, Long, Array[Long]) => Long,
    jvm: JvmKernels = new JvmKernels
) extends OpenedKernels {

  // Opened at the first hash, and never after close.
  private var pool: Option[Long] = None
  private var closed = false

  /** The heap, in KiB, and as many hashes as without the library. That has more calling threads, and its
    * memory is beside the heap.
    */
  private val heap = math.max(HashKernels.Jvm.memoryBytes(0) >> 10, workers).toInt
  private val onJvm = new Semaphore(heap)

  private val calls = new AtomicLong

  def compute(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration, begun: Cancellable => Unit): Array[Byte] = admitted.setting match {
    case setting: Setting.Own =>
      openPool() match {
        case Some(open) => natively(open, admitted, setting, password, timeLeft, begun)
        case None       => byJvm(admitted, password, timeLeft)
      }
    case _ => byJvm(admitted, password, timeLeft)
  }

  def close(): Unit = {
    val open = synchronized { closed = true; val open = pool; pool = None; open }
    open.foreach(NativeCalls.close)
    jvm.close()
  }

  private def natively(
      open: Long,
      admitted: Admitted,
      setting: Setting.Own,
      password: Array[Byte],
      timeLeft: FiniteDuration,
      begun: Cancellable => Unit
  ): Array[Byte] = {
    val output = new Array[Byte](setting.outputBytes)
    // The setting is passed as the text of a hash with an unknown output. Both sides read it by the
    // same rules.
    val text = setting.print(output).getBytes(java.nio.charset.StandardCharsets.US_ASCII)
    val call = calls.incrementAndGet()
    begun(() => NativeCalls.cancel(open, call))
    NativeCalls.compute(open, call, text, password, timeLeft.toNanos, output) match {
      case NativeCalls.DONE => output
      // Without memory too, as on the JVM.
      case NativeCalls.OVERLOADED | NativeCalls.NO_MEMORY => throw new Stopped(Failure.Shed(LocalQueue.ShortestRetryAfter))
      case NativeCalls.DEADLINE_EXCEEDED                  => throw new Stopped(Failure.Expired)
      case NativeCalls.NOT_READ_HERE                      => byJvm(admitted, password, timeLeft)
      case NativeCalls.CLOSED                             => throw new Stopped(Failure.Closed)
      case NativeCalls.CANCELLED                          => throw new Stopped(Failure.Cancelled)
      case NativeCalls.COST_OUT_OF_BOUNDS                 => throw new Stopped(Failure.Fault("cost out of bounds"))
      case _                                              => throw new Stopped(Failure.Fault("a fault of the native kernels"))
    }
  }

  /** None if the system gives the library no threads: then the JVM computes the hash. The next hash
    * tries again.
    */
  private def openPool(): Option[Long] = synchronized {
    if (closed) throw new Stopped(Failure.Closed)
    if (pool.isEmpty) {
      val opened = start(workers, memoryBytes / workers, inOrder(ceilings))
      if (opened != 0) pool = Some(opened)
    }
    pool
  }

  private def byJvm(admitted: Admitted, password: Array[Byte], timeLeft: FiniteDuration): Array[Byte] = {
    val share = math.max(admitted.memoryBytes >> 10, heap / workers)
    if (share > heap) throw new Stopped(Failure.NotAvailable("the heap is too small for this hash"))
    // Waits at most half of the time. After a longer wait there would be no time left to compute.
    val mine =
      try onJvm.tryAcquire(share.toInt, timeLeft.toNanos / 2, TimeUnit.NANOSECONDS)
      // The client was closed, which interrupts its threads.
      catch { case _: InterruptedException => throw new Stopped(Failure.Closed) }
    if (!mine) throw new Stopped(Failure.Shed(LocalQueue.ShortestRetryAfter))
    try jvm.compute(admitted, password, timeLeft)
    finally onJvm.release(share.toInt)
  }

  private def inOrder(c: Ceilings): Array[Long] = Array(
    c.bcryptCost,
    c.argon2MemoryKib,
    c.argon2MemoryPassesKib,
    c.argon2Parallelism,
    c.pbkdf2IterationsBlocks,
    c.scryptMemoryBytes,
    c.scryptNRP,
    c.shaCryptRounds
  )
}
