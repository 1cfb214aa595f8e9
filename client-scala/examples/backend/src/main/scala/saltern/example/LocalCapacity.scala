package saltern.example

import at.favre.lib.crypto.bcrypt.BCrypt as FavreBcrypt
import java.util.Arrays
import java.util.concurrent.{ExecutorService, Executors, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}
import saltern.client.{ClientConfig, LocalKernels, Origin, Password, Saltern}
import saltern.client.local.{Admitted, Kernels, OpenedKernels, Params, Setting}
import saltern.client.nativekernels.NativeKernels
import scala.concurrent.Await
import scala.concurrent.duration.*

/** The question: a host whose service is away answers so many logins a second on one core; how many more with the native
  * kernels, and is that the factor by which the kernels themselves are faster?
  *
  * Nothing listens where the service should be. Of each algorithm these take turns, A B C … C B A, `--rounds` times, for
  * `--seconds` each, on one worker: the JVM's kernel alone and the native kernels alone, as `bin/measure-native` has them; and a
  * client with either, through its queue and its pool, kept full by twice as many logins as it hashes at once. Logins that end are
  * counted, medians told. Every login's password is right, and every answer is looked at. Run it on an idle machine.
  */
object LocalCapacity {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--rounds" -> "2", "--seconds" -> "3"))
    val (rounds, window) = (settings("--rounds").toInt, settings("--seconds").toDouble.seconds)
    val kernels = NativeKernels.attempt().fold(reason => sys.error(s"$reason: run client-scala/native/build first"), identity)
    val opened = kernels.open(Workers, MemoryBytes, MeasureNative.NoCeilings)
    val (onJvm, natively) = (Host(LocalKernels.Jvm), Host(kernels))
    val argon2id = Setting.fresh(Params.Argon2(Params.Variant.Id, Params.Version.V19, 19456, 2, 1).get, MeasureNative.Salt)
    try {
      val bcrypt = compare(rounds, window, "bcrypt-10", contenders(opened, kernels, onJvm, natively, MeasureNative.Bcrypt10) :+ favre)
      println(
        f"bcrypt-10            at.favre's hashes: the host makes ${bcrypt(NativeHost) / bcrypt(Favre)}%.2f times as many, the kernels alone ${bcrypt(NativeAlone) / bcrypt(Favre)}%.2f times"
      )
      compare(rounds, window, "argon2id 19456,2,1", contenders(opened, kernels, onJvm, natively, argon2id))
    } finally { onJvm.close(); natively.close(); opened.close() }
  }

  private def contenders(
      opened: OpenedKernels,
      kernels: LocalKernels,
      onJvm: Host,
      natively: Host,
      setting: Setting.Own
  ): Seq[Contender] = {
    val admitted = Admitted(setting, MeasureNative.NoCeilings).get
    val output = Kernels.compute(admitted, Secret)
    val stored = setting.print(output)
    def checked(computed: Array[Byte]): Unit = require(Arrays.equals(computed, output), "a kernel computes something else")
    // Whole hashes one after the other on a worker, and as many in its lanes as it has.
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
      val made = FavreBcrypt.`with`(FavreBcrypt.Version.VERSION_2B).hashRaw(10, MeasureNative.Salt, Secret)
      require(made.rawHash.nonEmpty)
    }
  )

  /** Hashes a second, by name. */
  private def compare(rounds: Int, window: FiniteDuration, algorithm: String, contenders: Seq[Contender]): Map[String, Double] = {
    // The JIT's turn, and the estimator's.
    contenders.foreach(_.perSecond(WarmUp))
    val rates = (1 to rounds).flatMap(_ => (contenders ++ contenders.reverse).map(c => c.name -> c.perSecond(window)))
    val medians = contenders.map { c => c.name -> median(rates.collect { case (c.`name`, rate) => rate }) }.toMap
    contenders.foreach(c => println(f"$algorithm%-20s ${c.name}%-16s ${medians(c.name)}%8.1f hashes a second and core"))
    val (host, kernels) = (medians(NativeHost) / medians(JvmHost), medians(NativeAlone) / medians(JvmAlone))
    val verdict = if (host >= kernels * SameFactor) "kept" else "MISSED"
    println(
      f"$algorithm%-20s the host makes $host%.2f times as many, the kernels alone $kernels%.2f times: ${host / kernels}%.2f (at least $SameFactor%.2f) $verdict"
    )
    medians
  }

  /** A client without a service. */
  private final class Host(client: Saltern, val logins: Int) {
    def login(stored: String): Unit = {
      val verified = Await.result(client.verify(Password("correct horse battery staple"), stored), Deadline)
      require(verified.matches && verified.origin == Origin.Local, "a login was answered wrongly")
    }
    def close(): Unit = client.close()
  }

  private object Host {
    def apply(kernels: LocalKernels): Host = {
      val config =
        ClientConfig("http://127.0.0.1:1").withLocalKernels(kernels).withLocalWorkers(Workers).withLocalMemoryBytes(MemoryBytes).withDeadline(Deadline)
      // One waits for each that is hashed, so that no lane is empty between two.
      new Host(Saltern(config), 2 * kernels.hashesAtOnce(Workers))
    }
  }

  /** @param callers that do it again and again at the same time */
  private final case class Contender(name: String, callers: Int, once: () => Unit) {
    def perSecond(window: FiniteDuration): Double = {
      val (stop, ended, failed) = (new AtomicBoolean, new AtomicLong, new AtomicLong)
      val threads = Executors.newFixedThreadPool(callers)
      for (_ <- 1 to callers) threads.execute { () =>
        try while (!stop.get) { once(); val _ = ended.incrementAndGet() }
        catch { case problem: Throwable => failed.incrementAndGet(); problem.printStackTrace() }
      }
      // Where lanes start together they end together, and a count from the first instant on would depend on where the last ends.
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

  private def median(values: Seq[Double]): Double = {
    val sorted = values.sorted
    (sorted((sorted.size - 1) / 2) + sorted(sorted.size / 2)) / 2
  }

  private val Favre = "at.favre"
  private val JvmAlone = "JVM kernel"
  private val NativeAlone = "native kernels"
  private val JvmHost = "host, JVM"
  private val NativeHost = "host, native"

  /** So that a rate is one core's. */
  private val Workers = 1
  private val MemoryBytes = 256L << 20
  private val Secret = "correct horse battery staple".getBytes(java.nio.charset.StandardCharsets.UTF_8)
  private val Deadline = 60.seconds
  private val WarmUp = 2.seconds
  private val SettleMillis = 300L

  /** Of the kernels' own factor: a tenth is what queue, threads and measuring may cost. */
  private val SameFactor = 0.9
}
