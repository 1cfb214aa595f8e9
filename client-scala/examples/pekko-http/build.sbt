// The newest versions that the registry has for both Scala versions.
libraryDependencies ++= Seq(
  "org.apache.pekko" %% "pekko-http" % "1.3.0",
  "org.apache.pekko" %% "pekko-stream" % "1.5.0"
)
