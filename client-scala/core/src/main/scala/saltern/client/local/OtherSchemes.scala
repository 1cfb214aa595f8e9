package saltern.client.local

import java.util.ServiceLoader
import scala.jdk.CollectionConverters.*

/** The schemes of algorithms that no policy can name. `saltern-client-legacy` has them, and the
  * `ServiceLoader` finds it.
  */
private[saltern] abstract class OtherSchemes {
  private[local] def schemes: Seq[Scheme]

  /** Those of crypt(3). */
  private[local] def crypt: Seq[Scheme]

  /** The labels that stand in front of these schemes alone. */
  private[local] def labels: Seq[Label]

  /** Reads the parameters that the Firebase console shows, or returns a sentence that quotes
    * nothing of them.
    */
  private[local] def firebaseProject(text: String): Either[String, Project]
}

private[saltern] object OtherSchemes {

  /** `None` if the module is not on the class path. */
  lazy val found: Option[OtherSchemes] =
    ServiceLoader.load(classOf[OtherSchemes], classOf[OtherSchemes].getClassLoader).iterator.asScala.nextOption()

  /** Whether one of these schemes may read a text that no other scheme claims. It has a dollar sign
    * or one of these beginnings, or is of DES, whose texts have no mark.
    */
  def mayRead(stored: String): Boolean = stored.matches("(?s)[{_*].*|.*\\$.*|[./0-9A-Za-z]{13}")

  /** The end of a message about a missing scheme. */
  def advice: String = if (found.isEmpty) "; add saltern-client-legacy for the others" else ""

  /** Reads the project whose hashes are verified. */
  def firebaseProject(text: String): Either[String, Project] =
    found.toRight("add saltern-client-legacy, which verifies Firebase's hashes").flatMap(_.firebaseProject(text))
}

/** The parameters that all accounts of a project share and that no stored hash holds. */
private[saltern] trait Project {

  /** Returns the setting to compute for an account of this project, and the output for a correct
    * password. Returns `None` if the costs are not the project's: the account belongs to another
    * project, and every password would be wrong.
    */
  private[local] def resolve(setting: Setting.OfProject, output: Array[Byte]): Option[(Setting, Array[Byte])]
}
