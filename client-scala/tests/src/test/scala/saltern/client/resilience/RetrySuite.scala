package saltern.client.resilience

import scala.concurrent.duration.*

class RetrySuite extends munit.FunSuite {

  test("the budget dries up, and answers refill it slowly") {
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

  test("full jitter: anything below the bound, which doubles up to the longest") {
    for (
      (attempt, random, expected) <-
        Seq((0, 0.0, 0.millis), (0, 0.5, 10.millis), (1, 0.5, 20.millis), (2, 0.5, 40.millis), (9, 0.5, 100.millis), (1000, 0.5, 100.millis))
    )
      assertEquals(Backoff.fullJitter(attempt, random), expected)
  }
}
