package saltern.client.sigv4

import java.io.ByteArrayInputStream
import java.net.URI
import java.util.concurrent.{LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}
import saltern.client.{RequestAuth, Threads}
import scala.concurrent.{ExecutionContext, Future}
import scala.jdk.CollectionConverters.*
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider
import software.amazon.awssdk.http.{ContentStreamProvider, SdkHttpMethod, SdkHttpRequest}
import software.amazon.awssdk.http.auth.aws.signer.{AwsV4FamilyHttpSigner, AwsV4HttpSigner}
import software.amazon.awssdk.identity.spi.{AwsCredentialsIdentity, IdentityProvider}

/** Signs requests for a Function URL with `AWS_IAM` (or for Lambda's own API) by AWS's own signer.
  *
  * Credentials are resolved for each request on threads of the module's own, because the chain may ask the network when
  * they expire. The SDK keeps them until then. A failure sends the call to local hashing.
  */
final class SigV4 private (credentials: IdentityProvider[? <: AwsCredentialsIdentity], region: String) extends RequestAuth {
  import SigV4.*

  private val signer = AwsV4HttpSigner.create()
  // Bounded: while credentials hang, later requests fail at once instead of piling up.
  private val executor = new ThreadPoolExecutor(
    SigningThreads,
    SigningThreads,
    30L,
    TimeUnit.SECONDS,
    new LinkedBlockingQueue[Runnable](LongestLine),
    Threads.named("saltern-sigv4")
  )
  executor.allowCoreThreadTimeOut(true)
  private val context = ExecutionContext.fromExecutor(executor)

  override def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] =
    Future {
      val identity = credentials.resolveIdentity().get(ResolveSeconds, TimeUnit.SECONDS)
      sign(identity, method, uri, headers, body)
    }(context)

  override def close(): Unit = { val _ = executor.shutdownNow() }

  private def sign(
      identity: AwsCredentialsIdentity,
      method: String,
      uri: URI,
      headers: Seq[(String, String)],
      body: Array[Byte]
  ): Seq[(String, String)] = {
    val request = SdkHttpRequest.builder().method(SdkHttpMethod.fromValue(method)).uri(uri)
    headers.foreach { case (name, value) => request.putHeader(name, value) }
    val payload: ContentStreamProvider = () => new ByteArrayInputStream(body)
    val signed = signer.sign { builder =>
      val _ = builder
        .identity(identity)
        .request(request.build())
        .payload(payload)
        .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, Service)
        .putProperty(AwsV4HttpSigner.REGION_NAME, region)
    }
    val before = headers.map(_._1.toLowerCase(java.util.Locale.ROOT)).toSet
    signed.request.headers.asScala.toSeq
      .flatMap { case (name, values) => values.asScala.map(name -> _) }
      // `Host` is signed, and the HTTP client writes the same one itself.
      .filterNot { case (name, _) => name.equalsIgnoreCase("Host") || before(name.toLowerCase(java.util.Locale.ROOT)) }
  }

  override def toString: String = s"SigV4(region=$region, ..)"
}

object SigV4 {

  /** By the default credentials chain: environment, system properties, web identity, profile, container, instance.
    *
    * @param region such as `eu-north-1`
    */
  def apply(region: String): SigV4 = apply(region, DefaultCredentialsProvider.builder().build())

  /** By credentials of one's own, asked for at each request. They have three seconds. */
  def apply(region: String, credentials: IdentityProvider[? <: AwsCredentialsIdentity]): SigV4 = new SigV4(credentials, region)

  /** The service that Function URLs and `Invoke` belong to. */
  private val Service = "lambda"

  /** Signing takes 0.1 ms, and waiting for credentials happens on few at a time. */
  private val SigningThreads = 2
  private val LongestLine = 256

  /** The instance metadata service answers in milliseconds or is not there; an attempt has no longer. */
  private val ResolveSeconds = 3L
}
