package saltern.hashes

import com.github.plokhotnyuk.jsoniter_scala.core.{readFromArray, JsonReader, JsonValueCodec, JsonWriter}
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.nio.file.{Files, Paths}
import java.nio.file.attribute.PosixFilePermissions
import java.security.SecureRandom
import java.util.Base64
import saltern.client.{RehashReason, SealKeySource, StoredText}
import saltern.client.LocalHashing.Failure

/** The service's vectors of seals, every way to damage one of them, and the rules of the document.
  */
class SealKeysSuite extends saltern.client.PatientSuite {
  import SealKeysSuite.*

  private val keys = keysOf(new String(group.keys.json, UTF_8))
  private val random = new SecureRandom

  /** The contract's vector. */
  private val known = group.tests.find(_.flags.contains("Known")).get

  test("every vector opens, or is refused with the service's code") {
    val ran = group.tests.map { vector =>
      val opened = keys.open(vector.hash, vector.context)
      assertEquals(opened.fold(codeOf, _ => "opens"), vector.result, s"tcId ${vector.tcId}: ${vector.comment}")
      opened.foreach(made => assertEquals(Some(made.text), vector.text, vector.comment))
      Sealed.parse(vector.hash).foreach(parsed => assertEquals(parsed.print, vector.hash, "the string has one form"))
      vector.tcId
    }
    assertEquals(ran.distinct.size, file.numberOfTests)
    assert(ran.size > 80, s"${ran.size}")
  }

  test("the key check values are those of another implementation") {
    assertEquals(keys.list.map(key => key.id -> key.checkValue).toMap, group.checkValues)
    assertEquals(keys.current.checkValue, "b66a944a")
  }

  test("the contract's nonce makes the contract's string") {
    val nonce = Array.tabulate(12)(at => (0xa0 + at).toByte)
    val associated = keys.current.associated(known.context).fold(refusal => fail(refusal.toString), identity)
    assertEquals(keys.current.seal(known.text.get, nonce, associated).print, known.hash)
  }

  test("no seal with a flipped bit opens") {
    val codes = for {
      at <- known.hash.indices
      // The eighth bit makes no UTF-8.
      bit <- 0 until 7
    } yield {
      val bytes = known.hash.getBytes(US_ASCII)
      bytes(at) = (bytes(at) ^ 1 << bit).toByte
      keys.open(new String(bytes, US_ASCII), known.context).fold(codeOf, opened => fail(s"byte $at, bit $bit: ${opened.text}"))
    }
    assertEquals(codes.size, 7 * 145)
    assertEquals(codes.toSet, Set("invalid_hash", "key_unavailable", "seal_broken", "unsupported_hash"))
  }

  test("no part of a seal opens") {
    for (length <- known.hash.indices; part <- Seq(known.hash.take(length), known.hash.takeRight(length)))
      assert(keys.open(part, known.context).isLeft, part)
  }

  test("a seal opens in its own row only") {
    val sealedText = seal(keys, "$2b$04$hash", Some("ann"))
    assertEquals(keys.open(sealedText, Some("ann")).map(_.text), Right("$2b$04$hash"))
    assertEquals(keys.open(sealedText, Some("bob")).fold(codeOf, _.text), "seal_broken")
    assertEquals(keys.open(sealedText, None).fold(codeOf, _.text), "invalid_request")
    assertEquals(keys.seal("$2b$04$hash", None, random).fold(codeOf, identity), "invalid_request")
  }

  test("a key before the current one is older, and one after it is not") {
    def at(current: String) = keysOf(s"""{"current": "$current", "keys": [${entry("first", One)}, ${entry("second", Two)}]}""")
    val (first, second) = (at("first"), at("second"))
    val (older, newer) = (seal(first, "hash"), seal(second, "hash"))
    for ((own, sealedText, isOlder) <- Seq((first, older, false), (first, newer, false), (second, older, true), (second, newer, false)))
      assertEquals(own.open(sealedText, None).map(opened => (opened.text, opened.isOlder)), Right(("hash", isOlder)))
  }

  test("each seal has its own nonce") {
    assertEquals(Vector.fill(1000)(seal(keys, "hash", Some("7"))).distinct.size, 1000)
  }

