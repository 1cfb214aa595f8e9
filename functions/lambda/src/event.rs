//! Converts events of Function URLs (payload format 2.0) to HTTP requests.
//!
//! The format: <https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads>. A
//! direct `Invoke` sends the same event. `rawPath` and `requestContext.http.method` are required;
//! `headers`, `body` and `isBase64Encoded` are optional. So are `authorizer` and `http.sourceIp` of
//! the context, which name the caller and its address. Other members are ignored.

use core::fmt;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use lambda_runtime::Context;
use saltern_service::{
    Arrival, Body, Caller, Identity, MAX_HEAD_BYTES, NotAfter, PeerAddress, Problem, RequestId, Scope,
    Service, Trace,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The data of one invocation beside its event: its ids, its arrival and its deadline.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    request_id: String,
    xray_trace_id: Option<String>,
    arrival: Instant,
    not_after: Instant,
}

impl Invocation {
    /// Converts Lambda's deadline from the wall clock to the monotonic clock of the arrival.
    ///
    /// Lambda sends no event after its deadline. If the deadline is in the past, the clock or the
    /// stub is wrong (`cargo lambda watch` sends a time in 1970). Then only the caller's deadline
    /// applies.
    pub(crate) fn of(context: &Context, arrival: Instant) -> Self {
        let left =
            context.deadline().duration_since(SystemTime::now()).map(|left| left.saturating_sub(TO_RESPOND));
        let usable = left.unwrap_or(LONGEST).min(LONGEST);
        Self {
            request_id: context.request_id.clone(),
            xray_trace_id: context.xray_trace_id.clone(),
            arrival,
            not_after: arrival + usable,
        }
    }

    /// The arrival of an event that is not a request, so that it names no caller.
    pub(crate) fn arrival(&self) -> Arrival {
        Arrival::at(self.arrival)
    }

    /// Returns headers with Lambda's ids, for an event that is not a valid request.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        self.add_ids(&mut headers);
        headers
    }

    /// Adds Lambda's ids to the headers. A valid request id of the caller stays. Otherwise Lambda's
    /// request id takes its place, since the platform's log lines contain it too.
    fn add_ids(&self, headers: &mut HeaderMap) {
        let given = headers.get(RequestId::HEADER);
        let kept = given.is_some_and(|given| given.as_bytes() == RequestId::of(headers).as_str().as_bytes());
        if let (false, Ok(id)) = (kept, HeaderValue::from_str(&self.request_id)) {
            headers.insert(RequestId::HEADER, id);
        }
        // Lambda's segment of the trace replaces the caller's header, which names the same trace or
        // is forged.
        let xray = self.xray_trace_id.as_ref().and_then(|id| HeaderValue::from_str(id).ok());
        if let Some(id) = xray {
            headers.insert(Trace::XRAY_HEADER, id);
        }
    }
}

/// The problem of an event that is not a valid request, the headers for the response, and the
/// arrival for the log line.
pub(crate) struct InvalidEvent {
    pub(crate) headers: HeaderMap,
    pub(crate) arrival: Arrival,
    pub(crate) problem: Problem,
}

impl fmt::Debug for InvalidEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvalidEvent").field("problem", &self.problem).finish_non_exhaustive()
    }
}

/// Converts an event to a request.
///
/// # Errors
/// [`InvalidEvent`] if the event is not of payload format 2.0, has a name that HTTP does not allow,
/// or exceeds a limit of headers or body.
pub(crate) fn read(event: &RawValue, invocation: &Invocation) -> Result<Request<Body>, Box<InvalidEvent>> {
    let refused = |headers, arrival, problem| Box::new(InvalidEvent { headers, arrival, problem });
    // A message of serde may quote the event, so it is dropped.
    let event: Event = serde_json::from_str(event.get())
        .map_err(|_| refused(invocation.headers(), invocation.arrival(), Problem::malformed_request()))?;
    let arrival = event.request_context.arrival(invocation.arrival);
    let mut headers = match headers(&event.headers) {
        Ok(headers) => headers,
        Err(problem) => return Err(refused(invocation.headers(), arrival, problem)),
    };
    invocation.add_ids(&mut headers);
    match request(event, headers.clone()) {
        Ok(mut request) => {
            request.extensions_mut().insert(arrival);
            request.extensions_mut().insert(NotAfter(invocation.not_after));
            Ok(request)
        }
        Err(problem) => Err(refused(headers, arrival, problem)),
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
    authorizer: Option<Authorizer>,
    http: Http,
}

#[derive(Deserialize)]
struct Authorizer {
    iam: Option<Iam>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Iam {
    user_arn: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Http {
    method: String,
    source_ip: Option<String>,
}

impl RequestContext {
    /// The caller and its address. AWS writes them into the events of a Function URL. The caller of
    /// a direct `Invoke` writes the event itself, so a name gives it no rights.
    fn arrival(&self, at: Instant) -> Arrival {
        let iam = self.authorizer.as_ref().and_then(|authorizer| authorizer.iam.as_ref());
        let caller = match iam.and_then(|iam| iam.user_arn.as_deref()).filter(|arn| is_arn(arn)) {
            Some(arn) => {
                let name = arn.to_owned();
                Caller::Named(Arc::new(Identity { name, key: ONE_SHARE, scopes: Scope::ALL.to_vec() }))
            }
            None => Caller::Anyone,
        };
        let address = self.http.source_ip.as_deref().and_then(|address| address.parse().ok());
        Arrival { at, peer: address.map(PeerAddress::Host), caller }
    }
}

/// Whether a text can be the ARN of a caller, and may be in a line of the log.
fn is_arn(text: &str) -> bool {
    text.starts_with("arn:")
        && text.len() <= MAX_ARN_BYTES
        && text.bytes().all(|byte| byte.is_ascii_graphic())
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
        // Names that differ only in case give two values. The service decides about them.
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

/// Decodes a body. The limit is on the decoded bytes, and Base64 is a third longer.
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

/// The supported version of the payload format.
const VERSION: &str = "2.0";

/// The most headers of one request. Function URLs add about a dozen to the caller's headers. hyper
/// has the same limit.
const MAX_HEADERS: usize = 100;

/// The longest ARN names a user, with a path of 512 characters and a name of 64 (quotas of IAM).
/// The rest is for `arn:aws-us-gov:iam::123456789012:user`.
const MAX_ARN_BYTES: usize = 640;

/// All callers have one share of the workers, because a caller of `Invoke` chooses its name.
const ONE_SHARE: u32 = 0;

/// The time between our deadline and Lambda's, to write and post the response. After its deadline
/// Lambda ends the process, and the caller gets no response from us. Writing and posting take a few
/// milliseconds; the rest is for an environment that gets little CPU.
const TO_RESPOND: Duration = Duration::from_millis(100);

/// Lambda's longest timeout. If a deadline is later, a clock is wrong.
const LONGEST: Duration = Duration::from_mins(15);
