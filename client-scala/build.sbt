// The Scala client of Saltern. `bin/test` runs the tests; README.md lists the modules.

val scala213 = "2.13.18"
val scala3Lts = "3.3.7"

val awsSdkVersion = "2.42.36"
val bouncyCastleVersion = "1.86"
// The newest version that the registry has for both Scala versions; the same holds for ZIO. An
// application may use a later 3.x.
val catsEffectVersion = "3.6.3"
// The newest versions that the registry has for each Scala version. The client only reads JSON,
// which is the same in both.
def jsoniterVersion(scalaBinary: String): String = if (scalaBinary == "3") "2.38.17" else "2.23.3"
// The newest versions that the registry has for each Scala version.
def mdocVersion(scalaBinary: String): String = if (scalaBinary == "3") "2.8.2" else "2.6.1"
// The oldest 26.x, so that the jar uses nothing younger. `-Dsaltern.keycloak=…` compiles against another.
val keycloakVersion = sys.props.getOrElse("saltern.keycloak", "26.0.0")
val micrometerVersion = "1.17.1"
val munitVersion = "1.2.4"
val scalametaVersion = "4.14.2"
val silhouetteVersion = "10.0.1"
val springSecurityVersion = "7.1.1"
val typesafeConfigVersion = "1.4.9"
val zioVersion = "2.1.24"

ThisBuild / organization := "io.saltern"
ThisBuild / organizationName := "Saltern"
// `-Dsaltern.version=…` sets the version of a temporary build.
ThisBuild / version := sys.props.getOrElse("saltern.version", "0.1.0-SNAPSHOT")
ThisBuild / versionScheme := Some("early-semver")

// The versions that binary compatibility is checked against (docs/COMPATIBILITY.md): none until
// 0.1.0 is released, then every version of the same series. `-Dsaltern.previous=…` is for
// bin/check-compatibility.
val previousVersions: Seq[String] = sys.props.get("saltern.previous").toSeq

// See docs/PUBLISHING.md.
val publishedBy = Publisher.read(file(sys.props.getOrElse("saltern.publisher", "publisher.properties")))
ThisBuild / homepage := publishedBy.homepage
ThisBuild / scmInfo := publishedBy.scm
ThisBuild / developers := publishedBy.developers

// `-Dsaltern.repository=…` publishes to a directory, as a Maven repository. A release goes from there
// to Maven Central, without sbt.
val directory: Option[File] = sys.props.get("saltern.repository").map(file)
ThisBuild / resolvers ++= directory.map(d => "saltern-repository" at d.toURI.toString)
ThisBuild / publishTo := directory.map(MavenCache("saltern-repository", _))
// Scaladoc is for a repository. On this machine it would take as long as everything else.
ThisBuild / Compile / packageDoc / publishArtifact := directory.nonEmpty
val centralReady = taskKey[Unit]("Refuses where the POM lacks what Maven Central wants of it.")
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"), "MIT" -> url("https://opensource.org/license/mit"))
ThisBuild / scalaVersion := scala213
ThisBuild / crossScalaVersions := Seq(scala213, scala3Lts)

// The library promises the bytecode and the JDK API of 11. sbt itself runs on 17.
ThisBuild / javacOptions ++= Seq("--release", "11")

// The settings of each project. They are not in ThisBuild, because they depend on the project's
// Scala version.
val common = Seq(
  scalacOptions ++= Seq("-release:11", "-deprecation", "-feature", "-unchecked", "-encoding", "utf8", "-Werror") ++
    (if (scalaBinaryVersion.value == "3") Seq("-Wunused:all") else Seq("-Xsource:3", "-Xlint", "-Wunused", "-Wdead-code")),
  mimaPreviousArtifacts := previousVersions.map(organization.value %% moduleName.value % _).toSet,
  mimaFailOnNoPrevious := false,
  centralReady := {
    val missing = publishedBy.missing ++ (if (description.value == name.value) Seq("a `description` in build.sbt") else Nil)
    if (missing.nonEmpty)
      sys.error(s"${name.value}: fill in ${missing.mkString(", ")} (publisher.properties, docs/PUBLISHING.md)")
  },
  // `-Dsaltern.test.java.home.2.13=…` and `….3=…`: the JDK that runs the tests of that Scala.
  Test / javaHome := sys.props.get(s"saltern.test.java.home.${scalaBinaryVersion.value}").map(file)
)
val unpublished = Seq(publish / skip := true, centralReady := {}, mimaPreviousArtifacts := Set.empty)

