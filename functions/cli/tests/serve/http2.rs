//! HTTP/2 with prior knowledge, and a small client.

use std::{
    net::SocketAddr,
    task::{Context, Waker},
};

use bytes::Bytes;
use h2::{
    Ping, PingPong, RecvStream, SendStream,
    client::{ResponseFuture, SendRequest},
};
use http::{Method, Request, Response};
use serde_json::{Value, json};
use tokio::{net::TcpStream, runtime::Runtime, task::JoinHandle, time::timeout};

use super::{
    client::{PATIENT, hash},
    server::{PATIENCE, Server, until},
};

#[test]
fn the_server_hashes_and_verifies_with_prior_knowledge() {
    let server = Server::start(&[]);
    let stored = hash(server.address(), "p", "bcrypt-4");
    let mut client = Http2::connect(server.address());
    let body = json!({"password": "p", "hash": stored}).to_string();
    let (status, answer) = client.ask("POST", "/verify", &body);
    assert_eq!((status, &answer["match"]), (200, &json!(true)));
    assert_eq!(client.ask("GET", "/nowhere", "").1["code"], "not_found");
}

#[test]
fn an_answer_to_head_has_no_body() {
    let server = Server::start(&[]);
    let mut connection = Http2::connect(server.address());
    for (path, wanted) in [("/health", 200), ("/hash", 405)] {
        let (status, body) = connection.ask("HEAD", path, "");
        assert_eq!((status, body), (wanted, Value::Null));
    }
    assert_eq!(connection.ask("GET", "/health", "").0, 200, "the connection goes on");
}

#[test]
fn streams_are_answered_side_by_side() {
    let server = Server::start(&[]);
    let slow = json!({"password": "p", "hash": hash(server.address(), "p", "bcrypt-12")}).to_string();
    let mut client = Http2::connect(server.address());
    client.send("/verify", &slow, 1);
    // The slow hash is still being computed.
    assert_eq!(client.ask("GET", "/health", "").0, 200);
    assert_eq!(client.receive()[0].1["match"], true);
}

#[test]
fn the_limits_of_http_1_hold() {
    let server = Server::start(&[]);
    let mut client = Http2::connect(server.address());
    assert_eq!(client.ask("POST", "/hash", &" ".repeat(16 * 1024 + 1)).1["code"], "body_too_large");
    assert_eq!(client.ask("GET", &format!("/{}", "x".repeat(17 * 1024)), "").1["code"], "headers_too_large");
    let hasty = Server::start(&["--body-timeout-ms", "300"]);
    let mut client = Http2::connect(hasty.address());
    assert_eq!(client.begin_body("/hash", b"{\"pass").1["code"], "request_timeout");
    assert_eq!(client.ask("GET", "/health", "").0, 200);
}

#[test]
fn an_idle_connection_ends() {
    // The request begins within this time after the handshake, also on a busy machine.
    let server = Server::start(&["--idle-timeout-ms", "3000"]);
    let mut client = Http2::connect(server.address());
    assert_eq!(client.ask("GET", "/health", "").0, 200);
    until(|| client.has_ended().then_some(())).expect("the server ends an idle connection");
}

/// A request without the end of its body.
pub(crate) type Stalled = (ResponseFuture, SendStream<Bytes>);

/// Returns something if the server has reset a stream.
pub(crate) fn reset((_, body): &mut Stalled) -> Option<()> {
    body.poll_reset(&mut Context::from_waker(Waker::noop())).is_ready().then_some(())
}

pub(crate) struct Http2 {
    runtime: Runtime,
    requests: SendRequest<Bytes>,
    connection: JoinHandle<Result<(), h2::Error>>,
    pings: PingPong,
    sent: Vec<ResponseFuture>,
    /// The token of all further requests.
    token: Option<&'static str>,
}

