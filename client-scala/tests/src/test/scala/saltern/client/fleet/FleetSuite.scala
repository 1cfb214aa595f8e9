package saltern.client.fleet

import saltern.client.*
import saltern.client.fleet.Fleet.*
import saltern.testkit.VirtualScheduler
import scala.concurrent.duration.*

/** Many clients of one service under virtual time. Each test prints its figures. */
class FleetSuite extends PatientSuite {
  import FleetSuite.*

  private final class World(change: ClientConfig => ClientConfig = identity, size: Size = Large) {
    val clock = new VirtualScheduler
    val service = new ModelService(clock, size.workers, size.hash)
    val capacity: Double = service.capacity
    val fleet = new Fleet(size.clients, service, clock, change)
    def figures(from: FiniteDuration, until: FiniteDuration): Figures = new Figures(fleet.ends, from, until)
  }

  private val Settled = 5.seconds

  for {
    size <- Seq(Large, Small)
    fallback <- Seq(Fallback.Unreachable, Fallback.UnreachableOrOverloaded)
    load <- Seq(0.5, 0.9, 1.5, 3.0, 10.0)
  }
    test(s"at $load times its capacity the service answers evenly and in time, ${size.clients} clients, fallback $fallback") {
      val world = new World(_.withFallback(fallback), size)
      world.fleet.offer(load * world.capacity, size.end)
      val figures = world.figures(Settled, size.end)
      println(f"${size.clients}%3d clients, $load%4s x, $fallback: $figures, the service refused ${world.service.refused} of ${world.service.received}")
      assert(figures.perSecond(Remote) >= math.min(load * 0.95, 0.9) * world.capacity, s"$figures")
      assert(figures.swing <= 0.2, s"$figures")
      assert(figures.p99 <= 1.second, s"$figures")
      assertEquals(figures.perSecond(Late), 0.0)
      assertEquals(world.service.wasted, 0, "answers whose callers had left")
      if (load <= size.calm) assertEquals(figures.perSecond(Refused) + figures.perSecond(Local), 0.0, "needless")
    }

  for (load <- Seq(0.9, 1.5, 3.0, 10.0))
    test(s"a service that dies and returns has its work back within 3 s, at $load times its capacity") {
      val world = new World()
      def offer(time: FiniteDuration): Unit = world.fleet.offer(load * world.capacity, time)
      offer(10.seconds)
      world.service.become(ModelService.Dead)
      offer(3.seconds)
      world.service.become(ModelService.Well)
      val (received, refused) = (world.service.received, world.service.refused)
      offer(3.seconds)
      val share = (world.service.refused - refused) / (world.service.received - received).max(1).toDouble
      offer(4.seconds)
      val later = (world.service.refused - refused) / (world.service.received - received).max(1).toDouble
      val back = world.figures(16.seconds, 17.seconds)
      println(f"$load%4s x, dead from 10 s to 13 s: " +
        (13 to 19).map(s => f"${world.figures(s.seconds, (s + 1).seconds).perSecond(Remote)}%.0f").mkString("remote answers in each second after ", ", ", "") +
        f"; refused ${share * 100}%.0f %% in 3 s, ${later * 100}%.0f %% in 7 s")
      assert(back.perSecond(Remote) >= 0.9 * math.min(load, 1) * world.capacity * 0.98, s"$back")
      assert(share <= 0.2 && later <= 0.2, s"refused $share, $later")
    }

  for (rate <- Seq(3, 64))
    test(s"no login waits for a service that hangs, at $rate a second in one client") {
      val world = new World(_.withDeadline(10.seconds).withLocalWorkers(1), size = Large.copy(clients = 1))
      world.fleet.offer(rate.toDouble, 10.seconds)
      world.service.become(ModelService.Hanging)
      world.fleet.offer(rate.toDouble, 30.seconds)
      val hung = world.fleet.ends.filter(e => e.began >= 12.seconds && e.began < 38.seconds)
      val late = hung.count(e => e.waited > 1.milli)
      println(s"hanging, $rate/s: ${hung.size} logins, $late waited for the service, ${world.figures(12.seconds, 38.seconds)}")
      assert(hung.size > rate * 20 && late < 0.01 * hung.size, s"$late of ${hung.size}")
      world.service.become(ModelService.Well)
      // The last probe may still hang, and the local queue is not empty.
      world.fleet.offer(rate.toDouble, 12.seconds)
      assertEquals(world.figures(50.seconds, 52.seconds).perSecond(Local), 0.0)
    }
}

private object FleetSuite {

  /** The model computes so many hashes at once, each in this time.
    *
    * @param end of the run: a few thousand logins at half the capacity
    * @param calm the largest load at which no call meets a long queue. Random arrivals at a small
    *   service vary more.
    */
  final case class Size(clients: Int, workers: Int, hash: FiniteDuration, end: FiniteDuration, calm: Double)
  val Large: Size = Size(clients = 200, workers = 16, hash = 16.millis, end = 15.seconds, calm = 0.9)

  /** One real worker with eight lanes, and the fleet of `bin/fleet`. */
  val Small: Size = Size(clients = 8, workers = 8, hash = 94.millis, end = 65.seconds, calm = 0.5)
}