// The repository, and the test vectors in it that the client shares with the service.
val repository = file("..").getCanonicalFile
val vectors = repository / "functions" / "testing" / "vectors" / "data"

ThisBuild / Test / fork := true
// The threads of the other collectors are a seventh of the CPU time of the tests.
ThisBuild / Test / javaOptions ++= Seq("-Xmx1g", "-XX:+UseSerialGC", s"-Dsaltern.root=$repository", s"-Dsaltern.vectors=$vectors")
ThisBuild / run / fork := true

// SemanticDB is compiled only for scalafix. The sources are the same under both Scala versions, so
// 2.13 is enough.
ThisBuild / semanticdbVersion := scalametaVersion
addCommandAlias("fix", "++2.13; set ThisBuild / semanticdbEnabled := true; scalafixAll")
addCommandAlias("styleCheck", "++2.13; scalafmtSbtCheck; scalafmtCheckAll; set ThisBuild / semanticdbEnabled := true; scalafixAll --check")

// They make the readers and writers of JSON as the code compiles.
val jsoniterMacros = libraryDependencies +=
  "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-macros" % jsoniterVersion(scalaBinaryVersion.value) % Provided
val munit = "org.scalameta" %% "munit" % munitVersion % Test

// jars.sha256 lists the jars that both Scala versions, the plugins and sbt itself need.
val jarList = file("jars.sha256")
val jars = taskKey[Seq[String]]("The resolved jars: the SHA-256 of each, and its path in Maven Central.")
val checkJars = taskKey[Unit]("Fails if a resolved jar is not in jars.sha256.")
val writeJars = taskKey[Unit]("Adds the resolved jars to jars.sha256.")

lazy val root = project
  .in(file("."))
  .aggregate(
    aws,
    catsEffect,
    checks,
    client,
    core,
    docs,
    hashes,
    hocon,
    keycloak,
    micrometer,
    nativeKernels,
    silhouette,
    springSecurity,
    testkit,
    tests,
    zio,
    exampleBackend,
    exampleHttp4s,
    exampleOpenTelemetry,
    examplePekkoHttp,
    examplePlay,
    exampleSpringBoot,
    exampleTapir
  )
  .settings(
    unpublished,
    name := "saltern-client-build",
    crossScalaVersions := Nil,
    mimaFailOnNoPrevious := false,
    jars := {
      val plugins = loadedBuild.value.units.values.flatMap(_.unit.plugins.pluginData.report)
      val reports = update.all(ScopeFilter(inAnyProject)).value ++ plugins
      val resolved = reports.flatMap(_.allFiles) ++ appConfiguration.value.provider.mainClasspath
      val lines = sys.process.Process("sha256sum" +: resolved.distinct.map(_.getPath)).!!.linesIterator
      lines.map(_.replaceAll(" /.*/(maven2|boot)/", " ")).toSeq
    },
    checkJars := {
      // The path may differ, for example behind a mirror.
      val listed = IO.readLines(jarList).map(_.take(64)).toSet
      val unlisted = jars.value.filterNot(jar => listed(jar.take(64)))
      val advice = "If you changed a version, empty the file, run bin/sbt ++2.13 writeJars ++3.3 writeJars, and read the difference."
      if (unlisted.nonEmpty) sys.error(unlisted.mkString("jars.sha256 lacks these jars:\n", "\n", s"\n$advice"))
    },
    writeJars := IO.writeLines(jarList, (IO.readLines(jarList) ++ jars.value).distinct.sortBy(_.drop(66)))
  )

