// Only for Scala 3, because the registry has no server of Tapir for 2.13. There this is an empty
// project.
libraryDependencies ++= Seq(
  "com.softwaremill.sttp.tapir" %% "tapir-http4s-server" % "1.13.19",
  "org.http4s" %% "http4s-ember-server" % Versions.http4s,
  "org.slf4j" % "slf4j-nop" % "1.7.36" % Runtime
).filter(_ => scalaBinaryVersion.value == "3")
Seq(Compile, Test).flatMap { c =>
  // The linter runs only under 2.13.
  Seq(c / sources := (c / sources).value.filter(_ => scalaBinaryVersion.value == "3"), c / scalafix / unmanagedSources := Nil)
}
