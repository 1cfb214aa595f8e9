/** What an object is (Opening).
  *
  * A plain sentence has a subject, a verb and an object. Somebody wrote this (Opening, Words).
  *
  * {{{
  * What stands in a block of code is not read, whoever wrote it.
  * }}}
  *
  * @param name Who uses it (Opening)
  */
object Sample { // See issue 12 (Tracker).
  val text = "What stands in a // string is not read, whoever wrote it"
  val raw = """What "stands" in a raw // string is not read, whoever wrote it"""
  // This comment is long (Length), and goes on with many words after the comma, and again after the
  // next one, until a reader has forgotten how it began, and must read it once more.
  // This line is short in words but has too many columns, `becauseOfOneVeryLongNameThatIsInIt` (Columns).
}
