import play.silhouette.api.util.{PasswordHasher, PasswordInfo}
import saltern.client.Saltern
import saltern.client.silhouette.SalternPasswordHasher

/** Uses the module that is published only for Scala 2.13. */
object OfThisScala {
  def check(saltern: Saltern, password: String, bcrypt: String): Unit = {
    val hasher: PasswordHasher = new SalternPasswordHasher(saltern)
    val stored = PasswordInfo("bcrypt", bcrypt)
    require(hasher.isSuitable(stored) && hasher.matches(stored, password) && hasher.isDeprecated(stored).contains(true))
  }
}
