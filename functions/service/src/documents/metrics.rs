//! The table of metrics in JSON and Markdown.

use std::fmt::Write as _;

use serde::Serialize;

use crate::metrics::{DROPPED_LINES, Kind, METRICS, Metric, NAMESPACE, ProcessCount, SERVICE};

/// `metrics.json`.
#[derive(Serialize)]
pub(super) struct Document {
    namespace: &'static str,
    metrics: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    sink: &'static str,
    dimensions: [Vec<&'static str>; 1],
    help: &'static str,
}

pub(super) fn document() -> Document {
    let entry = |name, metric: &Metric, sink| Entry {
        name,
        kind: kind(metric),
        unit: metric.unit.name(),
        sink,
        dimensions: [dimensions(metric)],
        help: metric.help,
    };
    let entries = METRICS.iter().flat_map(|metric| {
        let sink = match metric.kind {
            Kind::Count => "emf",
            Kind::Distribution => "cloudwatch",
        };
        let unsent = metric.unsent.map(|name| entry(name, metric, "emf"));
        [Some(entry(metric.cloudwatch, metric, sink)), unsent]
    });
    Document { namespace: NAMESPACE, metrics: entries.flatten().collect() }
}

pub(super) fn table() -> String {
    let mut rows =
        "| CloudWatch | Prometheus | kind | unit | dimensions | |\n|---|---|---|---|---|---|\n".to_owned();
    for metric in METRICS {
        let prometheus = metric.prometheus.map_or_else(|| "—".to_owned(), |name| format!("`{name}`"));
        let labels: Vec<_> = dimensions(metric)[1..].iter().map(|name| format!("`{name}`")).collect();
        let _infallible = writeln!(
            rows,
            "| `{}` | {prometheus} | {} | {} | {} | {} |",
            metric.cloudwatch,
            kind(metric),
            metric.unit.name(),
            labels.join(", "),
            metric.help,
        );
    }
    let ProcessCount { prometheus, help } = &DROPPED_LINES;
    let _infallible = writeln!(rows, "| — | `{prometheus}` | count | Count |  | {help} |");
    rows
}

fn dimensions(metric: &Metric) -> Vec<&'static str> {
    [SERVICE].into_iter().chain(metric.labels.iter().map(|label| label.dimension())).collect()
}

fn kind(metric: &Metric) -> &'static str {
    match metric.kind {
        Kind::Count => "count",
        Kind::Distribution => "distribution",
    }
}
