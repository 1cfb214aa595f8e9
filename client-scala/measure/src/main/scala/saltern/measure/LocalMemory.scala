package saltern.measure

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8
import saltern.client.local.{Admitted, JvmKernels, Kernels, Params, Setting}
import saltern.example.Arguments
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** Question: how much work do local Argon2 and scrypt hashes make for the garbage collector? It
  * prints the collections during `--hashes` hashes in the memory that is kept, and during `--fresh`
  * hashes in fresh memory. It fails if one of the first is a full collection.
  */
object LocalMemory {
  def main(arguments: Array[String]): Unit = {
    val settings = Arguments(arguments.toSeq, Map("--hashes" -> "1000", "--fresh" -> "138"))
    val (hashes, fresh) = (settings("--hashes").toInt, settings("--fresh").toInt)
    val password = "correct horse battery staple".getBytes(UTF_8)
    val params = Seq(
      "argon2id 19456,2,1" -> Params.Argon2(Params.Variant.Id, Params.Version.V19, 19456, 2, 1).get,
      "scrypt 14,8,1" -> Params.Scrypt(14, 8, 1).get
    )
    val full = for ((name, costs) <- params) yield {
      val admitted = Admitted(Setting.fresh(costs, new Array[Byte](16)), MeasureNative.NoCeilings).get
      val kernels = new JvmKernels
      val kept = collectionsDuring(hashes)(kernels.compute(admitted, password, 60.seconds))
      kernels.close()
      println(f"$name%-20s kept memory:  $hashes hashes, $kept")
      println(f"$name%-20s fresh memory: $fresh hashes, ${collectionsDuring(fresh)(Kernels.compute(admitted, password))}")
      kept.full
    }
    if (full.sum > 0) sys.error("hashes in kept memory made full collections")
  }

  private final case class Collections(all: Long, full: Long, millis: Long) {
    def +(other: Collections): Collections = Collections(all + other.all, full + other.full, millis + other.millis)
    def -(other: Collections): Collections = Collections(all - other.all, full - other.full, millis - other.millis)
    override def toString: String = s"$all collections, $full of them full, $millis ms"
  }

  private def collectionsDuring(hashes: Int)(hash: => Array[Byte]): Collections = {
    System.gc()
    val before = collections()
    for (_ <- 1 to hashes) hash
    collections() - before
  }

  private def collections(): Collections = ManagementFactory.getGarbageCollectorMXBeans.asScala.map { collector =>
    val isFull = FullCollectors.exists(collector.getName.contains)
    Collections(collector.getCollectionCount, if (isFull) collector.getCollectionCount else 0, collector.getCollectionTime)
  }.reduce(_ + _)

  /** In the names of the collectors G1, Serial and Parallel. */
  private val FullCollectors = Seq("Old Generation", "MarkSweep")
}
