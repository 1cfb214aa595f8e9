package saltern.hashes

import java.nio.charset.StandardCharsets.UTF_8
import java.security.SecureRandom
import saltern.client.{RefusalCode, RehashReason}
import saltern.client.LocalHashing.Failure

/** The contract's sections "Passwords and hashes", "Policies" and "Verify", on the local side. */
class LocalHasherSuite extends saltern.client.PatientSuite {
  import LocalHasherSuite.*

  private val hasher = hasherOf(document())

  private def refusal(result: Either[Failure, Any]): Option[Failure] = result.left.toOption
  private def code(code: String): Option[Failure] = Some(Failure.Refused(code))

  test("a new hash verifies, and has the form that the contract names") {
    for (
      (policy, prefix) <- Seq(
        "bcrypt-4" -> "$2b$04$",
        "argon2id-2" -> "$argon2id$v=19$m=64,t=2,p=1$",
        "pbkdf2" -> "$pbkdf2-sha512$i=1000,l=32$",
        "scrypt" -> "$scrypt$ln=4,r=8,p=1$"
      )
    ) {
      val made = hasher.prepareHash(Some(policy), bytes("pässword")).map(_.run()).fold(r => fail(r.toString), identity)
      assert(made.encoded.startsWith(prefix), prefix)
      assertEquals(made.policy, policy)
      assert(verdict(hasher, made.encoded, "pässword").matches)
      assert(!verdict(hasher, made.encoded, "passwörd").matches)
    }
  }

  test("two hashes of one password differ") {
    val made = Seq.fill(2)(hash(hasher, "bcrypt-4", "x"))
    assertEquals(made.distinct.size, 2)
  }

  test("hashing under bcrypt refuses more than 72 bytes and NUL; verifying does not") {
    assertEquals(refusal(hasher.prepareHash(Some("bcrypt-4"), bytes("x" * 73))), code(RefusalCode.PasswordTooLong))
    assertEquals(refusal(hasher.prepareHash(Some("bcrypt-4"), bytes("a\u0000b"))), code(RefusalCode.PasswordHasNul))
    val stored = hash(hasher, "bcrypt-4", "x" * 72)
    val matched = verdict(hasher, stored, "x" * 72)
    assert(matched.matches && matched.rehashReason.contains(RehashReason.OlderPolicy))
  }

  test("a match that ignored part of the password asks for no rehash") {
    val long = hash(hasher, "bcrypt-4", "x" * 72)
    assertEquals(verdict(hasher, long, "x" * 73), LocalHasher.Verdict(matches = true, None, Some("bcrypt-4")))
    val short = hash(hasher, "bcrypt-4", "abc")
    assertEquals(verdict(hasher, short, "abc\u0000def"), LocalHasher.Verdict(matches = true, None, Some("bcrypt-4")))
  }

  test("a bcrypt hash of a password with a NUL matches the whole password, and nothing is ignored") {
    // The kernel takes the NUL as any other byte, like software without C strings.
    val params = Params.Bcrypt(4).get
    val setting = Setting.fresh(params, new Array[Byte](16))
    val admitted = Admitted(setting, hasher.policies.ceilings).get
    val stored = setting.print(Kernels.compute(admitted, bytes("abc\u0000def")))
    assertEquals(verdict(hasher, stored, "abc\u0000def").rehashReason, Some(RehashReason.OlderPolicy))
    assert(!verdict(hasher, stored, "abc\u0000xyz").matches)
  }

  test("rehash_truncated lifts the rule") {
    val lifted = hasherOf(document(rehashTruncated = true))
    val stored = hash(lifted, "bcrypt-4", "x" * 72)
    assertEquals(verdict(lifted, stored, "x" * 73).rehashReason, Some(RehashReason.OlderPolicy))
  }

  test("without a stored hash, the decoy's work is done and the answer is a mismatch") {
    val job = hasher.prepareVerify(None, bytes("x")).fold(r => fail(r.toString), identity)
    assertEquals(job.admitted.setting.params, hasher.policies.decoy.params)
    assertEquals(job.run(), LocalHasher.Verdict(matches = false, None, None))
  }

