package saltern.hashes

import java.security.MessageDigest
import java.util.Arrays

/** Computes one hash on the calling thread. `docs/adr/0007` says why each algorithm uses its
  * library.
  */
private[saltern] object Kernels {

  /** Computes an admitted setting for a password. */
  type Compute = (Admitted, Array[Byte]) => Array[Byte]

  /** Computes in fresh memory. */
  def compute(admitted: Admitted, password: Array[Byte]): Array[Byte] = computeIn(new Workspace, admitted, password)

  def computeIn(memory: Workspace, admitted: Admitted, password: Array[Byte]): Array[Byte] = output(admitted.setting, password, memory)

  private def output(setting: Setting, password: Array[Byte], memory: Workspace): Array[Byte] = setting match {
    case setting: Setting.Argon2    => BouncyCastle.argon2(setting, password, memory)
    case setting: Setting.Bcrypt    => BouncyCastle.bcrypt(setting, password)
    case setting: Setting.Pbkdf2    => Pbkdf2Kernel.compute(setting, password)
    case setting: Setting.Scrypt    => BouncyCastle.scrypt(setting, password)
    case setting: Setting.InRounds  => setting.compute(password)
    case setting: Setting.OfProject =>
      val key = BouncyCastle.scrypt(setting.scrypt, password)
      try setting.encrypted(key)
      finally Arrays.fill(key, 0.toByte)
    case Setting.Wrapped(outer, inner) =>
      val weak = output(inner.setting, password, memory)
      // The printed string stays in memory until it is collected, because forms print strings.
      val stored = Text.utf8(inner.withOutput(weak).print)
      try BouncyCastle.argon2(outer, stored, memory)
      finally { Arrays.fill(weak, 0.toByte); Arrays.fill(stored, 0.toByte) }
  }

  /** The operator's next step, if Bouncy Castle is missing or too old. */
  def problem: Option[String] =
    try { Class.forName(NewestOf, false, getClass.getClassLoader).getMethod(Newest); None }
    catch {
      case _: ReflectiveOperationException | _: LinkageError =>
        Some(s"org.bouncycastle:bcprov-jdk18on is missing or older than $LeastVersion: $Remedy")
    }

  /** Of the methods that [[BouncyCastle]] calls, the one that came last, with this version. */
  private val NewestOf = "org.bouncycastle.crypto.generators.Argon2BytesGenerator$Block"
  private val Newest = "clear"
  private val LeastVersion = "1.86"

  val Remedy: String =
    s"add org.bouncycastle:bcprov-jdk18on $LeastVersion or later or, if a jar has these classes under another name, the whole jar; or use saltern-client-native"
}

/** PBKDF2 (RFC 8018 §5.2) over the JDK's digests.
  *
  * The two states that HMAC's key produces are kept and cloned, so that no iteration hashes the key
  * again.
  */
private[hashes] object Pbkdf2Kernel {

  def compute(setting: Setting.Pbkdf2, password: Array[Byte]): Array[Byte] = {
    val prf = setting.params.prf
    val hmac = new Hmac(prf, password)
    val output = new Array[Byte](setting.outputBlocks * prf.blockBytes)
    val (u, t) = (new Array[Byte](prf.blockBytes), new Array[Byte](prf.blockBytes))
    var block = 1
    while (block <= setting.outputBlocks) {
      val first = setting.salt ++ Array[Byte]((block >> 24).toByte, (block >> 16).toByte, (block >> 8).toByte, block.toByte)
      hmac.of(first, u)
      System.arraycopy(u, 0, t, 0, u.length)
      var i = 1L
      while (i < setting.params.iterations) {
        hmac.of(u, u)
        var j = 0
        while (j < t.length) { t(j) = (t(j) ^ u(j)).toByte; j += 1 }
        i += 1
      }
      System.arraycopy(t, 0, output, (block - 1) * prf.blockBytes, t.length)
      block += 1
    }
    hmac.wipe()
    Arrays.fill(u, 0.toByte)
    Arrays.fill(t, 0.toByte)
    if (output.length == setting.outputBytes) output else Arrays.copyOf(output, setting.outputBytes)
  }

  private final class Hmac(prf: Params.Prf, password: Array[Byte]) {
    private val (inner, outer) = {
      // HMAC's own block (RFC 2104): 128 bytes under SHA-512, 64 under the others.
      val blockBytes = if (prf == Params.Prf.Sha512) 128 else 64
      val isLong = password.length > blockBytes
      val key = if (isLong) SecretDigest(prf.digest, password) else password
      def keyed(pad: Int): MessageDigest = {
        val padded = Array.tabulate(blockBytes)(i => ((if (i < key.length) key(i) else 0) ^ pad).toByte)
        val digest = MessageDigest.getInstance(prf.digest)
        digest.update(padded)
        Arrays.fill(padded, 0.toByte)
        digest
      }
      // The digest replaces the password, so it is as secret as the password.
      try (keyed(0x36), keyed(0x5c))
      finally if (isLong) Arrays.fill(key, 0.toByte)
    }

    /** The keyed states replace the password, so they are as secret. */
    def wipe(): Unit = { inner.reset(); outer.reset() }

    /** `message` and `into` may be the same array. */
    def of(message: Array[Byte], into: Array[Byte]): Unit = {
      val first = inner.clone().asInstanceOf[MessageDigest]
      first.update(message)
      val _ = first.digest(into, 0, into.length)
      val second = outer.clone().asInstanceOf[MessageDigest]
      second.update(into)
      val _ = second.digest(into, 0, into.length)
    }
  }
}
