package saltern.client

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import scala.jdk.CollectionConverters.*
import scala.meta.*
import scala.meta.inputs.Input

/** Every public member of the published modules has a documentation comment. This only checks that
  * there is a comment; its content (units, ranges, errors) is for reviewers.
  */
class DocumentedSuite extends PatientSuite {
  import DocumentedSuite.*

  test("the check finds a public member without a comment in every place") {
    val source =
      """package p
        |/** A. */
        |class A(val shown: Int, hidden: Int) {
        |  /** B. */
        |  def b: Int = 1
        |  def c: Int = 2
        |  private def d: Int = 3
        |  override def toString: String = ""
        |}
        |object A {
        |  // No documentation.
        |  val e: Int = 1
        |  case object F
        |  private[p] object G { val h: Int = 2 }
        |}
        |/** @param i documented */
        |final case class I(i: Int, j: Int)
        |""".stripMargin
    assertEquals(undocumented(parsed("source", source)).map(_._1), Vector("A.shown", "A.c", "A.e", "A.F", "I.j"))
  }

  test("every public member of the published modules has a documentation comment") {
    val files = sources()
    assert(files.size > 20, "the sources were not found")
    val missing = for (file <- files; (name, line) <- undocumented(parsed(file.toString, Files.readString(file, UTF_8)))) yield s"$name  $file:$line"
    assert(missing.isEmpty, missing.mkString(s"${missing.size} without a comment:\n", "\n", ""))
  }

  test("every block of Scala or Java in both README.md and the guide is compiled, and every dependency has this version") {
    val client = Paths.get(sys.props("saltern.root"), "client-scala")
    val pages = client.resolveSibling("README.md") +: client.resolve("README.md") +: Files.list(client.resolve("docs/guide")).iterator.asScala.toVector.sorted
    val examples =
      Files.walk(client.resolve("examples")).iterator.asScala.filter(_.toString.matches(".*\\.(scala|java)")).map(Files.readString(_, UTF_8)).toVector
    val blocks = for (page <- pages; (kind, text) <- blocksOf(Files.readString(page, UTF_8))) yield (page.getFileName, kind, text)
    // mdoc compiles these blocks, in the task `docs/guide`.
    val (byMdoc, others) = blocks.filter(block => Set("scala", "java")(block._2.takeWhile(_ != ' '))).partition(_._2.startsWith("scala mdoc"))
    assert(byMdoc.size > 40 && byMdoc.exists(block => block._1.toString == "README.md" && block._3.contains("saltern.login(")), s"${byMdoc.size}")
    val version = """"saltern.version", "(.*)"\)""".r.findFirstMatchIn(Files.readString(client.resolve("build.sbt"))).get.group(1)
    for ((page, kind, text) <- blocks if text.contains("io.saltern"); stated <- """\d+\.\d+\.\d+[\w-]*""".r.findAllIn(text))
      assertEquals(stated, version, s"$page: $kind")
    for ((page, _, text) <- others if !text.startsWith("libraryDependencies "); line <- text.linesIterator if line.nonEmpty)
      assert(examples.exists(_.linesIterator.exists(_.trim == line.trim)), s"$page: no example has the line: $line")
  }
}

object DocumentedSuite {

  /** The fenced blocks of a page: the text behind the fence, and the lines. */
  private def blocksOf(page: String): Vector[(String, String)] =
    "(?ms)^```(\\w[^\n]*)\n(.*?)^```$".r.findAllMatchIn(page).map(found => found.group(1) -> found.group(2)).toVector

  /** The sources of every published module. */
  private def sources(): Vector[Path] = {
    val client = Paths.get(sys.props("saltern.root"), "client-scala")
    val modules = Files.list(
      client
    ).iterator.asScala.filterNot(path => path.endsWith("tests") || path.endsWith("checks")).map(_.resolve("src/main/scala")).filter(Files.isDirectory(_))
    modules.toVector.flatMap(Files.walk(_).iterator.asScala.filter(_.toString.endsWith(".scala"))).sorted
  }

  private def parsed(name: String, text: String): Source =
    dialects.Scala213Source3(Input.VirtualFile(name, text)).parse[Source].fold(e => throw new AssertionError(e.toString), identity)

  /** Names, with their lines. */
  private def undocumented(source: Source): Vector[(String, Int)] = {
    val text = source.pos.input.text
    def isDocumented(tree: Tree): Boolean = {
      val before = text.substring(0, tree.pos.start).trim
      before.endsWith("*/") && before.lastIndexOf("/**") > before.lastIndexOf("/* ") && before.indexOf("*/", before.lastIndexOf("/**")) == before.length - 2
    }
    def commentOf(tree: Tree): String = if (isDocumented(tree)) text.substring(text.lastIndexOf("/**", tree.pos.start), tree.pos.start) else ""
    def at(tree: Tree): Int = tree.pos.startLine + 1

    def ofStats(owner: String, stats: List[Stat]): Vector[(String, Int)] = {
      // The companion of a documented type needs no second comment.
      val types = stats.collect { case c: Defn.Class => c.name.value; case t: Defn.Trait => t.name.value }.toSet
      stats.toVector.filter(isPublic).flatMap {
        case p: Pkg        => ofStats(owner, p.body.stats)
        case c: Defn.Class => itself(owner, c, c.name.value) ++ ofParameters(owner + c.name.value + ".", c) ++
            ofStats(owner + c.name.value + ".", c.templ.body.stats)
        case t: Defn.Trait  => itself(owner, t, t.name.value) ++ ofStats(owner + t.name.value + ".", t.templ.body.stats)
        case o: Defn.Object =>
          (if (types(o.name.value)) Vector.empty else itself(owner, o, o.name.value)) ++ ofStats(owner + o.name.value + ".", o.templ.body.stats)
        case member: Stat with Member => itself(owner, member, member.name.value)
        case v: Defn.Val              => itself(owner, v, v.pats.mkString(","))
        case v: Decl.Val              => itself(owner, v, v.pats.mkString(","))
        case _                        => Vector.empty
      }
    }
    def itself(owner: String, tree: Tree, name: String): Vector[(String, Int)] =
      if (isDocumented(tree)) Vector.empty else Vector((owner + name, at(tree)))

    def ofParameters(owner: String, c: Defn.Class): Vector[(String, Int)] = {
      val isCase = c.mods.exists(_.is[Mod.Case])
      val comment = commentOf(c)
      for {
        clause <- c.ctor.paramClauses.toVector
        parameter <- clause.values
        if (isCase || parameter.mods.exists(_.is[Mod.ValParam])) && !parameter.mods.exists(m => m.is[Mod.Private] || m.is[Mod.Override])
        // Scaladoc ignores a comment at the parameter itself.
        if !comment.contains(s"@param ${parameter.name.value} ")
      } yield (owner + parameter.name.value, at(parameter))
    }
    ofStats("", source.stats)
  }

  private def isPublic(stat: Stat): Boolean = stat match {
    case s: Stat.WithMods => !s.mods.exists(m => m.is[Mod.Private] || m.is[Mod.Protected] || m.is[Mod.Override])
    case _                => true
  }
}
