//! Requests without a token over HTTP/2 whose answers the window never admits, and answers over
//! HTTP/1.1 that are never read.
//!
//! The frames are written by hand: a client library would need more memory than the server.

use std::{
    collections::HashSet,
    error::Error,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::Semaphore,
    time::{interval, sleep},
};

use crate::{
    attackers::{Gauge, repeat},
    cgroup::{CGROUP_BYTES, Cgroup},
    door::{Door, Identity, Stream, attacker},
    figure::{Attack, Field, Figure, Found, count, per_cent},
    honest::{Connections, Request, open_loop},
    http1::get,
    server::{HONEST_AND_HOSTILE, Server, Setup, wait_until},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "http2-memory",
    asks: "unauthorised requests whose answers are never read",
    stated: || {
        vec![
            format!(
                "While no hash runs, the process takes at most {FIXED_MIB} MiB, and {PER_CONNECTION_KIB} KiB for each open connection, more than when it is idle."
            ),
            format!("Two seconds after the last connection it is back within {FIXED_MIB} MiB of idle."),
            format!(
                "Beside this attack, {ANSWERED} % of the health checks without a token are answered within a second."
            ),
        ]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let identity = Identity::ecdsa()?;
    let mut figures = Vec::new();
    for connections in field.pick(vec![50], vec![500, 4096]) {
        figures.extend(attack(&field, &identity, Kind::Http2, connections, None).await?.0);
    }
    figures.extend(attack(&field, &identity, Kind::OpenApi, field.pick(20, 500), None).await?.0);

    let name = format!("processes ended in a cgroup of {} MiB", CGROUP_BYTES >> 20);
    figures.push(match Cgroup::new(CGROUP_BYTES) {
        Err(error) => Figure::not_run(name, &format!("cgroup: {error}")),
        Ok(group) => {
            let connections = field.pick(50, 500);
            let (_, ended) = attack(&field, &identity, Kind::Http2, connections, Some(&group)).await?;
            Figure::never(name, ended)
        }
    });
    Ok(figures)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// HTTP/2 with a zero window.
    Http2,
    /// HTTP/1.1 and the largest answer that needs no token on a loopback address.
    OpenApi,
}

/// Attacks a server on so many connections. Returns the figures, and how many processes ended.
async fn attack(
    field: &Field,
    identity: &Identity,
    kind: Kind,
    connections: usize,
    cgroup: Option<&Cgroup>,
) -> Result<(Vec<Figure>, usize), Box<dyn Error>> {
    let room = (connections + HONEST_CONNECTIONS).to_string();
    let setup = Setup {
        arguments: &["--connections", &room],
        identity: Some(identity),
        tokens: if kind == Kind::Http2 { HONEST_AND_HOSTILE } else { &[] },
        cgroup,
        ..Setup::default()
    };
    let mut server = Server::start(field, &setup).await?;
    let health = Request::get("/health");
    let _warm = open_loop(&server.door, &health, Connections::New, 20.0, Duration::from_secs(1)).await;
    let idle = server.resident_mib();
    let watch = server.watch_memory();

    let door = if kind == Kind::Http2 { server.door.over_http2() } else { server.door.clone() };
    let renewal = field.pick(Duration::from_secs(1), RENEWAL);
    let flood = Arc::new(Flood {
        door,
        kind,
        renewal,
        handshakes: Semaphore::new(HANDSHAKES_AT_ONCE),
        open: Gauge::default(),
        sent: AtomicUsize::new(0),
        flooding: Mutex::default(),
    });
    let shared = Arc::clone(&flood);
    let mut attackers = repeat(connections, RECONNECT, move |number| {
        let flood = Arc::clone(&shared);
        async move { flood.attack(number).await }
    });
    wait_until(FILL, || flood.attackers() >= connections).await;
    let lasting = field.pick(Duration::from_secs(3), 2 * RENEWAL);
    let checks = |connections| open_loop(&server.door, &health, connections, PER_SECOND, lasting);
    let (kept, fresh) = tokio::join!(checks(Connections::Kept), checks(Connections::New));
    let (peak, ended) = (watch.end() - idle, usize::from(server.has_ended()));
    attackers.shutdown().await;
    let after = memory_after(field, &server, idle).await;

    let of = match kind {
        Kind::Http2 => format!("{connections} x {STREAMS} streams"),
        Kind::OpenApi => format!("{connections} x /openapi.json over HTTP/1.1"),
    };
    let open = count(flood.open.most());
    let sent = count(flood.sent.load(Ordering::Relaxed)) / f64::from(1 << 20);
    let flooding = count(flood.attackers());
    let bound = FIXED_MIB + PER_CONNECTION_KIB * open / 1024.0;
    let mut figures = vec![
        Figure::new(format!("{of}: open connections"), open, ""),
        Figure::new(format!("{of}: connections that sent"), flooding, "").at_least(count(connections) / 2.0),
        Figure::new(format!("{of}: sent"), sent, "MiB"),
        Figure::new(format!("{of}: peak memory over idle"), peak, "MiB").at_most(bound),
        Figure::new(format!("{of}: memory over idle 2 s after"), after, "MiB").at_most(FIXED_MIB),
        Figure::never(format!("{of}: processes ended"), ended),
    ];
    for (connections, calls) in [("kept", kept), ("new", fresh)] {
        let name = format!("{of}: health checks in time on {connections} connections");
        let in_time = per_cent(calls.right_within(IN_TIME), calls.0.len());
        figures.push(Figure::new(name, in_time, "%").at_least(ANSWERED).timed());
    }
    Ok((figures, ended))
}

/// Returns the memory over idle two seconds after the last connection, in MiB. A smoke may run on a
/// loaded machine, which gives memory back later, so it waits for the bound.
pub(crate) async fn memory_after(field: &Field, server: &Server, idle: f64) -> f64 {
    let over_idle = || server.resident_mib() - idle;
    sleep(AFTER).await;
    if field.smoke {
        wait_until(FILL, || over_idle() <= FIXED_MIB).await;
    }
    over_idle()
}

/// What the attackers of one server share.
struct Flood {
    door: Door,
    kind: Kind,
    renewal: Duration,
    handshakes: Semaphore,
    open: Gauge,
    sent: AtomicUsize,
    /// The attackers that have sent requests.
    flooding: Mutex<HashSet<usize>>,
}

impl Flood {
    fn attackers(&self) -> usize {
        self.flooding.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Attacks on one connection until the server ends it.
    async fn attack(&self, number: usize) -> io::Result<()> {
        let permit = self.handshakes.acquire().await.map_err(io::Error::other)?;
        let stream = self.door.tcp(attacker(number, ADDRESSES), Some(RECEIVE_BUFFER)).await?;
        let _open = self.open.opened();
        let mut stream = self.door.secure(stream).await?;
        drop(permit);
        if self.kind == Kind::Http2 {
            return self.keep_streams_open(&mut stream, number).await;
        }
        self.send(&mut stream, number, &get("/openapi.json", "").repeat(PIPELINED)).await?;
        std::future::pending().await
    }

    async fn send(&self, stream: &mut Stream, number: usize, requests: &[u8]) -> io::Result<()> {
        self.sent.fetch_add(requests.len(), Ordering::Relaxed);
        self.flooding.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
        stream.write_all(requests).await?;
        stream.flush().await
    }

    /// Keeps as many streams open as the server admits, and renews the connection by HEAD.
    async fn keep_streams_open(&self, stream: &mut Stream, number: usize) -> io::Result<()> {
        let mut frames = PREFACE.to_vec();
        frames.extend(frame(SETTINGS, 0, 0, &[0, INITIAL_WINDOW_SIZE, 0, 0, 0, 0]));
        let mut id = 1;
        let mut again = interval(self.renewal);
        let (mut waiting, mut read) = (0, Vec::new());
        loop {
            tokio::select! {
                _ = again.tick() => {
                    let unauthorised = STREAMS - waiting;
                    (0..unauthorised).for_each(|_| frames.extend(request(&mut id, GET_POLICIES)));
                    frames.extend(request(&mut id, HEAD_HEALTH));
                    // The window holds every answer back but that to HEAD.
                    waiting = STREAMS;
                }
                got = stream.read_buf(&mut read) => {
                    if got? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    while let Some((kind, flags, payload)) = take_frame(&mut read) {
                        match kind {
                            SETTINGS if flags & ACK == 0 => frames.extend(frame(SETTINGS, ACK, 0, &[])),
                            PING if flags & ACK == 0 => frames.extend(frame(PING, ACK, 0, &payload)),
                            RST_STREAM => waiting = waiting.saturating_sub(1),
                            HEADERS | DATA if flags & END_STREAM != 0 => waiting = waiting.saturating_sub(1),
                            _ => {}
                        }
                    }
                }
            }
            if !frames.is_empty() {
                self.send(stream, number, &frames).await?;
                frames.clear();
            }
        }
    }
}

/// Returns a frame (RFC 9113 §4.1).
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    let head = [length[1], length[2], length[3], kind, flags];
    [&head[..], &stream.to_be_bytes(), payload].concat()
}

/// Returns the HEADERS of the next stream.
fn request(id: &mut u32, fields: &[u8]) -> Vec<u8> {
    let frame = frame(HEADERS, END_STREAM | END_HEADERS, *id, fields);
    *id += 2;
    frame
}

/// Removes the first frame, if all of it was read.
fn take_frame(read: &mut Vec<u8>) -> Option<(u8, u8, Vec<u8>)> {
    let length = u32::from_be_bytes([0, *read.first()?, *read.get(1)?, *read.get(2)?]);
    let end = FRAME_HEAD + usize::try_from(length).ok()?;
    let (kind, flags) = (*read.get(3)?, *read.get(4)?);
    let payload = read.get(FRAME_HEAD..end)?.to_vec();
    read.drain(..end);
    Some((kind, flags, payload))
}

/// The bound: idle, this, and for each open connection [`PER_CONNECTION_KIB`].
pub(crate) const FIXED_MIB: f64 = 16.0;
pub(crate) const PER_CONNECTION_KIB: f64 = 48.0;

/// An orchestrator waits for a health check about this long, and ends the server after some misses.
const IN_TIME: Duration = Duration::from_secs(1);
const ANSWERED: f64 = 99.0;
const PER_SECOND: f64 = 10.0;

/// One below the server's number of streams, so that HEAD finds room.
const STREAMS: usize = 255;

/// Requests of an answer that fills every buffer on the way.
const PIPELINED: usize = 100;

/// The server's share of addresses must not end the attack.
const ADDRESSES: usize = 64;

/// Connections of the honest callers.
const HONEST_CONNECTIONS: usize = 64;

const HANDSHAKES_AT_ONCE: usize = 64;

/// The pause after the server ended a connection.
const RECONNECT: Duration = Duration::from_millis(200);

/// The attacker renews each connection this often.
const RENEWAL: Duration = Duration::from_secs(10);

/// The longest time to open all connections, and for a loaded machine to give their memory back.
const FILL: Duration = Duration::from_mins(1);

/// The time until the memory is given back.
const AFTER: Duration = Duration::from_secs(2);

/// The attacker's own buffers stay small.
const RECEIVE_BUFFER: u32 = 4096;

/// RFC 9113 §3.4.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// RFC 9113 §6: kinds of frames, flags and one setting.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
const PING: u8 = 6;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
const INITIAL_WINDOW_SIZE: u8 = 4;
const FRAME_HEAD: usize = 9;

/// RFC 7541: GET, https, path, authority.
const GET_POLICIES: &[u8] = b"\x82\x87\x04\x09/policies\x01\x07saltern";

/// RFC 7541: HEAD, https, path, authority.
const HEAD_HEALTH: &[u8] = b"\x02\x04HEAD\x87\x04\x07/health\x01\x07saltern";
