//! `GET /metrics`: the metrics of this process as counters and histograms.

use std::borrow::Cow;

use prometheus_client::{
    encoding::text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{self, Registry},
};

use crate::{LineClass, Outcome};

use super::{ARGON2_LANES, DROPPED_LINES, Kind, Label, Labels, METRICS, Metric, Sample, Sink, Unit, sample};

/// A sink that keeps the metrics in memory and writes them for Prometheus.
#[derive(Debug)]
pub(crate) struct Prometheus {
    registry: Registry,
    series: Vec<(&'static Metric, Series)>,
    argon2_lanes: Gauge,
}

impl Prometheus {
    pub(crate) fn new(dropped: DroppedLines) -> Self {
        let mut registry = Registry::default();
        let register = |metric: &&'static Metric| Some((*metric, register(&mut registry, metric)?));
        let series: Vec<_> = METRICS.iter().filter_map(register).collect();
        for (metric, labels) in sample::known_ahead() {
            if let Some((_, Series::Counters(counters))) = series.iter().find(|(own, _)| *own == metric) {
                drop(counters.get_or_create(&named(&labels)));
            }
        }
        if let Some(bare) = DROPPED_LINES.prometheus.strip_suffix("_total") {
            registry.register(bare, sentence(DROPPED_LINES.help), dropped.0);
        }
        let argon2_lanes = Gauge::default();
        registry.register(ARGON2_LANES.prometheus, sentence(ARGON2_LANES.help), argon2_lanes.clone());
        Self { registry, series, argon2_lanes }
    }

    /// Returns the body of `GET /metrics`, while each worker has so many lanes of Argon2.
    pub(crate) fn text(&self, argon2_lanes: usize) -> String {
        self.argon2_lanes.set(i64::try_from(argon2_lanes).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _infallible = text::encode(&mut text, &self.registry);
        text
    }
}

/// Counts dropped lines of the log by class. All clones share the counts.
#[derive(Clone, Debug)]
pub struct DroppedLines(Family<NamedLabels, Counter>);

impl Default for DroppedLines {
    fn default() -> Self {
        let zero = Self(Family::default());
        for &class in LineClass::ALL {
            drop(zero.of(class));
        }
        zero
    }
}

impl DroppedLines {
    /// Counts a line of this class.
    pub fn inc(&self, class: LineClass) {
        self.of(class).inc();
    }

    /// The count of this class.
    pub fn get(&self, class: LineClass) -> u64 {
        self.of(class).get()
    }

