//! Bodies that do not end, and requests of web pages.

use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;

use crate::{
    attacks::http2_memory::{FIXED_MIB, PER_CONNECTION_KIB, memory_after},
    door::{Door, Stream},
    figure::{Attack, Field, Figure, Found, count},
    hashes::{BCRYPT_10, PASSWORD},
    honest::{Connections, Outcome, Request, ask, closed_loop, in_a_row, open_loop},
    http1::{deadline_ms, described, post, verify},
    http2::{Http2, USUAL_WINDOW},
    server::{EVERY_SCOPE, HONEST, HONEST_AND_HOSTILE, HOSTILE, Server, Setup, bearer},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "bodies",
    asks: "bodies that do not end, and requests of web pages",
    stated: || {
        vec![
            format!("All bodies together have at most {BODIES_MIB} MiB"),
            format!("two seconds after the last connection the process is within {FIXED_MIB} MiB of idle."),
            "a body that is not read does not hold up the other callers of a proxy.".into(),
            "requests that browsers mark, and foreign host names, are refused".into(),
        ]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = that_lack_a_byte(&field).await?;
    figures.extend(on_one_connection(&field).await?);
    figures.extend(in_steps(&field).await?);
    figures.extend(of_web_pages(&field).await?);
    Ok(figures)
}

async fn that_lack_a_byte(field: &Field) -> Found {
    let tokens = &[(HONEST, EVERY_SCOPE), (METRICS, "metrics"), (HOSTILE, "hash,verify")];
    let server = Server::start(field, &Setup { tokens, ..Setup::default() }).await?;
    let (mut figures, mut open) = (Vec::new(), Vec::new());
    for name in [METRICS, HOSTILE] {
        let mut bodies = connect(&server.door, BODIES).await?;
        send(&mut bodies, &unfinished_batch(name)).await;
        open.extend(bodies);
        let calls = in_a_row(&server.door, &honest(HONEST), CALLS).await;
        let name = format!("{BODIES} bodies of {name} that lack a byte: calls not served");
        figures.push(Figure::never(name, CALLS - calls.right()));
    }
    Ok(figures)
}

/// Three callers behind one proxy, of which one sends bodies that stall.
async fn on_one_connection(field: &Field) -> Found {
    let tokens = &[(HONEST, EVERY_SCOPE), (OTHER, EVERY_SCOPE), (HOSTILE, EVERY_SCOPE)];
    let server = Server::start(field, &Setup { tokens, ..Setup::default() }).await?;
    let mut proxy = Http2::new(server.door.connect().await?, USUAL_WINDOW).await?;
    let headers = format!("{}Content-Length: {LONGEST_BODY}\r\n", bearer(HOSTILE));
    let mut stalled = Vec::new();
    for _ in 0..STREAMS {
        stalled.push(proxy.begin("/batch", &headers, " ".repeat(PART_OF_A_WINDOW)).await?);
    }
    let mut others = 0;
    for request in [honest(HONEST), honest(OTHER)].iter().cycle().take(2 * CALLS) {
        others += usize::from(request.over(&mut proxy).await != Outcome::Right);
    }
    let name = format!("{STREAMS} bodies that stall on the same connection: calls not served");
    Ok(vec![Figure::never(name, others)])
}

/// The steps of all bodies alternate, so that each body grows between the others.
async fn in_steps(field: &Field) -> Found {
    let setup = Setup { tokens: HONEST_AND_HOSTILE, ..Setup::default() };
    let server = Server::start(field, &setup).await?;
    let health = Request::get("/health");
    let _warm = open_loop(&server.door, &health, Connections::New, 20.0, Duration::from_secs(1)).await;
    let idle = server.resident_mib();
    let watch = server.watch_memory();
    let attack = async {
        let mut bodies = connect(&server.door, OPEN).await?;
        for step in unfinished_batch(HOSTILE).chunks(STEP) {
            send(&mut bodies, step).await;
        }
        std::io::Result::Ok(bodies)
    };
    let (request, lasting) = (honest(HONEST), field.pick(SMOKE, LASTING));
    let (bodies, calls) = tokio::join!(attack, closed_loop(&server.door, &request, 1, lasting));
    let peak = watch.end() - idle;
    drop(bodies?);
    let after = memory_after(field, &server, idle).await;
    let bound = BODIES_MIB + FIXED_MIB + PER_CONNECTION_KIB * count(OPEN) / 1024.0;
    let of = format!("{OPEN} bodies in steps of {STEP} bytes");
    Ok(vec![
        Figure::never(format!("{of}: calls not served"), calls.0.len() - calls.right()),
        Figure::new(format!("{of}: peak memory over idle"), peak, "MiB").at_most(bound),
        Figure::new(format!("{of}: memory over idle 2 s after"), after, "MiB").at_most(FIXED_MIB),
    ])
}

/// The browser of somebody on this machine sends the requests of any page to a server without tokens.
async fn of_web_pages(field: &Field) -> Found {
    let server = Server::start(field, &Setup::default()).await?;
    let own = |headers: &str| verify(&(deadline_ms(DEADLINE_MS) + headers), PASSWORD, BCRYPT_10);
    let foreign = String::from_utf8(own(""))?.replace("Host: localhost", "Host: evil.example");
    let mut others = 0;
    for (request, wanted) in [
        (own("Origin: http://evil.example\r\n"), "403 forbidden"),
        (foreign.into(), "403 forbidden"),
        (own(""), "200"),
    ] {
        others += usize::from(described(&ask(&server.door, &request).await?) != wanted);
    }
    Ok(vec![Figure::never("requests of web pages: answers other than 403", others)])
}

async fn connect(door: &Door, connections: usize) -> std::io::Result<Vec<Stream>> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(door.connect().await?);
    }
    Ok(open)
}

/// Sends bytes on connections of which the server may have ended some.
async fn send(connections: &mut [Stream], bytes: &[u8]) {
    for connection in connections {
        let _refused = connection.write_all(bytes).await;
    }
}

/// Returns a batch of a caller without its last byte.
pub(crate) fn unfinished_batch(of: &str) -> Vec<u8> {
    let quotes = 2;
    let mut batch = post("/batch", &bearer(of), &Value::from(" ".repeat(LONGEST_BODY - quotes)));
    batch.pop();
    batch
}

fn honest(name: &str) -> Request {
    Request::bcrypt(DEADLINE_MS).with(&bearer(name))
}

const METRICS: &str = "metrics-only";
const OTHER: &str = "other";

/// The bound of all bodies together.
const BODIES_MIB: f64 = 64.0;

/// Bodies that fill the room, and their length.
const BODIES: usize = 64;
const LONGEST_BODY: usize = 1 << 20;

/// Bodies on one connection, and what of each arrives: together many windows of a stream. For 60 of
/// them there is room; the others are refused from their heads.
const STREAMS: usize = 100;
const PART_OF_A_WINDOW: usize = 16 << 10;

/// Bodies that grow together.
const OPEN: usize = 120;
const STEP: usize = 3000;

/// Calls of each honest caller.
const CALLS: usize = 20;

/// Long enough for a hash on a busy machine.
const DEADLINE_MS: u32 = 15_000;

const LASTING: Duration = Duration::from_secs(10);
const SMOKE: Duration = Duration::from_secs(2);
