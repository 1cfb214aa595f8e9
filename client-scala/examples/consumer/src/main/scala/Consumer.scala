import cats.effect.unsafe.implicits.global
import com.typesafe.config.ConfigFactory
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import saltern.client.*
import saltern.client.catseffect.SalternIO
import saltern.client.hocon.HoconConfig
import saltern.client.lambda.LambdaInvoke
import saltern.client.micrometer.MicrometerListener
import saltern.client.nativekernels.NativeKernels
import saltern.client.spring.SalternPasswordEncoder
import saltern.client.zioeffect.SalternZIO
import saltern.testkit.InMemoryService
import scala.concurrent.Await
import scala.concurrent.duration.*
import zio.{Runtime, Unsafe, ZIO}

/** Uses each published module from outside their build, and logs in at a running server. Ends with
  * an exception if an answer is wrong.
  */
object Consumer {
  def main(arguments: Array[String]): Unit = {
    atServer(arguments.headOption.getOrElse(sys.error("give the server's address")))
    inMemory()
  }

  /** Every answer is the server's, because there is no local hashing. */
  private def atServer(endpoint: String): Unit = {
    // Long enough for a busy machine.
    val patient = ClientConfig(endpoint).withDeadline(60.seconds).withAttemptTimeout(60.seconds).withBreakerSilence(60.seconds)
    val client = Saltern(patient.withFallback(Fallback.Never))
    val saltern = client.blocking
    try {
      require(saltern.check().isGood, saltern.check().toString)
      val password = Password("correct horse")
      val old = saltern.hash(password, "bcrypt-12-2023").encoded
      val replaced = saltern.login(password, Some(old)) match {
        case Match(Some(rehash)) => rehash.encoded
        case other               => sys.error(s"the login brought no new hash: $other")
      }
      saltern.login(password, Some(replaced)) match {
        case Match(None) => ()
        case other       => sys.error(s"the new hash is not current: $other")
      }
      for ((entered, stored) <- Seq(Password("wrong") -> Some(replaced), password -> None))
        require(!saltern.login(entered, stored).isInstanceOf[Match])
      try sys.error(s"${saltern.login(password, Some("no hash"))}")
      catch { case _: SalternError.BadHash => () }
    } finally client.close()
  }

  private def inMemory(): Unit = {
    val registry = new SimpleMeterRegistry
    val config = HoconConfig
      .from(ConfigFactory.parseString("""{ endpoint = "https://service.invalid", deadline = 60s, retry-budget = 0 }"""))
      .withListener(new MicrometerListener(registry))
      .withLocalKernels(NativeKernels.attempt().fold(reason => sys.error(reason), identity))
    val service = InMemoryService()
    val saltern = Saltern(config, service)
    val password = Password("correct horse")

    val old = Await.result(saltern.hash(password, "bcrypt-12-2023"), 90.seconds)
    val upgraded = Await.result(saltern.login(password, Some(old.encoded)), 90.seconds) match {
      case Match(Some(rehash)) => rehash
      case other               => sys.error(s"the login brought no new hash: $other")
    }
    require(SalternIO.resource(config, service).use(_.verify(password, old.encoded)).unsafeRunSync().isInstanceOf[Match])
    val byZio = ZIO.serviceWithZIO[SalternZIO](_.verify(password, old.encoded)).provide(SalternZIO.layer(config, service))
    require(Unsafe.unsafe(implicit unsafe => Runtime.default.unsafe.run(byZio).getOrThrowFiberFailure()).isInstanceOf[Match])
    val encoder = new SalternPasswordEncoder(saltern)
    require(encoder.matches("correct horse", old.encoded) && encoder.upgradeEncoding(old.encoded))
    OfThisScala.check(saltern, "correct horse", old.encoded)

    service.failAlways(InMemoryService.Fault.Fails(TransportFailure.Kind.ConnectFailed))
    val fresh = upgraded.encoded
    require(Await.result(saltern.verify(password, fresh), 90.seconds).isInstanceOf[Match])
    require(!Await.result(saltern.verify(Password("wrong"), fresh), 90.seconds).isInstanceOf[Match])
    // Only verified: a vector of sha-crypt's specification.
    val ofCrypt = "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"
    require(Await.result(saltern.verify(Password("Hello world!"), ofCrypt), 90.seconds).isInstanceOf[Match])
    val fallbacks = registry.get(MicrometerListener.Fallback).tag("reason", FallbackReason.ConnectFailed.name).counter.count
    require(fallbacks == 3, s"$fallbacks fallbacks were counted")
    saltern.close()

    // Makes a signer, so AWS's own signer must be on the class path. Nothing is sent.
    LambdaInvoke(LambdaInvoke.config("eu-north-1"), "saltern").close()
    println(s"consumed: hashed under ${old.policy}, upgraded to ${upgraded.policy.getOrElse("?")}, $fallbacks fallbacks")
  }
}
