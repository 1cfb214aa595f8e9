//! Events of Function URLs (payload format 2.0) to HTTP requests.
//!
//! The format: <https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads>. A direct `Invoke`
//! sends the same; of it are wanted `rawPath` and `requestContext.http.method`, and `headers`, `body` and
//! `isBase64Encoded` where there are any. What else stands there is not looked at.

use core::fmt;
use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use lambda_runtime::Context;
use saltern_service::{Arrival, Body, MAX_HEAD_BYTES, NotAfter, Problem, RequestId, Service, Trace};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What Lambda says about one invocation, apart from its event.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    request_id: String,
    xray_trace_id: Option<String>,
    arrival: Instant,
    not_after: Instant,
}

impl Invocation {
    /// Lambda names its deadline by the wall clock; ours runs on the monotonic one from the arrival.
    ///
    /// Lambda sends no event whose time is over. Where it seems so, the clock or the stand-in is wrong (`cargo lambda
    /// watch` names a time in 1970), and the caller's own deadline is the one to go by.
    pub(crate) fn of(context: &Context, arrival: Instant) -> Self {
        let left =
            context.deadline().duration_since(SystemTime::now()).map(|left| left.saturating_sub(MARGIN));
        let usable = left.unwrap_or(LONGEST).min(LONGEST);
        Self {
            request_id: context.request_id.clone(),
            xray_trace_id: context.xray_trace_id.clone(),
            arrival,
            not_after: arrival + usable,
        }
    }

    /// When an answer must be on its way.
    pub(crate) fn not_after(&self) -> Instant {
        self.not_after
    }

    /// When it came.
    pub(crate) fn arrival(&self) -> Arrival {
        Arrival(self.arrival)
    }

    /// The headers of a request that cannot be read: Lambda's own ids.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        self.name(&mut headers);
        headers
    }

    /// The caller's request id stays where it is of the agreed form. Lambda's stands in for it: it is in the
    /// platform's own log lines too.
    fn name(&self, headers: &mut HeaderMap) {
        let given = headers.get(RequestId::HEADER);
        let kept = given.is_some_and(|given| given.as_bytes() == RequestId::of(headers).as_str().as_bytes());
        if let (false, Ok(id)) = (kept, HeaderValue::from_str(&self.request_id)) {
            headers.insert(RequestId::HEADER, id);
        }
        // Lambda's own segment of the trace, where it has one; the caller's header names the same trace, or lies.
        let xray = self.xray_trace_id.as_ref().and_then(|id| HeaderValue::from_str(id).ok());
        if let Some(id) = xray {
            headers.insert(Trace::XRAY_HEADER, id);
        }
    }
}

/// Why an event is no request, and what could be read of it.
pub(crate) struct Unreadable {
    pub(crate) headers: Box<HeaderMap>,
    pub(crate) problem: Problem,
}

impl fmt::Debug for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unreadable").field("problem", &self.problem).finish_non_exhaustive()
    }
}

/// The request that an event stands for.
///
/// # Errors
/// [`Unreadable`]: not an event of payload format 2.0, a name in it that HTTP does not allow, too many headers, a
/// body over its limit.
pub(crate) fn read(event: &RawValue, invocation: &Invocation) -> Result<Request<Body>, Unreadable> {
    let unnamed = |problem| Unreadable { headers: Box::new(invocation.headers()), problem };
    // What serde says of an event may quote it: it goes nowhere.
    let event: Event =
        serde_json::from_str(event.get()).map_err(|_| unnamed(Problem::malformed_request()))?;
    let mut headers = headers(&event.headers).map_err(unnamed)?;
    invocation.name(&mut headers);
    match request(event, headers.clone()) {
        Ok(mut request) => {
            request.extensions_mut().insert(invocation.arrival());
            request.extensions_mut().insert(NotAfter(invocation.not_after));
            Ok(request)
        }
        Err(problem) => Err(Unreadable { headers: Box::new(headers), problem }),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    version: Option<String>,
    raw_path: String,
    #[serde(default)]
    headers: HashMap<String, String>,
    request_context: RequestContext,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

#[derive(Deserialize)]
struct RequestContext {
    http: Http,
}

#[derive(Deserialize)]
struct Http {
    method: String,
}

fn headers(given: &HashMap<String, String>) -> Result<HeaderMap, Problem> {
    let bytes = given.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
    if given.len() > MAX_HEADERS || bytes > MAX_HEAD_BYTES {
        return Err(Problem::headers_too_large());
    }
    let mut headers = HeaderMap::with_capacity(given.len() + 1);
    for (name, value) in given {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Problem::malformed_request())?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| Problem::malformed_request())?;
        // Appended: a name twice, in different case, is for the service to judge.
        headers.append(name, value);
    }
    Ok(headers)
}

fn request(event: Event, headers: HeaderMap) -> Result<Request<Body>, Problem> {
    if event.version.is_some_and(|version| version != VERSION) || !event.raw_path.starts_with('/') {
        return Err(Problem::malformed_request());
    }
    let uri = Uri::try_from(event.raw_path).map_err(|_| Problem::malformed_request())?;
    let method = Method::from_bytes(event.request_context.http.method.as_bytes())
        .map_err(|_| Problem::malformed_request())?;
    let mut request = Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    let (parts, ()) = request.into_parts();
    let body = body(event.body.unwrap_or_default(), event.is_base64_encoded, Service::body_limit(&parts))?;
    Ok(Request::from_parts(parts, body))
}

/// The limit is on what was sent; encoded it may be a third longer.
fn body(text: String, is_base64: bool, limit: usize) -> Result<Body, Problem> {
    let bytes = text.into_bytes();
    let longest = if is_base64 { limit.div_ceil(3) * 4 } else { limit };
    if bytes.len() > longest {
        return Err(Problem::body_too_large());
    }
    let body = Body::new(bytes);
    if !is_base64 {
        return Ok(body);
    }
    STANDARD.decode(&*body).map(Body::new).map_err(|_| Problem::malformed_request())
}

/// The version of the payload format that this is.
const VERSION: &str = "2.0";

/// Headers of one request. Function URLs add about a dozen to the caller's own; hyper's own limit is 100.
const MAX_HEADERS: usize = 100;

/// Kept from Lambda's own deadline, for writing the answer and posting it: past it Lambda ends the process and the
/// caller gets no answer of ours. Both take a few milliseconds; the rest is for an environment without CPU.
const MARGIN: Duration = Duration::from_millis(100);

/// No function runs longer than 15 minutes; a deadline beyond is a clock that is wrong.
const LONGEST: Duration = Duration::from_mins(15);
