//! The AWS SDK as the function uses it.

use core::fmt;

use aws_config::{BehaviorVersion, Region, SdkConfig, retry::RetryConfig};
use aws_sdk_cloudwatch::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

/// Returns a configuration for clients of the SDK, which repeats no call. The SDK finds endpoints
/// and credentials in the environment.
pub(crate) async fn sdk_config(region: impl Into<String>) -> SdkConfig {
    let http = aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        // A connection does not survive a frozen process, and a call on it would be lost.
        .pool_max_idle_per_host(0)
        .build_https();
    aws_config::defaults(BehaviorVersion::v2026_01_12())
        .region(Region::new(region.into()))
        .http_client(http)
        .retry_config(RetryConfig::disabled())
        .load()
        .await
}

/// Why a call of AWS failed. It quotes nothing of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallFailure {
    pub(crate) reason: &'static str,
    /// AWS's error code, such as `AccessDenied`.
    pub(crate) code: Option<String>,
}

impl CallFailure {
    /// The call did not end in time.
    pub(crate) const TIMEOUT: Self = Self { reason: "timeout", code: None };

    /// Describes the error of a call.
    pub(crate) fn of<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Self {
        let reason = match error {
            SdkError::ConstructionFailure(_) => "not made",
            SdkError::DispatchFailure(_) => "not reached, or no credentials",
            SdkError::TimeoutError(_) => return Self::TIMEOUT,
            SdkError::ServiceError(_) => "refused",
            _ => "answer not understood",
        };
        Self { reason, code: error.code().map(str::to_owned) }
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)?;
        self.code.iter().try_for_each(|code| write!(f, ", {code}"))
    }
}