impl Http2 {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::connect_over(async move { TcpStream::connect(address).await.unwrap() })
    }

    /// Connects with a window that lets no byte of an answer's body through.
    pub(crate) fn connect_without_window(address: SocketAddr) -> Self {
        let stream = async move { TcpStream::connect(address).await.unwrap() };
        Self::connect_with(h2::client::Builder::new().initial_window_size(0), stream)
    }

    /// Connects over a stream that is made on the client's runtime.
    pub(crate) fn connect_over<S>(stream: impl Future<Output = S>) -> Self
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
    {
        Self::connect_with(&h2::client::Builder::new(), stream)
    }

    fn connect_with<S>(builder: &h2::client::Builder, stream: impl Future<Output = S>) -> Self
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
    {
        // A thread serves the connection while the test continues.
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (requests, connection, pings) = runtime.block_on(async {
            let (requests, mut connection) = builder.handshake(stream.await).await.unwrap();
            let pings = connection.ping_pong().unwrap();
            (requests, tokio::spawn(connection), pings)
        });
        Self { runtime, requests, connection, pings, sent: Vec::new(), token: None }
    }

    /// Sends all further requests with this token.
    pub(crate) fn use_token(&mut self, token: &'static str) {
        self.token = Some(token);
    }

    /// Waits until the server has read all that was sent.
    pub(crate) fn wait_until_read(&mut self) {
        // A PING may overtake what waits to be written, and the next one does not.
        for _ in 0..2 {
            let pong = async { timeout(PATIENCE, self.pings.ping(Ping::opaque())).await };
            self.runtime.block_on(pong).expect("a pong in time").unwrap();
        }
    }

    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let sent = self.send_one(method, path, body);
        self.runtime.block_on(answer(sent))
    }

    /// Sends a GET, and takes no more of the answer than the window before this was done.
    pub(crate) fn get_after(&mut self, path: &str, meanwhile: impl FnOnce()) -> (u16, Value) {
        let sent = self.send_one("GET", path, "");
        let head = async { timeout(PATIENCE, sent).await.expect("an answer in time").unwrap() };
        let response = self.runtime.block_on(head);
        meanwhile();
        self.runtime.block_on(read(response))
    }

    /// Sends these requests; [`Self::receive`] returns their responses.
    pub(crate) fn send(&mut self, path: &str, body: &str, count: usize) {
        for _ in 0..count {
            let sent = self.send_one("POST", path, body);
            self.sent.push(sent);
        }
    }

    pub(crate) fn receive(&mut self) -> Vec<(u16, Value)> {
        let sent = std::mem::take(&mut self.sent);
        self.runtime.block_on(async {
            let mut answers = Vec::new();
            for one in sent {
                answers.push(answer(one).await);
            }
            answers
        })
    }

    /// Returns the responses to the requests that were sent, without their bodies.
    pub(crate) fn receive_heads(&mut self) -> Vec<Response<RecvStream>> {
        let sent = std::mem::take(&mut self.sent);
        let head =
            async |sent: ResponseFuture| timeout(PATIENCE, sent).await.expect("an answer in time").unwrap();
        sent.into_iter().map(|sent| self.runtime.block_on(head(sent))).collect()
    }

    /// Sends these requests, and resets their streams when the server has read them.
    pub(crate) fn send_and_reset(&mut self, path: &str, body: &str, count: usize) {
        self.send(path, body, count);
        self.wait_until_read();
        // Dropping a pending response resets its stream.
        self.sent.clear();
    }

    /// Sends a head and a part of a body, and nothing more.
    pub(crate) fn begin_body(&mut self, path: &str, part: &'static [u8]) -> (u16, Value) {
        let (sent, _body) = self.begin(path, part);
        self.runtime.block_on(answer(sent))
    }

    /// Sends a head and a part of a body, and resets the stream when the server has read them.
    pub(crate) fn begin_body_and_reset(&mut self, path: &str, part: &'static [u8]) {
        let (_sent, mut body) = self.begin(path, part);
        self.wait_until_read();
        body.send_reset(h2::Reason::CANCEL);
    }

    /// Sends a head and a part of a body, and ends the connection when the server has read them.
    pub(crate) fn begin_body_and_end(&mut self, path: &str, part: &'static [u8]) {
        let _begun = self.begin(path, part);
        self.wait_until_read();
        self.connection.abort();
    }

    /// Begins these requests with a part of a body. They stall until [`Self::end`].
    pub(crate) fn stall(&mut self, path: &str, part: &'static [u8], count: usize) -> Vec<Stalled> {
        (0..count).map(|_| self.begin(path, part)).collect()
    }

    /// Sends the end of stalled bodies and returns the responses; `None` for a stream that the server
    /// refused or reset.
    pub(crate) fn end(&mut self, stalled: Vec<Stalled>, end: &'static [u8]) -> Vec<Option<(u16, Value)>> {
        let mut answers = Vec::new();
        for (sent, mut body) in stalled {
            // The stream may have been reset.
            let _ended = body.send_data(Bytes::from_static(end), true);
            answers.push(self.runtime.block_on(async {
                let response = timeout(PATIENCE, sent).await.expect("an answer in time").ok()?;
                Some(read(response).await)
            }));
        }
        answers
    }

    fn begin(&mut self, path: &str, part: &'static [u8]) -> Stalled {
        self.requests = self.runtime.block_on(self.requests.clone().ready()).unwrap();
        let request = self.request("POST", path);
        let (sent, mut body) = self.requests.send_request(request, false).unwrap();
        // A server that refuses the head may have reset the stream before this thread goes on.
        let _begun = body.send_data(Bytes::from_static(part), false);
        (sent, body)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.connection.is_finished()
    }

    fn send_one(&mut self, method: &str, path: &str, body: &str) -> ResponseFuture {
        self.requests = self.runtime.block_on(self.requests.clone().ready()).unwrap();
        // This only passes the request to the thread of the connection.
        let request = self.request(method, path);
        let (sent, mut stream) = self.requests.send_request(request, body.is_empty()).unwrap();
        if !body.is_empty() {
            stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true).unwrap();
        }
        sent
    }

    fn request(&self, method: &str, path: &str) -> Request<()> {
        let (deadline, milliseconds) = PATIENT.trim().split_once(": ").unwrap();
        let mut request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(format!("http://localhost{path}"))
            .header("content-type", "application/json")
            .header(deadline, milliseconds);
        if let Some(token) = self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        request.body(()).unwrap()
    }
}

async fn answer(sent: ResponseFuture) -> (u16, Value) {
    read(timeout(PATIENCE, sent).await.expect("an answer in time").unwrap()).await
}

async fn read(response: Response<RecvStream>) -> (u16, Value) {
    let status = response.status().as_u16();
    let mut stream = response.into_body();
    let mut body = Vec::new();
    while let Some(data) = timeout(PATIENCE, stream.data()).await.expect("a body in time") {
        let data = data.unwrap();
        stream.flow_control().release_capacity(data.len()).unwrap();
        body.extend_from_slice(&data);
    }
    (status, if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() })
}
