package saltern.client

import java.net.URI

/** A program with `saltern-core` alone. The other modules are on the tests' own class path. */
class WithoutHashesSuite extends PatientSuite {
  test("saltern-core asks the service, and is not made with a fallback that it does not have") {
    val server = RawServer.always(RawServer.response(200, "application/json", RawServer.mismatch))
    val ended =
      try OtherJvm.runWithout("hashes", "saltern.client.WithoutHashes", server.uri.toString)
      finally server.close()
    assertEquals(
      ended.said.linesIterator.filter(_.startsWith("> ")).toVector,
      Vector("> names saltern-client", "> Mismatch remote", "> no reason"),
      ended.said
    )
  }
}

object WithoutHashes {
  def main(arguments: Array[String]): Unit = {
    val config = ClientConfig(URI.create(arguments(0)))
    try Saltern(config)
    catch { case e: IllegalArgumentException if e.getMessage.contains("depend on saltern-client") => println("> names saltern-client") }
    val client = Saltern(config.withFallback(Fallback.Never))
    val verified = client.blocking.login(Password("secret"), Some(EngineSuite.bcrypt5))
    println(s"> ${verified.getClass.getSimpleName} ${verified.origin}")
    println(client.rehashReason(EngineSuite.bcrypt5).fold("> no reason")(reason => s"> $reason"))
    client.close()
  }
}
