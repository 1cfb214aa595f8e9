package saltern.hashes

import java.lang.management.ManagementFactory
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.Block
import saltern.client.nativekernels.TestKernels.admitted
import scala.concurrent.duration.*

/** The memory of Argon2: it is wiped after each hash and kept for the next one. */
class WorkspaceSuite extends saltern.client.PatientSuite {
  private val password = Text.utf8("secret")

  private def argon2(memoryKib: Long = 1024, lanes: Long = 1): Admitted =
    fresh(Params.Argon2(Params.Variant.Id, Params.Version.V19, memoryKib, 2, lanes).get)

  private def scrypt(logN: Long = 10, r: Long = 8, p: Long = 1): Admitted = fresh(Params.Scrypt(logN, r, p).get)

  private def fresh(params: Params): Admitted = admitted(Setting.fresh(params, Array.tabulate(16)(_.toByte)))

  private def numbers(block: Block): Array[Long] = {
    val field = classOf[Block].getDeclaredField("v")
    field.setAccessible(true)
    field.get(block).asInstanceOf[Array[Long]]
  }

  test("hashes in kept memory are those of fresh memory, in any order of algorithms and costs") {
    val kernels = new JvmKernels
    for (hash <- Seq(argon2(), scrypt(), scrypt(logN = 4), scrypt(logN = 12), scrypt(r = 3, p = 5), argon2(2048, 4), argon2(64), scrypt(p = 2), argon2()))
      assertEquals(kernels.compute(hash, password, 60.seconds).toSeq, Kernels.compute(hash, password).toSeq, hash.setting.toString)
    kernels.close()
  }

  test("every block of Argon2 is wiped, and lent again") {
    val memory = new Workspace
    Kernels.computeIn(memory, argon2(), password)
    val blocks = Vector.fill(1024)(memory.block().asInstanceOf[Block])
    assert(blocks.forall(numbers(_).forall(_ == 0)), "a block is not wiped")
    blocks.foreach(memory.keep)
    Kernels.computeIn(memory, argon2(), password)
    val again = Vector.fill(1024)(memory.block())
    assert(again.count(block => blocks.exists(_ eq block)) >= 1000, "other blocks were made")
  }

  test("a hash of another algorithm does not hold the memory of Argon2") {
    var lent = Vector.empty[Workspace]
    val kernels = new JvmKernels((memory, _, _) => { lent :+= memory; Array.emptyByteArray })
    for (hash <- Seq(argon2(), scrypt(), argon2())) kernels.compute(hash, password, 60.seconds)
    assertEquals(lent.map(_ eq lent.head), Vector(true, false, true))
  }

  test("a further hash makes a twentieth of its memory anew") {
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val (kernels, hash) = (new JvmKernels, argon2(19456))
    def made(): Long = {
      val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
      kernels.compute(hash, password, 60.seconds)
      threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
    }
    // The compiler of the JVM decides at its own time which small objects are never made.
    val (first, further) = (made(), Seq.fill(3)(made()).min)
    assert(first >= hash.memoryBytes && further < hash.memoryBytes / 20, s"$first, then $further bytes")
  }
}
