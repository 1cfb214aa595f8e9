// A build that uses the published jars, as a user's build does. `bin/consume` publishes them by
// `publishLocal`, where sbt finds them without a resolver, and runs this build.

val saltern = sys.props.getOrElse("saltern.version", sys.error("run client-scala/bin/consume"))

name := "saltern-example-consumer"
crossScalaVersions := Seq("2.13.18", "3.3.7")
scalaVersion := crossScalaVersions.value.head
// `import saltern.client.*`; an import with `_` would not need the option.
scalacOptions ++= (if (scalaBinaryVersion.value == "3") Nil else Seq("-Xsource:3"))
libraryDependencies ++= Seq(
  "io.saltern" %% "saltern-aws" % saltern,
  "io.saltern" %% "saltern-client" % saltern,
  "io.saltern" %% "saltern-client-cats-effect" % saltern,
  "io.saltern" %% "saltern-client-hocon" % saltern,
  "io.saltern" %% "saltern-client-micrometer" % saltern,
  "io.saltern" %% "saltern-client-native" % saltern,
  "io.saltern" %% "saltern-client-spring-security" % saltern,
  "io.saltern" %% "saltern-client-testkit" % saltern,
  "io.saltern" %% "saltern-client-zio" % saltern
)
// Published only for Scala 2.13.
libraryDependencies ++= Seq("io.saltern" %% "saltern-client-silhouette" % saltern).filter(_ => scalaBinaryVersion.value != "3")
// The build fails if two versions of one library may be incompatible.
evictionErrorLevel := Level.Error
run / fork := true
run / outputStrategy := Some(StdoutOutput)
