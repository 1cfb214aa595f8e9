// Printed directly and not through sbt's log, because `-error` silences the log.
run / outputStrategy := Some(StdoutOutput)
libraryDependencies ++= Seq(
  "org.http4s" %% "http4s-ember-server" % Versions.http4s,
  "org.http4s" %% "http4s-dsl" % Versions.http4s,
  "org.slf4j" % "slf4j-nop" % "1.7.36" % Runtime
)
