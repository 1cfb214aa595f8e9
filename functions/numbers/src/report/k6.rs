//! The summary of k6, from a script of `loadtest` or from any `handleSummary`.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

use saltern_program::Failure;

/// The summary of a run.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Summary {
    /// The name of the script.
    pub(crate) script: Option<String>,
    metrics: BTreeMap<String, Metric>,
}

#[derive(Debug, Default, Deserialize)]
struct Metric {
    #[serde(default)]
    values: BTreeMap<String, Option<f64>>,
    #[serde(default)]
    thresholds: BTreeMap<String, Threshold>,
}

#[derive(Debug, Deserialize)]
struct Threshold {
    ok: bool,
}

impl Summary {
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let name = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| Failure::configuration(format!("{name} cannot be read: {error}")))?;
        serde_json::from_str(&text).map_err(|error| {
            Failure::configuration(format!(
                "{name} is not a summary of k6 ({error}). Write one with LOAD_SUMMARY_FILE, or from handleSummary"
            ))
        })
    }

    /// Returns a figure of a metric, such as `p(90)`.
    pub(crate) fn value(&self, metric: &str, figure: &str) -> Option<f64> {
        self.metrics.get(metric)?.values.get(figure).copied().flatten()
    }

    /// Returns the budgets that the run exceeded.
    pub(crate) fn broken(&self) -> Vec<String> {
        let broken = |(name, metric): (&String, &Metric)| {
            let over = metric.thresholds.iter().filter(|(_, threshold)| !threshold.ok);
            over.map(|(budget, _)| format!("{name}: {budget}")).collect::<Vec<_>>()
        };
        self.metrics.iter().flat_map(broken).collect()
    }

    /// Whether the run had budgets.
    pub(crate) fn has_budgets(&self) -> bool {
        self.metrics.values().any(|metric| !metric.thresholds.is_empty())
    }

    /// Returns each value of a tag of a metric, with the name of its submetric.
    pub(crate) fn by_tag<'a>(
        &'a self,
        metric: &'a str,
        tag: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.metrics.keys().filter_map(move |name| {
            let tags = name.strip_prefix(metric)?.strip_prefix('{')?.strip_suffix('}')?;
            Some((tags.strip_prefix(tag)?.strip_prefix(':')?, name.as_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_budgets_and_figures() {
        let summary: Summary = serde_json::from_str(
            r#"{"script": "live-event.ts", "knobs": {"LOAD_MEMORY_MB": 1769, "LOAD_ARCHITECTURE": "x86_64"},
                "metrics": {"operation_ms": {"type": "trend", "values": {"p(90)": 212.5, "max": null}},
                "operation_ms{kind:throttled}": {"values": {"count": 3}, "thresholds": {"max>=0": {"ok": true}}},
                "operations_failed": {"values": {"rate": 0.2}, "thresholds": {"rate<0.001": {"ok": false}}}}}"#,
        )
        .unwrap();
        assert_eq!(summary.value("operation_ms", "p(90)"), Some(212.5));
        assert_eq!(summary.value("operation_ms", "max"), None);
        assert_eq!(summary.broken(), ["operations_failed: rate<0.001"]);
        let kinds: Vec<_> = summary.by_tag("operation_ms", "kind").collect();
        assert_eq!(kinds, [("throttled", "operation_ms{kind:throttled}")]);
    }
}
