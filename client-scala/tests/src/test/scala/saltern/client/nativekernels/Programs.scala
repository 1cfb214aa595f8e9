package saltern.client.nativekernels

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.{Files, Paths}
import java.util.Random
import java.util.concurrent.atomic.{AtomicIntegerArray, AtomicLong}
import saltern.hashes.{HashKernels, Kernels, Params, Setting}
import scala.concurrent.duration.*

/** Compares the library with the JVM, on random cheap settings and passwords, from many threads
  * that now and then cancel each other's calls. `RandomCalls 1000000` prints `1000000 calls, 0
  * differences`, the algorithms, and how many calls were repeated because they had been cancelled.
  */
object RandomCalls {
  def main(arguments: Array[String]): Unit = {
    val calls = arguments.head.toInt
    val seed = System.nanoTime()
    println(s"seed $seed")
    val pool = new TestKernels.Pool
    val (next, cancelled, differences) = (new AtomicLong, new AtomicLong, new AtomicLong)
    val seen = new AtomicIntegerArray(Kinds.size)
    val threads = (1 to Threads).map { thread =>
      new Thread(() => {
        val random = new Random(seed + thread)
        while (next.getAndIncrement() < calls) {
          val kind = kindAtRandom(random)
          val _ = seen.incrementAndGet(kind)
          val setting = Kinds(kind)._2(random)
          val password = passwordAtRandom(random)
          val output = new Array[Byte](setting.outputBytes)
          var answer = pool.compute(setting, password, 60.seconds, output)
          while (answer == NativeCalls.CANCELLED) {
            val _ = cancelled.incrementAndGet()
            answer = pool.compute(setting, password, 60.seconds, output)
          }
          // The call may have been cancelled by any thread. It is repeated.
          if (random.nextInt(4) == 0) pool.cancel(random.nextInt(Threads))
          val same = answer == NativeCalls.DONE && java.util.Arrays.equals(output, Kernels.compute(TestKernels.admitted(setting), password))
          if (!same) {
            differences.incrementAndGet()
            println(s"answer $answer: ${setting.print(output)} for ${password.map("%02x".format(_)).mkString}")
          }
        }
      })
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
    pool.close()
    println(Kinds.indices.map(kind => s"${Kinds(kind)._1} ${seen.get(kind)}").mkString("", ", ", s", ${cancelled.get} cancelled"))
    println(s"$calls calls, ${differences.get} differences")
  }

  /** As many as share a worker's lanes. */
  private val Threads = 8

  private def pbkdf2(prf: Params.Prf)(random: Random): Setting.Own =
    Setting.Pbkdf2(Params.Pbkdf2(prf, 1L + random.nextInt(20)).get, salt(random), 10 + random.nextInt(90))

  private val Kinds: Vector[(String, Random => Setting.Own)] = Vector(
    "bcrypt" -> (random => Setting.Bcrypt("2b", Params.Bcrypt(4).get, bytes(random, 16), 0)),
    "argon2" -> { random =>
      val variant = Seq(Params.Variant.D, Params.Variant.I, Params.Variant.Id)(random.nextInt(3))
      val lanes = 1 + random.nextInt(2)
      val params = Params.Argon2(variant, Params.Version.V19, 8L * lanes + random.nextInt(16), 1L + random.nextInt(2), lanes.toLong).get
      Setting.Argon2(params, salt(random), 4 + random.nextInt(96), Setting.Argon2.Spelling.Canonical)
    },
    "pbkdf2-sha1" -> pbkdf2(Params.Prf.Sha1),
    "pbkdf2-sha256" -> pbkdf2(Params.Prf.Sha256),
    "pbkdf2-sha512" -> pbkdf2(Params.Prf.Sha512),
    "scrypt" -> { random =>
      val params = Params.Scrypt(1L + random.nextInt(4), 1L + random.nextInt(3), 1L + random.nextInt(2)).get
      Setting.Scrypt(params, salt(random), 10 + random.nextInt(90))
    }
  )

  /** bcrypt at its lowest cost still takes a millisecond: one call in a hundred. */
  private def kindAtRandom(random: Random): Int = if (random.nextInt(100) == 0) 0 else 1 + random.nextInt(Kinds.size - 1)

  /** Mostly short, sometimes any allowed length; any bytes, including NUL. */
  private def passwordAtRandom(random: Random): Array[Byte] =
    bytes(random, if (random.nextInt(20) == 0) random.nextInt(1025) else random.nextInt(80))

  private def salt(random: Random): Array[Byte] = bytes(random, 8 + random.nextInt(25))

  private def bytes(random: Random, count: Int): Array[Byte] = {
    val bytes = new Array[Byte](count)
    random.nextBytes(bytes)
    bytes
  }
}

/** Loads the library as a host does, hashes once, and prints which code computed the hash. */
object LoadAndHash {
  def main(none: Array[String]): Unit = {
    require(none.isEmpty)
    val setting = Setting.Bcrypt("2b", Params.Bcrypt(4).get, new Array[Byte](16), 0)
    val kernels = NativeKernels.load() match { case kernels: HashKernels => kernels; case other => sys.error(s"$other hashes nothing") }
    // A second client does not log the reason again.
    val again = NativeKernels.load()
    val opened = kernels.start(1, 1L << 26, TestKernels.NoCeilings)
    val output = opened.compute(TestKernels.admitted(setting), Array[Byte](1, 2, 3), 10.seconds)
    opened.close()
    val right = java.util.Arrays.equals(output, Kernels.compute(TestKernels.admitted(setting), Array[Byte](1, 2, 3)))
    println(s"hashed by $kernels, then $again: right is $right")
  }
}

/** Hashes a password that this process stores only in disguise, then searches all of the process's
  * memory for it.
  */
object Residue {
  def main(none: Array[String]): Unit = {
    require(none.isEmpty)
    val disguised = new Array[Byte](PasswordBytes)
    new Random().nextBytes(disguised)
    // A loop and no collections, which would leave further copies. The search below does the same.
    val password = new Array[Byte](PasswordBytes)
    for (i <- password.indices) password(i) = (disguised(i) ^ Disguise).toByte
    val pool = new TestKernels.Pool
    for (setting <- Settings) {
      val answer = pool.compute(setting, password, 60.seconds, new Array[Byte](setting.outputBytes))
      require(answer == NativeCalls.DONE, s"answer $answer")
    }
    val before = copies(disguised)
    java.util.Arrays.fill(password, 0.toByte)
    val after = copies(disguised)
    pool.close()
    println(s"found before the caller wiped it: ${before > 0}; afterwards: $after")
  }

