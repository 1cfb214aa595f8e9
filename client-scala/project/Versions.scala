/** Versions that several builds of the examples state. */
object Versions {
  // The newest that the registry has for both Scala versions.
  val http4s = "0.23.33"
}
