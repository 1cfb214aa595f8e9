//! `saltern-measure report` with a stub of CloudWatch.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "minutes of an evening and times of this century"
)]

mod cloudwatch;

use std::{
    fs,
    net::TcpListener,
    path::PathBuf,
    process::{Command, Output},
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};

use cloudwatch::{Call, CloudWatch, Mood, logins};
use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// The end of the evening: a full hour, one to two hours ago.
static END: LazyLock<i64> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    i64::try_from(now).unwrap() / 3600 * 3600 - 3600
});

const MINUTES: i64 = 80;

fn begin() -> i64 {
    *END - MINUTES * 60
}

fn all_logins() -> f64 {
    (0..MINUTES).map(logins).sum()
}

/// The command for a report, with credentials and an endpoint.
struct Report {
    command: Command,
    page: PathBuf,
}

impl Report {
    fn new(name: &str, endpoint: &str) -> Self {
        Self::days_later(name, endpoint, 0)
    }

    /// The same report, but this number of days later.
    fn days_later(name: &str, endpoint: &str, days: i64) -> Self {
        let page = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}.html"));
        let _none = fs::remove_file(&page);
        let mut command = Command::new(env!("CARGO_BIN_EXE_saltern-measure"));
        let time = |at: i64| {
            OffsetDateTime::from_unix_timestamp(at - days * 86_400).unwrap().format(&Rfc3339).unwrap()
        };
        command
            .env_clear()
            .envs([
                ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
                ("AWS_SECRET_ACCESS_KEY", "example-secret-key"),
                ("AWS_ENDPOINT_URL_CLOUDWATCH", endpoint),
                ("AWS_EC2_METADATA_DISABLED", "true"),
                // No profile of the user who runs the tests.
                ("AWS_CONFIG_FILE", "/dev/null"),
                ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null"),
            ])
            .args(["report", "--function", "logins", "--region", "eu-north-1"])
            .args(["--from", &time(begin()), "--to", &time(*END)])
            .args(["--memory-mb", "1769", "--architecture", "x86_64"])
            .arg("--out")
            .arg(&page);
        Self { command, page }
    }

    fn of(name: &str, cloudwatch: &CloudWatch) -> Self {
        Self::new(name, &cloudwatch.stub.endpoint())
    }

    fn with(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    fn without(mut self, variables: &[&str]) -> Self {
        for variable in variables {
            self.command.env_remove(variable);
        }
        self
    }

    fn page(mut self) -> String {
        let output = self.command.output().unwrap();
        assert!(output.status.success(), "{}", error_of(&output));
        assert_eq!(error_of(&output), "");
        fs::read_to_string(self.page).unwrap()
    }

    /// Returns the exit code and the error message.
    fn refusal(mut self) -> (Option<i32>, String) {
        let output = self.command.output().unwrap();
        assert!(!self.page.exists(), "a page was written");
        let sentence = error_of(&output);
        assert!(!sentence.contains("example-secret-key") && !sentence.contains("AKIAEXAMPLE"), "{sentence}");
        (output.status.code(), sentence)
    }
}

fn error_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Writes a summary as the load test does.
fn summary(name: &str, failed: f64) -> String {
    let sent = all_logins() + 840.0;
    let times = json!({"count": sent - 840.0, "min": 41.2, "med": 176.4, "p(90)": 211.8, "p(99)": 305.1, "max": 902.7});
    let broken =
        if failed < 0.001 { vec![] } else { vec![format!("operations_failed: rate<0.001 (is {failed})")] };
    let summary = json!({
        "script": "live-event.ts",
        "broken": broken,
        "metrics": {
            "http_reqs": {"type": "counter", "values": {"count": sent, "rate": 1200.0}},
            "iterations": {"type": "counter", "values": {"count": sent - 1.0, "rate": 1200.0}},
            "operation_ms{kind:right}": {"type": "trend", "values": times},
        }
    });
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("summary-{name}.json"));
    fs::write(&file, summary.to_string()).unwrap();
    file.into_os_string().into_string().unwrap()
}

