import saltern.client.Saltern

/** Scala 2.13 alone has a module of its own, Silhouette's: there is nothing to call here. */
object OfThisScala {
  def check(saltern: Saltern, password: String, bcrypt: String): Unit = ()
}
