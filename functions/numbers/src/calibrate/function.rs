//! A function on Lambda that measures: asked by `Invoke`, with calibrate events.

use std::{error::Error, time::Duration};

use aws_sdk_lambda::{
    Client,
    error::{DisplayErrorContext, ProvideErrorMetadata, SdkError},
    primitives::Blob,
};
use saltern_meter::remote::{Answer, Event, Question, Reply};
use tokio::runtime::{self, Runtime};

use crate::aws;
use saltern_program::Failure;

/// What is invoked.
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
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::system(format!("no runtime: {error}")))?;
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
        let answer = self.runtime.block_on(call.send()).map_err(|error| self.failure(&error))?;
        let payload = answer.payload().map(Blob::as_ref).unwrap_or_default();
        if let Some(kind) = answer.function_error() {
            return Err(self.broken(kind, payload));
        }
        let reply: Reply = serde_json::from_slice(payload).map_err(|_| self.no_answer())?;
        Ok(reply.answer)
    }

    /// It answered, and not as one that measures.
    fn no_answer(&self) -> Failure {
        Failure::configuration(format!(
            "{} answers no calibrate events: it needs this version of Saltern and SALTERN_CALIBRATE=on among its environment \
             variables. Take that away again afterwards",
            self.name()
        ))
    }

    fn broken(&self, kind: &str, payload: &[u8]) -> Failure {
        let said = serde_json::from_slice::<serde_json::Value>(payload).ok();
        let message = said.as_ref().and_then(|said| said["errorMessage"].as_str()).unwrap_or("nothing");
        Failure::system(format!(
            "{} ended over it ({kind}: {message}). Give it a longer timeout or more memory, or ask for a shorter --target",
            self.name()
        ))
    }

    /// What went wrong, and what to do about it.
    fn failure<E: ProvideErrorMetadata + Error + 'static, R: std::fmt::Debug>(
        &self,
        error: &SdkError<E, R>,
    ) -> Failure {
        match error {
            SdkError::TimeoutError(_) => Failure::system(format!(
                "Lambda did not answer within {} s. Try again, or ask for a shorter --target",
                WITHIN.as_secs()
            )),
            SdkError::DispatchFailure(_) => Failure::system(format!(
                "Lambda cannot be reached: {}. Check the region, the network and HTTPS_PROXY",
                DisplayErrorContext(error)
            )),
            SdkError::ServiceError(_) => {
                self.refused(error.code().unwrap_or("no code"), error.message().unwrap_or_default())
            }
            _ => Failure::system(format!(
                "Lambda answered what the SDK does not understand: {}",
                DisplayErrorContext(error)
            )),
        }
    }

    fn refused(&self, code: &str, message: &str) -> Failure {
        if let Some(failure) = aws::refused_credentials(code) {
            return failure;
        }
        let name = self.name();
        match code.trim_end_matches("Exception") {
            "AccessDenied" => Failure::configuration(format!(
                "These credentials may not invoke {name}. Allow them lambda:InvokeFunction"
            )),
            "ResourceNotFound" => Failure::configuration(format!(
                "There is no function {name} in this region. Check --on-lambda, --alias and --region"
            )),
            "TooManyRequests" => {
                Failure::system(format!("{name} has no concurrency left. Try again when it is quiet"))
            }
            "Service" | "ServiceUnavailable" | "InternalService" => {
                Failure::system("Lambda is not well. Try again in a minute")
            }
            _ => Failure::system(format!("Lambda refused, with {code}: {message}")),
        }
    }
}

/// A function of Saltern's module runs for 60 s at the most; a cold start and a repetition come on top.
const WITHIN: Duration = Duration::from_secs(90);