  test("reasons for a rehash") {
    def reason(params: Params, saltBytes: Int = 16, prefix: String = "2b"): Option[RehashReason] = {
      val setting = Setting.fresh(params, new Array[Byte](saltBytes)) match {
        case bcrypt: Setting.Bcrypt => bcrypt.copy(prefix = prefix)
        case other                  => other
      }
      val admitted = Admitted(setting, hasher.policies.ceilings).get
      verdict(hasher, setting.print(Kernels.compute(admitted, bytes("x"))), "x").rehashReason
    }
    def argon2(m: Long, t: Long, p: Long, variant: Params.Variant = Params.Variant.Id, version: Params.Version = Params.Version.V19) =
      Params.Argon2(variant, version, m, t, p).get
    // Listed: by position.
    assertEquals(reason(Params.Bcrypt(4).get), Some(RehashReason.OlderPolicy))
    assertEquals(reason(argon2(64, 2, 1)), None)
    assertEquals(reason(Params.Scrypt(4, 8, 1).get), None, "a policy after current is never downgraded")
    // The prefix alone is no reason, and the policy is the same.
    assertEquals(reason(Params.Bcrypt(4).get, prefix = "2y"), Some(RehashReason.OlderPolicy))
    // Not listed: by algorithm, then by any parameter below.
    assertEquals(reason(Params.Bcrypt(5).get), Some(RehashReason.OtherAlgorithm))
    assertEquals(reason(argon2(64, 2, 1, Params.Variant.I)), Some(RehashReason.OtherAlgorithm))
    assertEquals(reason(argon2(128, 1, 1)), Some(RehashReason.UnlistedParameters))
    assertEquals(reason(argon2(64, 2, 1, version = Params.Version.V16)), Some(RehashReason.UnlistedParameters))
    assertEquals(reason(argon2(128, 2, 1)), None, "above current")
    assertEquals(reason(argon2(64, 2, 1), saltBytes = 8), Some(RehashReason.UnlistedParameters))
  }

  test("a hash that no policy lists is kept from its algorithm's threshold on") {
    def keep(name: String, min: Long) = s""""$name":{"min":$min,"unit":"u","source":"s"}"""
    val keeping = hasherOf(document(keep = Seq(keep("argon2", 256), keep("bcrypt", 5), keep("pbkdf2-sha256", 100), keep("scrypt", 256)).mkString(",")))
    def reason(params: Params, saltBytes: Int = 16): Option[RehashReason] = {
      val setting = Setting.fresh(params, new Array[Byte](saltBytes))
      keeping.rehashReason(setting.print(new Array[Byte](setting.outputBytes)))
    }
    def argon2(m: Long, t: Long, variant: Params.Variant = Params.Variant.Id) = Params.Argon2(variant, Params.Version.V19, m, t, 1).get
    assertEquals(reason(Params.Bcrypt(5).get), None)
    assertEquals(reason(Params.Bcrypt(4).get), Some(RehashReason.OlderPolicy), "a listed policy is replaced by its place")
    // m × (3t − 1): 128 × 2, and 127 × 2.
    assertEquals(reason(argon2(128, 1)), None)
    assertEquals(reason(argon2(128, 1, Params.Variant.I)), None)
    assertEquals(reason(argon2(128, 1), saltBytes = 8), None)
    assertEquals(reason(argon2(127, 1)), Some(RehashReason.UnlistedParameters))
    assertEquals(reason(Params.Scrypt(5, 8, 1).get), None)
    assertEquals(reason(Params.Scrypt(5, 4, 1).get), Some(RehashReason.OtherAlgorithm))
    assertEquals(reason(Params.Pbkdf2(Params.Prf.Sha256, 100).get), None)
    assertEquals(reason(Params.Pbkdf2(Params.Prf.Sha256, 99).get), Some(RehashReason.OtherAlgorithm))
    assertEquals(reason(Params.Pbkdf2(Params.Prf.Sha1, 1000000).get), Some(RehashReason.OtherAlgorithm), "no threshold")
    assert(Policies.read(bytes(document(keep = keep("md5", 1)))).left.exists(_.contains("`md5`")))
  }

  test("the reason without a password is the same, except for schemes of the service and text that is not a hash") {
    assertEquals(hasher.rehashReason(hash(hasher, "bcrypt-4", "x")), Some(RehashReason.OlderPolicy))
    assertEquals(hasher.rehashReason(hash(hasher, "argon2id-2", "x")), None)
    assertEquals(hasher.rehashReason("{bcrypt}" + hash(hasher, "bcrypt-4", "x")), Some(RehashReason.OlderPolicy))
    assertEquals(hasher.rehashReason("$y$j9T$salt$hash"), Some(RehashReason.OtherAlgorithm))
    for (text <- Seq("$2b$04$short", "$9$salt$hash", "no hash", "")) assertEquals(hasher.rehashReason(text), None, text)
  }

  test("policies are found by name, and refused by status") {
    assertEquals(refusal(hasher.prepareHash(Some("nobody"), bytes("x"))), code(RefusalCode.UnknownPolicy))
    assertEquals(refusal(hasher.prepareHash(Some("old"), bytes("x"))), code(RefusalCode.PolicyNotForHashing))
  }

  test("a hostile hash is refused before any work") {
    for (
      stored <- Seq(
        "$2b$31$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S",
        "$argon2id$v=19$m=8,t=1000000,p=1$MDEyMzQ1Njc4OWFiY2RlZg$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI",
        "$argon2id$v=19$m=4294967295,t=4294967295,p=1$MDEyMzQ1Njc4OWFiY2RlZg$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI",
        "$argon2id$v=19$m=131072,t=5,p=4$MDEyMzQ1Njc4OWFiY2RlZg$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI",
        "$scrypt$ln=10,r=8,p=256$MDEyMzQ1Njc4OWFiY2RlZg$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI",
        "$scrypt$ln=63,r=4,p=1$MDEyMzQ1Njc4OWFiY2RlZg$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI",
        "$pbkdf2-sha512$i=4294967295,l=32$MDEyMzQ1Njc4OWFiY2RlZg$9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI"
      )
    ) assertEquals(refusal(hasher.prepareVerify(Some(stored), bytes("x"))), code(RefusalCode.CostOutOfBounds), stored)
  }

