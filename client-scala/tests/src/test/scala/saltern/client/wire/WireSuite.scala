package saltern.client.wire

import java.nio.charset.StandardCharsets.UTF_8
import saltern.client.Transport
import saltern.client.resilience.Outcome
import scala.concurrent.duration.*

class WireSuite extends saltern.client.PatientSuite {
  private val name = Name.random()
  private val json = "Content-Type" -> "application/json"
  private val problemJson = "Content-Type" -> "application/problem+json; charset=utf-8"

  private def response(status: Int, header: (String, String), body: String, more: (String, String)*) =
    new Transport.Response(status, header +: ("saltern-request-id" -> name) +: more, body.getBytes(UTF_8))

  private def problem(code: String, status: Int, more: String = "") =
    s"""{"type":"urn:saltern:problem:$code","title":"t","status":$status,"code":"$code","detail":"d"$more}"""

  test("problem documents of the service are told from similar ones") {
    val ours = Wire.single(response(422, problemJson, problem("invalid_hash", 422, ",\"field\":\"hash\",\"line\":1")), name)
    assertEquals(ours, Outcome.Problem(422, "invalid_hash", Some("hash"), None): Outcome[Wire.Answer])
    val foreign: Outcome[Wire.Answer] = Outcome.Foreign(422, None)
    for (
      answer <- Seq(
        response(422, json, problem("invalid_hash", 422)),
        response(422, problemJson, problem("invalid_hash", 400)),
        response(422, problemJson, problem("invalid_hash", 422).replace("urn:saltern", "urn:other")),
        response(422, problemJson, problem("Invalid Hash", 422)),
        response(422, problemJson, "{\"message\":\"Forbidden\"}"),
        response(422, problemJson, "<html>"),
        response(422, problemJson, ""),
        response(422, problemJson, problem("invalid_hash", 422) + "x")
      )
    ) assertEquals(Wire.single(answer, name), foreign)
  }

  test("the retry time is the document's milliseconds, else the header's seconds, never a date") {
    def after(more: String, header: String) =
      Wire.single(response(503, problemJson, problem("overloaded", 503, more), "retry-after" -> header), name) match {
        case Outcome.Problem(_, _, _, retryAfter) => retryAfter
        case other                                => fail(other.toString)
      }
    assertEquals(after(",\"retry_after_ms\":250", "1"), Some(250.millis))
    assertEquals(after("", "2"), Some(2.seconds))
    for (header <- Seq("Wed, 21 Oct 2026 07:28:00 GMT", "-1", "99999999999999999999", "1.5", ""))
      assertEquals(after("", header), None, header)
  }

  test("a 200 with any other body is unreadable") {
    val good = """{"match":true,"needs_rehash":false,"rehash_reason":null,"policy":"p","later":[1,{"x":2}]}"""
    assertEquals(
      Wire.single(response(200, json, good), name),
      Outcome.Answered(Wire.Answer(None, Some("p"), Some(true), Some(false), None, None)): Outcome[Wire.Answer]
    )
    for (
      body <- good.indices.map(good.take) ++ Seq(
        "null",
        "[]",
        "true",
        good + good,
        good.replace("true", "\"true\""),
        good.replace("\"match\":true", "\"match\":true,\"match\":false"),
        "\u0000",
        "[" * 5000
      )
    )
      Wire.single(response(200, json, body), name) match {
        case Outcome.Unreadable(_)    => ()
        case Outcome.Answered(answer) => fail(s"$body: $answer")
        case other                    => fail(s"$body: $other")
      }
    for (kind <- Seq("text/html", "text/plain", "", "application/jsonp"))
      Wire.single(response(200, "Content-Type" -> kind, good), name) match {
        case Outcome.Unreadable(_) => ()
        case other                 => fail(s"$kind: $other")
      }
  }

