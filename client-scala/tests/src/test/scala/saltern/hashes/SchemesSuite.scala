package saltern.hashes

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonValueCodec}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.file.{Files, Paths}
import java.security.SecureRandom
import java.util.Locale
import saltern.client.{ClientConfig, PolicySource, RehashReason, Saltern}
import saltern.client.LocalHashing.Failure
import saltern.hashes.verifyonly.FirebaseProject
import scala.jdk.CollectionConverters.*

/** Other software's schemes on the local side: their names, the permission for the weak ones, and
  * the meaning of a match.
  */
class SchemesSuite extends saltern.client.PatientSuite {
  private val policies =
    Policies.of(PolicySource.Packed)
  private val strict = new LocalHasher(policies, new SecureRandom)
  private def accepting(names: String*) =
    new LocalHasher(policies, new SecureRandom, AcceptedWeak.named(names).fold(problem => fail(problem), identity))

  test("the schemes' names are those of local-schemes.txt") {
    val list = Paths.get(sys.props("saltern.root"), "client-scala", "local-schemes.txt")
    assertEquals(Scheme.all.map(_.name), Files.readAllLines(list).asScala.toSeq)
    assertEquals(Scheme.all.map(_.name).distinct.size, Scheme.all.size)
  }

  test("the names for withAcceptedWeak are those that the service takes, except yescrypt") {
    val file = Paths.get(sys.props("saltern.root"), "infra", "modules", "password-hasher", "settings.json")
    val taken = readFromArray[SchemesSuite.Settings](Files.readAllBytes(file)).accept_weak
    assertEquals(Scheme.all.map(_.serviceName).distinct.sorted, taken.filterNot(_ == "yescrypt").sorted)
    for (name <- taken if name != "yescrypt") assert(AcceptedWeak.named(Seq(name)).isRight, name)
    // The service has three digests under one name.
    val accepted = AcceptedWeak.named(Seq("ldap-pbkdf2")).fold(problem => fail(problem), identity)
    assertEquals(Scheme.all.filter(accepted.names).map(_.name), Seq("ldap-pbkdf2", "ldap-pbkdf2-sha256", "ldap-pbkdf2-sha512"))
  }

  test("every string has at most one scheme, prints as it was read, and is refused if cut or changed in structure") {
    var tried = 0
    for (stored <- oneOfEachGroup) {
      assertEquals(EncodedHash.parse(stored).map(_.print), Right(stored))
      val changes = for {
        i <- stored.indices
        changed <- Seq(stored.take(i), stored.patch(i, "", 1)) ++
          "$,=:{}+0aZ.\u0000é".map(c => stored.patch(i, c.toString, 1)) ++ "$0=}".map(c => stored.patch(i, c.toString, 0))
      } yield changed
      for (changed <- changes) {
        tried += 1
        val claiming = Scheme.all.filter(_.claims(changed))
        assert(claiming.size <= 1, s"$changed: ${claiming.mkString(" ")}")
        EncodedHash.parse(changed).foreach(read => assertEquals(read.print, changed))
      }
      // A truncated hash is never another hash of its scheme, unless the scheme leaves the length
      // open.
      val scheme = EncodedHash.parse(stored).map(_.scheme)
      if (!scheme.exists(s => OfAnyLength(s.name)))
        for (i <- stored.indices) assert(!EncodedHash.parse(stored.take(i)).exists(read => scheme.contains(read.scheme)), stored.take(i))
    }
    assert(tried > 50000, s"$tried")
  }

  test("a host whose language has other digits reads the same strings") {
    val (own, stored) = (Locale.getDefault, oneOfEachGroup)
    Locale.setDefault(Locale.forLanguageTag("fa-IR"))
    try {
      assertNotEquals("%d".format(12), "12", "this JDK has the language")
      for (text <- stored) assertEquals(EncodedHash.parse(text).map(_.print), Right(text))
    } finally Locale.setDefault(own)
  }

  test("an unsalted digest is verified only if its scheme is named, and then asks for a rehash") {
    assertEquals(strict.prepareVerify(Some(ShaOfSaltern), bytes("saltern")).left.toOption.map(_.getClass), Some(classOf[Failure.NotAvailable]))
    assert(accepting("ldap-md5").prepareVerify(Some(ShaOfSaltern), bytes("saltern")).isLeft)
    for (names <- Seq(Seq("ldap-sha"), Seq("ldap-md5", "ldap-sha"), Seq("all"))) {
      val hasher = accepting(names*)
      assertEquals(judge(hasher, ShaOfSaltern, "saltern"), LocalHasher.Verdict(matches = true, Some(RehashReason.WeakScheme), None))
      assert(!judge(hasher, ShaOfSaltern, "Saltern").matches)
    }
  }

