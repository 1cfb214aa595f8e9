package saltern.client.resilience

import saltern.client.{BreakerState, FallbackReason}
import scala.concurrent.duration.*

class BreakerSuite extends munit.FunSuite {
  private val settings = BreakerSettings.Default
  private def at(time: FiniteDuration): Long = time.toNanos

  private def after(results: Seq[CallResult], start: Breaker = Breaker(settings)): Breaker =
    results.zipWithIndex.foldLeft(start) { case (breaker, (result, i)) =>
      breaker.record(breaker.epoch, result, at(i.millis), 0.5)
    }

  private val failure: CallResult = CallResult.Failure
  private val success: CallResult = CallResult.Success
  private val slow: CallResult = CallResult.Slow
  private val neutral: CallResult = CallResult.Neutral

  test("the breaker opens after enough failed or slow calls") {
    val open: BreakerState = BreakerState.Open
    val closed: BreakerState = BreakerState.Closed
    for (
      (results, state) <- Seq(
        Seq.fill(9)(failure) -> closed,
        Seq.fill(10)(failure) -> open,
        (Seq.fill(5)(success) ++ Seq.fill(5)(failure)) -> open,
        (Seq.fill(6)(success) ++ Seq.fill(4)(failure)) -> closed,
        (Seq.fill(2)(success) ++ Seq.fill(8)(slow)) -> open,
        (Seq.fill(3)(success) ++ Seq.fill(7)(slow)) -> closed,
        (Seq.fill(3)(success) ++ Seq.fill(3)(failure) ++ Seq.fill(4)(slow)) -> closed,
        Seq.fill(1000)(neutral) -> closed
      )
    ) assertEquals(after(results).state, state, results.mkString(" "))
  }

  test("old results do not count") {
    val nine = after(Seq.fill(9)(failure))
    val later = nine.record(nine.epoch, failure, at(settings.windowAge + 1.minute), 0.5)
    assertEquals(later.state, BreakerState.Closed: BreakerState)
  }

  test("an open breaker admits no call until its rest is over, then one probe in each interval") {
    val open = after(Seq.fill(10)(failure))
    assertEquals(open.admit(at(9.millis))._2, None)
    // Half of 250 ms is fixed; the chance of 0.5 adds half of the other half.
    val rested = at(9.millis + 187500.micros)
    assert(!open.wouldAdmit(rested - 1) && open.wouldAdmit(rested))
    val (probing, first) = open.admit(rested)
    assertEquals(probing.state, BreakerState.HalfOpen: BreakerState)
    assert(first.isDefined)
    assertEquals(probing.admit(rested + 1)._2, None)
    assert(probing.admit(rested + settings.probeInterval.toNanos)._2.isDefined, "an unanswered probe blocks other probes only for a short time")
  }

  test("two good probes close the breaker, and a bad probe opens it for longer") {
    val (probing, epoch) = after(Seq.fill(10)(failure)).admit(at(1.second))
    val one = probing.record(epoch.get, success, at(1.second), 0.5)
    assertEquals(one.state, BreakerState.HalfOpen: BreakerState)
    val (again, second) = one.admit(at(1.second))
    assertEquals(again.record(second.get, success, at(1.second), 0.5).state, BreakerState.Closed: BreakerState)
    val reopened = again.record(second.get, failure, at(1.second), 0.5)
    assertEquals(reopened.phase, Breaker.Resting(at(1.second + 375.millis), 1): Breaker.Phase)
  }

  test("the breaker's rest doubles up to the longest") {
    val lengths = (0 to 5).map { times =>
      val probing = Breaker(settings, Breaker.Probing(0, 0, times), 7)
      probing.record(7, failure, 0, 0.999999).phase match {
        case Breaker.Resting(until, _) => math.round(until / 1e6)
        case other                     => fail(other.toString)
      }
    }
    assertEquals(lengths.toList, List(500L, 1000L, 1000L, 1000L, 1000L, 1000L))
  }

  test("an answer of an earlier epoch does not count") {
    val closed = Breaker(settings)
    val (probing, _) = after(Seq.fill(10)(failure)).admit(at(1.second))
    assertEquals(probing.record(closed.epoch, failure, at(1.second), 0.5), probing)
    assertEquals(probing.record(closed.epoch, success, at(1.second), 0.5), probing)
  }

  test("a clock that wraps or jumps changes decisions only for a short time") {
    val start = Long.MaxValue - 5
    val open = (1 to 10).foldLeft(Breaker(settings))((b, _) => b.record(b.epoch, failure, start, 0.5))
    assert(!open.wouldAdmit(start + 1.milli.toNanos))
    assert(open.wouldAdmit(start + 1.second.toNanos), "past the wrap")
    val nine = (1 to 9).foldLeft(Breaker(settings))((b, _) => b.record(b.epoch, failure, at(1.hour), 0.5))
    assertEquals(nine.record(nine.epoch, success, 0, 0.5).state, BreakerState.Open: BreakerState, "a step back keeps the window")
  }

  test("a pause keeps calls from the service, and a shorter pause does not end it") {
    val health = Health(Breaker(settings), RetryBudget.full(100), None)
    val overloaded = Outcome.Problem(503, "overloaded", None, Some(2.seconds))
    val brief = Outcome.Foreign(429, Some(1.second))
    val paused = health.record(0, overloaded, neutral, 0, 0.5).record(0, brief, neutral, 0, 0.5)
    assertEquals(paused.keptAway(at(1999.millis)), Some(FallbackReason.Throttled: FallbackReason))
    assertEquals(paused.keptAway(at(2.seconds)), None)
    assertEquals(paused.admit(at(1.second))._2, Left(FallbackReason.Throttled: FallbackReason))
  }
}
