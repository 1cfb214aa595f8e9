package saltern.checks

import at.favre.lib.crypto.bcrypt.BCrypt as FavreBcrypt
import java.util.Arrays
import java.util.concurrent.{ExecutorService, Executors, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}
import saltern.client.{ClientConfig, Match, Origin, Password, Saltern}
import saltern.client.nativekernels.NativeKernels
import saltern.example.Arguments
import saltern.hashes.{Admitted, Ceilings, HashKernels, Kernels, OpenedKernels, Params, Setting}
import scala.concurrent.Await
import scala.concurrent.duration.*

/** Question: how many logins a second does a host answer on one core while the service is away? How
  * many more does it answer with the native kernels? Is that the factor by which the kernels
  * themselves are faster?
  *
  * Nothing listens at the service's address. For each algorithm four contenders alternate, A B C …
  * C B A, `--rounds` times, for `--seconds` each, on one worker. Two are the kernels alone, JVM and
  * native. Two are a client with either kernel, through its queue and
  * its pool. The client always has twice as many logins in progress as it hashes at once.
  *
  * Completed logins are counted, and medians are printed. Every login's password is right, and
  * every answer is checked. Run it on an idle machine.
  */
object LocalCapacity {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--rounds" -> "2", "--seconds" -> "3"))
    val (rounds, window) = (settings("--rounds").toInt, settings("--seconds").toDouble.seconds)
    val kernels = NativeKernels.loaded.fold(reason => sys.error(s"$reason: run client-scala/native/build first"), identity)
    val opened = kernels.start(Workers, MemoryBytes, NoCeilings)
    val (onJvm, natively) = (Host(HashKernels.Jvm), Host(kernels))
    try {
      val bcrypt = compare(rounds, window, "bcrypt-10", contenders(opened, kernels, onJvm, natively, Bcrypt10) :+ favre)
      println(
        f"bcrypt-10            at.favre's hashes: the host makes ${bcrypt(NativeHost) / bcrypt(Favre)}%.2f times as many, the kernels alone ${bcrypt(NativeAlone) / bcrypt(Favre)}%.2f times"
      )
      for ((memoryKib, passes) <- Argon2id) {
        val setting = Setting.fresh(Params.Argon2(Params.Variant.Id, Params.Version.V19, memoryKib, passes, 1).get, Salt)
        compare(rounds, window, s"argon2id $memoryKib,$passes,1", contenders(opened, kernels, onJvm, natively, setting))
      }
    } finally { onJvm.close(); natively.close(); opened.close() }
    Verdict.end()
  }

  private def contenders(
      opened: OpenedKernels,
      kernels: HashKernels,
      onJvm: Host,
      natively: Host,
      setting: Setting.Own
  ): Seq[Contender] = {
    val admitted = Admitted(setting, NoCeilings).get
    val output = Kernels.compute(admitted, Secret)
    val stored = setting.print(output)
    def checked(computed: Array[Byte]): Unit = require(Arrays.equals(computed, output), "a kernel computes another output")
    // The JVM computes one hash at a time on a worker; the native kernels compute one in each lane.
    val callers = kernels.hashesAtOnce(Workers)
    Seq(
      Contender(JvmAlone, Workers, () => checked(Kernels.compute(admitted, Secret))),
      Contender(NativeAlone, callers, () => checked(opened.compute(admitted, Secret, Deadline))),
      Contender(JvmHost, onJvm.logins, () => onJvm.login(stored)),
      Contender(NativeHost, natively.logins, () => natively.login(stored))
    )
  }

  private def favre: Contender = Contender(
    Favre,
    Workers,
    () => {
      val made = FavreBcrypt.`with`(FavreBcrypt.Version.VERSION_2B).hashRaw(10, Salt, Secret)
      require(made.rawHash.nonEmpty)
    }
  )

  /** Hashes a second, by name. */
  private def compare(rounds: Int, window: FiniteDuration, algorithm: String, contenders: Seq[Contender]): Map[String, Double] = {
    // Warms up the JIT and the estimator.
    contenders.foreach(_.perSecond(WarmUp))
    val rates = (1 to rounds).flatMap(_ => (contenders ++ contenders.reverse).map(c => c.name -> c.perSecond(window)))
    val medians = contenders.map { c => c.name -> median(rates.collect { case (c.`name`, rate) => rate }) }.toMap
    contenders.foreach(c => println(f"$algorithm%-20s ${c.name}%-16s ${medians(c.name)}%8.1f hashes a second and core"))
    val (host, kernels) = (medians(NativeHost) / medians(JvmHost), medians(NativeAlone) / medians(JvmAlone))
    val verdict = Verdict.of(host >= kernels * SameFactor)
    println(
      f"$algorithm%-20s the host makes $host%.2f times as many, the kernels alone $kernels%.2f times: ${host / kernels}%.2f (at least $SameFactor%.2f) $verdict"
    )
    medians
  }

  /** A client without a service. */
  private final class Host(client: Saltern, val logins: Int) {
    def login(stored: String): Unit = {
      val verified = Await.result(client.verify(Password("correct horse battery staple"), stored), Deadline)
      require(verified.isInstanceOf[Match] && verified.origin == Origin.Local, "a login got a wrong answer")
    }
    def close(): Unit = client.close()
  }

  private object Host {
    def apply(kernels: HashKernels): Host = {
      val config =
        ClientConfig("http://127.0.0.1:1").withLocalKernels(kernels).withLocalWorkers(Workers).withLocalMemoryBytes(MemoryBytes).withDeadline(Deadline)
      // One call waits for each that is hashed, so that no lane is empty between two.
      new Host(Saltern(config), 2 * kernels.hashesAtOnce(Workers))
    }
  }

  /** @param callers that repeat the work at the same time */
  private final case class Contender(name: String, callers: Int, once: () => Unit) {
    def perSecond(window: FiniteDuration): Double = {
      val (stop, ended, failed) = (new AtomicBoolean, new AtomicLong, new AtomicLong)
      val threads = Executors.newFixedThreadPool(callers)
      for (_ <- 1 to callers) threads.execute { () =>
        try while (!stop.get) { once(); val _ = ended.incrementAndGet() }
        catch { case problem: Throwable => failed.incrementAndGet(); problem.printStackTrace() }
      }
      // Lanes that start together end together. Counting from the first instant would depend on
      // where the last lane ends.
      Thread.sleep(SettleMillis)
      val (before, started) = (ended.get, System.nanoTime())
      Thread.sleep(window.toMillis)
      val rate = (ended.get - before) * 1e9 / (System.nanoTime() - started)
      stop.set(true)
      finish(threads)
      require(failed.get == 0, s"$name: ${failed.get} callers failed")
      rate
    }

    private def finish(threads: ExecutorService): Unit = {
      threads.shutdown()
      require(threads.awaitTermination(Deadline.toSeconds, TimeUnit.SECONDS), s"$name does not end")
    }
  }

  private[checks] def median(values: Seq[Double]): Double = {
    val sorted = values.sorted
    (sorted((sorted.size - 1) / 2) + sorted(sorted.size / 2)) / 2
  }

  private val Favre = "at.favre"
  private val JvmAlone = "JVM kernel"
  private val NativeAlone = "native kernels"
  private val JvmHost = "host, JVM"
  private val NativeHost = "host, native"

  private val Salt = Array.tabulate[Byte](16)(_.toByte)
  private val Bcrypt10 = Setting.fresh(Params.Bcrypt(10).get, Salt)
  private val NoCeilings = {
    val none = Long.MaxValue
    Ceilings(none, none, none, none, none, none, none, none)
  }

  /** The KiB and passes of OWASP's first recommendation, and of the shipped policy. */
  private val Argon2id = Seq((19456, 2), (65536, 4))

  /** So that a rate is that of one core. */
  private val Workers = 1
  private val MemoryBytes = 256L << 20
  private val Secret = "correct horse battery staple".getBytes(java.nio.charset.StandardCharsets.UTF_8)
  private val Deadline = 60.seconds
  private val WarmUp = 2.seconds
  private val SettleMillis = 300L

  /** The smallest part of the kernels' own factor: queue, threads and measuring may cost a tenth.
    */
  private val SameFactor = 0.9
}
