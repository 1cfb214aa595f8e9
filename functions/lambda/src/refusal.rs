//! Why the function does not start, or stopped.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    time::Duration,
};

use lambda_runtime::Diagnostic;
use lambda_runtime_api_client::{PooledClient, body::Body, build_request};
use tokio::time::timeout;

/// One sentence for whoever deploys the function. It may quote the settings and the policy document, never an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Says it on the standard error.
    pub(crate) fn tell(&self) -> ExitCode {
        // There is nobody left to tell about an output that cannot be written.
        let _unwritten = writeln!(io::stderr(), "bootstrap: {}", self.0);
        ExitCode::FAILURE
    }

    /// Says it to Lambda, which shows it to whoever invokes the function. Does its best: the same sentence follows on
    /// the standard error.
    pub(crate) async fn report(&self) {
        if std::env::var_os("AWS_LAMBDA_RUNTIME_API").is_none() {
            return;
        }
        let diagnostic = Diagnostic { error_type: ERROR_TYPE.to_owned(), error_message: self.0.clone() };
        let Ok(body) = serde_json::to_vec(&diagnostic) else { return };
        let request = build_request()
            .method(http::Method::POST)
            .uri("/2018-06-01/runtime/init/error")
            .header("lambda-runtime-function-error-type", ERROR_TYPE)
            .body(Body::from(body));
        if let Ok(request) = request {
            let _unheard = timeout(REPORT_WITHIN, PooledClient::builder().build().call(request)).await;
        }
    }
}

/// Lambda wants `Runtime.<reason>` (Runtime API, "Initialization error").
const ERROR_TYPE: &str = "Runtime.StartRefused";

/// The Runtime API is on the same machine and answers in a millisecond; Lambda gives the whole start 10 s.
const REPORT_WITHIN: Duration = Duration::from_secs(1);
