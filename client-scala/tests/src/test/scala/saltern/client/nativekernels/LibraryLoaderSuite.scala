package saltern.client.nativekernels

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream}
import java.nio.file.{Files, Path, Paths}
import java.nio.file.attribute.PosixFilePermissions
import java.security.MessageDigest
import java.util.Base64
import java.util.zip.{GZIPInputStream, GZIPOutputStream}
import scala.jdk.CollectionConverters.*

/** For every fault of the library or of its directory, the loader returns a reason, throws nothing
  * and leaves no file behind.
  */
class LibraryLoaderSuite extends saltern.client.PatientSuite {
  private val platform = Platform.ofThisProcess()
  private val target = platform.target.fold(problem => fail(problem), identity)

  /** The library, packed as in the jar. */
  private lazy val library: Array[Byte] = {
    val stream = getClass.getResourceAsStream(PackedLibraries.resource(target))
    assert(stream != null, "client-scala/native/build makes this machine's library")
    stream.readAllBytes()
  }

  /** Another file, packed in the same way. */
  private def madeOf(change: Array[Byte] => Array[Byte]): Array[Byte] = {
    val bytes = new GZIPInputStream(new ByteArrayInputStream(library)).readAllBytes()
    val packed = new ByteArrayOutputStream
    val gzip = new GZIPOutputStream(packed)
    gzip.write(change(bytes))
    gzip.close()
    packed.toByteArray
  }

  private val temporary = FunFixture[Path](_ => Files.createTempDirectory("saltern-loader-test-"), path => { val _ = deleted(path) })

