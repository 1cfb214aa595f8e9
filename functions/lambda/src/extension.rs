//! An internal extension. Lambda lets it work after the response, and sends SIGTERM before it ends
//! a process that has one.
//!
//! The Extensions API: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-extensions-api.html>.
//! The crate `lambda-extension` is not used, since it depends on a calendar and on a server for
//! logs.

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
    /// Registers the extension for these events.
    ///
    /// # Errors
    /// The reason if Lambda refuses the extension or does not respond.
    pub(crate) async fn register(events: Events) -> Result<Self, BoxError> {
        let client = PooledClient::builder().build();
        let events = match events {
            Events::Invocations => r#"{"events":["INVOKE"]}"#,
            Events::None => r#"{"events":[]}"#,
        };
        let request = build_request()
            .method(Method::POST)
            .uri("/2020-01-01/extension/register")
            .header("lambda-extension-name", NAME)
            .header("content-type", "application/json");
        let response = client.call(request.body(Body::from(events))?).await?;
        let id = response.headers().get(ID).filter(|_| response.status() == StatusCode::OK).cloned();
        Ok(Self { client, id: id.ok_or_else(|| status_is(response.status()))? })
    }

    /// Tells Lambda that the work is done, and waits for the next invocation.
    ///
    /// A failed poll is repeated on a new connection. Without an open poll, Lambda considers the
    /// invocation unfinished until its timeout.
    ///
    /// # Errors
    /// The last reason if several polls fail in a row.
    pub(crate) async fn next(&mut self) -> Result<Invoked, BoxError> {
        for _ in 1..TRIES {
            match self.poll().await {
                Ok(invoked) => return Ok(invoked),
                Err(error) => tracing::warn!(%error, "a poll of the Extensions API failed and is repeated"),
            }
            sleep(BETWEEN_TRIES).await;
            self.client = PooledClient::builder().build();
        }
        self.poll().await
    }

    async fn poll(&self) -> Result<Invoked, BoxError> {
        let request = build_request().uri("/2020-01-01/extension/event/next").header(ID, &self.id);
        let response = self.client.call(request.body(Body::empty())?).await?;
        if response.status() != StatusCode::OK {
            return Err(status_is(response.status()).into());
        }
        let event = response.into_body().collect().await?.to_bytes();
        Ok(serde_json::from_slice(&event)?)
    }
}

fn status_is(status: StatusCode) -> String {
    format!("it responded with {status}")
}

/// The events that an extension gets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Events {
    /// Each invocation, on classic Lambda. Lambda freezes the environment only after the extension
    /// has polled for the next event.
    Invocations,
    /// No events, on Managed Instances, which have none for invocations. The registration alone
    /// makes Lambda send SIGTERM before the end.
    None,
}

/// The event that an extension gets for an invocation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invoked {
    pub(crate) request_id: String,
    deadline_ms: u64,
}

impl Invoked {
    /// Returns the rest of the invocation's time. The extension must end within it.
    pub(crate) fn time_left(&self) -> Duration {
        let deadline = SystemTime::UNIX_EPOCH + Duration::from_millis(self.deadline_ms);
        deadline.duration_since(SystemTime::now()).unwrap_or_default()
    }
}

/// The name of the extension. The other extensions of a function must have different names.
const NAME: &str = "saltern-metrics";

/// The most polls in a row that may fail. The API is on the same machine, so then it is gone.
const TRIES: u32 = 3;

/// The time between two polls: a fraction of an invocation's time, and enough for the API to
/// recover.
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// The header that identifies an extension.
const ID: &str = "lambda-extension-identifier";
