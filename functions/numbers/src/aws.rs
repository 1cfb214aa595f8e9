//! The configuration of calls to AWS, and messages about credentials.

use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig, timeout::TimeoutConfig};
use aws_sdk_cloudwatch::config::ProvideCredentials as _;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

use saltern_program::Failure;

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

/// Returns the failure for an error code about credentials; `None` for other codes.
pub(crate) fn refused_credentials(code: &str) -> Option<Failure> {
    // Some of AWS's protocols append `Exception` to the code.
    match code.trim_end_matches("Exception") {
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
        _ => None,
    }
}
