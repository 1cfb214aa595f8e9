//! The configuration of calls to AWS, and messages about credentials.

use std::{error::Error, fmt, time::Duration};

use aws_config::{BehaviorVersion, Region, SdkConfig, timeout::TimeoutConfig};
use aws_sdk_cloudwatch::{
    config::ProvideCredentials as _,
    error::{DisplayErrorContext, ProvideErrorMetadata, SdkError},
};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use saltern_server::Failure;
use tokio::runtime::{self, Runtime};

/// Loads credentials, region and endpoint from the sources of the AWS tools. A call with its
/// retries ends within the time.
pub(crate) async fn configuration(region: Option<String>, within: Duration) -> Result<SdkConfig, Failure> {
    let http =
        aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let timeouts = TimeoutConfig::builder().operation_timeout(within).build();
    let mut loader =
        aws_config::defaults(BehaviorVersion::v2026_01_12()).http_client(http).timeout_config(timeouts);
    if let Some(region) = region {
        loader = loader.region(Region::new(region));
    }
    let configuration = loader.load().await;
    if configuration.region().is_none() {
        return Err(Failure::configuration(
            "the region of the function is unknown: give --region, such as eu-north-1, or set AWS_REGION",
        ));
    }
    let provider = configuration.credentials_provider().ok_or_else(no_credentials)?;
    provider.provide_credentials().await.map_err(|_| no_credentials())?;
    Ok(configuration)
}

fn no_credentials() -> Failure {
    Failure::configuration(
        "There are no AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; after a login by \
         browser: eval \"$(aws configure export-credentials --format env)\"",
    )
}

/// Returns the failure for an error of the SDK.
pub(crate) fn failure<E: ProvideErrorMetadata + Error + 'static, R: fmt::Debug>(
    error: &SdkError<E, R>,
    service: &str,
    within: Duration,
    shorter: &str,
) -> Failure {
    match error {
        SdkError::TimeoutError(_) => Failure::system(format!(
            "{service} did not answer within {} s. Try again, or use a shorter {shorter}",
            within.as_secs()
        )),
        SdkError::DispatchFailure(_) => Failure::system(format!(
            "{service} cannot be reached: {}. Check the region, the network and HTTPS_PROXY",
            DisplayErrorContext(error)
        )),
        SdkError::ServiceError(_) => {
            let code = error.code().unwrap_or("no code");
            // Some of AWS's protocols append `Exception` to the code.
            let short = code.trim_end_matches("Exception");
            let message = error.message().unwrap_or_default();
            refused(short, service, message).unwrap_or_else(|| {
                Failure::system(format!("{service} refused the call with {code}: {message}"))
            })
        }
        _ => Failure::system(format!(
            "The SDK cannot read the response of {service}: {}",
            DisplayErrorContext(error)
        )),
    }
}

/// Returns the failure for a code whose remedy is known; `None` for other codes.
fn refused(code: &str, service: &str, message: &str) -> Option<Failure> {
    match code {
        // The message names the action that a policy must allow.
        "AccessDenied" | "AuthorizationError" | "OptInRequired" => {
            Some(Failure::configuration(format!("{service} does not admit these credentials: {message}")))
        }
        "Throttling" | "TooManyRequests" | "RequestLimitExceeded" | "LimitExceeded" | "Throttled" => Some(
            Failure::system(format!("{service} throttles the requests. Try again in a minute: {message}")),
        ),
        "ExpiredToken" | "RequestExpired" => {
            Some(Failure::configuration("The AWS credentials have expired. Get new ones"))
        }
        "InvalidClientTokenId"
        | "InvalidSignature"
        | "SignatureDoesNotMatch"
        | "UnrecognizedClient"
        | "IncompleteSignature"
        | "MissingAuthenticationToken" => Some(Failure::configuration(
            "AWS does not know these credentials. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and \
             the clock of this machine",
        )),
        "Service" | "ServiceUnavailable" | "InternalService" | "InternalServiceFault" | "InternalFailure" => {
            Some(Failure::system(format!("{service} has an internal error. Try again in a minute")))
        }
        _ => None,
    }
}

/// Returns a runtime for calls, one after the other.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("the system gives no runtime ({error})")))
}