  test("an unknown scheme is refused when its weak hashes are allowed") {
    for (names <- Seq(Seq("bcrypt-12"), Seq("nobody"), Seq("all", "ldap-sha"), Seq(""))) {
      val problem = intercept[IllegalArgumentException](Saltern(ClientConfig("http://127.0.0.1:1").withAcceptedWeak(names*)))
      assert(problem.getMessage.contains("ldap-sha"), problem.getMessage)
    }
  }

  test("a wrapped hash is verified through both layers without permission, and asks for a rehash") {
    val setting =
      Setting.Argon2(Params.Argon2(Params.Variant.Id, Params.Version.V19, 1024, 1, 1).get, new Array[Byte](16), 32, Setting.Argon2.Spelling.Canonical)
    val outer = Kernels.compute(Admitted(setting, policies.ceilings).get, bytes(ShaOfSaltern))
    val wrapped = s"$$saltern-wrap${setting.print(outer)}$${SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA="
    assertEquals(EncodedHash.parse(wrapped).map(_.print), Right(wrapped))
    assertEquals(judge(strict, wrapped, "saltern"), LocalHasher.Verdict(matches = true, Some(RehashReason.WeakScheme), None))
    assert(!judge(strict, wrapped, "Saltern").matches)
    for (
      wrong <- Seq(s"$$saltern-wrap${setting.print(outer)}$$$ShaOfSaltern", s"$$saltern-wrap${setting.print(outer)}$$$wrapped", wrapped.replace("v=19", "v=16"))
    )
      assertEquals(EncodedHash.parse(wrong).left.toOption, Some(ParseError.Invalid), wrong)
  }

  test("a long password is more work only for the layer that reads it") {
    val md5Crypt = "$1$saltsalt$......................"
    val outer = Setting.Argon2(Params.Argon2(Params.Variant.Id, Params.Version.V19, 64, 1, 1).get, new Array[Byte](16), 32, Setting.Argon2.Spelling.Canonical)
    val wrapped = s"$$saltern-wrap${outer.print(new Array[Byte](32))}$$$md5Crypt"
    val hasher = accepting("wrapped")
    def work(stored: String, password: String) =
      hasher.prepareVerify(Some(stored), bytes(password)).fold(r => fail(r.toString), identity).work
    val (short, long) = ("x", "x" * 1024)
    assertEquals(work(md5Crypt, short), 1000L)
    assertEquals(work(md5Crypt, long), 1000L * 11)
    assertEquals(work(wrapped, short), 64L + 1000)
    assertEquals(work(wrapped, long), 64L + 1000 * 11)
    // A password with a NUL has two readings.
    assertEquals(work(wrapped, "x\u0000" + long.drop(2)), 2 * 64L + 1000 * (1 + 11))
  }

  test("a hash of a transformed password has no policy") {
    val stored = "bcrypt_sha256$$2b$10$3uxvWBO9lJbQxcCNPjHMKeSRQ9bdtN6nBR.EuhMr99PPq26IKk19a"
    assertEquals(judge(strict, stored, "saltern"), LocalHasher.Verdict(matches = true, Some(RehashReason.OtherAlgorithm), None))
  }

  // libxcrypt made the hashes of these tests, as in `functions/policy/tests/prepared.rs`.
  test("a match of a password that a site prepared is replaced by a plain hash") {
    val replaced = LocalHasher.Verdict(matches = true, Some(RehashReason.OtherAlgorithm), None)
    assertEquals(judge(strict, s"$$saltern-prep$$v=1,p=md5-hex${Bcrypt}kwmtBCisHk0zb6Hu53ELq3z.q5OLjDi", "saltern"), replaced)
    for (stored <- Seq(appended("oNsaREdiynvrBMjXoPbQV5VGLjp9yAS"), prepended(".iHh6ThHRN8WRfUlqv2TCvvhNRNI6FK"))) {
      assertEquals(judge(peppered("site pepper"), stored, "saltern"), replaced)
      for (wrong <- Seq("Saltern", "salternsite pepper")) assert(!judge(peppered("site pepper"), stored, wrong).matches, wrong)
    }
  }

  test("a pepper that this host does not have is no mismatch") {
    val stored = appended("oNsaREdiynvrBMjXoPbQV5VGLjp9yAS")
    for ((hasher, code) <- Seq(strict -> "unsupported_hash", peppered("site pepper", id = "other") -> "key_unavailable")) {
      val refusal = hasher.prepareVerify(Some(stored), bytes("saltern")).left.toOption
      assert(refusal.exists(_.isInstanceOf[Failure.NoSealKey]), s"$refusal")
      assertEquals(refusal.map(SealKeysSuite.codeOf), Some(code))
    }
    val hasher = peppered("site pepper")
    val job = hasher.prepareVerify(Some(stored), bytes("saltern")).fold(r => fail(r.toString), identity)
    hasher.seals.close()
    intercept[IllegalStateException](job.run())
  }

