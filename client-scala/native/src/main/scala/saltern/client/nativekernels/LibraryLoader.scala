package saltern.client.nativekernels

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.channels.Channels
import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.nio.file.attribute.{PosixFilePermission, PosixFilePermissions}
import java.security.MessageDigest
import java.util.Base64
import java.util.zip.GZIPInputStream
import scala.util.control.NonFatal

/** Takes the platform's library out of the jar, checks its digest, and loads it.
  *
  * No other user can replace the file. The directory is new and readable only by this user, the
  * file is new, and its content is checked before it is written. Both are removed afterwards; the
  * loaded library stays.
  *
  * @param digests SHA-256 in Base64 of the packed libraries, by target, from the build
  * @param packed a resource of the jar: a library compressed with gzip. A JVM that has just started
  *   computes digests slowly, and this halves the input.
  * @param temporary the directory in which the new directory is made, as in `java.io.tmpdir`
  */
private[nativekernels] final class LibraryLoader(
    platform: Platform,
    digests: Map[String, String],
    packed: String => Option[InputStream],
    temporary: String,
    system: Path => Unit
) {
  import LibraryLoader.*

  /** If this returns a reason, nothing has changed. */
  def load(): Either[String, Unit] =
    for {
      target <- platform.target
      digest <- digests.get(target).toRight(s"this build has no library for $target")
      compressed <- read(target)
      _ <- Either.cond(sha256(compressed) == digest, (), s"the library for $target was changed after the build: its SHA-256 differs")
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
      // `System.load` takes only absolute paths.
      val parent = Paths.get(temporary).toAbsolutePath
      val directory = Files.createTempDirectory(parent, "saltern-native-", PosixFilePermissions.asFileAttribute(mode("rwx------")))
      val file = directory.resolve("libsaltern_jni.so")
      try {
        write(file, library)
        system(file)
        Right(())
      } finally remove(file, directory)
    } catch {
      // IllegalCallerException: JDK 24 and later (JEP 472), if native access is denied.
      case e: IllegalCallerException => Left(s"the JVM denies native access; $EnableIt: ${told(e)}")
      case e: LinkageError           =>
        Left(s"the system does not load it from $temporary (if that directory is mounted noexec, set java.io.tmpdir to another): ${told(e)}")
      case NonFatal(e) => Left(s"it cannot be unpacked and written below $temporary (set java.io.tmpdir to a writable directory): ${told(e)}")
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
  private val EnableIt = "start it with --enable-native-access=ALL-UNNAMED"

  /** A file that cannot be removed stays. It contains no secret, and the library is loaded. */
  private def remove(paths: Path*): Unit =
    paths.foreach { path =>
      try { val _ = Files.deleteIfExists(path) }
      catch { case NonFatal(_) => () }
    }

  private def mode(text: String): java.util.Set[PosixFilePermission] = PosixFilePermissions.fromString(text)

  private def sha256(bytes: Array[Byte]): String = Base64.getEncoder.encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes))

  private def told(e: Throwable): String = s"${e.getClass.getSimpleName} ${e.getMessage}"
}
