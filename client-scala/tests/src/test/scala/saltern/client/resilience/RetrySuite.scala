package saltern.client.resilience

import scala.concurrent.duration.*

class RetrySuite extends saltern.client.PatientSuite {

  test("retries empty the budget, and answers refill it slowly") {
    val spent = Iterator.iterate(Option(RetryBudget.full(100)))(_.flatMap(_.take)).takeWhile(_.isDefined).flatten.toVector
    assertEquals(spent.size - 1, 10)
    val empty = spent.last
    assertEquals(empty.take, None)
    val refilled = (1 to 10).foldLeft(empty)((budget, _) => budget.refill)
    assert(refilled.take.isDefined)
    assertEquals((1 to 9).foldLeft(empty)((budget, _) => budget.refill).take, None)
    assertEquals(RetryBudget.full(100).refill, RetryBudget.full(100))
    assertEquals(RetryBudget.full(0).take, None)
  }

  test("an attempt takes the configured time, and with fallback at most half of the time left") {
    for (
      (left, set, fallback, expected) <- Seq(
        (10.seconds, 3.seconds, true, 3.seconds),
        (6.seconds, 3.seconds, true, 3.seconds),
        (5.seconds, 3.seconds, true, 2500.millis),
        (800.millis, 3.seconds, true, 400.millis),
        (800.millis, 3.seconds, false, 800.millis),
        (800.millis, 500.millis, false, 500.millis)
      )
    )
      assertEquals(Attempt.longest(left, set, fallback), expected)
  }

  test("full jitter draws below the longest pause") {
    for ((random, expected) <- Seq(0.0 -> 0.millis, 0.5 -> 10.millis, 0.99 -> 19800.micros)) assertEquals(Backoff.fullJitter(random), expected)
  }
}
