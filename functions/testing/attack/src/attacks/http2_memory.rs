//! Requests without a token over HTTP/2 whose answers the window never admits, and answers over
//! HTTP/1.1 that are never read.
//!
//! The frames are written by hand: a client library would need more memory than the server.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::Semaphore,
    task::JoinSet,
    time::{interval, sleep},
};

use crate::{
    cgroup::{CGROUP_BYTES, Cgroup},
    door::{Door, Identity, Stream, attacker},
    field::Field,
    figure::{Figure, Found, count, per_cent},
    honest::{Calls, Connections, Request, open_loop},
    http1::get,
    server::{Server, Setup, wait_until},
};

pub(crate) async fn run(field: Field) -> Found {
    let identity = Identity::ecdsa()?;
    let mut figures = Vec::new();
    for connections in field.pick(vec![50], vec![500, 4096]) {
        let attack = Attack { connections, kind: Kind::Http2 };
        figures.extend(attack.run(&field, &identity, None).await?.figures());
    }
    let attack = Attack { connections: field.pick(20, 500), kind: Kind::OpenApi };
    figures.extend(attack.run(&field, &identity, None).await?.figures());

    let name = format!("processes ended in a cgroup of {} MiB", CGROUP_BYTES >> 20);
    figures.push(match Cgroup::new(CGROUP_BYTES) {
        Err(error) => Figure::not_run(name, format!("cgroup: {error}")),
        Ok(group) => {
            let attack = Attack { connections: field.pick(50, 500), kind: Kind::Http2 };
            let result = attack.run(&field, &identity, Some(&group)).await?;
            Figure::new(name, count(usize::from(result.has_ended)), "").at_most(0.0)
        }
    });
    Ok(figures)
}

#[derive(Clone, Copy, Debug)]
struct Attack {
    connections: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// HTTP/2 with a zero window.
    Http2,
    /// HTTP/1.1 and the largest answer that wants no token on a loopback address.
    OpenApi,
}

struct Result {
    attack: Attack,
    open: usize,
    sent_mib: f64,
    peak_mib: f64,
    after_mib: f64,
    has_ended: bool,
    /// By their connections.
    health_checks: [(&'static str, Calls); 2],
}

impl Attack {
    async fn run(
        self,
        field: &Field,
        identity: &Identity,
        cgroup: Option<&Cgroup>,
    ) -> std::result::Result<Result, Box<dyn std::error::Error>> {
        let room = (self.connections + HONEST_CONNECTIONS).to_string();
        let mut server = Server::start(
            field,
            &Setup {
                arguments: &["--connections", &room],
                identity: Some(identity),
                wants_token: self.kind == Kind::Http2,
                cgroup,
                ..Setup::default()
            },
        )
        .await?;
        let health = Request::get("/health");
        let _warm = open_loop(&server.door, &health, Connections::New, 20.0, Duration::from_secs(1)).await;
        let idle = server.resident_mib();
        let watch = server.watch_memory();
        let shared = Arc::new(Shared { handshakes: Semaphore::new(HANDSHAKES_AT_ONCE), ..Shared::default() });
        let mut attackers = JoinSet::new();
        let renewal = field.pick(Duration::from_secs(1), RENEWAL);
        for number in 0..self.connections {
            let (door, shared, kind) = (server.door.clone(), Arc::clone(&shared), self.kind);
            attackers.spawn(async move { attack_again(&door, number, kind, renewal, &shared).await });
        }
        wait_until(FILL, || shared.flooded.load(Ordering::Relaxed) >= self.connections).await;
        let lasting = field.pick(Duration::from_secs(3), 2 * RENEWAL);
        let checks = |connections| open_loop(&server.door, &health, connections, PER_SECOND, lasting);
        let (kept, fresh) = tokio::join!(checks(Connections::Kept), checks(Connections::New));
        let (peak_mib, has_ended) = (watch.end() - idle, server.has_ended());
        attackers.shutdown().await;
        sleep(AFTER).await;
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        let sent_mib = shared.sent.load(Ordering::Relaxed) as f64 / f64::from(1 << 20);
        Ok(Result {
            attack: self,
            open: shared.most_open.load(Ordering::Relaxed),
            sent_mib,
            peak_mib,
            after_mib: server.resident_mib() - idle,
            has_ended,
            health_checks: [("kept", kept), ("new", fresh)],
        })
    }
}

impl Result {
    fn figures(self) -> Vec<Figure> {
        let asked = self.attack.connections;
        let of = match self.attack.kind {
            Kind::Http2 => format!("{asked} x {STREAMS} streams"),
            Kind::OpenApi => format!("{asked} x /openapi.json over HTTP/1.1"),
        };
        let bound = FIXED_MIB + PER_CONNECTION_KIB * count(self.open) / 1024.0;
        let checks = self.health_checks.into_iter().map(|(connections, calls)| {
            let name = format!("{of}: health checks in time on {connections} connections");
            Figure::new(name, per_cent(calls.right_within(IN_TIME), calls.0.len()), "%")
                .at_least(ANSWERED)
                .timed()
        });
        let figures = vec![
            Figure::new(format!("{of}: open connections"), count(self.open), ""),
            Figure::new(format!("{of}: sent"), self.sent_mib, "MiB"),
            Figure::new(format!("{of}: peak memory over idle"), self.peak_mib, "MiB").at_most(bound),
            Figure::new(format!("{of}: memory over idle 2 s after"), self.after_mib, "MiB")
                .at_most(FIXED_MIB),
            Figure::new(format!("{of}: processes ended"), count(usize::from(self.has_ended)), "")
                .at_most(0.0),
        ];
        figures.into_iter().chain(checks).collect()
    }
}

#[derive(Debug)]
struct Shared {
    handshakes: Semaphore,
    sent: AtomicU64,
    open: AtomicUsize,
    most_open: AtomicUsize,
    flooded: AtomicUsize,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            handshakes: Semaphore::new(0),
            sent: AtomicU64::new(0),
            open: AtomicUsize::new(0),
            most_open: AtomicUsize::new(0),
            flooded: AtomicUsize::new(0),
        }
    }
}

