package saltern.client

import scala.jdk.CollectionConverters.*

/** The result of [[Saltern.check]]: one finding for each point of the setup. `toString` prints one
  * line for each.
  *
  * @param reachable whether the service answers at the endpoint
  * @param authorised whether it takes the client's credentials
  * @param mayHash whether the credentials allow `hash`
  * @param mayVerify whether the credentials allow `verify`
  * @param batch whether the service has `/batch`
  * @param policies whether service and client hold the same policy document
  * @param clock whether this host's clock agrees with the service's, for signatures that carry a
  *   time
  * @param localHashing whether this host can compute hashes while the service does not answer, if it
  *   shall
  * @param sealKeys the seal keys of this host, if it has some
  */
final class Report private[saltern] (
    val reachable: Report.Finding,
    val authorised: Report.Finding,
    val mayHash: Report.Finding,
    val mayVerify: Report.Finding,
    val batch: Report.Finding,
    val policies: Report.Finding,
    val clock: Report.Finding,
    val localHashing: Report.Finding,
    val sealKeys: Seq[Report.SealKey]
) {

  /** Every finding with its name. */
  def findings: Seq[(String, Report.Finding)] = Seq(
    "reachable" -> reachable,
    "authorised" -> authorised,
    "may hash" -> mayHash,
    "may verify" -> mayVerify,
    "batch" -> batch,
    "policies" -> policies,
    "clock" -> clock,
    "local hashing" -> localHashing
  )

  /** Whether no point is bad. */
  def isGood: Boolean = problems.isEmpty

  /** The bad points in plain words, each with the operator's next step. */
  def problems: Seq[String] = findings.collect { case (_, Report.Finding.Bad(problem)) => problem }

  /** [[problems]] for Java. */
  def problemList: java.util.List[String] = problems.asJava

  /** [[sealKeys]] for Java. */
  def sealKeyList: java.util.List[Report.SealKey] = sealKeys.asJava

  override def toString: String = (findings.map { case (name, finding) => s"$name: $finding" } ++ sealKeys.map(key => s"seal key $key")).mkString("\n")
}

object Report {

  /** A seal key of this host, without the key itself.
    *
    * @param id that every seal under the key names
    * @param checkValue eight hexadecimal digits, the same on every host with the same key; `saltern
    *   keys check` prints them too
    * @param isCurrent whether this host seals new hashes under it
    */
  final class SealKey private[saltern] (val id: String, val checkValue: String, val isCurrent: Boolean) {
    override def toString: String = s"$id: $checkValue" + (if (isCurrent) ", current" else "")
  }

  /** The result of a check for one point. */
  sealed abstract class Finding {

    /** Whether the point is as it should be. */
    def isGood: Boolean = this match {
      case Finding.Good | _: Finding.Limited   => true
      case _: Finding.Bad | _: Finding.Unknown => false
    }

    /** Whether the point is wrong, and not only unknown. */
    def isBad: Boolean = this.isInstanceOf[Finding.Bad]
  }
  object Finding {

    /** The point is as it should be. */
    case object Good extends Finding { override def toString: String = "yes" }

    /** The point is as it should be, within a limit.
      *
      * @param limit for people, with the step that lifts it
      */
    final case class Limited(limit: String) extends Finding { override def toString: String = s"yes: $limit" }

    /** The point is not as it should be.
      *
      * @param problem for people, with the next step; it contains no secret
      */
    final case class Bad(problem: String) extends Finding { override def toString: String = s"NO: $problem" }

    /** The check could not find out.
      *
      * @param why for people
      */
    final case class Unknown(why: String) extends Finding { override def toString: String = s"unknown: $why" }
  }
}