  private def copies(disguised: Array[Byte]): Int = {
    val memory = FileChannel.open(Paths.get("/proc/self/mem"))
    // A direct buffer: the JDK does not wipe its other buffers.
    val buffer = ByteBuffer.allocateDirect(1 << 20)
    try
      writableRegions().map { case (from, to) =>
        var (at, found) = (from, 0)
        while (at < to) {
          buffer.clear().limit(math.min(buffer.capacity.toLong, to - at).toInt)
          val read =
            try memory.read(buffer, at)
            // A guard page, or memory that was freed in the meantime.
            catch { case _: java.io.IOException => -1 }
          if (read < PasswordBytes) at = to
          else {
            var i = 0
            while (i <= read - PasswordBytes) {
              if (isAt(buffer, i, disguised)) found += 1
              i += 1
            }
            // Finds a password that lies across two reads.
            at += (if (at + read < to) read - PasswordBytes + 1 else read)
          }
        }
        found
      }.sum
    finally {
      buffer.clear()
      while (buffer.hasRemaining) buffer.put(0.toByte)
      memory.close()
    }
  }

  private def isAt(buffer: ByteBuffer, at: Int, disguised: Array[Byte]): Boolean = {
    var i = 0
    while (i < PasswordBytes && (buffer.get(at + i) ^ Disguise).toByte == disguised(i)) i += 1
    i == PasswordBytes
  }

  private def writableRegions(): Vector[(Long, Long)] =
    Files.readString(Paths.get("/proc/self/maps")).linesIterator.filter(_.contains(" rw")).toVector.map { line =>
      val (from, to) = line.takeWhile(_ != ' ').span(_ != '-')
      (java.lang.Long.parseUnsignedLong(from, 16), java.lang.Long.parseUnsignedLong(to.drop(1), 16))
    }

  private val PasswordBytes = 48
  private val Disguise = 0x5a

  private val Settings: Seq[Setting.Own] =
    (Seq(Params.Bcrypt(5).get, Params.Argon2(Params.Variant.Id, Params.Version.V19, 1024, 1, 1).get, Params.Scrypt(8, 8, 1).get) ++
      Params.Prf.all.map(Params.Pbkdf2(_, 100).get)).map(Setting.fresh(_, new Array[Byte](16)))
}
