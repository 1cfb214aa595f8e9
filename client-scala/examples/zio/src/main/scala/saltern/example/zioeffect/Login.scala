package saltern.example.zioeffect

import saltern.client.{ClientConfig, Match, Mismatch, Password, SalternError}
import saltern.client.zioeffect.SalternZIO
import zio.{Console, Ref, UIO, ULayer, ZIO, ZIOAppDefault, ZLayer}

/** A login as a ZIO service would write it: remotely with `saltern serve`, locally without it.
  *
  * {{{
  * bin/sbt "zio/Test/runMain saltern.example.zioeffect.Login"
  * }}}
  */
object Login extends ZIOAppDefault {
  def run: ZIO[Any, Any, Unit] = program.provide(SalternZIO.layer(ClientConfig("http://127.0.0.1:9000")), Users.layer())

  private val program = for {
    hashed <- ZIO.serviceWithZIO[SalternZIO](_.hash(Password("correct horse")))
    _ <- ZIO.serviceWithZIO[Users](_.add("ada", hashed.encoded))
    right <- login("ada", "correct horse")
    wrong <- login("ada", "battery staple")
    _ <- Console.printLine(s"hashed ${hashed.origin}; the right password: $right, a wrong one: $wrong")
  } yield ()

  /** Returns whether the password is the user's. An error is not an answer: ask the user to try
    * again.
    */
  def login(user: String, password: String): ZIO[SalternZIO & Users, SalternError, Boolean] =
    for {
      saltern <- ZIO.service[SalternZIO]
      users <- ZIO.service[Users]
      stored <- users.storedHash(user)
      verified <- saltern.login(Password(password), stored)
      welcome <- verified match {
        case Match(rehash) => ZIO.foreachDiscard(rehash)(made => users.replace(user, stored, made.encoded)).as(true)
        case _: Mismatch   => ZIO.succeed(false)
      }
    } yield welcome

  /** A user table. */
  final class Users private (hashes: Ref[Map[String, String]]) {
    def storedHash(user: String): UIO[Option[String]] = hashes.get.map(_.get(user))
    def add(user: String, hash: String): UIO[Unit] = hashes.update(_ + (user -> hash))

    /** Compare and swap: a password that was changed in the meantime stays changed. */
    def replace(user: String, old: Option[String], made: String): UIO[Unit] =
      hashes.update(known => if (known.get(user) == old) known + (user -> made) else known)
  }

  object Users {
    def layer(users: (String, String)*): ULayer[Users] = ZLayer(Ref.make(users.toMap).map(new Users(_)))
  }
}