  test("the longest hash under the longest id has the bytes of the contract") {
    val id = "k" * 32
    val longest = seal(keysOf(s"""{"current": "$id", "keys": [${entry(id, One)}]}"""), "x" * 1024)
    assertEquals(longest.length, 1457)
    assert(!StoredText.isTooLong(longest) && StoredText.isTooLong(longest + "A"))
    assert(!StoredText.isTooLong("x" * 1024) && StoredText.isTooLong("x" * 1025))
  }

  test("a document with every member is read, and padding may be left out") {
    val own = keysOf(
      s"""{"current": "b-2", "require": true, "keys": [${entry("a", One)}, {"id": "b-2", "key":\n\t"$Two" , "context": true}],
         |  "site_keys": [{"id": "old-site", "key": "cGVwcGVy"}]}""".stripMargin
    )
    assertEquals(own.list.map(key => (key.id, key.wantsContext)), Vector(("a", false), ("b-2", true)))
    assertEquals((own.current.id, own.requiresSeal), ("b-2", true))
    assertEquals(keysOf(one("a", entry("a", One.stripSuffix("=")))).current.checkValue, keysOf(one("a", entry("a", One))).current.checkValue)
  }

  test("a site key is known until the keys are wiped") {
    val own = keysOf(s"""{"current": "a", "keys": [${entry("a", One)}], "site_keys": [{"id": "old-site", "key": "cGVwcGVy"}]}""")
    val longest = Base64.getEncoder.encodeToString(new Array[Byte](1024))
    assertEquals(own.siteKey("old-site").map(_.toSeq), Some("pepper".getBytes(UTF_8).toSeq))
    assertEquals(own.siteKey("other"), None)
    own.wipe()
    assertEquals(own.siteKey("old-site"), None)
    keysOf(s"""{"current": "a", "keys": [${entry("a", One)}], "site_keys": [${entry("b", longest)}]}""")
  }

  test("a faulty document is refused without a part of it") {
    def both(second: String) = s"${entry("a", One)}, $second"
    def withSiteKeys(siteKeys: String) = s"""{"current": "a", "keys": [${entry("a", One)}], "site_keys": [$siteKeys]}"""
    val cases = Seq(
      one("b", entry("a", One)) -> "`current` names no key",
      one("a", "") -> "`current` names no key",
      one("a", both(entry("a", Two))) -> "key 2 of `keys`: an earlier key has this id",
      one("a", both(entry("b", One))) -> "key 2 of `keys`: an earlier key has this value",
      one("a", both(entry("b", One.stripSuffix("=")))) -> "key 2 of `keys`: an earlier key has this value",
      one("a", entry("a", One.take(40))) -> "key 1 of `keys`: write 32 bytes",
      one("a", entry("a", "")) -> "key 1 of `keys`: write 32 bytes",
      one("a", entry("a", One.take(40) + Two)) -> "key 1 of `keys`: write 32 bytes",
      one("a", entry("a", One.replace('E', '-'))) -> "key 1 of `keys`: write 32 bytes",
      // The last character has a bit that belongs to no byte.
      one("a", entry("a", One.replace("E=", "F="))) -> "key 1 of `keys`: write 32 bytes",
      one("a", entry("a", s" $One")) -> "key 1 of `keys`: write 32 bytes",
      one("a", s"""{"id": "a", "key": ["$One"]}""") -> "key 1 of `keys`: write 32 bytes",
      one("a", """{"id": "a", "key": null}""") -> "key 1 of `keys`: write 32 bytes",
      one("A", entry("A", One)) -> "key 1 of `keys`: write an id",
      one("", entry("", One)) -> "key 1 of `keys`: write an id",
      one("a", entry("a" * 33, One)) -> "key 1 of `keys`: write an id",
      one("a", entry("a b", One)) -> "key 1 of `keys`: write an id",
      withSiteKeys(entry("", One)) -> "key 1 of `site_keys`: write an id",
      withSiteKeys(entry("s", "")) -> "key 1 of `site_keys`: write 1 to 1024 bytes",
      withSiteKeys(entry("s", Base64.getEncoder.encodeToString(new Array[Byte](1025)))) -> "key 1 of `site_keys`: write 1 to 1024 bytes",
      withSiteKeys(entry("s", "*")) -> "key 1 of `site_keys`: write 1 to 1024 bytes",
      withSiteKeys(s"${entry("s", One)}, ${entry("s", Two)}") -> "key 2 of `site_keys`: an earlier",
      one("a", entry("a", One)) + " " * 4096 -> "more than 4096 bytes"
    ) ++ Seq(
      "",
      "null",
      "[]",
      s"\"$One\"",
      s"{\"$One\": 1}",
      s"""{"current": "a"} $One""",
      s"""{"current": ["$One"], "keys": []}""",
      s"""{"keys": [${entry("a", One)}]}""",
      one("a", s"""{"id": "a", "key": "$One", "$One": 1}"""),
      one("a", s"""{"id": "a", "key": "$One", "key": "$One"}"""),
      one("a", s"""{"id": "a", "key": "$One", "context": "$One"}"""),
      one("a", """{"id": "a"}"""),
      one("a", entry("a", One)).replace("\"keys\"", "\"current\": \"a\", \"keys\""),
      one("a", entry("a", One)) + "{}"
    ).map(_ -> "each member once")
    for ((document, sentence) <- cases) {
      val problem = KeyDocument.read(document.getBytes(UTF_8)).left.toOption.getOrElse(fail(s"$document is read"))
      assert(problem.contains(sentence), s"$document: $problem")
      assert(!problem.contains(One.take(12)) && !problem.contains(Two.take(12)), problem)
    }
  }

