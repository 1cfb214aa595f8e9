//! Calls `PutMetricData` by the AWS SDK.

use aws_sdk_cloudwatch::{
    Client,
    primitives::DateTime,
    types::{Dimension, MetricDatum, StandardUnit},
};
use saltern_service::metrics::{NAMESPACE, SERVICE, Unit};
use tokio::sync::OnceCell;

use super::{CallFailure, aggregate::Distribution, sdk_config};

/// A client that is built at the first call, so that the start does not wait for it.
pub(crate) struct Sender {
    region: String,
    service: String,
    client: OnceCell<Client>,
}

impl Sender {
    pub(crate) fn new(region: String, service: String) -> Self {
        Self { region, service, client: OnceCell::new() }
    }

    /// Makes one call.
    pub(crate) async fn put(&self, distributions: &[Distribution]) -> Result<(), CallFailure> {
        let data = distributions.iter().map(|one| self.datum(one)).collect();
        // CloudWatch may have accepted a failed call, so the configuration repeats none.
        let build = async || Client::new(&sdk_config(self.region.clone()).await);
        let client = self.client.get_or_init(build).await;
        let sent = client.put_metric_data().namespace(NAMESPACE).set_metric_data(Some(data)).send().await;
        sent.map(|_nothing_said| ()).map_err(|error| CallFailure::of(&error))
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

/// Returns how many of these distributions, from the first on, fit in one call.
pub(crate) fn as_many_as_fit(distributions: &[Distribution]) -> usize {
    let mut values = 0;
    let fitting = distributions.iter().take(MAX_DATA).take_while(|one| {
        values += one.values.len();
        values <= MAX_VALUES
    });
    fitting.count().max(1)
}

/// Converts a count: CloudWatch takes doubles.
#[allow(clippy::cast_precision_loss, reason = "a minute has far fewer than 2^53 hashes")]
fn as_count(count: u64) -> f64 {
    count as f64
}

/// The line that the guide tells operators to look for.
pub(crate) const FAILED: &str = "distributions could not be sent to CloudWatch and are printed";

/// "You can publish up to 1,000 different metrics per call" (`PutMetricData`).
const MAX_DATA: usize = 1_000;

/// A value and its count take 18 bytes of CBOR, and the rest of a datum about 300. With both limits
/// a call stays below half of the allowed 1 MB.
const MAX_VALUES: usize = 10_000;