/** A module that adapts the client to a framework. Its suites also run its example
  * (`examples/<directory>`).
  */
def framework(id: String, directory: String, what: String): Project = Project(id, file(directory))
  .dependsOn(core, tests % "test->test")
  .settings(
    common,
    name := s"saltern-client-$directory",
    description := what,
    Test / unmanagedSourceDirectories ++=
      Seq("java", "scala").map((LocalRootProject / baseDirectory).value / "examples" / directory / "src" / "main" / _),
    libraryDependencies += "org.slf4j" % "slf4j-nop" % "1.7.36" % Test
  )

lazy val catsEffect = framework("catsEffect", "cats-effect", "The Saltern client for cats-effect.")
  .settings(libraryDependencies += "org.typelevel" %% "cats-effect" % catsEffectVersion)

/** Copies a file of the service into the jar, so that the repository has one file of it. */
def packed(ofTheService: String, into: String): Setting[_] =
  Compile / resourceGenerators += Def.task {
    val source = repository / "functions" / ofTheService
    val target = (Compile / resourceManaged).value / into / source.name
    IO.copyFile(source, target, CopyOptions().withOverwrite(true))
    Seq(target)
  }.taskValue

// What a program depends on. It has no code.
lazy val client = project
  .in(file("client"))
  .dependsOn(core, hashes)
  .settings(
    common,
    name := "saltern-client",
    description := "Password hashing for the JVM: remote first, local when it must, within the deadline always."
  )

lazy val core = project
  .in(file("core"))
  .settings(
    common,
    name := "saltern-core",
    description := "The Saltern client's remote calls. saltern-client adds local hashing.",
    jsoniterMacros,
    libraryDependencies += "com.github.plokhotnyuk.jsoniter-scala" %% "jsoniter-scala-core" % jsoniterVersion(scalaBinaryVersion.value)
  )

lazy val hashes = project
  .in(file("hashes"))
  .dependsOn(core)
  .settings(
    common,
    name := "saltern-hashes",
    description := "Stored hashes of passwords on the JVM: Argon2, bcrypt, PBKDF2, scrypt, crypt(3), phpass, LDAP and others.",
    jsoniterMacros,
    libraryDependencies += "org.bouncycastle" % "bcprov-jdk18on" % bouncyCastleVersion,
    packed("policy/policies.json", "saltern/hashes"),
    packed("kernels/src/verify_only/hamlet.txt", "saltern/hashes/verifyonly")
  )

lazy val hocon = project
  .in(file("hocon"))
  .dependsOn(core)
  .settings(
    common,
    name := "saltern-client-hocon",
    description := "Settings of the Saltern client from HOCON.",
    libraryDependencies += "com.typesafe" % "config" % typesafeConfigVersion
  )

lazy val aws = project
  .in(file("aws"))
  .dependsOn(core)
  .settings(
    common,
    name := "saltern-aws",
    description := "The Saltern client's requests to Lambda: signed for Function URLs with AWS_IAM, or as a direct Invoke.",
    jsoniterMacros,
    libraryDependencies ++= Seq(
      "software.amazon.awssdk" % "auth" % awsSdkVersion,
      "software.amazon.awssdk" % "http-auth-aws" % awsSdkVersion,
      // The credentials chain finds it by its class name, for the roles of service accounts on EKS.
      // The chain makes no asynchronous calls, so it needs no Netty.
      ("software.amazon.awssdk" % "sts" % awsSdkVersion).exclude("software.amazon.awssdk", "netty-nio-client")
    )
  )

lazy val micrometer = project
  .in(file("micrometer"))
  .dependsOn(core)
  .settings(
    common,
    name := "saltern-client-micrometer",
    description := "The Saltern client's events as Micrometer meters.",
    libraryDependencies += "io.micrometer" % "micrometer-core" % micrometerVersion
  )

