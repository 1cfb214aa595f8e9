//! CloudWatch's embedded metric format (EMF): metrics as JSON lines on the standard output of a
//! Lambda function. CloudWatch reads them from the log.
//!
//! Printing needs no connection, and a printed line survives the end of the process.
//!
//! The format: <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>.

use core::fmt;
use std::{
    collections::BTreeMap,
    io::Write,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use saltern_service::{
    LogLine, Outcome,
    metrics::{Kind, Labels, Metric, NAMESPACE, SERVICE, Sample, Sink},
};
use serde::Serialize;
use tracing_subscriber::fmt::{format::Writer, time::FormatTime as _};

use super::aggregate::Distribution;

/// A sink that prints the samples of each request, in the request's log line.
pub(crate) struct Emf<W> {
    service: String,
    with_distributions: bool,
    out: Mutex<W>,
}

impl<W: Write> Emf<W> {
    /// Prints counts and omits distributions. `service` is the value of the dimension `Service`.
    pub(crate) fn new(service: impl Into<String>, out: W) -> Self {
        Self { service: service.into(), with_distributions: false, out: Mutex::new(out) }
    }

    /// Prints the distributions too.
    #[must_use]
    pub(crate) fn with_distributions(self) -> Self {
        Self { with_distributions: true, ..self }
    }
}

impl<W: Write + Send> Sink for Emf<W> {
    fn record(&self, outcome: &Outcome, samples: &[Sample]) {
        let printed = samples.iter().filter(|s| s.metric.kind == Kind::Count || self.with_distributions);
        let mut figures: Vec<Figure<'_>> = Vec::new();
        for Sample { metric, labels, value } in printed {
            add(&mut figures, metric, labels, *value);
        }
        let mut text = Vec::with_capacity(TYPICAL_BYTES);
        let line = LogLine::of(outcome);
        let now = SystemTime::now();
        for (i, record) in pack(&figures).iter().enumerate() {
            record.write(&mut text, &self.service, now, (i == 0).then_some(&line));
        }
        print(&self.out, &text);
    }
}

impl<W> fmt::Debug for Emf<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emf").field("service", &self.service).finish_non_exhaustive()
    }
}

/// Prints distributions that could not be sent, each under its `unsent` name.
///
/// Each line is one write: requests print between the lines, and if the process ends early, the
/// written lines stay.
pub(crate) fn write_unsent(service: &str, unsent: &[Distribution], out: &Mutex<impl Write>) {
    let mut text = Vec::with_capacity(TYPICAL_BYTES);
    for Distribution { metric, labels, at, values } in unsent {
        let Kind::Distribution { unsent: name } = metric.kind else { continue };
        let mut each = values.iter().flat_map(|&(value, count)| (0..count).map(move |_| value)).peekable();
        while each.peek().is_some() {
            let values = each.by_ref().take(MAX_VALUES).collect();
            let figure = Figure { name, unit: metric.unit.name(), labels, values };
            text.clear();
            Record { figures: vec![&figure] }.write(&mut text, service, *at, None);
            print(out, &text);
        }
    }
}

/// A metric and its values with the same labels: at most [`MAX_VALUES`].
struct Figure<'a> {
    name: &'static str,
    unit: &'static str,
    labels: &'a Labels,
    values: Vec<f64>,
}

/// Adds a sample: counts are summed, values of a distribution are collected.
fn add<'a>(figures: &mut Vec<Figure<'a>>, metric: &'static Metric, labels: &'a Labels, value: f64) {
    let name = metric.cloudwatch;
    let has_room = |figure: &Figure<'_>| metric.kind == Kind::Count || figure.values.len() < MAX_VALUES;
    let same = |figure: &&mut Figure<'_>| figure.name == name && figure.labels == labels && has_room(figure);
    match figures.iter_mut().find(same) {
        Some(Figure { values, .. }) if metric.kind == Kind::Count => values[0] += value,
        Some(Figure { values, .. }) => values.push(value),
        None => figures.push(Figure { name, unit: metric.unit.name(), labels, values: vec![value] }),
    }
}

/// Distributes the figures to as few lines as possible.
///
/// A line has one value for each label and name. So a batch with matches and mismatches takes two
/// lines, and a request that is not a batch takes one.
fn pack<'a>(figures: &'a [Figure<'a>]) -> Vec<Record<'a>> {
    let mut records: Vec<Record<'a>> = Vec::new();
    for figure in figures {
        match records.iter_mut().find(|record| record.takes(figure)) {
            Some(record) => record.figures.push(figure),
            None => records.push(Record { figures: vec![figure] }),
        }
    }
    records
}

/// One line: figures whose labels do not conflict.
struct Record<'a> {
    figures: Vec<&'a Figure<'a>>,
}