#[test]
fn an_evening_becomes_a_page() {
    let cloudwatch = CloudWatch::start(Mood::Evening);
    let page = Report::of("evening", &cloudwatch).with(&["--k6-summary", &summary("evening", 0.0002)]).page();

    // 20 minutes at 1,500 and 20 at 3,000 a second, 40 at 200: 5,880,000.
    for text in [
        "Every budget of the load test was kept.",
        "<dt>requests</dt><dd>5,880,000</dd>",
        "<dt>throttled</dt><dd>840</dd>",
        "<dt>environments at most</dt><dd>570</dd>",
        "<td>sent by k6</td><td class=\"number\">5,880,840</td>",
        "<td>answered by Saltern</td><td class=\"number\">5,880,000</td>",
        "<dt>p90 at the callers</dt><dd>212 ms</dd>",
        // A line of the chart of hashing.
        "argon2id-2026</li>",
        "<td>verify, bcrypt, bcrypt-11, match</td><td class=\"number\">4,645,200</td>",
        "<td>refusal: overloaded</td><td class=\"number\">1,780</td>",
        "<td>environments started for a request</td><td class=\"number\">318</td>",
        "<td>match that needs a rehash: bcrypt-11, older_policy</td><td class=\"number\">4,645,200</td>",
        "<td>rehash made: bcrypt-11</td><td class=\"number\">4,174,800</td>",
        "<td>no provisioned environment was free: spillover</td><td class=\"number\">318</td>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(
        page.contains("CloudWatch: &lt;b&gt;a message&lt;/b&gt;") && !page.contains("<b>"),
        "not escaped"
    );
}

#[test]
fn a_late_report_is_refused_because_a_search_misses_old_series() {
    let cloudwatch = CloudWatch::start(Mood::Evening);
    let endpoint = cloudwatch.stub.endpoint();
    let _page = Report::days_later("late", &endpoint, 13).page();
    let (code, sentence) = Report::days_later("too-late", &endpoint, 15).refusal();
    assert_eq!(code, Some(64));
    assert!(sentence.contains("--from is more than 14 days ago"), "{sentence}");
}

/// Adds up the same figures.
#[test]
fn the_cost_follows_the_list_prices() {
    let cloudwatch = CloudWatch::start(Mood::Evening);
    let page = Report::of("cost", &cloudwatch).page();
    let gb = 1769.0 / 1024.0;
    let run =
        |minute: i64| logins(minute) * (164.0 * (1.0 + 0.2 * logins(minute) / 180_000.0) + 0.5) / 1000.0;
    let all: f64 = (0..MINUTES).map(run).sum::<f64>() * gb;
    let requests = all_logins();
    let provisioned_share = (5..70).map(logins).sum::<f64>() / requests;
    // 720 environments from the fifth minute, until requests come on demand alone.
    let waiting = 720.0 * 65.0 * 60.0 * gb;
    let usd = requests * 0.2e-6
        + all * (1.0 - provisioned_share) * 0.000_016_666_7
        + all * provisioned_share * 0.000_009_722_2
        + waiting * 0.000_004_166_7;
    assert!(page.contains(&format!("<dt>cost</dt><dd>{usd:.2} USD</dd>")), "{usd}");
}

#[test]
fn the_queries_have_whole_minutes_and_name_alias_and_function() {
    let cloudwatch = CloudWatch::start(Mood::Evening);
    let _page = Report::of("question", &cloudwatch).with(&["--alias", "next"]).page();
    let calls = cloudwatch.calls();
    assert_eq!(calls.len(), 2, "two pages are two calls");
    assert_eq!(
        (&calls[0].body["NextToken"], &calls[1].body["NextToken"]),
        (&json!(null), &json!("the-second-half"))
    );
    for call in &calls {
        let Call { request, body } = call;
        assert_eq!(request.path, "/service/GraniteServiceVersion20100801/operation/GetMetricData");
        assert_eq!(request.header("smithy-protocol"), Some("rpc-v2-cbor"));
        assert!(request.header("authorization").unwrap().starts_with("AWS4-HMAC-SHA256"));
        assert_eq!((&body["StartTime"], &body["EndTime"]), (&json!(begin()), &json!(*END)));
        let queries = body["MetricDataQueries"].as_array().unwrap();
        let stat = |id: &str| &queries.iter().find(|query| query["Id"] == id).unwrap()["MetricStat"];
        assert_eq!(
            stat("duration_p90"),
            &json!({
                "Metric": {
                    "Namespace": "AWS/Lambda",
                    "MetricName": "Duration",
                    "Dimensions": [
                        {"Name": "FunctionName", "Value": "logins"},
                        {"Name": "Resource", "Value": "logins:next"},
                    ],
                },
                "Period": 60,
                "Stat": "p90",
            })
        );
        let of_function = json!([{"Name": "FunctionName", "Value": "logins"}]);
        assert_eq!(stat("concurrency")["Metric"]["Dimensions"], of_function);
    }
}

