//! Generates the documents that are derived from the code: the OpenAPI document and the tables of
//! metrics.
//!
//! Only the feature `documents` builds this module. `cargo xtask generate` writes the documents.

mod metrics;
mod openapi;

/// Returns the OpenAPI 3.1 document: the content of `functions/service/openapi.json`.
#[must_use]
pub fn openapi() -> String {
    pretty(&openapi::document())
}

/// Returns the metrics in JSON, for the dashboard: the content of
/// `infra/modules/password-hasher/metrics.json`.
#[must_use]
pub fn metrics_json() -> String {
    pretty(&metrics::document())
}

/// Returns the metrics as a Markdown table: the lines between `<!-- metrics:begin -->` and
/// `<!-- metrics:end -->`, each with its newline.
#[must_use]
pub fn metrics_markdown() -> String {
    metrics::table()
}

/// Returns the alarms as rules of Prometheus: the lines between `# rules:begin` and
/// `# rules:end` of `packaging/prometheus/saltern.rules.yaml`, each with its newline.
#[must_use]
pub fn rules_yaml() -> String {
    metrics::rules()
}

/// Indented JSON with a newline at the end.
fn pretty(document: &impl serde::Serialize) -> String {
    // Serialization cannot fail: every key is a string.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_openapi_document_is_up_to_date() {
        assert!(openapi() == crate::OPENAPI, "openapi.json is out of date: run `cargo xtask generate`");
    }

    #[test]
    fn the_metrics_of_the_dashboard_are_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../infra/modules/password-hasher/metrics.json");
        let committed = fs::read_to_string(path).unwrap();
        assert!(committed == metrics_json(), "{path} is out of date: run `cargo xtask generate`");
    }

    #[test]
    fn the_rules_of_prometheus_are_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/prometheus/saltern.rules.yaml");
        let committed = fs::read_to_string(path).unwrap();
        let (_, rest) = committed.split_once("      # rules:begin\n").unwrap();
        let (rules, _) = rest.split_once("      # rules:end\n").unwrap();
        assert!(rules == rules_yaml(), "{path} is out of date: run `cargo xtask generate`");
    }

    #[test]
    fn the_metrics_of_the_servers_guide_are_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/README.md");
        let readme = fs::read_to_string(path).unwrap();
        let (_, rest) = readme.split_once("<!-- metrics:begin -->\n").unwrap();
        let (table, _) = rest.split_once("<!-- metrics:end -->").unwrap();
        assert!(table == metrics_markdown(), "{path} is out of date: run `cargo xtask generate`");
    }
}
