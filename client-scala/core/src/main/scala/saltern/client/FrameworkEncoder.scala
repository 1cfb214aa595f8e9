package saltern.client

import java.lang.ref.WeakReference
import scala.concurrent.duration.FiniteDuration

/** The client for synchronous interfaces of frameworks. Such an interface verifies a password. Then
  * it asks whether the stored hash should be replaced, and hashes the password again. These are
  * three calls on one thread.
  *
  * The login has already brought the new hash. So [[encode]] returns it, and nothing is hashed
  * twice. It is found by the identity of the `String`: no password is kept.
  *
  * Each method blocks as those of [[BlockingSaltern]] do, and throws the same errors.
  */
final class FrameworkEncoder private (client: Saltern, kept: FrameworkEncoder.KeptAsTheyAre) {
  import FrameworkEncoder.*

  private val blocking = client.blocking
  private val brought = new ThreadLocal[Brought]

  /** @param client the caller closes it */
  def this(client: Saltern) = this(client, new FrameworkEncoder.KeptAsTheyAre)

  /** Returns the same encoder for the calls of one user, by [[Saltern.withContext]]. */
  def withContext(context: String): FrameworkEncoder = new FrameworkEncoder(client.withContext(context), kept)

  /** Returns the same encoder with another deadline, 1 ms to 60 s. */
  def withDeadline(deadline: FiniteDuration): FrameworkEncoder = new FrameworkEncoder(client.withDeadline(deadline), kept)

  /** Returns a hash of the password under the current policy. It is that of this thread's last
    * login if the login brought one for this very `String`.
    */
  def encode(password: CharSequence): String = {
    val last = Option(brought.get)
    brought.remove()
    last
      .filter(_.password.get eq password)
      .fold(Password.during(password)(blocking.hash(_).encoded))(_.hash.encoded)
  }

  /** Returns whether the password of a login matches, by [[Saltern.login]]. Every [[SalternError]]
    * is thrown: no error is `false`.
    */
  def matches(password: CharSequence, stored: String): Boolean = {
    brought.remove()
    Password.during(password)(blocking.login(_, Option(stored))) match {
      case Match(rehash) =>
        kept.note(stored, rehash.isEmpty && client.rehashReason(stored).isDefined)
        password match {
          case text: String => rehash.foreach(made => brought.set(new Brought(new WeakReference(text), stored, made)))
          // Other sequences may change before the next call.
          case _ => ()
        }
        true
      case _: Mismatch => false
    }
  }

  /** Returns whether the stored hash should be replaced, after [[matches]].
    *
    * It is `true` if this thread's last login brought a new hash, and `false` if the last match
    * through this object brought none. Then the service was under pressure, the match was computed
    * locally, or it ignored part of the password. The latest 1,024 such matches are remembered.
    * Otherwise the answer follows the client's policy document.
    */
  def needsUpgrade(stored: String): Boolean =
    Option(brought.get).exists(_.stored == stored) || !kept(stored) && client.rehashReason(stored).isDefined
}

object FrameworkEncoder {

  /** A new hash that a login brought, the password that it is of, and the hash that it replaces. */
  private final class Brought(val password: WeakReference[String], val stored: String, val hash: NewHash)

  /** The hashes that must not be replaced after their last match. The oldest entry is dropped
    * first.
    */
  private[client] final class KeptAsTheyAre {
    private val hashes = new java.util.LinkedHashMap[String, java.lang.Boolean] {
      override def removeEldestEntry(eldest: java.util.Map.Entry[String, java.lang.Boolean]): Boolean = size > MostKept
    }

    def note(stored: String, keep: Boolean): Unit = synchronized {
      // Removed first, because `put` alone would keep a known hash in its old place in the order.
      hashes.remove(stored)
      if (keep) { val _ = hashes.put(stored, true) }
    }

    def apply(stored: String): Boolean = synchronized(hashes.containsKey(stored))
  }

  /** Far more than the logins that are between a match and the question whether to replace the
    * hash.
    */
  private[client] val MostKept = 1024
}
