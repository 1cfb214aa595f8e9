import java.util.Properties
import sbt.*
import sbt.io.IO

/** Facts that only the publisher knows: the project's addresses and its developers. They are empty
  * in the repository, because no address is better than a wrong one.
  */
final class Publisher private (values: Map[String, String]) {
  def homepage: Option[URL] = value("project.url").map(url)

  def scm: Option[ScmInfo] =
    for (browse <- value("scm.url"); connection <- value("scm.connection")) yield ScmInfo(url(browse), connection)

  def developers: List[Developer] =
    (for {
      id <- value("developer.id")
      name <- value("developer.name")
      email <- value("developer.email")
      home <- value("developer.url")
    } yield Developer(id, name, email, url(home))).toList

  /** The names without a value. Maven Central rejects a POM that lacks one of them. */
  def missing: Seq[String] = Publisher.Names.filter(value(_).isEmpty)

  private def value(name: String): Option[String] = values.get(name).map(_.trim).filter(_.nonEmpty)
}

object Publisher {
  val Names: Seq[String] =
    Seq("project.url", "scm.url", "scm.connection", "developer.id", "developer.name", "developer.email", "developer.url")

  def read(file: File): Publisher = {
    val properties = new Properties
    IO.load(properties, file)
    val values = Names.map(name => name -> properties.getProperty(name, "")).toMap
    new Publisher(values)
  }
}
