//! The table of metrics in JSON and Markdown.

use std::fmt::Write as _;

use saltern_service::metrics::{
    ALARM_MINUTES, ALARMS, ARGON2_LANES, Above, Alarm, DROPPED_LINES, Kind, METRICS, Metric, NAMESPACE,
    ProcessCount, ProcessGauge, SERVICE,
};
use serde::Serialize;

/// `metrics.json`.
#[derive(Serialize)]
pub(crate) struct Document {
    namespace: &'static str,
    metrics: Vec<Entry>,
    alarms: Vec<AlarmEntry>,
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

/// An alarm on a count, or on the share of a count.
#[derive(Serialize)]
struct AlarmEntry {
    name: &'static str,
    severity: &'static str,
    metric: &'static str,
    #[serde(flatten)]
    counted: Option<Counted>,
    #[serde(flatten)]
    threshold: Threshold,
    seconds: u32,
    help: &'static str,
}

/// The counted events of a metric; without it all of them.
#[derive(Serialize)]
struct Counted {
    dimension: &'static str,
    value: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Threshold {
    Count {
        above: u32,
    },
    /// The seconds of the count are those of a day.
    InAYear {
        above_in_a_year: u64,
    },
    Share {
        beside: &'static str,
        percent: u32,
        least: u32,
    },
}

impl AlarmEntry {
    /// `None` if CloudWatch has no such count.
    fn of(alarm: &Alarm) -> Option<Self> {
        Some(Self {
            name: alarm.name,
            severity: alarm.severity.name(),
            metric: alarm.cloudwatch?,
            counted: alarm.value.map(|value| Counted { dimension: alarm.label.dimension(), value }),
            threshold: match alarm.above {
                Above::InAYear(most) => Threshold::InAYear { above_in_a_year: most },
                Above::PerMinute(most) => Threshold::Count { above: most * ALARM_MINUTES },
                Above::Share { percent, least_per_minute, beside } => {
                    Threshold::Share { beside, percent, least: least_per_minute * ALARM_MINUTES }
                }
            },
            seconds: match alarm.above {
                Above::InAYear(_) => SECONDS_OF_A_DAY,
                Above::PerMinute(_) | Above::Share { .. } => ALARM_MINUTES * 60,
            },
            help: alarm.help,
        })
    }
}

/// The alarms as rules of Prometheus: the items of `rules`.
pub(crate) fn rules() -> String {
    let mut rules = String::new();
    for alarm in &ALARMS {
        let Alarm { prometheus, counter, help, .. } = alarm;
        let label = alarm.label.prometheus();
        let minutes = |of: &str| format!("sum(increase({of}[{ALARM_MINUTES}m]))");
        let value = alarm.value.map_or(String::new(), |value| format!("{{{label}=\"{value}\"}}"));
        let counted = minutes(&format!("{counter}{value}"));
        let expression = match alarm.above {
            Above::InAYear(most) => {
                format!("{DAYS_OF_A_YEAR} * sum by ({label}) (increase({counter}[1d])) > {most}")
            }
            Above::PerMinute(most) => format!("{counted} > {}", most * ALARM_MINUTES),
            Above::Share { percent, least_per_minute, .. } => {
                let (all, least) = (minutes(counter), least_per_minute * ALARM_MINUTES);
                format!("100 * {counted} / {all} > {percent} and {all} >= {least}")
            }
        };
        let severity = alarm.severity.name();
        let _infallible = writeln!(
            rules,
            "      - alert: {prometheus}\n        expr: {expression}\n        labels: {{ severity: {severity} }}\n        annotations: {{ description: {help:?} }}"
        );
    }
    rules
}

pub(crate) fn document() -> Document {
    let entry = |name, metric: &Metric, sink| Entry {
        name,
        kind: kind(metric),
        unit: metric.unit.name(),
        sink,
        dimensions: [dimensions(metric)],
        help: metric.help,
    };
    let entries = METRICS.iter().flat_map(|metric| {
        let (sink, unsent) = match metric.kind {
            Kind::Count => ("emf", None),
            Kind::Distribution { unsent } => ("cloudwatch", Some(entry(unsent, metric, "emf"))),
        };
        [Some(entry(metric.cloudwatch, metric, sink)), unsent]
    });
    let alarms = ALARMS.iter().filter_map(AlarmEntry::of).collect();
    Document { namespace: NAMESPACE, metrics: entries.flatten().collect(), alarms }
}

pub(crate) fn table() -> String {
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
    let ProcessCount { prometheus, label, help } = &DROPPED_LINES;
    let _infallible =
        writeln!(rows, "| — | `{prometheus}` | count | Count | `{}` | {help} |", label.dimension());
    let ProcessGauge { prometheus, help } = &ARGON2_LANES;
    let _infallible = writeln!(rows, "| — | `{prometheus}` | gauge | Count | | {help} |");
    rows
}

fn dimensions(metric: &Metric) -> Vec<&'static str> {
    [SERVICE].into_iter().chain(metric.labels.iter().map(|label| label.dimension())).collect()
}

fn kind(metric: &Metric) -> &'static str {
    match metric.kind {
        Kind::Count => "count",
        Kind::Distribution { .. } => "distribution",
    }
}

const DAYS_OF_A_YEAR: u32 = 365;

const SECONDS_OF_A_DAY: u32 = 86_400;
