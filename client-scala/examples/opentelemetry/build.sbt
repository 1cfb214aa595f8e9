val openTelemetryVersion = "1.68.0"
libraryDependencies ++= Seq(
  "io.opentelemetry" % "opentelemetry-api" % openTelemetryVersion,
  "io.opentelemetry" % "opentelemetry-sdk-testing" % openTelemetryVersion % Test
)
