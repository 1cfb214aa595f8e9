import play.silhouette.api.util.{PasswordHasher, PasswordInfo}
import saltern.client.Saltern
import saltern.client.silhouette.SalternPasswordHasher

/** Something of the module that is published for Scala 2.13 alone. */
object OfThisScala {
  def check(saltern: Saltern, password: String, bcrypt: String): Unit = {
    val hasher: PasswordHasher = new SalternPasswordHasher(saltern)
    val stored = PasswordInfo("bcrypt", bcrypt)
    require(hasher.isSuitable(stored) && hasher.matches(stored, password) && hasher.isDeprecated(stored).contains(true))
  }
}
