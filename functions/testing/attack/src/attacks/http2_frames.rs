//! HTTP/2 frames that belong to no request, without a pause and without a token.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::io::AsyncWriteExt as _;

use super::http2_memory::{PREFACE, SETTINGS, frame};
use crate::{
    attackers::repeat,
    door::attacker,
    figure::{Attack, Field, Figure, Found, count},
    honest::{Connections, Request, open_loop},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "http2-frames",
    asks: "connections that send frames of no request without a pause",
    stated: || {
        vec![format!(
            "Beside {CONNECTIONS} connections that send nothing else, 99 of 100 `/health` are answered within {MOST_MS} ms."
        )]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for (name, one) in [
        ("WINDOW_UPDATE", frame(8, 0, 0, &[0, 0, 0, 1])),
        ("PRIORITY", frame(2, 0, 1, &[0, 0, 0, 0, 16])),
        ("an unknown type", frame(0x77, 0, 0, &[])),
    ] {
        let server = Server::start(&field, &Setup::default()).await?;
        let frames = one.repeat(FRAMES_AT_ONCE);
        let (door, sent) = (server.door.clone(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&sent);
        let _attackers = repeat(field.pick(4, CONNECTIONS), RENEWED_AFTER, move |number| {
            let (door, frames, counted) = (door.clone(), frames.clone(), Arc::clone(&counted));
            async move {
                let mut stream = door.secure(door.tcp(attacker(number, ADDRESSES), None).await?).await?;
                stream.write_all(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).await?;
                loop {
                    stream.write_all(&frames).await?;
                    counted.fetch_add(FRAMES_AT_ONCE, Ordering::Relaxed);
                }
            }
        });
        let lasting = Duration::from_secs(field.pick(1, 5));
        let calls =
            open_loop(&server.door, &Request::get("/health"), Connections::New, PER_SECOND, lasting).await;
        let sent = count(sent.load(Ordering::Relaxed));
        figures.push(Figure::new(format!("{name}: frames sent"), sent, "").at_least(1.0));
        let of = |what| format!("{name}: GET /health, {what}");
        figures.push(Figure::never(of("not answered"), calls.0.len() - calls.right()));
        figures.push(Figure::new(of("99 of 100"), calls.percentile_ms(0.99), "ms").at_most(MOST_MS).timed());
    }
    Ok(figures)
}

/// Many turns of the connections. An idle server answers in a millisecond.
const MOST_MS: f64 = 100.0;

/// A connection that was ended is opened again.
const RENEWED_AFTER: Duration = Duration::from_millis(100);
const CONNECTIONS: usize = 60;
const ADDRESSES: usize = 64;
const FRAMES_AT_ONCE: usize = 4096;
const PER_SECOND: f64 = 50.0;
