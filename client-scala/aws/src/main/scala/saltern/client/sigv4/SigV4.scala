package saltern.client.sigv4

import java.io.ByteArrayInputStream
import java.net.URI
import java.util.concurrent.TimeUnit
import saltern.client.{RequestAuth, Threads}
import scala.concurrent.{ExecutionContext, Future}
import scala.jdk.CollectionConverters.*
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider
import software.amazon.awssdk.http.{ContentStreamProvider, SdkHttpMethod, SdkHttpRequest}
import software.amazon.awssdk.http.auth.aws.signer.{AwsV4FamilyHttpSigner, AwsV4HttpSigner}
import software.amazon.awssdk.identity.spi.{AwsCredentialsIdentity, IdentityProvider}

/** Signs requests for a Function URL with `AWS_IAM`, or for Lambda's own API, with AWS's signer.
  *
  * Credentials are resolved for each request on the module's own threads, because the chain may use
  * the network when they expire. The SDK caches them until then. If signing fails, the call is
  * hashed locally.
  */
final class SigV4 private (credentials: IdentityProvider[? <: AwsCredentialsIdentity], region: String) extends RequestAuth {
  import SigV4.*

  private val signer = AwsV4HttpSigner.create()
  // Bounded: while the credentials provider hangs, later requests fail at once and do not pile up.
  // Its threads end when they are idle, and not with a client: another one may have the same settings.
  private val context = ExecutionContext.fromExecutor(Threads.onDemand("saltern-sigv4", SigningThreads, LongestLine))

  override def headers(method: String, uri: URI, headers: Seq[(String, String)], body: Array[Byte]): Future[Seq[(String, String)]] =
    Future {
      val identity = credentials.resolveIdentity().get(ResolveSeconds, TimeUnit.SECONDS)
      sign(identity, method, uri, headers, body)
    }(context)

  override def usesClock: Boolean = true

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
      // `Host` is signed, and the HTTP client writes the same header itself.
      .filterNot { case (name, _) => name.equalsIgnoreCase("Host") || before(name.toLowerCase(java.util.Locale.ROOT)) }
  }

  override def toString: String = s"SigV4(region=$region, ..)"
}

object SigV4 {

  /** Uses the default credentials chain: environment, system properties, web identity, profile,
    * container, instance.
    *
    * @param region such as `eu-north-1`
    */
  def apply(region: String): SigV4 = apply(region, DefaultCredentialsProvider.builder().build())

  /** Uses the given provider, which is called for each request. It has three seconds to answer. An
    * attempt, or the breaker, may end before; the reason of the fallback is then its time, and not
    * the credentials.
    */
  def apply(region: String, credentials: IdentityProvider[? <: AwsCredentialsIdentity]): SigV4 = new SigV4(credentials, region)

  /** The service name of Function URLs and `Invoke`. */
  private val Service = "lambda"

  /** Signing takes 0.1 ms. Only a few threads wait for credentials. */
  private val SigningThreads = 2
  private val LongestLine = 256

  /** The instance metadata service answers within milliseconds or not at all. An attempt has no
    * more time than this.
    */
  private val ResolveSeconds = 3L
}
