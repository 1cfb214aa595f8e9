package saltern.hashes

import com.sun.management.HotSpotDiagnosticMXBean
import java.io.BufferedInputStream
import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.security.{MessageDigest, SecureRandom}
import java.util.Arrays
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

/** The bytes that are hashed in place of a password are as secret as the password, so they are
  * wiped too.
  */
class PreparedPasswordsSuite extends saltern.client.PatientSuite {
  import PreparedPasswordsSuite.*

  test("prepared passwords are right while they are hashed and wiped afterwards, for every scheme and after a failure") {
    val readings = Scheme.all.map(_.reading).distinct
    assert(readings.size > 5, "the schemes read passwords in many ways")
    for (reading <- readings; text <- Seq("", "secret", " secret\t", "se\u0000cret", "pässwörd" * 20)) {
      val password = bytes(text)
      for (candidate <- LocalHasher.candidatesOf(reading, password, password.length)) {
        var seen: Array[Byte] = null
        val read = candidate.prepared(new Array[Byte](16), password) { prepared => seen = prepared; prepared.clone() }
        assertEquals(read.length, candidate.length)
        assert(seen.forall(_ == 0), s"$reading left what it hashed")
        assert(text.isEmpty || read.exists(_ != 0), s"$reading hashed nothing")
        intercept[IllegalStateException](candidate.prepared[Unit](new Array[Byte](16), password) { prepared =>
          seen = prepared
          throw new IllegalStateException
        })
        assert(seen.forall(_ == 0), s"$reading left what it hashed when hashing failed")
      }
      assertEquals(password.toSeq, bytes(text).toSeq, "the caller's password is not wiped")
    }
  }

  test("no digest that replaces a password is left on the heap") {
    val hasher = LocalHasherSuite.hasherOf(LocalHasherSuite.document())
    // Random, so that it is in no constant pool; longer than HMAC's block of 128 bytes.
    val random = new Array[Byte](75)
    new SecureRandom().nextBytes(random)
    def password(): Array[Byte] = LowerHex.encodeToBytes(random)
    for (stored <- Stored) {
      val bytes = password()
      val job = hasher.prepareVerify(Some(stored), bytes).fold(r => fail(s"$stored: $r"), identity)
      assert(!job.run().matches)
      Arrays.fill(bytes, 0.toByte)
    }
    val dump = dumped()
    try {
      // Computed after the dump, so that the dump does not contain the test's own copies.
      val made = password()
      val sha256 = digest("SHA-256", made)
      val keyed = { val mac = Mac.getInstance("HmacSHA384"); mac.init(new SecretKeySpec(bytes("wp-sha384"), "HmacSHA384")); mac.doFinal(made) }
      val ofSalt = {
        val mac = Mac.getInstance("HmacSHA256"); mac.init(new SecretKeySpec(bytes("abcdefghijklmnopqrstuu"), "HmacSHA256")); mac.doFinal(made)
      }
      val needles = Seq(
        "passlib's text" -> java.util.Base64.getEncoder.encode(ofSalt),
        "passlib's older text" -> java.util.Base64.getEncoder.encode(sha256),
        "bcrypt_sha256's text" -> LowerHex.encodeToBytes(sha256),
        "a site's SHA-1" -> LowerHex.encodeToBytes(digest("SHA-1", made)),
        "Drupal's text" -> LowerHex.encodeToBytes(digest("MD5", made)),
        "WordPress's text" -> java.util.Base64.getEncoder.encode(keyed),
        "the key of HMAC-SHA-1" -> digest("SHA-1", made),
        "the key of HMAC-SHA-256" -> sha256,
        "the key of HMAC-SHA-512" -> digest("SHA-512", made)
      )
      // Checks that the search works: the random bytes are on the heap and must be found.
      assertEquals(found(dump, Seq("the random bytes" -> random)), Seq("the random bytes"))
      assertEquals(found(dump, needles), Nil)
    } finally Files.delete(dump)
  }
}

object PreparedPasswordsSuite {

  /** Hashes whose schemes transform the password, and PBKDF2 under each digest, at low costs. No
    * password matches.
    */
  private val Stored = Seq(
    "bcrypt_sha256$$2b$04$abcdefghijklmnopqrstuu" + "." * 31,
    "$bcrypt-sha256$v=2,t=2b,r=4$abcdefghijklmnopqrstuu$" + "." * 31,
    "$bcrypt-sha256$2a,4$abcdefghijklmnopqrstuu$" + "." * 31,
    "$wp$2y$04$abcdefghijklmnopqrstuu" + "." * 31,
    "U$S$5abcdefgh" + "." * 43,
    "$saltern-prep$v=1,p=md5-hex$$2b$04$abcdefghijklmnopqrstuu" + "." * 31,
    "$saltern-prep$v=1,p=sha1-hex$$2b$04$abcdefghijklmnopqrstuu" + "." * 31,
    "$saltern-prep$v=1,p=sha256-base64$$2b$04$abcdefghijklmnopqrstuu" + "." * 31,
    "$pbkdf2$i=2,l=20$c2FsdHNhbHQ$" + "A" * 27,
    "$pbkdf2-sha256$i=2,l=32$c2FsdHNhbHQ$" + "A" * 43,
    "$pbkdf2-sha512$i=2,l=64$c2FsdHNhbHQ$" + "A" * 86
  )

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)

  private def digest(name: String, of: Array[Byte]): Array[Byte] = MessageDigest.getInstance(name).digest(of)

  /** The whole heap, including unreachable objects. */
  private def dumped(): Path = {
    val file = Files.createTempFile("saltern-heap", ".hprof")
    Files.delete(file)
    ManagementFactory.getPlatformMXBean(classOf[HotSpotDiagnosticMXBean]).dumpHeap(file.toString, false)
    file
  }

  /** The names of the needles that are in the file. */
  private def found(file: Path, needles: Seq[(String, Array[Byte])]): Seq[String] = {
    val longest = needles.map(_._2.length).max
    val window = new Array[Byte](1 << 20)
    val in = new BufferedInputStream(Files.newInputStream(file))
    try {
      var hits = Set.empty[String]
      var kept = 0
      var read = in.read(window, 0, window.length)
      while (read >= 0) {
        val filled = kept + read
        for ((name, needle) <- needles if !hits(name) && stands(window, filled, needle)) hits += name
        // Keeps the end of the window, because a needle may lie across two windows.
        kept = math.min(longest, filled)
        System.arraycopy(window, filled - kept, window, 0, kept)
        read = in.read(window, kept, window.length - kept)
      }
      needles.map(_._1).filter(hits)
    } finally in.close()
  }

  private def stands(window: Array[Byte], filled: Int, needle: Array[Byte]): Boolean = {
    val last = filled - needle.length
    var at = 0
    while (at <= last && !(window(at) == needle(0) && Arrays.equals(window, at, at + needle.length, needle, 0, needle.length))) at += 1
    at <= last
  }
}
