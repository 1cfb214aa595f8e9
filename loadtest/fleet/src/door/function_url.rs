//! A request to the Function URL: signature, quotas, environment and answer.

use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use saltern_service::RequestId;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::{
    arguments::Auth,
    ledger::Ended,
    platform::{Placed, Start, Throttle},
};

use super::{Behind, Door, sigv4};

/// The answer of the function and its time.
pub(super) struct Answered {
    pub(super) response: Response<Full<Bytes>>,
    /// The time of the handler.
    pub(super) run: Duration,
}

impl Door {
    pub(crate) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (parts, body) = request.into_parts();
        if self.auth == Auth::Sigv4 && !sigv4::is_well_formed(&parts.headers) {
            return of_the_platform(
                StatusCode::FORBIDDEN,
                "AccessDeniedException",
                &json!({ "Message": "Forbidden" }),
            );
        }
        let Ok(body) = Limited::new(body, MAX_PAYLOAD_BYTES).collect().await else {
            return of_the_platform(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestTooLargeException",
                &json!({ "message": "Request must be smaller than 6291456 bytes for the InvokeFunction operation" }),
            );
        };
        match self.place() {
            Err(throttle) => self.too_many_requests(throttle),
            Ok(placed) => {
                // The invocation continues if the caller disconnects, as on Lambda.
                let invocation = tokio::spawn(Arc::clone(&self).invoke(placed, parts, body.to_bytes()));
                invocation.await.unwrap_or_else(|_panicked| bad_gateway())
            }
        }
    }

    fn place(&self) -> Result<Placed, Throttle> {
        let now = self.now();
        let mut fleet = self.fleet();
        let placed = fleet.platform.place(now);
        let (spills, census) =
            (placed.as_ref().is_ok_and(|placed| fleet.platform.spills(placed)), fleet.platform.census());
        match &placed {
            Ok(placed) => fleet.ledger.placed(now, placed, spills, census),
            Err(throttle) => fleet.ledger.throttled(now, *throttle),
        }
        let reclaimed = fleet.platform.take_reclaimed();
        drop(fleet);
        if let Behind::Real(real) = &self.behind {
            for environment in reclaimed {
                real.stop(environment);
            }
        }
        placed
    }

    async fn invoke(self: Arc<Self>, placed: Placed, parts: Parts, body: Bytes) -> Response<Full<Bytes>> {
        let mut leaving =
            Leaving { door: &self, ended: Ended { placed, run: Duration::ZERO, refused: false } };
        let began = Instant::now();
        let is_cold = placed.start == Start::Cold;
        let cold_start = if is_cold { self.function.cold_start() } else { Duration::ZERO };
        let answered = match &self.behind {
            Behind::Model(model) => {
                let starts = began + cold_start;
                if is_cold {
                    sleep_until(starts).await;
                }
                let mut answered = model.answer(&self.function, placed.company, parts, body, starts).await;
                let modelled = format!("{:.3}", (cold_start + answered.run).as_secs_f64() * 1e3);
                if let Ok(modelled) = HeaderValue::try_from(modelled) {
                    answered.response.headers_mut().insert(MODELLED_MS, modelled);
                }
                answered
            }
            Behind::Real(real) => real.answer(placed.lease.environment, is_cold, &parts, &body).await,
        };
        leaving.ended.run = answered.run;
        leaving.ended.refused = answered.response.status() == StatusCode::SERVICE_UNAVAILABLE;
        answered.response
    }

    /// Returns the answer of Lambda (`TooManyRequestsException` of the Invoke API). The reason for
    /// the scaling rate is not documented.
    fn too_many_requests(&self, throttle: Throttle) -> Response<Full<Bytes>> {
        let is_reserved = self.function.reserved.is_some();
        let reason = match (throttle, is_reserved) {
            (Throttle::RequestRate, true) => "ReservedFunctionInvocationRateLimitExceeded",
            (Throttle::RequestRate, false) => "FunctionInvocationRateLimitExceeded",
            (Throttle::Concurrency, true) => "ReservedFunctionConcurrentInvocationLimitExceeded",
            (Throttle::Concurrency | Throttle::ScalingRate, _) => "ConcurrentInvocationLimitExceeded",
        };
        let body = json!({ "Reason": reason, "Type": "User", "message": "Rate Exceeded." });
        of_the_platform(StatusCode::TOO_MANY_REQUESTS, "TooManyRequestsException", &body)
    }
}

/// Releases the environment at the end of the invocation, also after a panic.
struct Leaving<'a> {
    door: &'a Door,
    ended: Ended,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let now = self.door.now();
        let mut fleet = self.door.fleet();
        fleet.platform.release(now, self.ended.placed.lease);
        let census = fleet.platform.census();
        fleet.ledger.ended(now, &self.ended, census);
    }
}

/// Returns the answer of Lambda for a function that ended without an answer.
pub(super) fn bad_gateway() -> Response<Full<Bytes>> {
    of_the_platform(
        StatusCode::BAD_GATEWAY,
        "InternalServerErrorException",
        &json!({ "message": "Internal Server Error" }),
    )
}

/// Returns an answer of the platform, not of the function.
fn of_the_platform(
    status: StatusCode,
    error: &'static str,
    body: &serde_json::Value,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-amzn-errortype", HeaderValue::from_static(error));
    if let Ok(id) = HeaderValue::from_str(RequestId::random().as_str()) {
        headers.insert("x-amzn-requestid", id);
    }
    response
}

/// The header with the modelled time of a request: its cold start and its hashes.
pub(crate) const MODELLED_MS: &str = "fleet-modelled-ms";

/// "Invocation payload (request and response): 6 MB each"
/// (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
const MAX_PAYLOAD_BYTES: usize = 6 * 1024 * 1024;
