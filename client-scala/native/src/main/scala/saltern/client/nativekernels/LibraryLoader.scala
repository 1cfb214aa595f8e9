package saltern.client.nativekernels

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.channels.Channels
import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.nio.file.attribute.{PosixFilePermission, PosixFilePermissions}
import java.security.MessageDigest
import java.util.Base64
import java.util.zip.GZIPInputStream
import scala.util.control.NonFatal

/** Takes the platform's library out of the jar, makes sure that it is the one that was built, and loads it.
  *
  * Nobody else can put a file in its place: the directory is fresh and ours alone, the file is made anew, and what is
  * written was compared with the digest before. Afterwards both are removed; what is loaded stays.
  *
  * @param digests SHA-256 in Base64 of what is packed, by target, as of the build
  * @param packed a resource of the jar: a library in gzip's form, because a JVM that has just started takes a digest slowly, and so
  *   of half as much
  * @param temporary where the fresh directory is made, as `java.io.tmpdir` has it
  */
private[nativekernels] final class LibraryLoader(
    platform: Platform,
    digests: Map[String, String],
    packed: String => Option[InputStream],
    temporary: String,
    system: Path => Unit
) {
  import LibraryLoader.*

  /** Once it says why not, nothing has changed. */
  def load(): Either[String, Unit] =
    for {
      target <- platform.target
      digest <- digests.get(target).toRight(s"this build has no library for $target")
      compressed <- read(target)
      _ <- Either.cond(sha256(compressed) == digest, (), s"the library for $target is not the one that was built: its SHA-256 differs")
      _ <- loadFromFile(new GZIPInputStream(new ByteArrayInputStream(compressed)))
    } yield ()

  private def read(target: String): Either[String, Array[Byte]] =
    try
      packed(PackedLibraries.resource(target)).toRight(s"the class path has no library for $target").map { stream =>
        try stream.readAllBytes()
        finally stream.close()
      }
    catch { case NonFatal(e) => Left(s"the library for $target cannot be read: ${told(e)}") }

  private def loadFromFile(library: => InputStream): Either[String, Unit] =
    try {
      // The system loads by absolute paths alone.
      val parent = Paths.get(temporary).toAbsolutePath
      val directory = Files.createTempDirectory(parent, "saltern-native-", PosixFilePermissions.asFileAttribute(mode("rwx------")))
      val file = directory.resolve("libsaltern_jni.so")
      try {
        write(file, library)
        system(file)
        Right(())
      } finally remove(file, directory)
    } catch {
      // IllegalCallerException: JDK 24 and later (JEP 472), told to deny what was not enabled.
      case e: IllegalCallerException => Left(s"the JVM denies native access, $EnableIt: ${told(e)}")
      case e: LinkageError => Left(s"the system does not load it from $temporary (java.io.tmpdir names another, where that one is mounted noexec): ${told(e)}")
      case NonFatal(e)     => Left(s"it cannot be unpacked and written below $temporary (java.io.tmpdir names another): ${told(e)}")
    }

  private def write(file: Path, library: InputStream): Unit = {
    val options = java.util.EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
    val channel = Files.newByteChannel(file, options, PosixFilePermissions.asFileAttribute(mode("rw-------")))
    try { val _ = library.transferTo(Channels.newOutputStream(channel)) }
    finally channel.close()
    val _ = Files.setPosixFilePermissions(file, mode("r-x------"))
  }
}

private[nativekernels] object LibraryLoader {
  private val EnableIt = "which --enable-native-access=ALL-UNNAMED allows"

  /** What cannot be removed stays: it holds no secret, and a library that was loaded must not be called missing. */
  private def remove(paths: Path*): Unit =
    paths.foreach { path =>
      try { val _ = Files.deleteIfExists(path) }
      catch { case NonFatal(_) => () }
    }

  private def mode(text: String): java.util.Set[PosixFilePermission] = PosixFilePermissions.fromString(text)

  private def sha256(bytes: Array[Byte]): String = Base64.getEncoder.encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes))

  private def told(e: Throwable): String = s"${e.getClass.getSimpleName} ${e.getMessage}"
}
