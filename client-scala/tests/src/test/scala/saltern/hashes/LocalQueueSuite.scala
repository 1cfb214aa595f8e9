package saltern.hashes

import scala.concurrent.duration.*

class LocalQueueSuite extends saltern.client.PatientSuite {
  import LocalQueue.*

  private def state(running: Int = 1, queued: Int = 0, backlog: FiniteDuration = Duration.Zero) =
    State(atOnce = 1, running = running, queued = queued, capacity = 4, backlog = backlog)

  test("a call is taken, or shed at once with the wait ahead") {
    val own = 100.millis
    for (
      (before, timeLeft, expected) <- Seq(
        (state(running = 0), 1.second, Take),
        (state(queued = 3, backlog = 350.millis), 2.seconds, Take),
        (state(queued = 4, backlog = 450.millis), 10.seconds, Shed(1.second)),
        (state(queued = 4, backlog = 3.seconds), 10.seconds, Shed(3.seconds)),
        (state(queued = 1, backlog = 250.millis), 1.second, Take),
        (state(queued = 1, backlog = 251.millis), 1.second, Shed(1.second)),
        (state(queued = 1, backlog = 20.millis), 119.millis, Shed(1.second))
      )
    ) assertEquals(admit(before, own, timeLeft), expected: Admission, s"$before $timeLeft")
  }

  test("an idle worker tries a call that its estimate forbids") {
    assertEquals(admit(state(running = 0), 1.hour, 1.milli), Take: Admission)
    // Three of the four workers begin at the same time.
    assertEquals(admit(State(4, running = 0, queued = 3, capacity = 0, Duration.Zero), 1.hour, 1.milli), Take: Admission)
  }

  test("the backlog is shared by the workers") {
    val two = State(atOnce = 2, running = 2, queued = 1, capacity = 4, backlog = 500.millis)
    assertEquals(admit(two, 100.millis, 1.second), Take: Admission)
  }

  test("the estimate follows the measured time of each algorithm") {
    val estimator = new Estimator
    val ceilings = Ceilings(15, 262144, 1048576, 16, 5000000, 134217728, 4194304, 1000000)
    def admitted(params: Params) = Admitted(Setting.fresh(params, new Array[Byte](16)), ceilings).get
    val (bcrypt10, bcrypt12) = (admitted(Params.Bcrypt(10).get), admitted(Params.Bcrypt(12).get))
    val scrypt = admitted(Params.Scrypt(10, 8, 1).get)
    val scryptBefore = estimator.estimate(scrypt, scrypt.work)
    for (_ <- 1 to 40) estimator.learn(bcrypt10, bcrypt10.work, 10.millis)
    assertEquals(estimator.estimate(bcrypt10, bcrypt10.work).toMillis, 10L)
    assertEquals(estimator.estimate(bcrypt12, 2 * bcrypt12.work).toMillis, 80L)
    assertEquals(estimator.estimate(scrypt, scrypt.work), scryptBefore)
  }
}
