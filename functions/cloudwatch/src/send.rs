//! The SDK's client and what it is asked to send.

use aws_config::{BehaviorVersion, Region, retry::RetryConfig};
use aws_sdk_cloudwatch::{
    Client,
    error::{ProvideErrorMetadata as _, SdkError},
    primitives::DateTime,
    types::{Dimension, MetricDatum, StandardUnit},
};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use saltern_service::metrics::{NAMESPACE, SERVICE, Unit};
use tokio::sync::OnceCell;

use crate::aggregate::Distribution;

/// A client that is built at its first call: a start would wait for it.
pub(crate) struct Sender {
    region: String,
    service: String,
    client: OnceCell<Client>,
}

impl Sender {
    pub(crate) fn new(region: String, service: String) -> Self {
        Self { region, service, client: OnceCell::new() }
    }

    /// One call.
    pub(crate) async fn put(&self, distributions: &[Distribution]) -> Result<(), Failure> {
        let data = distributions.iter().map(|one| self.datum(one)).collect();
        let client = self.client.get_or_init(|| client(self.region.clone())).await;
        let sent = client.put_metric_data().namespace(NAMESPACE).set_metric_data(Some(data)).send().await;
        sent.map(|_nothing_said| ()).map_err(|error| Failure::of(&error))
    }

    fn datum(&self, distribution: &Distribution) -> MetricDatum {
        let Distribution { metric, labels, at, values } = distribution;
        let dimension = |name: &str, value: &str| Dimension::builder().name(name).value(value).build();
        let by_label = labels.iter().map(|(label, value)| dimension(label.dimension(), value));
        let (values, counts) = values.iter().map(|&(value, count)| (value, as_count(count))).unzip();
        MetricDatum::builder()
            .metric_name(metric.cloudwatch)
            .set_dimensions(Some([dimension(SERVICE, &self.service)].into_iter().chain(by_label).collect()))
            .timestamp(DateTime::from(*at))
            .set_values(Some(values))
            .set_counts(Some(counts))
            .unit(match metric.unit {
                Unit::Bytes => StandardUnit::Bytes,
                Unit::Count => StandardUnit::Count,
                Unit::Milliseconds => StandardUnit::Milliseconds,
            })
            .build()
    }
}

/// How many of the first of these fit into one call.
pub(crate) fn as_many_as_fit(distributions: &[Distribution]) -> usize {
    let mut values = 0;
    let fitting = distributions.iter().take(MAX_DATA).take_while(|one| {
        values += one.values.len();
        values <= MAX_VALUES
    });
    fitting.count().max(1)
}

/// Why a call failed, as far as it helps who reads it.
#[derive(Debug)]
pub(crate) struct Failure {
    reason: &'static str,
    /// What CloudWatch said, such as `AccessDenied`.
    code: Option<String>,
}

impl Failure {
    fn of<E: aws_sdk_cloudwatch::error::ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Self {
        let reason = match error {
            SdkError::ConstructionFailure(_) => "not made",
            SdkError::DispatchFailure(_) => "not reached, or no credentials",
            SdkError::TimeoutError(_) => "timeout",
            SdkError::ServiceError(_) => "refused",
            _ => "answer not understood",
        };
        Self { reason, code: error.code().map(str::to_owned) }
    }

    pub(crate) fn log(&self) {
        tracing::warn!(reason = self.reason, code = self.code, "{FAILED}");
    }
}

/// Endpoint, credentials and the rest come from where the SDK looks for them: the environment first.
async fn client(region: String) -> Client {
    let http = aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        // A connection that was kept through a freeze is dead, and a call on it would be lost.
        .pool_max_idle_per_host(0)
        .build_https();
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .region(Region::new(region))
        .http_client(http)
        // What failed may have been taken all the same.
        .retry_config(RetryConfig::disabled())
        .load()
        .await;
    Client::new(&config)
}

/// Counts are doubles on the wire.
#[allow(clippy::cast_precision_loss, reason = "nobody makes 2^53 hashes in a minute")]
fn as_count(count: u64) -> f64 {
    count as f64
}

/// The line that the guide tells operators to look for.
pub(crate) const FAILED: &str = "distributions could not be sent to CloudWatch and are printed";

/// "You can publish up to 1,000 different metrics per call" (`PutMetricData`).
const MAX_DATA: usize = 1_000;

/// A value and its count are 18 bytes of CBOR, the rest of a datum some 300: with both bounds a call stays below half
/// of the 1 MB that it may have.
const MAX_VALUES: usize = 10_000;
