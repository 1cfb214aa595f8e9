// The newest that goes with this Spring Security.
val springBootVersion = "4.1.2"
// Spring Boot reads the names of a constructor's parameters. Its bytecode needs JDK 17.
javacOptions := Seq("--release", "17", "-parameters")
// An example has no documentation of its own.
Compile / doc / sources := Nil
libraryDependencies ++= Seq("webmvc", "security", "actuator").map(starter => "org.springframework.boot" % s"spring-boot-starter-$starter" % springBootVersion)
