package saltern.example

import saltern.client.*
import scala.concurrent.{ExecutionContext, Future}

/** README.md shows this class. A test holds both alike. */
object FirstLogin {

  /** A user table. */
  trait Users {
    def storedHash(name: String): Future[Option[String]]
    def replaceHash(name: String, old: String, made: String): Future[Unit]
  }

  // In README.md from here.
  final class Login(saltern: Saltern, users: Users)(implicit context: ExecutionContext) {

    /** Returns the status of HTTP to answer. */
    def apply(name: String, password: Password): Future[Int] =
      users.storedHash(name).flatMap { stored =>
        saltern.login(password, stored).flatMap {
          case Match(rehash) =>
            val replaced = for (old <- stored; made <- rehash) yield users.replaceHash(name, old, made.encoded)
            replaced.getOrElse(Future.unit).map(_ => 200)
          case _: Mismatch => Future.successful(403)
        }.recover {
          case _: SalternError.UserFault => 400 // no user has such a password
          case _: SalternError.TryLater  => 503 // busy, which is never "wrong password"
          case _: SalternError           => 500 // the row or the settings are wrong
        }
      }
  }
  // To here.
}