// The Rust kernels through JNI. `native/build` makes the libraries. All libraries that it made are
// packed, and the code contains a digest of each.
val nativeTargets = for (processor <- Seq("x86_64", "aarch64"); libc <- Seq("gnu", "musl")) yield s"$processor-unknown-linux-$libc"
val nativeLibraries = taskKey[Seq[(String, File)]]("The libraries that native/build has made, by target.")
// A directory or this machine takes the libraries that exist.
val everyNativeLibrary = taskKey[Unit]("Fails where a library is missing: what goes to Maven Central must hold all.")
val tellNativeLibraries = taskKey[Unit]("Warns where a library is missing.")

lazy val nativeKernels = project
  .in(file("native"))
  .dependsOn(hashes)
  .settings(
    common,
    name := "saltern-client-native",
    description := "Local hashing for the Saltern client by Saltern's own kernels, through JNI.",
    nativeLibraries := nativeTargets.map(target => target -> baseDirectory.value / "libraries" / target / "libsaltern_jni.so").filter(_._2.exists),
    Compile / resourceGenerators += Def.task {
      val packed = (Compile / resourceManaged).value / "saltern" / "client" / "nativekernels"
      // Removes libraries of an earlier build.
      IO.delete(packed)
      nativeLibraries.value.map { case (target, library) =>
        val compressed = packed / target / s"${library.name}.gz"
        IO.createDirectory(compressed.getParentFile)
        IO.gzip(library, compressed)
        compressed
      }
    }.taskValue,
    Compile / sourceGenerators += Def.task {
      val digests = nativeLibraries.value.map { case (target, library) =>
        val sha256 = IO.withTemporaryFile("saltern", ".gz") { compressed =>
          IO.gzip(library, compressed)
          java.security.MessageDigest.getInstance("SHA-256").digest(IO.readBytes(compressed))
        }
        s"""    "$target" -> "${java.util.Base64.getEncoder.encodeToString(sha256)}""""
      }
      val source = (Compile / sourceManaged).value / "PackedLibraries.scala"
      IO.write(
        source,
        s"""package saltern.client.nativekernels

/** The libraries of this build. */
private[nativekernels] object PackedLibraries {
  def resource(target: String): String = s"/saltern/client/nativekernels/$$target/libsaltern_jni.so.gz"

  /** SHA-256 of each, in Base64. */
  val digests: Map[String, String] = Map(
${digests.mkString(",\n")}
  )
}
"""
      )
      Seq(source)
    }.taskValue,
    everyNativeLibrary := {
      val missing = nativeTargets.diff(nativeLibraries.value.map(_._1))
      if (missing.nonEmpty) sys.error(s"saltern-client-native lacks ${missing.mkString(", ")}: run client-scala/native/build --all first")
    },
    tellNativeLibraries := {
      val (log, missing) = (streams.value.log, nativeTargets.diff(nativeLibraries.value.map(_._1)))
      if (missing.nonEmpty)
        log.warn(
          s"saltern-client-native is packed without ${missing.mkString(", ")}: there it hashes with the JVM; run client-scala/native/build --all for all"
        )
    },
    publishLocal := publishLocal.dependsOn(tellNativeLibraries).value,
    publishM2 := publishM2.dependsOn(tellNativeLibraries).value
  )

// Only for Scala 2.13, because the registry has no other version of Silhouette. Under Scala 3 this
// is an empty project.
lazy val silhouette = framework("silhouette", "silhouette", "The Saltern client as a PasswordHasher of Play Silhouette.").settings(
  publish / skip := scalaBinaryVersion.value == "3",
  mimaPreviousArtifacts := (if (scalaBinaryVersion.value == "3") Set.empty[ModuleID] else mimaPreviousArtifacts.value),
  libraryDependencies ++=
    Seq("org.playframework.silhouette" %% "play-silhouette" % silhouetteVersion).filter(_ => scalaBinaryVersion.value != "3"),
  Seq(Compile, Test).map(c => c / sources := (c / sources).value.filter(_ => scalaBinaryVersion.value != "3"))
)