  test("the longest document is read") {
    val document = one("a", entry("a", One))
    assert(KeyDocument.read((document + " " * (4096 - document.length)).getBytes(UTF_8)).isRight)
  }

  test("no text of a key shows it") {
    val shown = s"$keys ${keys.list} ${Sealed.parse(known.hash)} ${new KeyDocument.Secret(Array[Byte](1))} ${keys.open(known.hash, None)}"
    assert(shown.contains("2026a"), shown)
    for (secret <- Seq("AAECAw", "[B@", "oKGio6Slpqeoqaqr", "user-7")) assert(!shown.contains(secret), shown)
  }

  test("the document, the texts of keys and the keys themselves are wiped") {
    for (document <- Seq(one("a", entry("a", One)), one("b", entry("a", One)), "{")) {
      val bytes = document.getBytes(UTF_8)
      KeyDocument.read(bytes)
      assert(bytes.forall(_ == 0), document)
    }
    val json = s"\"$One\"".getBytes(UTF_8)
    assertEquals(new KeyDocument.Secret(json).takeBytes().toSeq, Seq.fill(32)(1.toByte))
    assert(json.forall(_ == 0))
    val bytes = Array.fill(32)(1.toByte)
    val key = new SealKeys.Key("a", bytes, wantsContext = false)
    key.wipe()
    assert(bytes.forall(_ == 0))
    intercept[IllegalStateException](key.seal("hash", new Array[Byte](12), "associated"))
  }

  test("replaced keys are wiped, and closed seals open nothing, seal nothing and take no key") {
    def own = keysOf(one("a", entry("a", One)))
    val (before, next, late) = (own, own, own)
    val sealedText = seal(before, "hash")
    val seals = new Seals(Some(before), None, random)
    val sealing = seals.sealing(None).fold(refusal => fail(refusal.toString), identity)
    assertEquals(seals.open(sealedText, None).map(_.text), Right("hash"))
    seals.replace(next)
    intercept[IllegalStateException](before.open(sealedText, None))
    assert(StoredText.isSealed(sealing("hash")), "a hash that had begun is sealed under the new key")
    seals.close()
    intercept[IllegalStateException](sealing("hash"))
    assert(seals.open(sealedText, None).left.exists(_.isInstanceOf[Failure.NotAvailable]))
    seals.replace(late)
    intercept[IllegalStateException](late.open(sealedText, None))
  }

  test("a hash that had begun is not left without its seal if the new key wants a context") {
    val seals = new Seals(Some(keysOf(one("a", entry("a", One)))), Some(true), random)
    val sealing = seals.sealing(None).fold(refusal => fail(refusal.toString), identity)
    seals.replace(keysOf(s"""{"current": "a", "keys": [{"id": "a", "key": "$One", "context": true}]}"""))
    intercept[IllegalStateException](sealing("hash"))
    assertEquals(seals.sealing(None).left.toOption, Some(Failure.ContextMissing))
  }

