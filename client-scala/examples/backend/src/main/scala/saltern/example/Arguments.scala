package saltern.example

/** `--name value` pairs. An unknown name is refused, because a mistyped one would measure something
  * else.
  */
object Arguments {
  def apply(arguments: Seq[String], defaults: Map[String, String]): Map[String, String] =
    arguments.grouped(2).foldLeft(defaults) {
      case (known, Seq(name, value)) if known.contains(name) => known + (name -> value)
      case (known, pair)                                     =>
        throw new IllegalArgumentException(s"${pair.mkString(" ")}: the names are ${known.keys.toSeq.sorted.mkString(", ")}, each with a value")
    }
}
