//! An internal extension: the part of the function that Lambda lets work after the answer, and for whose sake it says
//! goodbye with a SIGTERM.
//!
//! The Extensions API: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-extensions-api.html>. It is spoken here
//! rather than through the crate `lambda-extension`, which brings a calendar and a server for logs along.

use std::time::{Duration, SystemTime};

use http::{HeaderValue, Method, StatusCode};
use http_body_util::BodyExt as _;
use lambda_runtime_api_client::{BoxError, PooledClient, body::Body, build_request};
use serde::Deserialize;
use tokio::time::sleep;

/// A registered extension.
pub(crate) struct Extension {
    client: PooledClient,
    id: HeaderValue,
}

impl Extension {
    /// Registers: to hear of each invocation, or of nothing but the end.
    ///
    /// # Errors
    /// [`NotHeard`], where Lambda has no such extension of ours.
    pub(crate) async fn register(hears: Hears) -> Result<Self, NotHeard> {
        let client = PooledClient::builder().build();
        let events = match hears {
            Hears::Invocations => r#"{"events":["INVOKE"]}"#,
            Hears::Nothing => r#"{"events":[]}"#,
        };
        let request = build_request()
            .method(Method::POST)
            .uri("/2020-01-01/extension/register")
            .header("lambda-extension-name", NAME)
            .header("content-type", "application/json");
        let answer = client.call(request.body(Body::from(events))?).await?;
        let id = answer.headers().get(ID).filter(|_| answer.status() == StatusCode::OK).cloned();
        Ok(Self { client, id: id.ok_or(NotHeard)? })
    }

    /// Says that all is done, and waits for the next invocation. A poll that breaks is made again, on a connection of its
    /// own: as long as none is open Lambda takes the invocation for unfinished, until its timeout.
    ///
    /// # Errors
    /// [`NotHeard`], where Lambda says something else several times in a row.
    pub(crate) async fn next(&mut self) -> Result<Invoked, NotHeard> {
        for _ in 1..TRIES {
            if let Ok(invoked) = self.poll().await {
                return Ok(invoked);
            }
            tracing::warn!("a poll of the Extensions API broke and is made again");
            sleep(BETWEEN_TRIES).await;
            self.client = PooledClient::builder().build();
        }
        self.poll().await
    }

    async fn poll(&self) -> Result<Invoked, NotHeard> {
        let request = build_request().uri("/2020-01-01/extension/event/next").header(ID, &self.id);
        let answer = self.client.call(request.body(Body::empty())?).await?;
        if answer.status() != StatusCode::OK {
            return Err(NotHeard);
        }
        let event = answer.into_body().collect().await.map_err(|_| NotHeard)?.to_bytes();
        serde_json::from_slice(&event).map_err(|_| NotHeard)
    }
}

/// What an extension is told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hears {
    /// Each invocation, on classic Lambda: the environment is not frozen before it says that it has done with it.
    Invocations,
    /// Nothing: Managed Instances have no such events. The registration alone earns a SIGTERM before the end.
    Nothing,
}

/// The Extensions API did not do as it should.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotHeard;

impl From<BoxError> for NotHeard {
    fn from(_: BoxError) -> Self {
        Self
    }
}

impl From<http::Error> for NotHeard {
    fn from(_: http::Error) -> Self {
        Self
    }
}

/// An invocation as extensions hear of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invoked {
    pub(crate) request_id: String,
    deadline_ms: u64,
}

impl Invoked {
    /// What is left of the invocation's time, which the extension's is part of.
    pub(crate) fn time_left(&self) -> Duration {
        let deadline = SystemTime::UNIX_EPOCH + Duration::from_millis(self.deadline_ms);
        deadline.duration_since(SystemTime::now()).unwrap_or_default()
    }
}

/// Must be one of its own among the function's extensions.
const NAME: &str = "saltern-metrics";

/// The API is on the same machine: what fails so often in a row is not there any more.
const TRIES: u32 = 3;

/// A fraction of what an invocation may take, and time enough for whatever took the connection down to be back.
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// The header by which Lambda knows an extension.
const ID: &str = "lambda-extension-identifier";
