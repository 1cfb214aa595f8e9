//! The error that keeps the function from starting, or ends it.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    time::Duration,
};

use lambda_runtime::Diagnostic;
use lambda_runtime_api_client::{PooledClient, body::Body, build_request};
use tokio::time::timeout;

/// A message for operators of the function. It may quote the settings and the policy document, but
/// never an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FatalError(String);

impl FatalError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Prints the message on the standard error, and returns the exit code.
    pub(crate) fn print(&self) -> ExitCode {
        // A failure of the standard error cannot be reported.
        let _unwritten = writeln!(io::stderr(), "bootstrap: {}", self.0);
        ExitCode::FAILURE
    }

    /// Reports the message to Lambda, which shows it to the invoker of the function.
    ///
    /// Errors are ignored, since the standard error gets the same message.
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
            let _unreported = timeout(REPORT_WITHIN, PooledClient::builder().build().call(request)).await;
        }
    }
}

/// Lambda requires the form `Runtime.<reason>` (Runtime API, "Initialization error").
const ERROR_TYPE: &str = "Runtime.StartRefused";

/// The Runtime API is on the same machine and answers in a millisecond. Lambda allows 10 s for the
/// whole start.
const REPORT_WITHIN: Duration = Duration::from_secs(1);
