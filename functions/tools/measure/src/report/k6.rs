//! The summary of k6, from a script of `loadtest`.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

use saltern_server::Failure;

/// The summary of a run, by `loadtest/lib/summary.ts`.
#[derive(Debug, Deserialize)]
pub(crate) struct Summary {
    /// The budgets that the run exceeded.
    pub(crate) broken: Vec<String>,
    metrics: BTreeMap<String, Metric>,
}

#[derive(Debug, Deserialize)]
struct Metric {
    /// `None` is a figure of a metric without a sample.
    values: BTreeMap<String, Option<f64>>,
}

impl Summary {
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let name = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| Failure::configuration(format!("{name} cannot be read: {error}")))?;
        serde_json::from_str(&text).map_err(|error| {
            Failure::configuration(format!(
                "{name} is not a summary of a load test ({error}). Write one with LOAD_SUMMARY_FILE"
            ))
        })
    }

    /// Returns a figure of a metric, such as `p(90)`.
    pub(crate) fn value(&self, metric: &str, figure: &str) -> Option<f64> {
        self.metrics.get(metric)?.values.get(figure).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_budgets_and_figures() {
        let summary: Summary = serde_json::from_str(
            r#"{"script": "live-event.ts", "broken": ["operations_failed: rate<0.001 (is 0.2)"],
                "metrics": {"operation_ms": {"type": "trend", "values": {"p(90)": 212.5, "max": null}},
                "operation_ms{kind:throttled}": {"values": {"count": 3}, "thresholds": {"max>=0": {"ok": true}}}}}"#,
        )
        .unwrap();
        assert_eq!(summary.value("operation_ms", "p(90)"), Some(212.5));
        assert_eq!(summary.value("operation_ms", "max"), None);
        assert_eq!(summary.broken, ["operations_failed: rate<0.001 (is 0.2)"]);
        assert_eq!(summary.value("operation_ms{kind:throttled}", "count"), Some(3.0));
    }
}
