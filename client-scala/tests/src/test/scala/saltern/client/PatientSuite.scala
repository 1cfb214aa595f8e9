package saltern.client

import scala.concurrent.duration.*

/** A suite whose tests may take ten minutes each. munit ends a test after 30 s, also a test that
  * only computes, and a slow and busy machine needs more than that.
  */
abstract class PatientSuite extends munit.FunSuite {
  override def munitTimeout: Duration = 10.minutes
}