#[test]
fn an_exceeded_budget_is_the_verdict() {
    let cloudwatch = CloudWatch::start(Mood::Evening);
    let page = Report::of("broken", &cloudwatch).with(&["--k6-summary", &summary("broken", 0.02)]).page();
    assert!(page.contains("The load test exceeded its budget: operations_failed: rate&lt;0.001 (is 0.02)."));
}

#[test]
fn a_run_without_requests_kept_no_budget() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("summary-nothing.json");
    // The setup asked for the policies, and got no answer.
    let metrics = r#"{"http_reqs": {"type": "counter", "values": {"count": 1, "rate": 90.1}}}"#;
    fs::write(&file, format!(r#"{{"script": "smoke.ts", "broken": [], "metrics": {metrics}}}"#)).unwrap();
    let cloudwatch = CloudWatch::start(Mood::Evening);
    let page = Report::of("nothing", &cloudwatch).with(&["--k6-summary", file.to_str().unwrap()]).page();
    assert!(
        page.contains("The load test sent nothing") && !page.contains("budget of the load test was kept")
    );
}

#[test]
fn a_window_without_figures_is_an_error_with_an_advice() {
    for (status, note) in [("Complete", false), ("Forbidden", true)] {
        let cloudwatch = CloudWatch::start(Mood::Empty { status });
        let (code, sentence) = Report::of("empty", &cloudwatch).refusal();
        assert_eq!(code, Some(64));
        assert!(sentence.contains("no figure of logins:live") && sentence.contains("--region"), "{sentence}");
        let of_cloudwatch = sentence.matches(". CloudWatch: These credentials may not read ").count();
        assert_eq!(of_cloudwatch, usize::from(note), "{sentence}");
    }
}

#[test]
fn a_refusal_of_cloudwatch_is_an_error_with_an_advice() {
    for (status, code, exit, says) in [
        (403, "UnrecognizedClientException", 64, "does not know these credentials"),
        (403, "InvalidClientTokenId", 64, "does not know these credentials"),
        (403, "ExpiredTokenException", 64, "have expired"),
        (403, "AccessDeniedException", 64, "these credentials: from the stub"),
        (400, "Throttling", 71, "Try again in a minute"),
        (500, "InternalServiceFault", 71, "Try again in a minute"),
        (400, "ValidationError", 71, "ValidationError: from the stub"),
    ] {
        let cloudwatch = CloudWatch::start(Mood::Refusing { calls: usize::MAX, status, code });
        let (exit_code, sentence) = Report::of(code, &cloudwatch).refusal();
        assert_eq!(exit_code, Some(exit), "{code}: {sentence}");
        assert!(sentence.contains(says), "{code}: {sentence}");
    }
}

#[test]
fn a_throttled_call_is_retried() {
    let cloudwatch = CloudWatch::start(Mood::Refusing { calls: 1, status: 400, code: "Throttling" });
    let page = Report::of("throttled-once", &cloudwatch).page();
    assert!(page.contains("5,880,000"));
    assert_eq!(cloudwatch.calls().len(), 3);
}

#[test]
fn missing_input_is_an_error_with_an_advice() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}");
    let summary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("not-a-summary.json");
    fs::write(&summary, "hello").unwrap();
    let summary = summary.to_str().unwrap();
    let report = || Report::new("missing", &closed);
    for (report, exit, says) in [
        (report(), 71, "cannot be reached"),
        (report().without(&["AWS_ACCESS_KEY_ID"]), 64, "There are no AWS credentials"),
        (report().with(&["--k6-summary", summary]), 64, "is not a summary of a load test"),
        (report().with(&["--k6-summary", "nowhere.json"]), 64, "nowhere.json cannot be read"),
    ] {
        let (code, sentence) = report.refusal();
        assert_eq!(code, Some(exit), "{sentence}");
        assert!(sentence.contains(says), "{sentence}");
    }
}