  test("an answer or a problem without the name of its request is unreadable, and a platform's error is not") {
    val good = """{"match":true,"needs_rehash":false,"rehash_reason":null,"policy":"p"}"""
    val answers = Seq(response(200, json, good), response(422, problemJson, problem("invalid_hash", 422)))
    for (answer <- answers; other <- Seq(Name.random(), "", name.drop(1)))
      Wire.single(answer, other) match {
        case Outcome.Unreadable(_) => ()
        case read                  => fail(s"$answer: $read")
      }
    for (status <- Seq(403, 429, 502, 504))
      assertEquals(Wire.single(response(status, json, "{}"), Name.random()), Outcome.Foreign(status, None): Outcome[Wire.Answer])
    // Of a service that did not read the head.
    val full = response(503, problemJson, problem("overloaded", 503))
    assertEquals(Wire.single(full, Name.random()), Outcome.Foreign(503, None): Outcome[Wire.Answer])
  }

  test("names are 128 random bits in the contract's characters") {
    val names = Vector.fill(1000)(Name.random())
    assert(names.forall(_.matches("[0-9a-f]{32}")))
    assertEquals(names.distinct.size, names.size)
  }

  test("a batch whose results do not carry the names of its operations in their order is unreadable as a whole") {
    val body = """"status":200,"body":{"match":true,"needs_rehash":false,"rehash_reason":null,"policy":null}}"""
    def result(id: String) = s"""{"id":"$id",$body"""
    def answer(results: String*) = response(200, json, results.mkString("{\"results\":[", ",", "]}"))
    def read(results: String*) = Wire.batch(answer(results*), name, Vector("a", "b"))
    assertEquals(read(result("a"), result("b")).map(_.size), Right(2))
    val wrong = Seq(
      Nil,
      Seq(result("a")),
      Seq(result("a"), result("b"), result("b")),
      Seq(result("b"), result("a")),
      Seq(result("a"), result("a")),
      Seq(result("a"), result("c")),
      Seq(result("a"), s"{$body"),
      Seq(s"{$body", s"{$body"),
      Seq(result("a"), "{}")
    )
    for (results <- wrong) assert(read(results*).isLeft, results.toString)
    assert(Wire.batch(answer(result("a"), result("b")), Name.random(), Vector("a", "b")).isLeft)
    val mixed = read(result("a"), s"""{"id":"b","status":422,"problem":${problem("invalid_hash", 422)}}""")
    assertEquals(mixed.map(_(1)), Right(Outcome.Problem(422, "invalid_hash", None, None)))
    val placed = problem("invalid_request", 400).replaceFirst("}$", ",\"field\":\"operations[1].context\"}")
    val refused = read(result("a"), s"""{"id":"b","status":400,"problem":$placed}""")
    assertEquals(refused.map(_(1)), Right(Outcome.Problem(400, "invalid_request", Some("context"), None)))
    for (odd <- Seq(""""status":200""", """"status":422,"body":{}""", s""""status":500,"problem":${problem("invalid_hash", 422)}"""))
      read(result("a"), s"""{"id":"b",$odd}""").map(_(1)) match {
        case Right(Outcome.Unreadable(_)) => ()
        case other                        => fail(s"$odd: $other")
      }
  }

  test("request bodies escape exactly the characters that JSON requires") {
    val all = (0 until 0x250).filterNot(c => c >= 0xd800 && c <= 0xdfff).map(_.toChar).mkString + "€😀"
    val written = new String(new JsonBytes(4).raw("{\"password\":").string(all.getBytes(UTF_8)).raw("}").finish(), UTF_8)
    val plain = all.flatMap {
      case '"'          => "\\\""
      case '\\'         => "\\\\"
      case c if c < ' ' => f"\\u${c.toInt}%04x"
      case c            => c.toString
    }
    assertEquals(written, s"""{"password":"$plain"}""")
  }

  test("Server-Timing gives queue and hash times, and other entries are ignored") {
    val header = Some("queue;dur=1.5, hash;desc=\"x\";dur=62")
    assertEquals(ServerTiming.duration(header, "queue"), Some(1500.micros))
    assertEquals(ServerTiming.duration(header, "hash"), Some(62.millis))
    for (odd <- Seq(None, Some(""), Some("hash"), Some("hash;dur=x"), Some("hash;dur=-1"), Some("hash;dur=1e300"), Some("hash;dur=NaN")))
      assertEquals(ServerTiming.duration(odd, "hash"), None, odd.toString)
  }
}