impl Record<'_> {
    fn takes(&self, figure: &Figure<'_>) -> bool {
        self.figures.len() < MAX_METRICS
            && self.figures.iter().all(|own| own.name != figure.name && agree(own.labels, figure.labels))
    }

    fn write(&self, text: &mut Vec<u8>, service: &str, at: SystemTime, line: Option<&LogLine<'_>>) {
        let mut members = BTreeMap::from([(SERVICE, Member::Text(service))]);
        for figure in &self.figures {
            members
                .extend(figure.labels.iter().map(|(label, value)| (label.dimension(), Member::Text(value))));
            let value = match &*figure.values {
                [value] => Member::One(*value),
                values => Member::Several(values),
            };
            members.insert(figure.name, value);
        }
        let document = Document {
            level: LEVEL,
            timestamp: now(),
            line,
            aws: Metadata { timestamp: milliseconds(at), directives: self.directives() },
            members,
        };
        // Serialization cannot fail: keys are strings, and a vector accepts all writes.
        let _infallible = serde_json::to_writer(&mut *text, &document);
        text.push(b'\n');
    }

    /// Returns one directive for each set of dimensions.
    fn directives(&self) -> Vec<Directive> {
        let mut directives: Vec<Directive> = Vec::new();
        for figure in &self.figures {
            let dimensions: Vec<_> = [SERVICE]
                .into_iter()
                .chain(figure.labels.iter().map(|(label, _)| label.dimension()))
                .collect();
            let metric = Name { name: figure.name, unit: figure.unit };
            match directives.iter_mut().find(|directive| directive.dimensions[0] == dimensions) {
                Some(directive) => directive.metrics.push(metric),
                None => directives.push(Directive {
                    namespace: NAMESPACE,
                    dimensions: [dimensions],
                    metrics: vec![metric],
                }),
            }
        }
        directives
    }
}

/// Whether the labels that both have are equal.
fn agree(here: &Labels, there: &Labels) -> bool {
    here.iter().all(|(label, value)| there.iter().all(|(other, its)| label != other || value == its))
}

/// Writes the text at once, so that lines of other threads do not interrupt it. Errors are ignored,
/// since the log itself is the output.
fn print(out: &Mutex<impl Write>, text: &[u8]) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    let _unwritten = out.write_all(text).and_then(|()| out.flush());
}

