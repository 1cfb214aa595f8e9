//! A request to the Function URL: quotas, environment and answer.

use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE, request::Parts};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Body;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::Door;
use crate::{
    assumptions::COLD_START,
    platform::{Environment, Throttle},
};

impl Door {
    pub(super) async fn answer<B>(self: Arc<Self>, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body,
    {
        let (parts, body) = request.into_parts();
        // The caller has left.
        let Ok(body) = body.collect().await else { return bad_gateway() };
        let environment = self.fleet().place(self.now());
        match environment {
            Err(throttle) => too_many_requests(throttle),
            Ok(environment) => {
                // The invocation continues if the caller disconnects, as on Lambda.
                let invocation = tokio::spawn(Arc::clone(&self).invoke(environment, parts, body.to_bytes()));
                invocation.await.unwrap_or_else(|_panicked| bad_gateway())
            }
        }
    }

    async fn invoke(
        self: Arc<Self>,
        environment: Environment,
        parts: Parts,
        body: Bytes,
    ) -> Response<Full<Bytes>> {
        let is_cold = environment == Environment::Cold;
        let cold_start = if is_cold { COLD_START } else { Duration::ZERO };
        let starts = Instant::now() + cold_start;
        if is_cold {
            sleep_until(starts).await;
        }
        let (mut response, run) = self.model.answer(&self.function, &parts, body, starts).await;
        self.fleet().end(self.now(), environment, run);
        let modelled = format!("{:.3}", (cold_start + run).as_secs_f64() * 1e3);
        if let Ok(modelled) = HeaderValue::try_from(modelled) {
            response.headers_mut().insert(MODELLED_MS, modelled);
        }
        response
    }
}

/// Returns the answer of Lambda (`TooManyRequestsException` of the Invoke API). The reason for the
/// scaling rate is not documented.
fn too_many_requests(throttle: Throttle) -> Response<Full<Bytes>> {
    let reason = match throttle {
        Throttle::RequestRate => "FunctionInvocationRateLimitExceeded",
        Throttle::Concurrency | Throttle::ScalingRate => "ConcurrentInvocationLimitExceeded",
    };
    let body = json!({ "Reason": reason, "Type": "User", "message": "Rate Exceeded." });
    of_the_platform(StatusCode::TOO_MANY_REQUESTS, "TooManyRequestsException", &body)
}

/// Returns the answer of Lambda for a function that ended without an answer.
fn bad_gateway() -> Response<Full<Bytes>> {
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
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert("x-amzn-errortype", HeaderValue::from_static(error));
    response
}

/// The header with the modelled time of a request: its cold start and its hashes.
pub(super) const MODELLED_MS: &str = "fleet-modelled-ms";
