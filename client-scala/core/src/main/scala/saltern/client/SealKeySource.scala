package saltern.client

import java.nio.file.{Files, Path}

/** Supplies the seal keys: `config.withSealKeys(SealKeySource.file(path))`, or a source of the
  * host's own, such as a store of secrets.
  *
  * A host with the keys can open every sealed row. Without them it cannot, and asks the service.
  */
trait SealKeySource {

  /** Returns the service's document of seal keys, of 4 KiB at most. The client wipes the array.
    *
    * It is called once when the client is made, on the calling thread, and may block. Then it is
    * called once a minute on another thread. If it fails then, or the document is invalid, the
    * last keys stay in use and the log says so.
    */
  @throws[Exception]
  def read(): Array[Byte]
}

object SealKeySource {

  /** Reads the document from a file. The file must not be readable by other users. A file of root
    * may be readable by its group.
    */
  def file(path: Path): SealKeySource = new SealKeySource {
    def read(): Array[Byte] = {
      if (!isPrivate(path)) throw new NotPrivate(path)
      Files.readAllBytes(path)
    }
    override def toString: String = "SealKeySource.file(..)"
  }

  private[saltern] final class NotPrivate(path: Path)
      extends IllegalArgumentException(s"other users can read the seal keys $path: give the file to the user of this program, and run chmod 600")

  /** Systems without modes of files are trusted. Orchestrators give secrets by a group to files of
    * root.
    */
  private def isPrivate(path: Path): Boolean =
    !path.getFileSystem.supportedFileAttributeViews.contains("unix") || {
      val attributes = Files.readAttributes(path, "unix:mode,uid")
      isPrivate(attributes.get("mode").asInstanceOf[Integer].intValue, attributes.get("uid").asInstanceOf[Integer].intValue)
    }

  private[saltern] def isPrivate(mode: Int, owner: Int): Boolean = (mode & OthersAccess & ~(if (owner == Root) GroupReads else 0)) == 0

  /** The bits of the mode for the group and for all users: `rwxrwx`. */
  private val OthersAccess = 0x3f
  private val GroupReads = 0x20
  private val Root = 0
}