  test("only a cut within the password prevents its replacement") {
    val hasher = peppered("site pepper")
    assertEquals(judge(hasher, appended("bbUroFyBYtSXvznHkbguhEFRHiAVOwa"), "x" * 70).rehashReason, Some(RehashReason.OtherAlgorithm))
    for ((stored, password) <- Seq(appended("jf8SX2ahXLwp9w/B.Y5XdysS6yR576q") -> "x" * 80, prepended("0PeNCoYQiGSTNrXh.lXzv3CeNtSJtXq") -> "y" * 65))
      // The same string is sealed.
      assertEquals(judge(hasher, stored, password), LocalHasher.Verdict(matches = true, Some(RehashReason.Unsealed), None))
  }

  test("a pepper that hides the password is refused") {
    val refused = Seq("p" * 65, "p" * 72, "p\u0000").map(_ -> "unsupported_hash")
    for ((pepper, said) <- ("p" * 64 -> "admitted") +: refused) {
      def admission(stored: String) = peppered(pepper).prepareVerify(Some(stored), bytes("x")).fold(SealKeysSuite.codeOf, _ => "admitted")
      assertEquals(admission(prepended("A" * 30 + ".")), said)
      assertEquals(admission(appended("A" * 30 + ".")), "admitted")
    }
  }

  test("a prepared hash is weak as its inner one") {
    val stored = "$saltern-prep$v=1,p=md5-hex$$md5$pf=e1BBU1NXT1JEfXtTQUxUfQ==$eHsh$QXkw3MQb+v74BfSfQxFDlw=="
    assert(strict.prepareVerify(Some(stored), bytes("saltern")).isLeft)
    assertEquals(judge(accepting("kratos-digest"), stored, "saltern").rehashReason, Some(RehashReason.WeakScheme))
  }

  test("a hash below a floor is weak, and each floor has a witness that is not") {
    val document = readFromArray[VectorsThrough.File](Files.readAllBytes(Paths.get(sys.props("saltern.vectors"), "floors.json")))
    val known = document.testGroups.flatMap(_.tests).flatMap(test => EncodedHash.parse(test.hash.get).toOption.map(test -> _))
    def password(test: VectorsThrough.Vector1) = test.password.grouped(2).map(Integer.parseInt(_, 16).toChar).mkString
    for ((test, encoded) <- known) {
      val (stored, flags) = (test.hash.get, test.flags)
      val weak = Some(RehashReason.WeakScheme)
      if (flags.contains("BelowFloor")) {
        for (hasher <- Seq(strict, accepting("ldap-sha")))
          hasher.prepareVerify(Some(stored), bytes("x")) match {
            case Left(Failure.NotAvailable(what)) => assert(what.contains(s"`${encoded.scheme.serviceName}`"), what)
            case other                            => fail(s"${test.comment}: $other")
          }
        for (names <- Seq(encoded.scheme.serviceName, "all"))
          assertEquals(judge(accepting(names), stored, password(test)), LocalHasher.Verdict(matches = true, weak, None), test.comment)
      } else {
        val verdict = judge(strict, stored, password(test))
        assert(verdict.matches, test.comment)
        assertEquals(verdict.rehashReason == weak, flags.contains("BeneathAnother"), test.comment)
      }
    }
    val witnessed = known.collect { case (test, _) if !test.flags.contains("BelowFloor") => test.flags }.flatten.toSet
    assertEquals(Floors.Names.filterNot(witnessed), Seq.empty)
  }

  test("a match that DES cut asks for no rehash") {
    // Made by libxcrypt, from the first eight bytes.
    val (hasher, stored) = (accepting("des-crypt"), "saTK9dxacx.Qo")
    assertEquals(judge(hasher, stored, "the quic"), LocalHasher.Verdict(matches = true, Some(RehashReason.WeakScheme), None))
    for (longer <- Seq("the quick", "the quic\u0000x")) assertEquals(judge(hasher, stored, longer), LocalHasher.Verdict(matches = true, None, None))
    assert(!judge(hasher, stored, "the qui").matches)
  }

  test("an ambiguous string is refused and never guessed") {
    val digest = "dc4bd56ad78655041ad5a264fbbe04d6298de4a0"
    for (stored <- Seq(digest, digest.take(32), digest.toUpperCase, s"sha1$$salt$$$digest", s"salt:$digest", "{noop}saltern", "saltern", ""))
      assertEquals(EncodedHash.parse(stored).left.toOption, Some(ParseError.UnknownScheme), stored)
  }

