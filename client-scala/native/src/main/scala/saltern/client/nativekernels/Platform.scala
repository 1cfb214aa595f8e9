package saltern.client.nativekernels

import java.nio.file.{Files, Paths}
import scala.util.control.NonFatal

/** The facts that decide which library fits.
  *
  * @param os `os.name`
  * @param architecture `os.arch`
  * @param musl whether the process uses musl's C library, as on Alpine
  */
private[nativekernels] final case class Platform(os: String, architecture: String, musl: Boolean) {

  /** The name of the target in Rust. */
  def target: Either[String, String] = {
    val processor = architecture match {
      case "amd64" | "x86_64"  => Some("x86_64")
      case "aarch64" | "arm64" => Some("aarch64")
      case _                   => None
    }
    processor
      .filter(_ => os == "Linux")
      .map(name => s"$name-unknown-linux-${if (musl) "musl" else "gnu"}")
      .toRight(s"there is no library for $os on $architecture")
  }
}

private[nativekernels] object Platform {
  def ofThisProcess(): Platform = Platform(sys.props("os.name"), sys.props("os.arch"), usesMusl)

  /** Every process that uses musl has musl's loader mapped under this name. */
  private def usesMusl: Boolean =
    try Files.readString(Paths.get("/proc/self/maps")).contains("/ld-musl-")
    // Not Linux, or /proc is unreadable. The system's loader then decides.
    catch { case NonFatal(_) => false }
}
