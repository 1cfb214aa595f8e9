package saltern.measure

import at.favre.lib.crypto.bcrypt.BCrypt as FavreBcrypt
import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8
import javax.crypto.SecretKeyFactory
import javax.crypto.spec.PBEKeySpec
import org.bouncycastle.crypto.digests.{SHA256Digest, SHA512Digest}
import org.bouncycastle.crypto.generators.{PKCS5S2ParametersGenerator, SCrypt}
import org.bouncycastle.crypto.params.KeyParameter
import saltern.client.local.{Admitted, Kernels, Params, Setting}
import saltern.example.Arguments

/** Question: which JVM code computes each algorithm fastest on this machine? Contenders alternate,
  * A B C … C B A. It prints the median milliseconds of CPU time of the calling thread, and compares
  * the outputs. `used` marks the code that `Kernels` uses.
  */
object MeasureKernels {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--rounds" -> "7"))
    val rounds = settings("--rounds").toInt
    val password = "correct horse battery staple".getBytes(UTF_8)
    val salt = Array.tabulate[Byte](16)(_.toByte)
    def used(params: Params): () => Array[Byte] = {
      val admitted = Admitted(Setting.fresh(params, salt), MeasureNative.NoCeilings).get
      () => Kernels.compute(admitted, password)
    }
    compare(
      "bcrypt-10",
      rounds,
      Seq(
        "used: Bouncy Castle" -> used(Params.Bcrypt(10).get),
        "at.favre" -> (() => FavreBcrypt.`with`(FavreBcrypt.Version.VERSION_2B).hashRaw(10, salt, password).rawHash)
      )
    )
    for ((prf, iterations) <- Seq(Params.Prf.Sha1 -> 600000, Params.Prf.Sha256 -> 600000, Params.Prf.Sha512 -> 210000)) {
      val sunName = s"PBKDF2WithHmac${prf.digest.replace("-", "")}"
      val sun = () => {
        val spec = new PBEKeySpec(new String(password, UTF_8).toCharArray, salt, iterations, Setting.NewOutputBytes * 8)
        SecretKeyFactory.getInstance(sunName).generateSecret(spec).getEncoded
      }
      val castle = prf match {
        case Params.Prf.Sha1 => None
        case _               =>
          Some("Bouncy Castle" ->
            (() => {
              val generator = new PKCS5S2ParametersGenerator(if (prf == Params.Prf.Sha512) new SHA512Digest else new SHA256Digest)
              generator.init(password, salt, iterations)
              generator.generateDerivedParameters(Setting.NewOutputBytes * 8).asInstanceOf[KeyParameter].getKey
            }))
      }
      compare(
        s"${prf.algorithm} $iterations",
        rounds,
        Seq("used: own loop over the JDK's digest" -> used(Params.Pbkdf2(prf, iterations.toLong).get), "SunJCE" -> sun) ++ castle
      )
    }
    compare("argon2id 19456,2,1", rounds, Seq("used: Bouncy Castle" -> used(Params.Argon2(Params.Variant.Id, Params.Version.V19, 19456, 2, 1).get)))
    compare(
      "scrypt 17,8,1",
      rounds,
      Seq(
        "used: own loop" -> used(Params.Scrypt(17, 8, 1).get),
        "Bouncy Castle" -> (() => SCrypt.generate(password, salt, 1 << 17, 8, 1, Setting.NewOutputBytes))
      )
    )
  }

  private def compare(what: String, rounds: Int, contenders: Seq[(String, () => Array[Byte])]): Unit =
    for ((name, millis) <- MeasureNative.compare(rounds, contenders, cpuMillis)) println(f"$what%-22s $name%-38s $millis%8.2f ms")

  private def cpuMillis(compute: () => Array[Byte]): Double = {
    val threads = ManagementFactory.getThreadMXBean
    val started = threads.getCurrentThreadCpuTime
    compute()
    (threads.getCurrentThreadCpuTime - started) / 1e6
  }
}
