package saltern.hashes

import java.util.Arrays
import org.bouncycastle.crypto.generators.{Argon2BytesGenerator, BCrypt, SCrypt}
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.{Block, BlockPool}
import org.bouncycastle.crypto.params.Argon2Parameters
import scala.annotation.nowarn

/** Everything that uses Bouncy Castle. Its classes are loaded with this object, at the first local
  * hash that needs them: a client that only asks the service works without them.
  */
private[hashes] object BouncyCastle {

  def argon2(setting: Setting.Argon2, password: Array[Byte], memory: Workspace): Array[Byte] = {
    val params = setting.params
    val variant = params.variant match {
      case Params.Variant.D  => Argon2Parameters.ARGON2_d
      case Params.Variant.I  => Argon2Parameters.ARGON2_i
      case Params.Variant.Id => Argon2Parameters.ARGON2_id
    }
    val version = params.version match {
      case Params.Version.V16 => Argon2Parameters.ARGON2_VERSION_10
      case Params.Version.V19 => Argon2Parameters.ARGON2_VERSION_13
    }
    val generator = new Argon2BytesGenerator
    generator.init(
      new Argon2Parameters.Builder(variant)
        .withVersion(version)
        .withMemoryAsKB(params.memoryKib.toInt)
        .withIterations(params.passes.toInt)
        .withParallelism(params.parallelism.toInt)
        .withSalt(setting.salt)
        .withBlockPool(new Pool(memory))
        .build()
    )
    val output = new Array[Byte](setting.outputBytes)
    generator.generateBytes(password, output)
    output
  }

  /** The key is the password and a NUL, cut at 72 bytes: 72 bytes of password leave no room for the
    * NUL.
    *
    * Bouncy Castle deprecates this method because the caller must know about the NUL and the 72
    * bytes. The other one, `OpenBSDBCrypt`, parses and prints strings by rules that are not the
    * contract's.
    */
  @nowarn("cat=deprecation")
  def bcrypt(setting: Setting.Bcrypt, password: Array[Byte]): Array[Byte] = {
    val taken = math.min(password.length, Params.Bcrypt.MaxPasswordBytes)
    // copyOf appends zeros: the terminating NUL.
    val whole = Arrays.copyOf(password, taken)
    val key = Arrays.copyOf(whole, math.min(taken + 1, Params.Bcrypt.MaxPasswordBytes))
    try Arrays.copyOf(BCrypt.generate(key, setting.salt, setting.params.cost), Params.Bcrypt.OutputBytes)
    finally { Arrays.fill(whole, 0.toByte); Arrays.fill(key, 0.toByte) }
  }

  def scrypt(setting: Setting.Scrypt, password: Array[Byte]): Array[Byte] = {
    val params = setting.params
    SCrypt.generate(password, setting.salt, 1 << params.logN, params.r.toInt, params.p.toInt, setting.outputBytes)
  }

  /** Lends the blocks of a workspace. A block is all zeros. */
  private final class Pool(memory: Workspace) extends BlockPool {
    def allocate(): Block = memory.block() match {
      case kept: Block => kept
      case _           => new Block
    }
    def deallocate(block: Block): Unit = memory.keep(block.clear())
  }
}
