//! The table for those who do not read Rust: `metrics.json` for the dashboard, and the README's.

use std::{fmt::Write as _, fs};

use serde::Serialize;

use super::table::{DROPPED_LINES, Kind, METRICS, Metric, NAMESPACE, ProcessCount, SERVICE};

#[test]
fn the_dashboard_has_the_table() {
    let mut made = serde_json::to_string_pretty(&document()).unwrap();
    made.push('\n');
    compare_or_write(DASHBOARD, &made);
}

#[test]
fn the_readme_has_the_table() {
    let readme = fs::read_to_string(README).unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    compare_or_write(README, &format!("{before}{BEGIN}\n{}{END}{after}", rows()));
}

#[test]
fn no_name_is_published_twice() {
    let mut names: Vec<&str> = METRICS
        .iter()
        .flat_map(|metric| [Some(metric.cloudwatch), metric.unsent, metric.prometheus])
        .flatten()
        .chain([DROPPED_LINES.prometheus])
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn names_follow_the_conventions() {
    for metric in METRICS {
        let unsent = (metric.kind == Kind::Distribution).then(|| format!("{}Unsent", metric.cloudwatch));
        assert_eq!(metric.unsent, unsent.as_deref());
        if let Some(name) = metric.prometheus {
            assert!(name.starts_with("saltern_"), "{name}");
            assert_eq!(name.ends_with("_total"), metric.kind == Kind::Count, "{name}");
        }
        // PutMetricData takes 30 dimensions, the service among them.
        assert!(metric.labels.len() < 30);
    }
}

/// `metrics.json`.
#[derive(Serialize)]
struct Document {
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

fn document() -> Document {
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

fn rows() -> String {
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

fn compare_or_write(path: &str, made: &str) {
    if std::env::var_os("UPDATE_METRICS").is_some() {
        fs::write(path, made).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(path).is_ok_and(|committed| committed == made),
        "{path} drifted: run `UPDATE_METRICS=1 cargo test -p saltern-service metrics`"
    );
}

const DASHBOARD: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../infra/modules/password-hasher/metrics.json");

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");

const BEGIN: &str = "<!-- metrics:begin -->";

const END: &str = "<!-- metrics:end -->";
