libraryDependencies ++= Seq(
  "org.playframework" %% "play-pekko-http-server" % "3.0.11",
  "org.slf4j" % "slf4j-nop" % "2.0.17" % Runtime
)