// Spring Security's bytecode needs JDK 17, so users of this module need it too.
lazy val springSecurity = framework("springSecurity", "spring-security", "The Saltern client as a PasswordEncoder of Spring Security.").settings(
  libraryDependencies ++= Seq(
    "org.springframework.security" % "spring-security-crypto" % springSecurityVersion,
    "org.springframework.security" % "spring-security-core" % springSecurityVersion % Test
  )
)

// One jar for the class path that all providers of a Keycloak share with it. So the libraries in the
// jar are relocated.
lazy val keycloak = project
  .in(file("keycloak"))
  .dependsOn(client)
  .settings(
    common,
    unpublished,
    name := "saltern-keycloak",
    autoScalaLibrary := false,
    crossPaths := false,
    javacOptions := Seq("--release", "17", "-Xlint:deprecation,rawtypes,unchecked"),
    // Without their own dependencies, which are hundreds of jars.
    libraryDependencies ++=
      (Seq("core", "common", "crypto-default", "model-jpa", "model-storage", "server-spi", "server-spi-private", "services")
        .map(module => "org.keycloak" % s"keycloak-$module" % keycloakVersion) ++ Seq(
        "jakarta.persistence" % "jakarta.persistence-api" % "3.1.0",
        "jakarta.ws.rs" % "jakarta.ws.rs-api" % "3.1.0",
        "org.jboss.logging" % "jboss-logging" % "3.6.0.Final"
      )).map(_.intransitive() % Provided),
    // Nobody calls its classes but Keycloak.
    Compile / doc / sources := Nil,
    Compile / unmanagedResources ++= Seq("LICENSE-APACHE", "LICENSE-MIT").map(repository / _),
    assembly / assemblyOutputPath := target.value / "saltern-keycloak.jar",
    assembly / assemblyShadeRules := Seq(
      ShadeRule
        .rename(
          "com.github.plokhotnyuk.**" -> "saltern.keycloak.plokhotnyuk.@1",
          "org.bouncycastle.**" -> "saltern.keycloak.bouncycastle.@1",
          "scala.**" -> "saltern.keycloak.scala.@1"
        )
        .inAll
    ),
    assembly / assemblyMergeStrategy := {
      val bouncyCastle = "saltern/keycloak/bouncycastle/"
      // What Argon2 loads, which is all that Keycloak's rows need of it; tests/run hashes with it.
      val used =
        Set("asn1/", "asn1/x9/", "crypto/", "crypto/constraints/", "crypto/digests/", "crypto/generators/", "crypto/params/", "util/", "util/encoders/")
          .map(bouncyCastle + _)
      path => {
        val directory = path.take(path.lastIndexOf('/') + 1)
        if (path.startsWith(bouncyCastle) && !used.contains(directory)) MergeStrategy.discard
        // Signatures, module descriptions and services of the whole jars, and classes of other releases of Java.
        else if (
          path.matches("META-INF/(.*\\.(SF|DSA|RSA)|versions/.*|services/java\\.security\\.Provider)|module-info\\.class|rootdoc\\.txt|library\\.properties")
        ) MergeStrategy.discard
        else (assembly / assemblyMergeStrategy).value(path)
      }
    },
    assembly / test := {}
  )

// The costs of the shipped policies, and those of their floors, for tests.
val cheapCosts = Seq(
  "\"cost\": 10" -> "\"cost\": 5",
  "\"cost\": 12" -> "\"cost\": 6",
  "\"iterations\": 100000" -> "\"iterations\": 1000",
  "\"memory_kib\": 65536" -> "\"memory_kib\": 1024",
  "\"passes\": 4" -> "\"passes\": 2"
)

lazy val testkit = project
  .in(file("testkit"))
  .dependsOn(hashes)
  .settings(
    common,
    name := "saltern-client-testkit",
    description := "A fake of the Saltern client, and the service in memory with scripted faults.",
    Compile / resourceGenerators += Def.task {
      val target = (Compile / resourceManaged).value / "saltern" / "testkit" / "cheap-policies.json"
      val shipped = IO.read(repository / "functions" / "policy" / "policies.json")
      val cheap = cheapCosts.foldLeft(shipped) { case (document, (from, to)) =>
        if (document.contains(from)) document.replace(from, to) else sys.error(s"policies.json has no $from")
      }
      IO.write(target, cheap)
      Seq(target)
    }.taskValue,
    jsoniterMacros
  )

