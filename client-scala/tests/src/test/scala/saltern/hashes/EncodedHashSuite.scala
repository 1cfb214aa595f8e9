package saltern.hashes

class EncodedHashSuite extends saltern.client.PatientSuite {
  private val salt = "MDEyMzQ1Njc4OWFiY2RlZg"
  private val output = "9uNWgzODFurTVyCvVnPEOpG379eCDeSrsYIz45Ho/ZI"

  test("a parsed string prints the same") {
    for (
      text <- Seq(
        "$2b$04$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S",
        "$2a$04$abcdefghijklmnopqrstu9bfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S",
        "$2y$31$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S",
        s"$$argon2id$$v=19$$m=64,t=2,p=1$$$salt$$$output",
        s"$$argon2id$$v=19$$m=64,p=2,t=2$$$salt$$$output",
        s"$$argon2i$$m=64,t=2,p=1$$$salt$$$output",
        s"$$argon2d$$v=16$$m=4294967295,t=4294967295,p=1$$$salt$$$output",
        s"$$pbkdf2$$i=1,l=32$$$salt$$$output",
        s"$$pbkdf2-sha256$$i=600000,l=32$$$salt$$$output",
        s"$$pbkdf2-sha512$$i=4294967295,l=32$$$salt$$$output",
        s"$$scrypt$$ln=17,r=8,p=1$$$salt$$$output",
        s"$$scrypt$$ln=63,r=4,p=268435455$$$salt$$$output"
      )
    ) assertEquals(EncodedHash.parse(text).map(_.print), Right(text))
  }

  test("a valid string with one change is refused or prints the same") {
    val valid = Seq(
      "$2b$04$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S",
      s"$$argon2id$$v=19$$m=64,t=2,p=1$$$salt$$$output",
      s"$$pbkdf2-sha512$$i=1000,l=32$$$salt$$$output",
      s"$$scrypt$$ln=10,r=8,p=1$$$salt$$$output"
    )
    var tried = 0
    for {
      text <- valid
      i <- text.indices
      changed <- Seq(text.patch(i, "", 1), text.take(i)) ++ "$,=+0 9aZ./\u0000é".map(c => text.patch(i, c.toString, 1)) ++
        "$0 =".map(c => text.patch(i, c.toString, 0))
    } {
      tried += 1
      EncodedHash.parse(changed).foreach(read => assertEquals(read.print, changed))
    }
    assert(tried > 4000, s"$tried")
  }

  test("decimals have one spelling") {
    for ((text, value) <- Seq("0" -> 0L, "1" -> 1L, "4294967295" -> 0xffffffffL))
      assertEquals(Text.decimal(text), Right(value))
    for (text <- Seq("", "+4", "-1", "04", "00", "0x10", "1e3", " 1", "1 ", "4294967296", "99999999999", "٣"))
      assertEquals(Text.decimal(text), Left(ParseError.Invalid))
  }

  test("schemes that the contract refuses are told from schemes that only this client lacks") {
    assertEquals(EncodedHash.parse("$2x$04$abcdefghijklmnopqrstuubfXZ2XXV8R9sZ0NfXl6eczJhZ12.Q3S").left.toOption, Some(ParseError.Unsupported))
    assertEquals(EncodedHash.parse(s"$$argon2id$$v=19$$m=64,t=2,p=1,keyid=AAAA$$$salt$$$output").left.toOption, Some(ParseError.Unsupported))
    assertEquals(EncodedHash.parse("$y$j75$salt$output").left.toOption, Some(ParseError.UnknownScheme))
    assertEquals(EncodedHash.parse("").left.toOption, Some(ParseError.UnknownScheme))
  }

  test("toString shows no salt and no output") {
    val read = EncodedHash.parse(s"$$argon2id$$v=19$$m=64,t=2,p=1$$$salt$$$output").fold(e => fail(e.toString), identity)
    for (text <- Seq(read.toString, read.setting.toString))
      assert(!text.contains(salt) && !text.contains(output) && !text.contains("["), text)
  }
}
