//! Converts events of Function URLs (payload format 2.0) to HTTP requests.
//!
//! The format: <https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads>. A
//! direct `Invoke` sends the same event. `rawPath` and `requestContext.http.method` are required;
//! `headers`, `body` and `isBase64Encoded` are optional. So are `authorizer` and `http.sourceIp` of
//! the context, which name the caller and its address. Other members are ignored.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, request::Parts};
use lambda_runtime::Context;
use saltern_pool::Workers;
use saltern_service::{
    Arrival, Body, Caller, CallersId, Code, Identity, Ids, Incoming, MAX_HEAD_BYTES, PeerAddress, Problem,
    RequestId, Scope, Service, TRACEPARENT, Trace,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The data of one invocation beside its event: its ids, its arrival and its deadline.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    request_id: String,
    xray_trace_id: Option<String>,
    at: Instant,
    not_after: Instant,
}

impl Invocation {
    /// Converts Lambda's deadline from the wall clock to the monotonic clock of the arrival.
    ///
    /// Lambda sends no event after its deadline. If the deadline is in the past, the clock or the
    /// stub is wrong (`cargo lambda watch` sends a time in 1970). Then only the caller's deadline
    /// applies.
    pub(crate) fn of(context: &Context, at: Instant) -> Self {
        let left =
            context.deadline().duration_since(SystemTime::now()).map(|left| left.saturating_sub(TO_RESPOND));
        let usable = left.unwrap_or(LONGEST).min(LONGEST);
        Self {
            request_id: context.request_id.clone(),
            xray_trace_id: context.xray_trace_id.clone(),
            at,
            not_after: at + usable,
        }
    }

    /// An event that is not a valid request, so that it names no caller.
    pub(crate) fn unread(&self) -> Incoming {
        Incoming::unread(self.arrival(None, Caller::Anyone), self.ids(&HeaderMap::new()))
    }

    fn arrival(&self, peer: Option<PeerAddress>, caller: Caller) -> Arrival {
        Arrival { at: self.at, peer, caller, latest: Some(self.not_after) }
    }

    /// The ids of a request with these headers. Without a valid request id of the caller, Lambda's
    /// takes its place, since the platform's log lines contain it too. Lambda's segment of the trace
    /// replaces the caller's header, which names the same trace or is forged.
    fn ids(&self, headers: &HeaderMap) -> Ids {
        let lambdas = || RequestId::new(&self.request_id).unwrap_or_else(RequestId::random);
        let request_id = RequestId::given(headers).unwrap_or_else(lambdas);
        let trace = Trace::of(headers);
        let trace = match &self.xray_trace_id {
            Some(id) => trace.with_xray(id),
            None => trace,
        };
        Ids { request_id, callers: CallersId::of(headers), trace }
    }
}

/// Makes the request of an event. An event that is not of payload format 2.0, has a name that HTTP
/// does not allow, or exceeds a limit of headers or body is refused.
pub(crate) fn read<W: Workers>(service: &Service<W>, event: &RawValue, invocation: &Invocation) -> Incoming {
    // A message of serde may quote the event, so it is dropped.
    let Ok(mut event) = serde_json::from_str::<Event>(event.get()) else { return invocation.unread() };
    // Wiped, whatever becomes of the request.
    let sent = Body::new(event.body.take().unwrap_or_default().into_bytes());
    let arrival = event.request_context.arrival(invocation);
    let headers = match headers(&event.headers) {
        Ok(headers) => headers,
        Err(problem) => {
            let ids = invocation.ids(&of_ids(&event.headers));
            return Incoming::unread(arrival, ids).refused(problem);
        }
    };
    let ids = invocation.ids(&headers);
    let Some(parts) = parts(&event, headers) else { return Incoming::unread(arrival, ids) };
    let mut incoming = service.receive(&parts, arrival, ids);
    let Ok(route) = incoming.route() else { return incoming };
    match body(sent, event.is_base64_encoded, route.body_limit()) {
        Ok(body) => incoming.body = body,
        Err(problem) => return incoming.refused(problem),
    }
    incoming
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
    fn arrival(&self, invocation: &Invocation) -> Arrival {
        let iam = self.authorizer.as_ref().and_then(|authorizer| authorizer.iam.as_ref());
        let caller = match iam.and_then(|iam| iam.user_arn.as_deref()).filter(|arn| is_arn(arn)) {
            Some(arn) => {
                let name = arn.to_owned();
                Caller::Named(Arc::new(Identity { name, key: ONE_SHARE, scopes: Scope::ALL.to_vec() }))
            }
            None => Caller::Anyone,
        };
        let address = self.http.source_ip.as_deref().and_then(|address| address.parse().ok());
        invocation.arrival(address.map(PeerAddress::Host), caller)
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
        return Err(Problem::new(Code::HeadersTooLarge));
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

/// The headers with the ids, of a head that is refused for another.
fn of_ids(given: &HashMap<String, String>) -> HeaderMap {
    let of_an_id = |(name, value): (&String, &String)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
        let ids = [CallersId::HEADER, RequestId::HEADER, TRACEPARENT];
        ids.iter().any(|id| name == **id).then_some((name, value))
    };
    given.iter().filter_map(of_an_id).collect()
}

fn parts(event: &Event, headers: HeaderMap) -> Option<Parts> {
    if event.version.as_ref().is_some_and(|version| version != VERSION) || !event.raw_path.starts_with('/') {
        return None;
    }
    let mut request = Request::new(());
    *request.method_mut() = Method::from_bytes(event.request_context.http.method.as_bytes()).ok()?;
    *request.uri_mut() = Uri::try_from(&event.raw_path).ok()?;
    *request.headers_mut() = headers;
    Some(request.into_parts().0)
}

/// Decodes a body. The limit is on the decoded bytes, and Base64 is a third longer.
fn body(sent: Body, is_base64: bool, limit: usize) -> Result<Body, Problem> {
    let longest = if is_base64 { limit.div_ceil(3) * 4 } else { limit };
    if sent.len() > longest {
        return Err(Problem::new(Code::BodyTooLarge));
    }
    if !is_base64 {
        return Ok(sent);
    }
    STANDARD.decode(&*sent).map(Body::new).map_err(|_| Problem::malformed_request())
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
const ONE_SHARE: u64 = 0;

/// The time between our deadline and Lambda's, to write and post the response. After its deadline
/// Lambda ends the process, and the caller gets no response from us. Writing and posting take a few
/// milliseconds; the rest is for an environment that gets little CPU.
const TO_RESPOND: Duration = Duration::from_millis(100);

/// Lambda's longest timeout. If a deadline is later, a clock is wrong.
const LONGEST: Duration = Duration::from_mins(15);
