//! The questions to CloudWatch: Lambda's metrics by name, and Saltern's from the table of its
//! metrics.

use aws_sdk_cloudwatch::types::{Dimension, Metric, MetricDataQuery, MetricStat};
use saltern_service::metrics::{
    self, COLD_STARTS, HASH, NAMESPACE, OPERATIONS, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS,
    SERVICE,
};

/// A series of Lambda, with its id in this program.
pub(crate) struct Question {
    pub(crate) id: &'static str,
    metric: &'static str,
    statistic: &'static str,
    /// Whether the metric belongs to the function and not to the alias.
    of_function: bool,
}

const fn of_alias(id: &'static str, metric: &'static str, statistic: &'static str) -> Question {
    Question { id, metric, statistic, of_function: false }
}

/// Lambda's metrics. CloudWatch requires that an id begins with a lower-case letter.
const LAMBDA: [Question; 16] = [
    of_alias("invocations", "Invocations", "Sum"),
    of_alias("errors", "Errors", "Sum"),
    of_alias("throttles", "Throttles", "Sum"),
    of_alias("duration_sum", "Duration", "Sum"),
    of_alias("duration_p50", "Duration", "p50"),
    of_alias("duration_p90", "Duration", "p90"),
    of_alias("duration_p99", "Duration", "p99"),
    // Reserved concurrency belongs to the function.
    Question { id: "concurrency", metric: "ConcurrentExecutions", statistic: "Maximum", of_function: true },
    of_alias("provisioned_in_use", "ProvisionedConcurrentExecutions", "Maximum"),
    of_alias("provisioned_share", "ProvisionedConcurrencyUtilization", "Maximum"),
    of_alias("provisioned_invocations", "ProvisionedConcurrencyInvocations", "Sum"),
    of_alias("spillover", "ProvisionedConcurrencySpilloverInvocations", "Sum"),
    of_alias("url_requests", "UrlRequestCount", "Sum"),
    of_alias("url_p50", "UrlRequestLatency", "p50"),
    of_alias("url_p90", "UrlRequestLatency", "p90"),
    of_alias("url_p99", "UrlRequestLatency", "p99"),
];

/// Saltern's metrics, with their statistics. A percentile, because a mean hides long times.
const OWN: [(&metrics::Metric, &str); 7] = [
    (&REQUESTS, "Sum"),
    (&OPERATIONS, "Sum"),
    (&REFUSALS, "Sum"),
    (&COLD_STARTS, "Sum"),
    (&REHASHES_NEEDED, "Sum"),
    (&REHASHES_DONE, "Sum"),
    (&HASH, "p90"),
];

/// The function and the alias.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) alias: String,
}

/// Returns all questions, fewer than the 500 that a call can have.
pub(crate) fn all(function: &Function, period: i32) -> Vec<MetricDataQuery> {
    let lambda = LAMBDA.iter().map(|question| question.query(function, period));
    lambda.chain(own(function, period)).collect()
}

impl Question {
    fn query(&self, Function { name, alias }: &Function, period: i32) -> MetricDataQuery {
        let dimension = |name: &str, value: &str| Dimension::builder().name(name).value(value).build();
        let mut metric = Metric::builder()
            .namespace("AWS/Lambda")
            .metric_name(self.metric)
            .dimensions(dimension("FunctionName", name));
        if !self.of_function {
            metric = metric.dimensions(dimension("Resource", &format!("{name}:{alias}")));
        }
        let stat = MetricStat::builder().metric(metric.build()).stat(self.statistic).period(period).build();
        MetricDataQuery::builder().id(self.id).metric_stat(stat).build()
    }
}

/// Returns the questions for Saltern's metrics. Their policies, codes and outcomes are unknown, so
/// each question is a search.
fn own(function: &Function, period: i32) -> impl Iterator<Item = MetricDataQuery> {
    OWN.iter().map(move |(metric, statistic)| {
        let dimensions: Vec<_> = metric.labels.iter().map(|label| label.dimension()).collect();
        let schema = [&[NAMESPACE, SERVICE], &dimensions[..]].concat().join(",");
        // The parser of the argument has excluded quotes from the name.
        let found =
            format!("{{{schema}}} MetricName=\"{}\" {SERVICE}=\"{}\"", metric.cloudwatch, function.name);
        let label: Vec<_> =
            dimensions.iter().map(|dimension| format!("${{PROP('Dim.{dimension}')}}")).collect();
        let label = if label.is_empty() { metric.cloudwatch.to_owned() } else { label.join(SEPARATOR) };
        MetricDataQuery::builder()
            .id(own_id(metric))
            .expression(format!("SEARCH('{found}', '{statistic}', {period})"))
            .label(&label)
            .build()
    })
}

/// Returns the id of a search.
pub(crate) fn own_id(metric: &metrics::Metric) -> String {
    format!("saltern_{}", metric.cloudwatch)
}

/// Separates the labels of a series. No label contains it.
pub(crate) const SEPARATOR: &str = "|";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_rules_of_cloudwatch() {
        let function = Function { name: "logins".into(), alias: "live".into() };
        let queries = all(&function, 60);
        let mut ids: Vec<_> = queries.iter().filter_map(MetricDataQuery::id).map(str::to_owned).collect();
        assert_eq!(ids.len(), queries.len());
        assert!(ids.len() <= 500, "a call can have 500");
        for id in &ids {
            assert!(id.starts_with(|first: char| first.is_ascii_lowercase()), "{id}");
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{id}");
        }
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), queries.len(), "two ids are equal");
    }

    #[test]
    fn a_search_names_the_metric_and_the_function() {
        let function = Function { name: "logins".into(), alias: "live".into() };
        let queries = all(&function, 300);
        let of = |id: &str| queries.iter().find(|query| query.id() == Some(id)).unwrap();
        let refusals = of("saltern_Refusals");
        assert_eq!(
            refusals.expression(),
            Some(r#"SEARCH('{Saltern,Service,Code} MetricName="Refusals" Service="logins"', 'Sum', 300)"#)
        );
        assert_eq!(refusals.label(), Some("${PROP('Dim.Code')}"));
    }
}
