//! A function on Lambda that measures: it answers ordinary requests through `Invoke`, and its
//! answers have the times of their hashes (`Server-Timing`).

use std::{collections::HashMap, time::Duration};

use crate::measure::{Measured, Spread};
use aws_sdk_lambda::{Client, primitives::Blob};
use saltern_capacity::Size;
use saltern_encoded::{Encoded, Params};
use saltern_lambda::FunctionSize;
use saltern_policy::parameters_of;
use saltern_server::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    CalibrateArguments,
    bound::{Bound, Stop},
    ladder::Step,
};
use crate::aws;

pub(super) struct Function {
    name: String,
    /// The alias or version.
    qualifier: Option<String>,
    client: Client,
    runtime: Runtime,
    size: Size,
    /// The policies that the function lists.
    policies: Vec<Value>,
}

impl Function {
    /// Reads the policies of the function, and its size if the arguments do not give it.
    pub(super) fn find(name: &str, arguments: &CalibrateArguments) -> Result<Self, Failure> {
        let runtime = aws::runtime()?;
        let client = Client::new(&runtime.block_on(aws::configuration(arguments.region.clone(), WITHIN))?);
        let (name, qualifier) = (name.to_owned(), arguments.alias.clone());
        let size = match (arguments.memory_mb, arguments.architecture) {
            (Some(memory_mb), Some(architecture)) => Size { memory_mb, architecture },
            // The arguments give both or neither.
            _ => configured_size(&client, &runtime, &name, qualifier.clone())?,
        };
        let mut function = Self { name, qualifier, client, runtime, size, policies: Vec::new() };
        let listed = function.ask("GET", "/policies", "")?.body()["policies"].as_array().cloned();
        function.policies = listed.ok_or_else(|| function.is_not_saltern())?;
        Ok(function)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// Measures one hash alone.
    pub(super) fn one(&self, step: &Step) -> Result<Measured, Stop> {
        let mut body = self.operation(step, 0)?;
        let path = format!("/{}", body["op"].as_str().unwrap_or_default());
        body.as_object_mut().map(|members| members.remove("op"));
        let times = self.times(&path, &body)?;
        Ok(measured(1, &times.map(|time| time.hash_ms)))
    }

    /// Measures hashes in batches that fill all workers, and returns the batch with the most hashes
    /// a second; the hash alone if lanes bring nothing, or if a batch exceeds a limit.
    ///
    /// From outside nobody sees the function's lanes: they depend on its processor.
    pub(super) fn in_lanes(&self, step: &Step, one: Measured) -> Result<Measured, Failure> {
        let size = FunctionSize { memory_mib: self.size.memory_mb, concurrency: 1 };
        let workers = size.workers().get();
        let mut best = one;
        for lanes in LANES.into_iter().filter(|lanes| lanes * workers <= MOST_OPERATIONS) {
            let operations: Result<Vec<Value>, Failure> =
                (0..lanes * workers).map(|number| self.operation(step, number)).collect();
            let times = match self.times("/batch", &json!({"operations": operations?})) {
                // A larger batch takes longer.
                Err(Stop::Limit(_)) => break,
                times => times?,
            };
            let batch = measured(lanes, &times.map(|time| time.queue_ms + time.hash_ms));
            if batch.hash_cpu_ms() < NOTICEABLE * best.hash_cpu_ms() {
                best = batch;
            } else if lanes >= TELLING {
                break;
            }
        }
        Ok(best)
    }

    /// Returns one hash as an operation of a batch: a new hash of the policy that has the
    /// parameters, otherwise the verification of a made-up hash, which no password matches.
    ///
    /// Passwords differ, because lanes read their own tables only then.
    fn operation(&self, step: &Step, number: usize) -> Result<Value, Failure> {
        let password = format!("saltern-measure calibrate {number}");
        if let Some(policy) = self.policy_with(step.params) {
            return Ok(json!({"op": "hash", "password": password, "policy": policy, "context": CONTEXT}));
        }
        let setting = step.admitted.setting().clone();
        let output = vec![0; setting.output_bytes()];
        let hash = Encoded::new(setting, &output)
            .ok_or_else(|| Failure::system("the hash to measure has no text"))?
            .to_string();
        Ok(json!({"op": "verify", "password": password, "hash": hash, "context": CONTEXT}))
    }

    /// Returns the id of the active policy that has these parameters.
    fn policy_with(&self, params: Params) -> Option<&str> {
        let is_equal = |policy: &&Value| {
            policy["algorithm"] == params.algorithm().name()
                && policy["status"] == "active"
                && parameters_of(params).iter().all(|&(name, value)| policy[name] == value)
        };
        self.policies.iter().find(is_equal)?["id"].as_str()
    }

    /// Sends a request [`SAMPLES`] times, and once before: the first answer can include a cold start
    /// and fresh memory, so the second takes its place.
    fn times(&self, path: &str, body: &Value) -> Result<[Time; SAMPLES], Stop> {
        let mut times = [Time::default(); SAMPLES];
        for sample in 0..=SAMPLES {
            let answer = self.ask("POST", path, &body.to_string())?;
            times[sample.saturating_sub(1)] = answer.time().ok_or_else(|| self.is_not_saltern())?;
        }
        Ok(times)
    }

    /// Invokes the function with a request.
    fn ask(&self, method: &str, path: &str, body: &str) -> Result<Answer, Stop> {
        let event = json!({
            "version": "2.0",
            "rawPath": path,
            "requestContext": {"http": {"method": method}},
            "headers": {"content-type": "application/json", "saltern-deadline-ms": DEADLINE_MS},
            "body": body,
            "isBase64Encoded": false,
        });
        let call = self.client.invoke().function_name(&self.name).set_qualifier(self.qualifier.clone());
        let call = call.payload(Blob::new(event.to_string()));
        let answer = self
            .runtime
            .block_on(call.send())
            .map_err(|error| aws::failure(&error, "Lambda", WITHIN, "--target-ms"))?;
        let payload = answer.payload().map(Blob::as_ref).unwrap_or_default();
        if let Some(kind) = answer.function_error() {
            return Err(self.broken(kind, payload));
        }
        let answer: Answer = serde_json::from_slice(payload).map_err(|_| self.is_not_saltern())?;
        answer.problem().map_or(Ok(answer), |problem| Err(self.refused(&problem)))
    }

    /// Returns why Lambda ended the function.
    fn broken(&self, kind: &str, payload: &[u8]) -> Stop {
        let error: Value = serde_json::from_slice(payload).unwrap_or_default();
        let message = error["errorMessage"].as_str().unwrap_or("no message");
        if message.contains("Task timed out") {
            return Stop::Limit(Bound::FunctionDeadline);
        }
        Stop::Broken(Failure::system(format!(
            "{} failed during the measurement ({kind}: {message}). Give it more memory, or use a shorter --target-ms",
            self.name
        )))
    }

    /// Returns the limit or the fault behind a problem of the function.
    fn refused(&self, problem: &Value) -> Stop {
        let text = |member: &str| problem[member].as_str().unwrap_or_default();
        match text("code") {
            "cost_out_of_bounds" => Stop::Limit(Bound::FunctionCeiling),
            "deadline_exceeded" => Stop::Limit(Bound::FunctionDeadline),
            code => Stop::Broken(Failure::system(format!(
                "{} refused the measurement with {code}: {}",
                self.name,
                text("detail")
            ))),
        }
    }

    fn is_not_saltern(&self) -> Failure {
        Failure::configuration(format!(
            "{} does not answer as Saltern does: check --on-lambda, or deploy this version of Saltern",
            self.name
        ))
    }
}

/// The response of a function in payload format 2.0.
#[derive(Deserialize)]
struct Answer {
    headers: HashMap<String, String>,
    body: String,
}

impl Answer {
    fn body(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// Returns the problem, or the first problem of a batch.
    fn problem(&self) -> Option<Value> {
        let body = self.body();
        let of_an_operation = || body["results"].as_array()?.iter().find_map(|result| result.get("problem"));
        if body["code"].is_string() { Some(body) } else { of_an_operation().cloned() }
    }

    /// Reads `Server-Timing: queue;dur=0.012, hash;dur=41.734`.
    fn time(&self) -> Option<Time> {
        let header = self.headers.get("server-timing")?;
        let ms = |name: &str| header.split(", ").find_map(|part| part.strip_prefix(name)?.parse().ok());
        Some(Time { queue_ms: ms("queue;dur=")?, hash_ms: ms("hash;dur=")? })
    }
}

/// The times of an answer. In a batch each is the longest of an operation.
#[derive(Clone, Copy, Default)]
struct Time {
    queue_ms: f64,
    hash_ms: f64,
}

fn measured(at_once: usize, samples_ms: &[f64]) -> Measured {
    let ms = Spread::of(samples_ms);
    Measured { at_once, wall_ms: ms, cpu_ms: ms }
}

/// Reads the memory and the architecture of a function.
fn configured_size(
    client: &Client,
    runtime: &Runtime,
    name: &str,
    qualifier: Option<String>,
) -> Result<Size, Failure> {
    let call = client.get_function_configuration().function_name(name).set_qualifier(qualifier).send();
    let configuration =
        runtime.block_on(call).map_err(|error| aws::failure(&error, "Lambda", WITHIN, "--target-ms"))?;
    let memory_mb = configuration.memory_size().and_then(|mb| u64::try_from(mb).ok());
    let architecture = configuration.architectures().first().and_then(|name| name.as_str().parse().ok());
    let (Some(memory_mb), Some(architecture)) = (memory_mb, architecture) else {
        return Err(Failure::system(format!(
            "Lambda does not say the size of {name}: give --memory-mb and --architecture"
        )));
    };
    Ok(Size { memory_mb, architecture })
}

/// The median of five samples is right if two were interrupted.
const SAMPLES: usize = 5;

/// Hashes at once on a worker: the widths of Saltern's kernels.
const LANES: [usize; 7] = [2, 3, 4, 6, 8, 16, 32];

/// From this number on, a batch that is not faster says that larger ones are not faster either. Two
/// hashes in the lanes of a vector can take as long as one after the other.
const TELLING: usize = 4;

/// The most operations of a batch (HTTP contract).
const MOST_OPERATIONS: usize = 64;

/// A batch that takes at least this share of the time is not faster, but another measurement.
const NOTICEABLE: f64 = 0.95;

/// The longest deadline of a request (HTTP contract). The function's timeout is earlier.
const DEADLINE_MS: &str = "60000";

/// For functions whose seal keys want a context.
const CONTEXT: &str = "saltern-measure calibrate";

/// Saltern's module gives a function at most 60 s. A cold start and a retry need more time.
const WITHIN: Duration = Duration::from_secs(90);
