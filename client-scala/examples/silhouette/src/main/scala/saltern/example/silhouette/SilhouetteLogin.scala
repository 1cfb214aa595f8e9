package saltern.example.silhouette

import java.util.concurrent.Executors
import play.silhouette.api.{AuthInfo, LoginInfo}
import play.silhouette.api.repositories.AuthInfoRepository
import play.silhouette.api.util.{Credentials, PasswordHasherRegistry, PasswordInfo}
import play.silhouette.impl.exceptions.IdentityNotFoundException
import play.silhouette.impl.providers.CredentialsProvider
import saltern.client.{ClientConfig, Password, Saltern}
import saltern.client.silhouette.SalternPasswordHasher
import scala.collection.concurrent.TrieMap
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.reflect.ClassTag

/** A Silhouette login whose user was stored by its `BCryptPasswordHasher`: remotely with `saltern
  * serve`, locally without it.
  *
  * {{{
  * bin/sbt "silhouette/Test/runMain saltern.example.silhouette.SilhouetteLogin"
  * }}}
  */
object SilhouetteLogin {

  /** The hash of `secret`, as `BCryptPasswordHasher` stores it. */
  val stored: PasswordInfo = PasswordInfo("bcrypt", "$2a$10$BTINDsJE.cqWqWIaqYLmdOh4Ld31PrqpFmTLpqCAlwsNh44twnf0u")

  def main(arguments: Array[String]): Unit = {
    val saltern = Saltern(ClientConfig(arguments.headOption.getOrElse("http://127.0.0.1:9000")))
    val threads = waitingThreads(2)
    val users = new Users("ada" -> stored)
    try {
      val provider = credentials(saltern, users)(threads)
      for (password <- Seq("secret", "wrong"))
        println(s"$password: ${Await.ready(provider.authenticate(Credentials("ada", password)), 10.seconds).value}")
      println(s"stored now by: ${users.hasherOf("ada")}")
    } finally { threads.shutdown(); saltern.close() }
  }

  /** Silhouette's hashers are synchronous, so a separate pool of threads waits, and not Play's. */
  def waitingThreads(most: Int) = ExecutionContext.fromExecutorService(Executors.newFixedThreadPool(most))

  /** A Guice module would provide this. It reads the old table without further hashers. For
    * `bcrypt-sha256` hashes, add Silhouette's own hasher to the deprecated ones.
    */
  def credentials(saltern: Saltern, users: AuthInfoRepository)(threads: ExecutionContext): CredentialsProvider = {
    val hasher = new SalternPasswordHasher(saltern).withWait(5.seconds)
    new CredentialsProvider(users, PasswordHasherRegistry(current = hasher, deprecated = Nil))(threads) {
      // Silhouette calls no hasher for an unknown name. This login takes the time of the others.
      override def authenticate(credentials: Credentials): Future[LoginInfo] =
        super.authenticate(credentials).recoverWith { case unknown: IdentityNotFoundException =>
          saltern.withDeadline(5.seconds).login(Password(credentials.password), None).flatMap(_ => Future.failed(unknown))
        }
    }
  }

  /** A user table. */
  final class Users(users: (String, PasswordInfo)*) extends AuthInfoRepository {
    private val infos = TrieMap[LoginInfo, AuthInfo](users.map { case (user, info) => LoginInfo(CredentialsProvider.ID, user) -> info }: _*)

    def hasherOf(user: String): Option[String] =
      infos.get(LoginInfo(CredentialsProvider.ID, user)).collect { case info: PasswordInfo => info.hasher }

    def find[T <: AuthInfo](login: LoginInfo)(implicit tag: ClassTag[T]): Future[Option[T]] =
      Future.successful(infos.get(login).collect { case info: T => info })
    def add[T <: AuthInfo](login: LoginInfo, info: T): Future[T] = save(login, info)
    def update[T <: AuthInfo](login: LoginInfo, info: T): Future[T] = save(login, info)
    def save[T <: AuthInfo](login: LoginInfo, info: T): Future[T] = { infos.put(login, info); Future.successful(info) }
    def remove[T <: AuthInfo](login: LoginInfo)(implicit tag: ClassTag[T]): Future[Unit] = { infos.remove(login); Future.unit }
  }
}