  test("the reasons beside those of a policy") {
    val both = keysOf(s"""{"current": "b", "keys": [${entry("a", One)}, ${entry("b", Two)}]}""")
    val seals = new Seals(Some(both), None, random)
    val older = seal(keysOf(one("a", entry("a", One))), "hash")
    val due = Seq("hash", older, seal(both, "hash")).map(seals.open(_, None).map(_.due))
    assertEquals(due, Seq(Right(Some(RehashReason.Unsealed)), Right(Some(RehashReason.OlderKey)), Right(None)))
    val requiring = new Seals(Some(keysOf(s"""{"current": "a", "require": true, "keys": [${entry("a", One)}]}""")), None, random)
    assertEquals(requiring.open("hash", None).fold(codeOf, _.text), "unsupported_hash")
    assertEquals(requiring.open(older, None).fold(codeOf, _.text), "hash")
  }

  test("only the owner, and the group of a file of root, may read the file") {
    val user = 1000
    for (
      (mode, owner, isPrivate) <- Seq(
        ("600", user, true),
        ("400", user, true),
        ("700", user, true),
        ("100600", user, true),
        ("640", user, false),
        ("604", user, false),
        ("620", user, false),
        ("640", 0, true),
        ("440", 0, true),
        ("660", 0, false),
        ("644", 0, false)
      )
    ) assertEquals(SealKeySource.isPrivate(Integer.parseInt(mode, 8), owner), isPrivate, s"$mode of $owner")
    val path = Files.createTempFile("saltern-keys", ".json")
    try {
      Files.writeString(path, one("a", entry("a", One)))
      for ((mode, isRead) <- Seq("rw-------" -> true, "rw-r--r--" -> false)) {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode))
        val read = scala.util.Try(SealKeySource.file(path).read())
        assertEquals(read.isSuccess, isRead, mode)
        read.failed.foreach(e => assert(e.getMessage.contains("chmod 600"), e.getMessage))
      }
    } finally Files.delete(path)
  }

  private def seal(keys: SealKeys, text: String, context: Option[String] = None): String =
    keys.seal(text, context, random).fold(refusal => fail(refusal.toString), identity)
}

object SealKeysSuite {
  final case class OneSeal(tcId: Int, comment: String, hash: String, context: Option[String], text: Option[String], result: String, flags: Vector[String])
  final case class Group(keys: Raw, checkValues: Map[String, String], tests: Vector[OneSeal])
  final case class File(numberOfTests: Int, testGroups: Vector[Group])

  /** A member that is not read. */
  final class Raw(val json: Array[Byte])

  private implicit val rawCodec: JsonValueCodec[Raw] = new JsonValueCodec[Raw] {
    def nullValue: Raw = new Raw(Array.emptyByteArray)
    def decodeValue(in: JsonReader, default: Raw): Raw = new Raw(in.readRawValAsBytes())
    def encodeValue(raw: Raw, out: JsonWriter): Unit = out.writeRawVal(raw.json)
  }
  private implicit val codec: JsonValueCodec[File] = JsonCodecMaker.make

  lazy val file: File = readFromArray[File](Files.readAllBytes(Paths.get(sys.props("saltern.vectors"), "seal.json")))
  def group: Group = file.testGroups.head

  /** 32 bytes of one and of two. */
  val One: String = Base64.getEncoder.encodeToString(Array.fill(32)(1.toByte))
  val Two: String = Base64.getEncoder.encodeToString(Array.fill(32)(2.toByte))

  def entry(id: String, key: String): String = s"""{"id": "$id", "key": "$key"}"""
  def one(current: String, keys: String): String = s"""{"current": "$current", "keys": [$keys]}"""

  def keysOf(document: String): SealKeys =
    KeyDocument.read(document.getBytes(UTF_8)).fold(problem => throw new AssertionError(problem), identity)

  /** The code with which the service refuses the same. */
  def codeOf(refusal: Failure): String = refusal match {
    case Failure.Refused(code)      => code
    case Failure.ContextMissing     => "invalid_request"
    case Failure.NoSealKey(_, code) => code
    case other                      => other.toString
  }
}
