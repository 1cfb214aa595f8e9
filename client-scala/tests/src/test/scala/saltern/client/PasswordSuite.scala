package saltern.client

import java.nio.charset.StandardCharsets.UTF_8

class PasswordSuite extends PatientSuite {

  test("strings and characters give the same UTF-8 as the JDK") {
    for (text <- Seq("", "a", "ä", "€", "😀", "a\u0000b", "pässwörd €😀", "x" * 1024, "ä" * 512)) {
      val expected = text.getBytes(UTF_8).toSeq
      assertEquals(Password(text).copyBytes().map(_.toSeq), Right(expected))
      assertEquals(Password(text.toCharArray).copyBytes().map(_.toSeq), Right(expected))
    }
  }

  test("unpaired surrogates are refused at every position") {
    for (text <- Seq("\ud800", "a\ud800", "\ud800a", "\udc00", "\udc00\ud800", "\ud83d\ud83d\ude00"))
      assertEquals(Password(text).copyBytes().map(_.toSeq), Left(RefusalCode.UnpairedSurrogate))
  }

  test("a password has at most 1,024 bytes") {
    for (text <- Seq("x" * 1025, "€" * 342, "x" * 1023 + "ä", "x" * 1021 + "😀", "x" * 1000000))
      assertEquals(Password(text).copyBytes().map(_.toSeq), Left(RefusalCode.PasswordTooLong))
  }

  test("a wiped password is refused") {
    val password = Password("secret")
    password.wipe()
    assertEquals(password.copyBytes().map(_.toSeq), Left(RefusalCode.PasswordWiped))
  }
}
