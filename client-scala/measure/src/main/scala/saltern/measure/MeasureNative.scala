package saltern.measure

import at.favre.lib.crypto.bcrypt.BCrypt as FavreBcrypt
import com.sun.jna.{Library, Native}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Paths
import java.util.Arrays
import java.util.concurrent.{Callable, Executors}
import saltern.client.{ClientConfig, Saltern}
import saltern.client.local.{Admitted, Ceilings, EncodedHash, Kernels, OpenedKernels, Params, Setting}
import saltern.client.nativekernels.NativeKernels
import saltern.example.Arguments
import scala.concurrent.duration.*

/** Question: how much faster are the native kernels than the JVM's, and how much slower than C
  * code? One worker, so one core. Contenders alternate, A B C … C B A. It prints the median
  * milliseconds of wall time, and compares the outputs. Run it on an idle machine.
  *
  * libxcrypt is the system's `libcrypt.so.1`, called in this process.
  */
object MeasureNative {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--rounds" -> "9", "--starts" -> "5"))
    val rounds = settings("--rounds").toInt
    firstCall(settings("--starts").toInt)
    val kernels = NativeKernels.attempt().fold(reason => sys.error(s"$reason: run client-scala/native/build first"), identity)
    val opened = kernels.open(1, 256L << 20, NoCeilings)
    bcrypt(opened, rounds)
    eightAtOnce(opened, rounds)
    argon2(opened, rounds)
    opened.close()
  }

  private def bcrypt(opened: OpenedKernels, rounds: Int): Unit = {
    val salted = Bcrypt10.print(new Array[Byte](Bcrypt10.outputBytes)).take(SettingCharacters)
    val times = compare(
      rounds,
      Seq[(String, () => Array[Byte])](
        "native" -> (() => native(opened, Bcrypt10)),
        "libxcrypt" -> (() => EncodedHash.parse(Libxcrypt.crypt(Password, salted)).fold(e => sys.error(e.toString), _.output)),
        "Bouncy Castle" -> (() => jvm(Bcrypt10)),
        "at.favre" -> (() => favre())
      )
    )
    times.foreach { case (name, ms) => println(f"bcrypt-10            $name%-16s $ms%8.2f ms") }
    println(f"bcrypt-10            native / libxcrypt ${times("native") / times("libxcrypt")}%.3f (at most 1.05)")
  }

  /** Hashes that one core computes for eight callers of the library, and for one caller of
    * at.favre: the JVM's code gains nothing from more callers.
    */
  private def eightAtOnce(opened: OpenedKernels, rounds: Int): Unit = {
    val callers = Executors.newFixedThreadPool(Lanes)
    val calls = java.util.Collections.nCopies(Lanes, (() => native(opened, Bcrypt10)): Callable[Array[Byte]])
    val times =
      try
        compare(
          rounds,
          Seq[(String, () => Array[Byte])](
            "native" -> { () =>
              val all = callers.invokeAll(calls); all.forEach(one => require(Arrays.equals(one.get, all.get(0).get))); all.get(0).get
            },
            "at.favre" -> (() => favre())
          )
        )
      finally callers.shutdown()
    val (native8, one) = (times("native") / Lanes, times("at.favre"))
    println(f"bcrypt-10, 8 at once native $native8%.2f ms a hash, at.favre $one%.2f ms: ${one / native8}%.2f times the hashes (at least 3.3)")
  }

  private def argon2(opened: OpenedKernels, rounds: Int): Unit = {
    val setting = Setting.fresh(Params.Argon2(Params.Variant.Id, Params.Version.V19, 19456, 2, 1).get, Salt)
    val times = compare(rounds, Seq[(String, () => Array[Byte])]("native" -> (() => native(opened, setting)), "Bouncy Castle" -> (() => jvm(setting))))
    times.foreach { case (name, ms) => println(f"argon2id 19456,2,1   $name%-16s $ms%8.2f ms") }
    println(f"argon2id 19456,2,1   native / Bouncy Castle ${times("native") / times("Bouncy Castle")}%.3f (at most 0.40)")
  }

  /** The time from `NativeKernels.load()` to the first output, each time in a new JVM that has
    * already made a client.
    */
  private def firstCall(starts: Int): Unit = {
    val java = Paths.get(sys.props("java.home"), "bin", "java").toString
    val times = (1 to starts).map { _ =>
      val process =
        new ProcessBuilder(java, "-cp", sys.props("java.class.path"), "saltern.measure.FirstNativeCall").redirectError(ProcessBuilder.Redirect.INHERIT).start()
      new String(process.getInputStream.readAllBytes(), UTF_8).trim.toDouble
    }
    println(f"first call in a host that has a client, load included: ${median(times)}%.1f ms (at most 100), longest ${times.max}%.1f ms")
  }

  /** Returns the median milliseconds of each contender, by name. */
  private[measure] def compare(
      rounds: Int,
      contenders: Seq[(String, () => Array[Byte])],
      millis: (() => Array[Byte]) => Double = compute => wallMillis(compute())
  ): Map[String, Double] = {
    val outputs = contenders.map { case (name, compute) => name -> compute() }
    outputs.foreach { case (name, output) => require(Arrays.equals(output, outputs.head._2), s"$name computes another output") }
    // Warms up the JIT.
    for (_ <- 1 to 5; (_, compute) <- contenders) compute()
    val times = (1 to rounds).flatMap(_ => (contenders ++ contenders.reverse).map { case (name, compute) => name -> millis(compute) })
    contenders.map { case (name, _) => name -> median(times.collect { case (`name`, time) => time }) }.toMap
  }

  private def native(opened: OpenedKernels, setting: Setting.Own): Array[Byte] =
    opened.compute(Admitted(setting, NoCeilings).get, Password.getBytes(UTF_8), 60.seconds)

  private def jvm(setting: Setting.Own): Array[Byte] = Kernels.compute(Admitted(setting, NoCeilings).get, Password.getBytes(UTF_8))

  private def favre(): Array[Byte] = FavreBcrypt.`with`(FavreBcrypt.Version.VERSION_2B).hashRaw(10, Salt, Password.getBytes(UTF_8)).rawHash

  private[measure] def wallMillis(body: => Any): Double = {
    val started = System.nanoTime()
    val _ = body
    (System.nanoTime() - started) / 1e6
  }

  private[measure] def median(times: Seq[Double]): Double = times.sorted.apply(times.size / 2)

  /** crypt(3). Only one thread calls it. */
  trait CryptLibrary extends Library {
    def crypt(password: String, setting: String): String
  }
  private lazy val Libxcrypt: CryptLibrary = Native.load("libcrypt.so.1", classOf[CryptLibrary])

  private val Lanes = 8
  private val Password = "correct horse battery staple"
  private[measure] val Salt = Array.tabulate[Byte](16)(_.toByte)
  private[measure] val Bcrypt10 = Setting.fresh(Params.Bcrypt(10).get, Salt)

  /** `$2b$10$` and the salt. */
  private val SettingCharacters = 29

  private[measure] val NoCeilings = {
    val none = Long.MaxValue
    Ceilings(none, none, none, none, none, none, none, none)
  }
}

/** Prints the milliseconds from loading the library to its first output. The hash itself takes
  * almost no time. A client was made before, as in every host that uses the library, so the time to
  * load the client's classes does not count.
  */
object FirstNativeCall {
  def main(none: Array[String]): Unit = {
    require(none.isEmpty)
    Saltern(ClientConfig("http://127.0.0.1:1")).close()
    val setting = Setting.fresh(Params.Bcrypt(4).get, MeasureNative.Salt)
    val admitted = Admitted(setting, MeasureNative.NoCeilings).get
    println(MeasureNative.wallMillis {
      val opened = NativeKernels.load().open(1, 256L << 20, MeasureNative.NoCeilings)
      opened.compute(admitted, Array[Byte](1), 10.seconds)
    })
    // The workers of the pool must not keep the JVM alive.
    System.exit(0)
  }
}
