package saltern

package object client {

  /** Short names for tests, which look at all answers. The client itself has no such Boolean. */
  implicit final class VerifiedInTests(private val answer: Verified) extends AnyVal {
    private def matched: Option[Match] = answer match {
      case m: Match    => Some(m)
      case _: Mismatch => None
    }
    def matches: Boolean = matched.isDefined
    def rehashReason: Option[RehashReason] = matched.flatMap(_.rehashReason)
    def needsRehash: Boolean = rehashReason.isDefined
    def rehashed: Option[NewHash] = matched.flatMap(_.rehash)
  }
}