  test("an invalid document is refused with a sentence") {
    val good = document()
    for (
      (from, to) <- Seq(
        "\"current\":\"argon2id-2\"" -> "\"current\":\"nobody\"",
        "\"current\":\"argon2id-2\"" -> "\"current\":\"old\"",
        "\"id\":\"scrypt\"" -> "\"id\":\"pbkdf2\"",
        "\"cost\":4" -> "\"cost\":16",
        "\"cost\":4" -> "\"cost\":3",
        "\"cost\":4" -> "\"cost\":4,\"iterations\":1",
        "\"cost\":4" -> "\"cost\":10",
        "\"unit\":\"u\"" -> "\"unit\":\"u\",\"surprise\":1",
        "\"bcrypt_cost\"" -> "\"bcrypt_price\"",
        "\"decoy\":\"bcrypt-4\"," -> "",
        "\"phpass_rounds\"" -> "\"phpass_price\"",
        "\"min\":0" -> "\"min\":65"
      )
    ) {
      assert(good.contains(from))
      val problem = Policies.read(bytes(good.replaceFirst(java.util.regex.Pattern.quote(from), java.util.regex.Matcher.quoteReplacement(to)))).left.toOption
      assert(problem.exists(_.nonEmpty), s"$from -> $to")
    }
    assert(Policies.read(bytes("{")).isLeft)
  }

  test("the jar contains the shipped document byte for byte, and the digest is of those bytes") {
    val packed = Policies.document(saltern.client.PolicySource.Packed)
    val shipped = java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(sys.props("saltern.root"), "functions", "policy", "policies.json"))
    assertEquals(packed.toSeq, shipped.toSeq)
    val policies = Policies.read(packed).fold(problem => fail(problem), identity)
    assertEquals(policies.current.id, "argon2id-2026")
    assert(policies.digest.matches("sha256:[0-9a-f]{64}"))
  }
}

object LocalHasherSuite {
  def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)

  def hasherOf(document: String): LocalHasher =
    new LocalHasher(Policies.read(bytes(document)).fold(problem => throw new AssertionError(problem), identity), new SecureRandom)

  def hash(hasher: LocalHasher, policy: String, password: String): String =
    hasher.prepareHash(Some(policy), bytes(password)).map(_.run().encoded).fold(r => throw new AssertionError(r.toString), identity)

  def verdict(hasher: LocalHasher, stored: String, password: String): LocalHasher.Verdict =
    hasher.prepareVerify(Some(stored), bytes(password)).map(_.run()).fold(r => throw new AssertionError(r.toString), identity)

  /** Cheap policies of every algorithm, with the shipped ceilings and without floors. */
  def document(rehashTruncated: Boolean = false, keep: String = ""): String = {
    def policy(id: String, status: String, rest: String) =
      s"""{"id":"$id","status":"$status","rationale":"r","source":"s",$rest}"""
    def ceiling(name: String, max: Long) = s""""$name":{"max":$max,"unit":"u","memory":"m","time":"t","source":"s"}"""
    val policies = Seq(
      policy("old", "verify-only", "\"algorithm\":\"bcrypt\",\"cost\":10"),
      policy("bcrypt-4", "active", "\"algorithm\":\"bcrypt\",\"cost\":4"),
      policy("pbkdf2", "active", "\"algorithm\":\"pbkdf2-sha512\",\"iterations\":1000"),
      policy("argon2id-2", "active", "\"algorithm\":\"argon2id\",\"memory_kib\":64,\"passes\":2,\"parallelism\":1"),
      policy("scrypt", "active", "\"algorithm\":\"scrypt\",\"log_n\":4,\"r\":8,\"p\":1")
    )
    val ceilings = Seq(
      ceiling("bcrypt_cost", 15),
      ceiling("argon2_memory_kib", 262144),
      ceiling("argon2_memory_passes_kib", 1048576),
      ceiling("argon2_parallelism", 16),
      ceiling("pbkdf2_iterations_blocks", 5000000),
      ceiling("scrypt_memory_bytes", 134217728),
      ceiling("scrypt_n_r_p", 4194304),
      ceiling("sha_crypt_rounds", 1000000)
    )
    val floors = Floors.Names.map(name => s""""$name":{"min":0,"unit":"u","witness":"w","source":"s"}""")
    s"""{"current":"argon2id-2","decoy":"bcrypt-4","rehash_truncated":$rehashTruncated,""" +
      s""""policies":[${policies.mkString(",")}],"ceilings":{${ceilings.mkString(",")}},"floors":{${floors.mkString(",")}},"keep":{$keep}}"""
  }
}
