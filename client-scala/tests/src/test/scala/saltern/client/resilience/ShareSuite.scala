package saltern.client.resilience

import saltern.client.{BreakerState, FallbackReason}
import saltern.client.resilience.Share.{Admission, Down, Up}
import scala.concurrent.duration.*

class ShareSuite extends saltern.client.PatientSuite {
  private val settings = ShareSettings.Default
  private val full = Share.full(settings, 0)

  private def heard(share: Share, at: FiniteDuration, signal: Signal, sent: FiniteDuration = -1.second, probe: Boolean = false): Share =
    share.record(if (sent < Duration.Zero) at.toNanos else sent.toNanos, probe, signal, at.toNanos, 0.5)

  private def of(share: Share): Double = share.phase match { case up: Up => up.share; case _: Down => 0 }

  private val well: Signal = Signal.Answered(Duration.Zero)

  /** The share at a time without news. */
  private def at(share: Share, time: FiniteDuration): Double = of(share.admit(time.toNanos, 0)._1)

  private def down(share: Share, at: FiniteDuration): Share = heard(share, at, Signal.Silent)

  test("all calls are sent until the service is overloaded") {
    assertEquals((of(full), full.state), (1.0, BreakerState.Closed: BreakerState))
    val cut = heard(full, 1.second, Signal.Overloaded)
    assertEqualsDouble(of(cut), 0.8, 1e-9)
    assertEquals(cut.state, BreakerState.HalfOpen: BreakerState)
    assertEquals(cut.admit(1.second.toNanos, 0.79)._2, Admission.Send: Admission)
    assertEquals(cut.admit(1.second.toNanos, 0.81)._2, Admission.Keep(FallbackReason.Throttled): Admission)
  }

  test("the refusals of one round trip reduce the share once") {
    val cut = heard(full, 1.second, Signal.Overloaded)
    assertEqualsDouble(of(heard(cut, 1200.millis, Signal.Overloaded, sent = 999.millis)), at(cut, 1200.millis), 1e-9)
    assertEqualsDouble(of(heard(cut, 1099.millis, Signal.Overloaded, sent = 1001.millis)), at(cut, 1099.millis), 1e-9)
    assertEqualsDouble(of(heard(cut, 1100.millis, Signal.Overloaded, sent = 1001.millis)), 0.8 * at(cut, 1100.millis), 1e-9)
  }

  /** The share before the second of two reductions, and the share after it. */
  private val (before, twice) = {
    val cut = heard(full, 1.second, Signal.Overloaded)
    (at(cut, 1100.millis), heard(cut, 1100.millis, Signal.Overloaded))
  }

  test("no overload reduces the share to nothing; it returns to the share before, stays, and then grows to all") {
    assertEqualsDouble(at(twice, 1100.millis), 0.8 * before, 1e-9)
    assert(at(twice, 1600.millis) > 0.9 * before)
    for (time <- Seq(1850.millis, 2350.millis, 2850.millis)) assertEqualsDouble(at(twice, time), before, 0.02)
    assertEquals(at(twice, 4.seconds), 1.0)
    val least = (1 to 100).foldLeft(full)((share, i) => heard(share, (i * 100).millis, Signal.Overloaded))
    assertEqualsDouble(of(least), 0.01, 1e-9)
    assertEquals(at(least, 15.seconds), 1.0, "after any overload all calls are sent again within five seconds")
  }

  test("the share is the same however often it is read") {
    val cut = heard(full, 1.second, Signal.Overloaded)
    val often = (1 to 50).foldLeft(cut)((share, i) => share.admit((1000 + i * 10).millis.toNanos, 0)._1)
    assertEqualsDouble(of(often), at(cut, 1500.millis), 1e-6)
  }

  test("while calls wait for a worker, the share stays as before; a wait that grows long reduces it") {
    def waiting(waits: FiniteDuration*): Share =
      waits.zipWithIndex.foldLeft(twice) { case (share, (wait, i)) => heard(share, (1200 + i * 100).millis, Signal.Answered(wait)) }
    assertEqualsDouble(of(waiting(Seq.fill(60)(100.millis)*)), before, 0.01)
    assertEqualsDouble(of(waiting(140.millis, 160.millis)), 0.8 * at(twice, 1300.millis), 1e-9)
    val once = waiting(200.millis)
    assertEqualsDouble(of(once), 0.8 * at(twice, 1200.millis), 1e-9)
    assertEqualsDouble(of(waiting(200.millis, 190.millis, 180.millis)), at(once, 1400.millis), 1e-9, "then the queue gets shorter")
  }

  test("failures in a row over some time make the service unreachable, an answer between them does not") {
    def failing(start: Share, times: Int, apart: FiniteDuration): Share = (1 to times).foldLeft(start)((share, i) =>
      heard(share, apart * i.toLong, Signal.Failed)
    )
    assertEquals(failing(full, 4, 100.millis).state, BreakerState.Closed: BreakerState)
    assertEquals(failing(full, 5, 100.millis).state, BreakerState.Open: BreakerState)
    assertEquals(failing(full, 50, 1.milli).state, BreakerState.Closed: BreakerState, "connections that break together")
    val interrupted = heard(failing(full, 4, 100.millis), 450.millis, well)
    assertEquals(heard(interrupted, 500.millis, Signal.Failed).state, BreakerState.Closed: BreakerState)
  }

  test("an unreachable service gets one probe at a time, with a pause that doubles once") {
    val open = down(full, 1.second)
    // Half of 250 ms is fixed; the chance of 0.5 adds half of the other half.
    val due = 1.second + 187500.micros
    assertEquals(open.admit(due.toNanos - 1, 0)._2, Admission.Keep(FallbackReason.BreakerOpen): Admission)
    val (probing, first) = open.admit(due.toNanos, 0)
    assertEquals(first, Admission.Probe: Admission)
    assertEquals(probing.admit(due.toNanos + 10.seconds.toNanos, 0)._2, Admission.Keep(FallbackReason.BreakerOpen): Admission)
    val failed = heard(probing, 5.seconds, Signal.Slow, probe = true)
    assertEquals(failed.admit((5.seconds + 375.millis).toNanos - 1, 0)._2, Admission.Keep(FallbackReason.BreakerOpen): Admission)
    assertEquals(failed.admit((5.seconds + 375.millis).toNanos, 0)._2, Admission.Probe: Admission)
    val unsent = heard(probing, 5.seconds, Signal.Nothing, probe = true)
    assertEquals(unsent.admit(5.seconds.toNanos, 0)._2, Admission.Probe: Admission)
    assertEquals(heard(open, 2.seconds, Signal.Failed), open, "an older exchange says nothing")
  }

  test("after an answer the share returns by a ramp to the share before") {
    val back = heard(down(full, 1.second), 2.seconds, well, probe = true)
    assertEqualsDouble(of(back), 0.1, 1e-9)
    assertEquals(back.admit(2.seconds.toNanos, 0.5)._2, Admission.Keep(FallbackReason.BreakerOpen): Admission)
    assert(at(back, 2500.millis) < 0.5)
    assertEquals(at(back, 3600.millis), 1.0)
    val third = (1 to 3).foldLeft(full)((share, i) => heard(share, (i * 100).millis, Signal.Overloaded))
    val known = of(third)
    val again = heard(down(third, 310.millis), 2.seconds, well, probe = true)
    assertEqualsDouble(of(again), known / 10, 0.01)
    val reached = (0 to 30).foldLeft(again)((share, i) => share.admit((2000 + i * 40).millis.toNanos, 0)._1)
    assertEqualsDouble(of(reached), known, 0.01)
  }
}
