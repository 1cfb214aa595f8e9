import saltern.client.Saltern

/** Silhouette's module exists only for Scala 2.13, so this is empty. */
object OfThisScala {
  def check(saltern: Saltern, password: String, bcrypt: String): Unit = ()
}