  temporary.test("the built library loads from a private file, which is then removed") { directory =>
    var seen = ""
    val loaded = load(directory, library) { file =>
      val modes = Seq(file.getParent, file).map(path => PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
      seen = modes.mkString(" ")
      System.load(file.toString)
    }
    assertEquals(loaded, Right(()))
    assertEquals(seen, "rwx------ r-x------")
    assertEquals(left(directory), 0)
  }

  temporary.test("a library with one changed bit is refused") { directory =>
    val corrupt = library.clone()
    corrupt(corrupt.length / 2) = (corrupt(corrupt.length / 2) ^ 1).toByte
    refused(directory, corrupt, digest(library))("SHA-256 differs")
  }

  temporary.test("a truncated library is refused") { directory =>
    refused(directory, library.take(library.length / 2), digest(library))("SHA-256 differs")
  }

  temporary.test("a library that was truncated before the build is refused by the system") { directory =>
    val short = madeOf(_.take(100))
    refused(directory, short, digest(short))("the system does not load it")
  }

  temporary.test("a truncated gzip file is refused by its format") { directory =>
    val short = library.take(library.length / 2)
    refused(directory, short, digest(short))("cannot be unpacked and written")
  }

  temporary.test("a library of another architecture is refused by the system") { directory =>
    // ELF's e_machine: 62 is x86-64, 183 is aarch64.
    val foreign = madeOf(bytes => bytes.updated(18, (if (bytes(18) == 62) 183 else 62).toByte))
    refused(directory, foreign, digest(foreign))("the system does not load it")
  }

  temporary.test("a class path without the library gives a reason") { directory =>
    val loader = new LibraryLoader(platform, Map(target -> digest(library)), _ => None, directory.toString, loadNothing)
    assert(loader.load().left.exists(_.contains("class path has no library")), loader.load().toString)
  }

  temporary.test("a build without the library gives a reason") { directory =>
    val loader = new LibraryLoader(platform, Map.empty, _ => fail("a library was requested"), directory.toString, loadNothing)
    assert(loader.load().left.exists(_.contains("this build has no library")), loader.load().toString)
  }

  temporary.test("an unreadable jar gives a reason") { directory =>
    val broken: InputStream = () => throw new java.io.IOException("the jar is gone")
    val loader = new LibraryLoader(platform, Map(target -> digest(library)), _ => Some(broken), directory.toString, loadNothing)
    assert(loader.load().left.exists(_.contains("the jar is gone")), loader.load().toString)
  }

  temporary.test("a relative temporary directory works") { directory =>
    val relative = Paths.get("").toAbsolutePath.relativize(directory)
    assertEquals(load(relative, library)(file => System.load(file.toString)), Right(()))
    assertEquals(left(directory), 0)
  }

  test("a temporary directory that is not a path gives a reason") {
    for (none <- Seq("\u0000", null)) {
      val loader =
        new LibraryLoader(platform, Map(target -> digest(library)), _ => Some(new ByteArrayInputStream(library)), none, loadNothing)
      assert(loader.load().left.exists(_.contains("java.io.tmpdir")), loader.load().toString)
    }
  }

  temporary.test("a missing temporary directory gives a reason") { directory =>
    refused(directory.resolve("nowhere"), library, digest(library))("java.io.tmpdir")
  }

  temporary.test("a read-only temporary directory gives a reason") { directory =>
    if (isRoot) mounted(directory, "ro")(refused(directory, library, digest(library))("cannot be unpacked and written"))
    else {
      val _ = Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-x------"))
      refused(directory, library, digest(library))("cannot be unpacked and written")
    }
  }

  temporary.test("a temporary directory that is mounted noexec gives a reason") { directory =>
    assume(isRoot, "NOT RUN: only root mounts a directory noexec")
    mounted(directory, "noexec")(refused(directory, library, digest(library))("mounted noexec"))
  }

  temporary.test("denied native access gives a reason") { directory =>
    assert(load(directory, library)(_ => throw new IllegalCallerException("denied")).left.exists(_.contains("--enable-native-access=ALL-UNNAMED")))
    assertEquals(left(directory), 0)
  }

  test("a system without a library gets a reason") {
    for ((os, architecture) <- Seq("Mac OS X" -> "aarch64", "Windows 11" -> "amd64", "Linux" -> "riscv64", "Linux" -> "i386"))
      assertEquals(Platform(os, architecture, musl = false).target, Left(s"there is no library for $os on $architecture"))
    assertEquals(Platform("Linux", "amd64", musl = true).target, Right("x86_64-unknown-linux-musl"))
    assertEquals(Platform("Linux", "aarch64", musl = false).target, Right("aarch64-unknown-linux-gnu"))
  }

  private def refused(directory: Path, bytes: Array[Byte], digest: String)(because: String): Unit = {
    val said = loader(directory, bytes, digest)(file => System.load(file.toString)).load()
    assert(said.left.exists(_.contains(because)), said.toString)
    if (Files.exists(directory)) assertEquals(left(directory), 0)
  }

  private def load(directory: Path, bytes: Array[Byte])(system: Path => Unit): Either[String, Unit] =
    loader(directory, bytes, digest(bytes))(system).load()

  private def loader(directory: Path, bytes: Array[Byte], digest: String)(system: Path => Unit): LibraryLoader =
    new LibraryLoader(platform, Map(target -> digest), _ => Some(new ByteArrayInputStream(bytes)), directory.toString, system)

  private val loadNothing: Path => Unit = _ => fail("was loaded")

  private def digest(bytes: Array[Byte]): String = Base64.getEncoder.encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes))

  private def left(directory: Path): Int = entries(directory).size

  private def entries(directory: Path): Vector[Path] = {
    val listed = Files.list(directory)
    try listed.iterator.asScala.toVector
    finally listed.close()
  }

  private def deleted(path: Path): Boolean = {
    if (Files.isDirectory(path)) entries(path).foreach(deleted)
    Files.deleteIfExists(path)
  }

  private def isRoot: Boolean = sys.props("user.name") == "root"

  private def mounted(directory: Path, option: String)(body: => Unit): Unit = {
    def ran(command: String*) = new ProcessBuilder(command*).inheritIO().start().waitFor() == 0
    assume(ran("mount", "-t", "tmpfs", "-o", s"$option,size=16m", "saltern-test", directory.toString), s"NOT RUN: this root may not mount a directory $option")
    try body
    // Read lazily, because the JVM may keep a file open that it failed to load.
    finally assert(ran("umount", "--lazy", directory.toString), s"$directory stays mounted")
  }
}
