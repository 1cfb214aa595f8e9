//! HTTP/2 on one connection.

use bytes::Bytes;
use h2::{
    Error, Reason, SendStream,
    client::{Builder, ResponseFuture, SendRequest},
};
use saltern_stubs::http::Response;
use tokio::task::JoinSet;

use crate::door::Stream;

pub(crate) struct Http2 {
    requests: SendRequest<Bytes>,
    /// The task of the connection, which ends with this value.
    _connection: JoinSet<Result<(), Error>>,
}

impl Http2 {
    /// Speaks HTTP/2 with prior knowledge. The server may send so many bytes of each answer's body
    /// before they are read.
    pub(crate) async fn new(stream: Stream, window: u32) -> Result<Self, Error> {
        let (requests, connection) = Builder::new()
            .initial_window_size(window)
            .initial_max_send_streams(STREAMS_BEFORE_GREETED)
            .handshake::<_, Bytes>(stream)
            .await?;
        let mut task = JoinSet::new();
        task.spawn(connection);
        Ok(Self { requests, _connection: task })
    }

    /// Sends a request with further header lines, each ended by CR LF. Its body ends if the end is
    /// sent through the returned stream.
    pub(crate) async fn begin(
        &mut self,
        path: &str,
        headers: &str,
        part: impl Into<Bytes>,
    ) -> Result<(ResponseFuture, SendStream<Bytes>), Error> {
        self.requests = self.requests.clone().ready().await?;
        let lines = headers.lines().filter_map(|line| line.split_once(": "));
        let head =
            http::Request::post(format!("http://localhost{path}")).header("content-type", "application/json");
        let head = lines.fold(head, |head, (name, value)| head.header(name, value));
        let head = head.body(()).map_err(|_malformed| Reason::INTERNAL_ERROR)?;
        let (answer, mut body) = self.requests.send_request(head, false)?;
        // The answer tells if the stream was reset.
        let _may_be_reset = body.send_data(part.into(), false);
        Ok((answer, body))
    }

    /// Whether the server's preface has come, which is the first that a server sends (RFC 9113 §3.4).
    pub(crate) fn greeted(&self) -> bool {
        self.requests.current_max_send_streams() != STREAMS_BEFORE_GREETED
    }

    /// Sends a request and returns its response.
    pub(crate) async fn ask(&mut self, path: &str, headers: &str, body: String) -> Result<Response, Error> {
        let (answer, mut sent) = self.begin(path, headers, body).await?;
        let _may_be_reset = sent.send_data(Bytes::new(), true);
        response(answer).await
    }
}

/// Reads a whole response.
pub(crate) async fn response(answer: ResponseFuture) -> Result<Response, Error> {
    let (head, mut stream) = answer.await?.into_parts();
    let mut body = Vec::new();
    while let Some(part) = stream.data().await {
        let part = part?;
        stream.flow_control().release_capacity(part.len())?;
        body.extend_from_slice(&part);
    }
    Ok(Response::new(head.status.as_u16(), &[], body))
}

/// The streams until the server's preface tells how many. No server has this number.
const STREAMS_BEFORE_GREETED: usize = 99;

/// The window of a client that reads its answers (RFC 9113 §6.9.2).
pub(crate) const USUAL_WINDOW: u32 = 65_535;