#[derive(Serialize)]
struct Document<'a> {
    level: &'static str,
    timestamp: String,
    #[serde(flatten)]
    line: Option<&'a LogLine<'a>>,
    #[serde(rename = "_aws")]
    aws: Metadata,
    #[serde(flatten)]
    members: BTreeMap<&'a str, Member<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata {
    timestamp: u64,
    #[serde(rename = "CloudWatchMetrics")]
    directives: Vec<Directive>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive {
    namespace: &'static str,
    dimensions: [Vec<&'static str>; 1],
    metrics: Vec<Name>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Name {
    name: &'static str,
    unit: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Member<'a> {
    Text(&'a str),
    One(f64),
    Several(&'a [f64]),
}

/// The current time, in the format of the other log lines.
fn now() -> String {
    let mut text = String::new();
    let _infallible = tracing_subscriber::fmt::time::SystemTime.format_time(&mut Writer::new(&mut text));
    text
}

fn milliseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Lambda drops lines below the function's log level. These lines have the level INFO.
const LEVEL: &str = "INFO";

/// The most values of a metric in a line, and metrics in a directive (the specification, "Metrics
/// array" and "Target members").
const MAX_VALUES: usize = 100;
const MAX_METRICS: usize = 100;

/// The usual length of the line of a request that is not a batch.
const TYPICAL_BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use serde_json::{Value, json};

    use saltern_service::{
        Caller, End, Ids, Operation, Step,
        metrics::{
            HASH, Label, METRICS, OPERATIONS, QUEUE, REFUSALS, REHASHES_DONE, REHASHES_NEEDED, REQUESTS,
        },
    };

    use super::*;

    /// A verification that matched, without steps.
    fn outcome() -> Outcome {
        Outcome {
            operation: Operation::Verify,
            end: End::Match,
            ids: Ids::random(),
            caller: Caller::Anyone,
            peer: None,
            total: Duration::from_millis(1),
            steps: Vec::new(),
            arena_bytes: 0,
            is_cold_start: false,
        }
    }

    fn sample(metric: &'static Metric, labels: &[&'static str], value: f64) -> Sample {
        assert_eq!(metric.labels.len(), labels.len());
        let labels = metric.labels.iter().copied().zip(labels.iter().map(|&label| label.into())).collect();
        Sample { metric, labels, value }
    }

    fn count(metric: &'static Metric, labels: &[&'static str]) -> Sample {
        sample(metric, labels, 1.0)
    }

    fn printed(emf: &Emf<Vec<u8>>, outcome: &Outcome, samples: &[Sample]) -> Vec<Value> {
        emf.record(outcome, samples);
        lines(&emf.out)
    }

    fn lines(out: &Mutex<Vec<u8>>) -> Vec<Value> {
        let text = String::from_utf8(out.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The values that CloudWatch reads from a line, by name and dimensions. Panics if the line
    /// violates the format.
    fn read(line: &Value) -> Vec<(String, Vec<f64>)> {
        let directives = line["_aws"]["CloudWatchMetrics"].as_array().unwrap();
        let mut found = Vec::new();
        for directive in directives {
            assert_eq!(directive["Namespace"], json!("Saltern"));
            for set in directive["Dimensions"].as_array().unwrap() {
                let set = set.as_array().unwrap();
                assert!(set.len() <= 30);
                let dimensions: Vec<_> = set.iter().map(|name| &line[name.as_str().unwrap()]).collect();
                let dimensions = dimensions.iter().map(|value| value.as_str().unwrap());
                let metrics = directive["Metrics"].as_array().unwrap();
                assert!(metrics.len() <= 100);
                for metric in metrics {
                    let name = metric["Name"].as_str().unwrap();
                    let value = &line[name];
                    let values = value.as_array().map_or_else(|| vec![value.clone()], Clone::clone);
                    assert!(values.len() <= 100);
                    let values = values.iter().map(|value| value.as_f64().unwrap()).collect();
                    let key: Vec<_> = [name].into_iter().chain(dimensions.clone()).collect();
                    found.push((key.join(" "), values));
                }
            }
        }
        found
    }

    #[test]
    fn a_request_is_one_line_with_its_counts_and_its_log() {
        let step = Step {
            operation: Operation::Verify,
            end: End::Match,
            policy: Some("old".to_owned()),
            is_decoy: false,
            algorithm: Some("bcrypt"),
            timing: None,
            rehash_reason: None,
            rehashed: None,
            stored_key: None,
            sealed_under: None,
        };
        let login = Outcome { steps: vec![step], ..outcome() };
        let samples = [
            count(&REQUESTS, &["verify", "match"]),
            sample(&QUEUE, &[], 2.0),
            count(&OPERATIONS, &["verify", "bcrypt", "old", "match"]),
            count(&REHASHES_NEEDED, &["old", "older_policy"]),
            sample(&HASH, &["bcrypt", "old"], 40.0),
            count(&REHASHES_DONE, &["old"]),
        ];
        let lines = printed(&Emf::new("fn", Vec::new()), &login, &samples);
        let [line] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(
            read(line),
            [
                ("Requests fn verify match".to_owned(), vec![1.0]),
                ("Operations fn verify bcrypt old match".to_owned(), vec![1.0]),
                ("RehashesNeeded fn old older_policy".to_owned(), vec![1.0]),
                ("RehashesDone fn old".to_owned(), vec![1.0]),
            ]
        );
        assert_eq!(
            (&line["level"], &line["operation"], &line["policy"]),
            (&json!("INFO"), &json!("verify"), &json!("old"))
        );
        assert_eq!(line["request_id"], json!(login.ids.request_id.as_str()));
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn a_batch_writes_one_line_for_each_set_of_labels() {
        let operation = |policy, end| count(&OPERATIONS, &["verify", "bcrypt", policy, end]);
        let samples = [
            count(&REQUESTS, &["batch", "answered"]),
            operation("old", "match"),
            operation("old", "mismatch"),
            operation("old", "mismatch"),
            operation("unlisted", "match"),
            operation("old", "refused"),
            count(&REFUSALS, &["overloaded"]),
        ];
        let batch = Outcome { operation: Operation::Batch, end: End::Answered, ..outcome() };
        let lines = printed(&Emf::new("fn", Vec::new()), &batch, &samples);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines.iter().filter(|line| line["request_id"].is_string()).count(), 1);
        let counts: BTreeMap<_, _> = lines.iter().flat_map(read).collect();
        assert_eq!(counts["Operations fn verify bcrypt old mismatch"], [2.0]);
        assert_eq!(counts["Operations fn verify bcrypt old match"], [1.0]);
        assert_eq!(counts["Operations fn verify bcrypt old refused"], [1.0]);
        assert_eq!(counts["Operations fn verify bcrypt unlisted match"], [1.0]);
        assert_eq!(counts["Requests fn batch answered"], [1.0]);
        assert_eq!(counts["Refusals fn overloaded"], [1.0]);
    }

    #[test]
    fn the_distributions_of_the_largest_batch_fit_the_format() {
        let of_a_rehash = || {
            [
                sample(&QUEUE, &[], 2.0),
                sample(&HASH, &["bcrypt", "old"], 40.0),
                sample(&QUEUE, &[], 0.0),
                sample(&HASH, &["argon2id", "new"], 90.0),
            ]
        };
        let samples: Vec<_> = (0..64).flat_map(|_| of_a_rehash()).collect();
        let batch = Outcome { operation: Operation::Batch, end: End::Answered, ..outcome() };
        let lines = printed(&Emf::new("fn", Vec::new()).with_distributions(), &batch, &samples);
        let values = |name: &str| -> usize {
            let read = lines.iter().flat_map(read).filter(|(own, _)| own == name);
            read.map(|(_, values)| values.len()).sum()
        };
        assert_eq!(values("QueueMilliseconds fn"), 128);
        assert_eq!(values("HashMilliseconds fn bcrypt old"), 64);
        assert_eq!(values("HashMilliseconds fn argon2id new"), 64);
    }

    #[test]
    fn unsent_distributions_are_printed_under_their_unsent_name_with_every_value() {
        let at = SystemTime::UNIX_EPOCH + Duration::from_mins(1);
        let labels: Labels = HASH.labels.iter().map(|label| (*label, "x".into())).collect();
        let unsent = [
            Distribution { metric: &QUEUE, labels: Vec::new(), at, values: vec![(0.0, 250), (1.5, 1)] },
            Distribution { metric: &HASH, labels, at, values: vec![(40.0, 2)] },
        ];
        let out = Mutex::new(Vec::new());
        write_unsent("fn", &unsent, &out);
        let lines = lines(&out);
        assert!(lines.iter().all(|line| line["_aws"]["Timestamp"] == json!(60_000)));
        let mut sums: BTreeMap<String, (usize, f64)> = BTreeMap::new();
        for (name, values) in lines.iter().flat_map(read) {
            let (count, sum) = sums.entry(name).or_default();
            (*count, *sum) = (*count + values.len(), *sum + values.iter().sum::<f64>());
        }
        assert_eq!(sums["QueueMillisecondsUnsent fn"], (251, 1.5));
        assert_eq!(sums["HashMillisecondsUnsent fn x x"], (2, 80.0));
        assert_eq!(sums.len(), 2);
    }

    #[test]
    fn unsent_distributions_are_written_line_by_line() {
        /// Keeps each write.
        #[derive(Default)]
        struct Writes(Vec<Vec<u8>>);
        impl Write for Writes {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.push(bytes.to_vec());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let at = SystemTime::UNIX_EPOCH;
        let many =
            Distribution { metric: &QUEUE, labels: Vec::new(), at, values: vec![(1.0, 100_000), (2.0, 50)] };
        let out = Mutex::new(Writes::default());
        write_unsent("fn", &[many], &out);
        let writes = out.into_inner().unwrap().0;
        assert_eq!(writes.len(), 1_001);
        for write in writes {
            let text = String::from_utf8(write).unwrap();
            assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
            assert!(text.len() < 1_000, "{} bytes at once", text.len());
        }
    }

    #[test]
    fn metrics_dimensions_and_log_fields_have_different_names() {
        let line = serde_json::to_value(LogLine::of(&outcome())).unwrap();
        let names = METRICS.iter().flat_map(|metric| match metric.kind {
            Kind::Count => vec![metric.cloudwatch],
            Kind::Distribution { unsent } => vec![metric.cloudwatch, unsent],
        });
        let dimensions = Label::ALL.iter().copied().map(Label::dimension);
        for name in names.chain(dimensions).chain([SERVICE]) {
            assert!(line.get(name).is_none(), "{name}");
        }
    }
}
