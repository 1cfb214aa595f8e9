//! An HTTP client with kept connections, for `validate` and the tests of the door.

use core::time::Duration;
use std::{error::Error, io, iter, net::SocketAddr, time::Instant};

use bytes::Bytes;
use http::{HeaderMap, Request, header::CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

#[derive(Debug)]
pub(crate) struct Caller {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
}

/// An answer to a request.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The time from the start of the request to the last byte of the answer.
    pub(crate) took: Duration,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Caller {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        // A request that is sent twice would count the time of both.
        let client = Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build(connector);
        Self { address, client }
    }

    pub(crate) async fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Heard> {
        self.ask("POST", path, headers, body).await
    }

    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Heard> {
        let began = Instant::now();
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Full::from(body.to_vec())).map_err(io::Error::other)?;
        request
            .headers_mut()
            .entry(CONTENT_TYPE)
            .or_insert(http::HeaderValue::from_static("application/json"));
        let answer = self.client.request(request).await.map_err(|error| with_causes(&error))?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        Ok(Heard { status: head.status.as_u16(), headers: head.headers, body, took: began.elapsed() })
    }
}

/// The client's own message does not name the cause.
fn with_causes(error: &dyn Error) -> io::Error {
    let causes = iter::successors(error.source(), |&cause| cause.source());
    io::Error::other(causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}")))
}
