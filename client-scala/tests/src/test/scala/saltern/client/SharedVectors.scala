package saltern.client

import com.github.plokhotnyuk.jsoniter_scala.core.readFromArray
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import saltern.hashes.{Admitted, EncodedHash, Estimator, Policies, VectorsThrough}
import scala.concurrent.duration.*

/** A selection of the service's vectors, for the modules that adapt the client to frameworks. From
  * each file it has the first vector of each scheme and result that is text, quick and not of a
  * weak scheme. `VectorsSuite` tests the computation; these test the path through the module.
  */
object SharedVectors {

  /** @param expected `match`, `mismatch` or the code of a refusal */
  final case class Login(name: String, password: String, stored: String, expected: String)

  lazy val logins: Vector[Login] = Vector("argon2", "bcrypt", "frameworks", "pbkdf2", "scrypt").flatMap(portion)

  private def portion(topic: String): Vector[Login] = {
    val path = Paths.get(sys.props("saltern.vectors"), s"$topic.json")
    val logins = for {
      group <- readFromArray[VectorsThrough.File](Files.readAllBytes(path)).testGroups if group.`type` == "verify"
      test <- group.tests
      password <- text(test.password)
      stored <- test.hash if isQuick(stored, test.result)
    } yield group.scheme -> Login(s"$topic tcId ${test.tcId}", password, stored, test.result)
    logins.distinctBy { case (scheme, login) => (scheme, login.expected) }.map(_._2)
  }

  private def text(hex: String): Option[String] = {
    val bytes = hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
    Some(new String(bytes, UTF_8)).filter(text => text.nonEmpty && text.getBytes(UTF_8).sameElements(bytes))
  }

  private def isQuick(stored: String, result: String): Boolean = EncodedHash.parse(stored) match {
    case Right(encoded) =>
      !shipped.isWeak(encoded) && !shipped.isWeak(encoded.innermost) &&
      (result == "cost_out_of_bounds" ||
        Admitted(encoded.setting, shipped.ceilings).exists(admitted => new Estimator().estimate(admitted, admitted.work) < Quick))
    case Left(_) => result == "invalid_hash"
  }

  /** The estimate for Spring Security's PBKDF2 is 76 ms before any measurement. Longer vectors test
    * nothing more.
    */
  private val Quick = 100.millis

  private lazy val shipped =
    Policies.of(PolicySource.Packed)
}
