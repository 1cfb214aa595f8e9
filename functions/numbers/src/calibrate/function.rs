//! A function on Lambda that measures, through `Invoke` with calibrate events.

use std::time::Duration;

use aws_sdk_lambda::{Client, primitives::Blob};
use saltern_meter::remote::{Answer, Event, Question, Response};
use tokio::runtime::Runtime;

use crate::aws;
use saltern_program::Failure;

/// The function to invoke.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) function: String,
    pub(super) alias: Option<String>,
    pub(super) region: Option<String>,
}

pub(super) struct Function {
    address: Address,
    client: Client,
    runtime: Runtime,
}

impl Function {
    pub(super) fn new(address: Address) -> Result<Self, Failure> {
        let runtime = aws::runtime()?;
        let configuration = runtime.block_on(aws::configuration(address.region.clone(), WITHIN))?;
        Ok(Self { address, client: Client::new(&configuration), runtime })
    }

    pub(super) fn name(&self) -> &str {
        &self.address.function
    }

    pub(super) fn ask(&self, question: Question) -> Result<Answer, Failure> {
        let event = serde_json::to_vec(&Event { question })
            .map_err(|error| Failure::system(format!("the event cannot be written ({error})")))?;
        let call = self
            .client
            .invoke()
            .function_name(&self.address.function)
            .set_qualifier(self.address.alias.clone())
            .payload(Blob::new(event));
        let answer = self
            .runtime
            .block_on(call.send())
            .map_err(|error| aws::failure(&error, "Lambda", WITHIN, "--target", |code| self.refused(code)))?;
        let payload = answer.payload().map(Blob::as_ref).unwrap_or_default();
        if let Some(kind) = answer.function_error() {
            return Err(self.broken(kind, payload));
        }
        let response: Response = serde_json::from_slice(payload).map_err(|_| self.not_calibrating())?;
        Ok(response.answer)
    }

    /// The function does not answer calibrate events.
    fn not_calibrating(&self) -> Failure {
        Failure::configuration(format!(
            "{} does not answer calibrate events: deploy this version of Saltern and set SALTERN_CALIBRATE=on in its \
             environment. Remove the variable afterwards",
            self.name()
        ))
    }

    fn broken(&self, kind: &str, payload: &[u8]) -> Failure {
        let error = serde_json::from_slice::<serde_json::Value>(payload).ok();
        let message = error.as_ref().and_then(|error| error["errorMessage"].as_str()).unwrap_or("no message");
        Failure::system(format!(
            "{} failed during the measurement ({kind}: {message}). Give it a longer timeout or more memory, or use a \
             shorter --target",
            self.name()
        ))
    }

    /// Returns the failure for a code of Lambda; `None` for other codes.
    fn refused(&self, code: &str) -> Option<Failure> {
        let name = self.name();
        match code {
            "AccessDenied" => Some(Failure::configuration(format!(
                "These credentials may not invoke {name}. Allow them lambda:InvokeFunction"
            ))),
            "ResourceNotFound" => Some(Failure::configuration(format!(
                "There is no function {name} in this region. Check --on-lambda, --alias and --region"
            ))),
            "TooManyRequests" => Some(Failure::system(format!(
                "{name} has no concurrency left. Try again when it has less load"
            ))),
            _ => None,
        }
    }
}

/// Saltern's module gives a function at most 60 s. A cold start and a retry need more time.
const WITHIN: Duration = Duration::from_secs(90);