/// Opens a connection, attacks on it, and begins again when the server ends it.
async fn attack_again(door: &Door, number: usize, kind: Kind, renewal: Duration, shared: &Shared) {
    let has_flooded = AtomicBool::new(false);
    loop {
        let _ended = attack_once(door, number, kind, renewal, shared, &has_flooded).await;
        sleep(RECONNECT).await;
    }
}

async fn attack_once(
    door: &Door,
    number: usize,
    kind: Kind,
    renewal: Duration,
    shared: &Shared,
    has_flooded: &AtomicBool,
) -> io::Result<()> {
    let door = if kind == Kind::Http2 { door.over_http2() } else { door.clone() };
    let permit = shared.handshakes.acquire().await.map_err(io::Error::other)?;
    let stream = door.tcp(attacker(number, ADDRESSES), Some(RECEIVE_BUFFER)).await?;
    let _open = Open::count(shared);
    let mut stream = door.secure(stream).await?;
    drop(permit);
    let flood = async {
        match kind {
            Kind::Http2 => flood_http2(&mut stream, renewal, shared, has_flooded).await,
            Kind::OpenApi => {
                let requests = get("/openapi.json", "").repeat(PIPELINED);
                shared.sent.fetch_add(requests.len() as u64, Ordering::Relaxed);
                flooded(shared, has_flooded);
                stream.write_all(&requests).await?;
                stream.flush().await?;
                std::future::pending().await
            }
        }
    };
    flood.await
}

/// Counts each attacker once.
fn flooded(shared: &Shared, has_flooded: &AtomicBool) {
    if !has_flooded.swap(true, Ordering::Relaxed) {
        shared.flooded.fetch_add(1, Ordering::Relaxed);
    }
}

/// Keeps as many streams open as the server admits, and renews the connection by HEAD.
async fn flood_http2(
    stream: &mut Stream,
    renewal: Duration,
    shared: &Shared,
    has_flooded: &AtomicBool,
) -> io::Result<()> {
    let mut frames = PREFACE.to_vec();
    frames.extend(frame(SETTINGS, 0, 0, &[0, INITIAL_WINDOW_SIZE, 0, 0, 0, 0]));
    let mut id = 1;
    let mut again = interval(renewal);
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
            shared.sent.fetch_add(frames.len() as u64, Ordering::Relaxed);
            stream.write_all(&frames).await?;
            stream.flush().await?;
            frames.clear();
            flooded(shared, has_flooded);
        }
    }
}

/// Returns a frame (RFC 9113 §4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
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

/// Counts a connection as long as it is open.
struct Open<'a>(&'a Shared);

impl<'a> Open<'a> {
    fn count(shared: &'a Shared) -> Self {
        let open = shared.open.fetch_add(1, Ordering::Relaxed) + 1;
        shared.most_open.fetch_max(open, Ordering::Relaxed);
        Self(shared)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The bound: idle, this, and for each open connection [`PER_CONNECTION_KIB`].
const FIXED_MIB: f64 = 16.0;
const PER_CONNECTION_KIB: f64 = 48.0;

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

/// The longest time to open all connections.
const FILL: Duration = Duration::from_mins(1);

/// The time until the memory is given back.
const AFTER: Duration = Duration::from_secs(2);

/// The attacker's own buffers stay small.
const RECEIVE_BUFFER: u32 = 4096;

/// RFC 9113 §3.4.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// RFC 9113 §6: kinds of frames, flags and one setting.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
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

/// See [`crate::figure::Attack::stated`].
pub(crate) fn stated() -> Vec<String> {
    vec![
        format!(
            "While no hash runs, the process takes at most {FIXED_MIB} MiB, and {PER_CONNECTION_KIB} KiB for each open connection, more than when it is idle."
        ),
        format!("Two seconds after the last connection it is back within {FIXED_MIB} MiB of idle."),
        format!(
            "Beside this attack, {ANSWERED} % of the health checks without a token are answered within a second."
        ),
    ]
}