  test("another version or outer layer of Saltern's own forms is refused as the service refuses it") {
    def refusal(stored: String) = strict.prepareVerify(Some(stored), bytes("x")).left.toOption
    def prepared(version: String) = s"$$saltern-prep$$v=$version,p=md5-hex${Bcrypt}kwmtBCisHk0zb6Hu53ELq3z.q5OLjDi"
    for ((version, code) <- Seq("0" -> "unsupported_hash", "2" -> "unsupported_hash", "01" -> "invalid_hash", "4294967296" -> "invalid_hash"))
      assertEquals(refusal(prepared(version)), Some(Failure.Refused(code)), version)
    for ((outer, code) <- Seq("argon3" -> "unsupported_hash", "scrypt" -> "invalid_hash"))
      assertEquals(refusal(s"$$saltern-wrap$$$outer$$v=19$$m=64,t=1,p=1$$c29tZXNhbHRzb21lc2FsdA$$AAAA$${SHA}AAAA"), Some(Failure.Refused(code)), outer)
  }

  test("Firebase hashes need a project, and no message quotes its key") {
    val stored = "$fbscrypt$v=1,n=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
    assert(strict.prepareVerify(Some(stored), bytes("user1password")).isLeft)
    val project = FirebaseProject.read(GoogleProject).fold(problem => fail(problem), identity)
    val hasher = new LocalHasher(policies, new SecureRandom, project = Some(project))
    assertEquals(judge(hasher, stored, "user1password").rehashReason, Some(RehashReason.OtherAlgorithm))
    assert(hasher.prepareVerify(Some(stored.replace("n=14", "n=13")), bytes("x")).isLeft)
    assertEquals(project.toString, "FirebaseProject(..)")
    for ((from, to) <- Seq("SCRYPT" -> "BCRYPT", "rounds: 8" -> "rounds: 0", "base64_signer_key" -> "key", "}" -> "", "jxsp" -> "")) {
      val problem = intercept[IllegalArgumentException](Saltern(ClientConfig("http://127.0.0.1:1").withFirebaseProject(GoogleProject.replace(from, to))))
      assert(problem.getMessage.contains("Password hash parameters") && !problem.getMessage.contains("Ki0RYy"), problem.getMessage)
    }
  }

  /** The first matching hash of each scheme in each group of the vectors. */
  private def oneOfEachGroup: Seq[String] = {
    val directory = Paths.get(sys.props("saltern.vectors"))
    for {
      topic <- Seq("crypt", "frameworks", "ldap", "products", "sites")
      group <- readFromArray[VectorsThrough.File](Files.readAllBytes(directory.resolve(s"$topic.json"))).testGroups.distinctBy(_.scheme)
      stored <- group.tests.find(_.result == "match").flatMap(_.hash)
      if !stored.contains("$y$")
    } yield stored
  }

  private val OfAnyLength = Set("argon2", "django-argon2", "grub-pbkdf2-sha512", "aspnet-identity-v3") ++
    Set("ldap-smd5", "ldap-ssha", "ldap-ssha256", "ldap-ssha384", "ldap-ssha512")

  private def appended(output: String): String = s"$$saltern-prep$$v=1,p=pepper-append,k=site$Bcrypt$output"
  private def prepended(output: String): String = s"$$saltern-prep$$v=1,p=pepper-prepend,k=site$Bcrypt$output"
  private val Bcrypt = "$$2b$05$abcdefghijklmnopqrstuu"

  private def peppered(pepper: String, id: String = "site"): LocalHasher = {
    val siteKey = SealKeysSuite.entry(id, PaddedBase64.encode(bytes(pepper)))
    val keys = SealKeysSuite.keysOf(s"""{"current": "a", "keys": [${SealKeysSuite.entry("a", SealKeysSuite.One)}], "site_keys": [$siteKey]}""")
    new LocalHasher(policies, new SecureRandom, seals = new Seals(Some(keys), None, new SecureRandom))
  }

  private def judge(hasher: LocalHasher, stored: String, password: String): LocalHasher.Verdict =
    hasher.prepareVerify(Some(stored), bytes(password)).map(_.run()).fold(r => fail(r.toString), identity)

  private def bytes(text: String): Array[Byte] = Text.utf8(text)

  /** `saltern`, by `openssl dgst -sha1 -binary | base64`. */
  private val ShaOfSaltern = "{SHA}3EvVateGVQQa1aJk+74E1imN5KA="

  /** The example of github.com/firebase/scrypt. */
  private val GoogleProject = """hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}"""
}

object SchemesSuite {

  /** The names that the service takes, as `cargo xtask generate` writes them. */
  private final case class Settings(accept_weak: Seq[String])

  private implicit val settingsCodec: JsonValueCodec[Settings] = JsonCodecMaker.make
}