    fn of(&self, class: LineClass) -> Counter {
        self.0.get_or_create(&vec![(Label::Class.prometheus(), class.name().into())]).clone()
    }
}

impl Sink for Prometheus {
    fn record(&self, _outcome: &Outcome, samples: &[Sample]) {
        for Sample { metric, labels, value } in samples {
            match self.series.iter().find(|(own, _)| own == metric) {
                Some((_, Series::Counters(counters))) => {
                    counters.get_or_create(&named(labels)).inc();
                }
                Some((_, Series::Histogram(histogram))) => {
                    histogram.observe(in_base_units(metric.unit, *value));
                }
                Some((_, Series::Histograms(histograms))) => {
                    histograms.get_or_create(&named(labels)).observe(in_base_units(metric.unit, *value));
                }
                None => {}
            }
        }
    }
}

#[derive(Debug)]
enum Series {
    Counters(Family<NamedLabels, Counter>),
    /// One histogram, of a metric without labels.
    Histogram(Histogram),
    Histograms(Family<NamedLabels, Histogram, Buckets>),
}

type NamedLabels = Vec<(&'static str, Cow<'static, str>)>;

type Buckets = fn() -> Histogram;

/// Registers a metric. The encoder appends `_total` to counters and the unit to histograms with a
/// unit, so these suffixes are removed from the names.
fn register(registry: &mut Registry, metric: &'static Metric) -> Option<Series> {
    let name = metric.prometheus?;
    if metric.kind == Kind::Count {
        let counters = Family::default();
        registry.register(name.strip_suffix("_total")?, sentence(metric.help), counters.clone());
        return Some(Series::Counters(counters));
    }
    let (unit, buckets): (_, Buckets) = match metric.unit {
        Unit::Bytes => (Some(registry::Unit::Bytes), || Histogram::new(BYTES)),
        Unit::Count => (None, || Histogram::new(COUNTS)),
        Unit::Milliseconds => (Some(registry::Unit::Seconds), || Histogram::new(SECONDS)),
    };
    if metric.labels.is_empty() {
        let histogram = buckets();
        register_in(registry, name, unit, metric, histogram.clone())?;
        return Some(Series::Histogram(histogram));
    }
    let histograms = Family::new_with_constructor(buckets);
    register_in(registry, name, unit, metric, histograms.clone())?;
    Some(Series::Histograms(histograms))
}

fn register_in(
    registry: &mut Registry,
    name: &'static str,
    unit: Option<registry::Unit>,
    metric: &Metric,
    series: impl registry::Metric,
) -> Option<()> {
    match unit {
        Some(unit) => {
            let bare = name.strip_suffix(unit.as_str())?.strip_suffix('_')?;
            registry.register_with_unit(bare, sentence(metric.help), unit, series);
        }
        None => registry.register(name, sentence(metric.help), series),
    }
    Some(())
}

/// Removes the full stop, since the encoder appends one.
fn sentence(help: &'static str) -> &'static str {
    help.trim_end_matches('.')
}

fn named(labels: &Labels) -> NamedLabels {
    labels.iter().map(|(label, value)| (label.prometheus(), value.clone())).collect()
}

/// Converts a value to the base units of Prometheus: seconds for times.
fn in_base_units(unit: Unit, value: f64) -> f64 {
    match unit {
        Unit::Milliseconds => value / 1e3,
        Unit::Bytes | Unit::Count => value,
    }
}

/// Bounds in seconds. bcrypt takes 1 ms at cost 4 and 40 ms at cost 10, an acceptable login 250 ms,
/// and the default deadline is 10 s.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Bounds of counts: there are at most 32 lanes, and 64 operations in a batch.
const COUNTS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Bounds in bytes, from 1 MiB for one small hash to 16 GiB for a whole machine.
const BYTES: [f64; 8] = [
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
    268_435_456.0,
    1_073_741_824.0,
    4_294_967_296.0,
    17_179_869_184.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_at_zero_before_the_first_event() {
        let text = Prometheus::new(DroppedLines::default()).text(4);
        for line in [
            r#"saltern_refusals_total{code="internal"} 0"#,
            r#"saltern_refusals_total{code="unauthorized"} 0"#,
            r#"saltern_requests_total{operation="verify",outcome="mismatch"} 0"#,
            r#"saltern_requests_total{operation="hash",outcome="gone"} 0"#,
            r#"saltern_log_lines_dropped_total{class="caller"} 0"#,
            r#"saltern_log_lines_dropped_total{class="unauthenticated"} 0"#,
            r#"saltern_verifications_total{outcome="mismatch"} 0"#,
            "saltern_argon2_lanes 4",
        ] {
            assert!(text.lines().any(|own| own == line), "no {line} in:\n{text}");
        }
        let codes = text.lines().filter(|line| line.starts_with("saltern_refusals_total{")).count();
        assert_eq!(codes, crate::Code::ALL.len());
        assert!(!text.contains(r#"operation="verify",outcome="hashed""#), "an impossible end is listed");
    }

    #[test]
    fn dropped_lines_are_counted() {
        let dropped = DroppedLines::default();
        let prometheus = Prometheus::new(dropped.clone());
        dropped.inc(LineClass::Caller);
        dropped.inc(LineClass::Unauthenticated);
        dropped.inc(LineClass::Caller);
        let text = prometheus.text(1);
        assert!(text.contains("saltern_log_lines_dropped_total{class=\"caller\"} 2\n"), "{text}");
        assert!(text.contains("saltern_log_lines_dropped_total{class=\"unauthenticated\"} 1\n"), "{text}");
    }

    #[test]
    fn every_metric_is_listed_under_its_name() {
        let prometheus = Prometheus::new(DroppedLines::default());
        let named = METRICS.iter().filter(|metric| metric.prometheus.is_some()).count();
        assert_eq!(prometheus.series.len(), named);
        for metric in METRICS {
            let value = |label: &Label| (*label, Cow::Borrowed("x"));
            let labels = metric.labels.iter().map(value).collect();
            let sample = Sample { metric, labels, value: 1.0 };
            prometheus.record(&sample::tests::outcome(), &[sample]);
        }
        let text = prometheus.text(1);
        for name in METRICS.iter().filter_map(|metric| metric.prometheus) {
            let line_of_it =
                |line: &str| line.starts_with(name) && line[name.len()..].starts_with(['{', ' ', '_']);
            assert!(text.lines().any(line_of_it), "no {name} in:\n{text}");
        }
    }
}
