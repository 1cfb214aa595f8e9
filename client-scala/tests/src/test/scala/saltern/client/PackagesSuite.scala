package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import scala.jdk.CollectionConverters.*
import scala.meta.*
import scala.meta.inputs.Input

/** The core's sources use each other in one direction:
  *
  * words < resilience < wire < client
  *
  * `words` are the sources of `saltern.client` that use none of the packages below it, directly or
  * through other sources. They are the types that the packages and the client's users share.
  * `client` are its others.
  */
class PackagesSuite extends PatientSuite {
  import PackagesSuite.*

  test("the check finds a use against the direction, also through another source") {
    val sources = Vector(
      "Word.scala" -> "package saltern.client\nclass Word",
      "Pool.scala" -> "package saltern.client.wire\nimport saltern.client.{Kernels, Word}\nclass Pool(word: Word, kernels: Kernels)",
      "Admitted.scala" -> "package saltern.client.wire\nclass Admitted",
      "Kernels.scala" -> "package saltern.client\nclass Kernels(settings: Settings)",
      "Settings.scala" -> "package saltern.client\nimport saltern.client.wire.*\nclass Settings(admitted: Admitted)",
      "Read.scala" -> "package saltern.client.resilience\nimport saltern.client.wire.Admitted\nobject Read { def apply(a: Admitted): Unit = () }"
    )
    assertEquals(backwards(sources), Vector("Pool.scala (wire) uses Kernels.scala (client)", "Read.scala (resilience) uses Admitted.scala (wire)"))
  }

  test("the core's sources use each other in one direction") {
    val core = Paths.get(sys.props("saltern.root"), "client-scala/core/src/main/scala")
    val files = Files.walk(core).iterator.asScala.filter(_.toString.endsWith(".scala")).toVector.sorted
    val sources = files.map(file => core.relativize(file).toString -> Files.readString(file, UTF_8))
    assert(sources.size > 30, "the sources were not found")
    assertEquals(backwards(sources), Vector.empty)
  }

  test("every suite is patient with a slow machine") {
    val client = Paths.get(sys.props("saltern.root"), "client-scala")
    val tests = Files.list(client).iterator.asScala.map(_.resolve("src/test/scala")).filter(Files.isDirectory(_)).toVector
    val files = tests.flatMap(Files.walk(_).iterator.asScala.filter(_.toString.endsWith("Suite.scala")))
    val hasty = files.filter(file => file.getFileName.toString != "PatientSuite.scala" && Files.readString(file, UTF_8).contains("extends " + "munit."))
    assert(files.size > 20 && hasty.isEmpty, hasty.mkString("extend PatientSuite: ", ", ", ""))
  }
}

object PackagesSuite {

  private val Root = "saltern.client"
  private val Direction = Vector("words", "resilience", "wire", "client")

  /** Returns each use of a source by a source of a lower layer. */
  private def backwards(texts: Vector[(String, String)]): Vector[String] = {
    val files = texts.map { case (name, text) => read(name, text) }
    def usedBy(file: File): Vector[File] =
      files.filter(other => (other ne file) && other.defined.exists(name => file.words(name) && file.sees(other.in, name)))
    val uses = files.map(file => file -> usedBy(file)).toMap
    def reached(from: Set[File]): Set[File] = { val more = from ++ from.flatMap(uses); if (more == from) from else reached(more) }
    def layer(file: File): String =
      if (file.in != Root) file.in.stripPrefix(s"$Root.")
      else if (reached(Set(file)).forall(_.in == Root)) "words"
      else "client"
    for (file <- files; used <- uses(file); (own, other) = (layer(file), layer(used)) if Direction.indexOf(own) < Direction.indexOf(other))
      yield s"${file.name} ($own) uses ${used.name} ($other)"
  }

  /** @param in its package
    * @param defined names at its top level
    * @param words every name in it
    * @param imports packages, each with a name in it or with all, `_`
    */
  private final class File(val name: String, val in: String, val defined: Set[String], val words: Set[String], imports: Set[(String, String)]) {
    def sees(other: String, name: String): Boolean = other == in || imports((other, name)) || imports((other, "_"))
  }

  private def read(name: String, text: String): File = {
    val source = dialects.Scala213Source3(Input.VirtualFile(name, text)).parse[Source].fold(e => throw new AssertionError(e.toString), identity)
    val all = source.stats.collectFirst { case p: Pkg => p }.getOrElse(throw new AssertionError(s"$name has no package"))
    val defined = all.body.stats.collect { case member: Stat with Member => member.name.value }
    val words = source.collect { case word: Name => word.value }
    val imports = source.collect { case importer: Importer =>
      importer.importees.collect {
        case one: Importee.Name     => importer.ref.syntax -> one.name.value
        case other: Importee.Rename => importer.ref.syntax -> other.name.value
        case _: Importee.Wildcard   => importer.ref.syntax -> "_"
      }
    }.flatten
    new File(name, all.ref.syntax, defined.toSet, words.toSet, imports.toSet)
  }
}