lazy val tests = project
  .in(file("tests"))
  .dependsOn(aws, client, hocon, micrometer, nativeKernels, testkit)
  .settings(
    common,
    name := "saltern-client-tests",
    unpublished,
    jsoniterMacros,
    // DocumentedSuite reads the sources with scalameta.
    libraryDependencies ++= Seq(munit, "org.scalameta" %% "scalameta" % scalametaVersion % Test cross CrossVersion.for3Use2_13)
  )

// The guide and README.md. As a task, because it can then run beside the tests.
val guide = taskKey[Unit]("Compiles and runs every block of Scala in the guide and in README.md.")

lazy val docs = project
  .in(file("docs"))
  .enablePlugins(MdocPlugin)
  .dependsOn(aws, catsEffect, client, hocon, micrometer, nativeKernels, testkit, zio)
  .settings(
    common,
    name := "saltern-client-docs",
    unpublished,
    guide := mdoc.toTask("").value,
    mdocAutoDependency := false,
    // The guide's table of users is in it.
    libraryDependencies ++= Seq("org.scalameta" %% "mdoc" % mdocVersion(scalaBinaryVersion.value), "com.h2database" % "h2" % "2.4.240"),
    mdocIn := baseDirectory.value / "guide",
    mdocOut := target.value / "guide",
    mdocExtraArguments := {
      val pages = Seq(mdocIn.value -> mdocOut.value, (LocalRootProject / baseDirectory).value / "README.md" -> target.value / "README.md")
      // mdoc knows only the pages, but they link to files beside them.
      "--no-link-hygiene" +: pages.flatMap { case (in, out) => Seq("--in", in.getPath, "--out", out.getPath) }
    },
    // The pages show what readers need, so the linter's rules do not apply to them. Without -Xsource:3 a
    // block compiles in any build of Scala 2.13.
    scalacOptions --= Seq("-Werror", "-Xlint", "-Wunused", "-Wunused:all", "-Wdead-code", "-Xsource:3")
  )

lazy val zio = framework("zio", "zio", "The Saltern client for ZIO.").settings(libraryDependencies += "dev.zio" %% "zio" % zioVersion)

/** A backend of one framework, and its test over HTTP. Its directory has its own settings. */
def example(id: String, directory: String): Project =
  Project(id, file("examples") / directory).dependsOn(client, tests % "test->test").settings(common, unpublished)

lazy val exampleBackend = example("exampleBackend", "backend").dependsOn(nativeKernels)
lazy val exampleHttp4s = example("exampleHttp4s", "http4s").dependsOn(catsEffect)
lazy val exampleOpenTelemetry = example("exampleOpenTelemetry", "opentelemetry")
lazy val examplePekkoHttp = example("examplePekkoHttp", "pekko-http")
lazy val examplePlay = example("examplePlay", "play")
lazy val exampleSpringBoot = example("exampleSpringBoot", "spring-boot").dependsOn(springSecurity)
lazy val exampleTapir = example("exampleTapir", "tapir").dependsOn(catsEffect)

// The programs of `bin`: they check a running client, and nothing of them is published.
lazy val checks = project
  .in(file("checks"))
  .dependsOn(exampleBackend, testkit)
  .settings(
    common,
    name := "saltern-client-checks",
    unpublished,
    run / javaOptions ++= Seq("-Xmx1g", "-Dsun.net.httpserver.nodelay=true", s"-Dsaltern.vectors=$vectors"),
    // Printed directly and not through sbt's log, because `bin/` silences the log.
    run / outputStrategy := Some(StdoutOutput),
    // Paths in arguments are relative to this directory.
    run / baseDirectory := (LocalRootProject / baseDirectory).value,
    jsoniterMacros,
    // Only for comparison.
    libraryDependencies += "at.favre.lib" % "bcrypt" % "0.10.2"
  )
