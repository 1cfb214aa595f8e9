package saltern.client.resilience

import scala.concurrent.duration.*

class CoalescingSuite extends saltern.client.PatientSuite {
  import Coalescing.Step

  private val window = 2.millis
  private def arrive(state: Coalescing[String], call: String) = state.arrive(call, window)

  test("a lone call does not wait") {
    val (state, step) = arrive(Coalescing.empty(4), "a")
    assertEquals(step, Step.Send(Vector("a")): Step[String])
    assert(state.finish._1.idle)
  }

  test("calls wait while one is in flight: until the batch is full") {
    val (s1, _) = arrive(Coalescing.empty(3), "a")
    val (s2, first) = arrive(s1, "b")
    assertEquals(first, Step.WakeAfter(window, 1): Step[String])
    val (s3, second) = arrive(s2, "c")
    assertEquals(second, Step.Wait: Step[String])
    val (s4, third) = arrive(s3, "d")
    assertEquals(third, Step.Send(Vector("b", "c", "d")): Step[String])
    assertEquals(s4.wake(1)._2, Step.Wait: Step[String], "the window of an earlier round has no effect")
  }

  test("calls wait while one is in flight: until the window ends") {
    val (s1, _) = arrive(Coalescing.empty(4), "a")
    val (s2, _) = arrive(s1, "b")
    val (s3, _) = arrive(s2, "c")
    assertEquals(s3.wake(1)._2, Step.Send(Vector("b", "c")): Step[String])
  }

  test("calls wait while one is in flight: until it is answered") {
    val (s1, _) = arrive(Coalescing.empty(4), "a")
    val (s2, _) = arrive(s1, "b")
    assertEquals(s2.finish._2, Step.Send(Vector("b")): Step[String])
  }

  test("a withdrawn call is not sent, and the window of an emptied round does not count for the next") {
    val (s1, _) = arrive(Coalescing.empty(4), "a")
    val (s2, first) = arrive(s1, "b")
    val (s3, _) = arrive(s2, "c")
    assertEquals(s3.withdraw("b").wake(1)._2, Step.Send(Vector("c")): Step[String])
    assertEquals(s3.withdraw("nobody"), s3)
    val (s4, second) = arrive(s3.withdraw("b").withdraw("c"), "d")
    assertEquals((first, second), (Step.WakeAfter(window, 1): Step[String], Step.WakeAfter(window, 2): Step[String]))
    assertEquals((s4.wake(1)._2, s4.wake(2)._2), (Step.Wait: Step[String], Step.Send(Vector("d")): Step[String]))
    assert(arrive(Coalescing.empty(4), "a")._1.withdraw("a").finish._1.idle)
  }

  test("with a largest batch of one, no call waits") {
    val (s1, first) = arrive(Coalescing.empty(1), "a")
    val (_, second) = arrive(s1, "b")
    assertEquals(Seq(first, second), Seq[Step[String]](Step.Send(Vector("a")), Step.Send(Vector("b"))))
  }

  test("for any order of events, every call leaves once, in order, in batches that are not too large") {
    val random = new scala.util.Random(1)
    for (most <- 1 to 8; _ <- 1 to 200) {
      var state = Coalescing.empty[Int](most)
      var sent = Vector.empty[Vector[Int]]
      var wakes = Vector.empty[Long]
      var open = 0
      def obey(result: (Coalescing[Int], Step[Int])): Unit = {
        state = result._1
        result._2 match {
          case Step.Send(calls)         => sent :+= calls; open += 1
          case Step.WakeAfter(_, round) => wakes :+= round
          case Step.Wait                => ()
        }
      }
      val calls = 60
      var next = 0
      while (next < calls || wakes.nonEmpty || open > 0)
        random.nextInt(3) match {
          case 0 if next < calls   => obey(state.arrive(next, window)); next += 1
          case 1 if wakes.nonEmpty => val round = wakes.head; wakes = wakes.tail; obey(state.wake(round))
          case 2 if open > 0       => open -= 1; obey(state.finish)
          case _                   => ()
        }
      assertEquals(sent.flatten, (0 until calls).toVector)
      assert(sent.forall(_.size <= most))
      assert(state.idle)
    }
  }
}
