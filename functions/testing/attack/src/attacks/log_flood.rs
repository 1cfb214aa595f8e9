//! Requests without a token that fill the log, whose reader is slow.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{
    attackers::repeat,
    door::{Door, attacker},
    figure::{Attack, Field, Figure, Found, count},
    honest::{Connections, Request, open_loop},
    http1::get,
    server::{HONEST, HONEST_AND_HOSTILE, Server, Setup, bearer, wait_until},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "log-flood",
    asks: "requests without a token that fill the log",
    stated: || vec![],
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for path in ["/health", "/policies"] {
        let setup = Setup { tokens: HONEST_AND_HOSTILE, pause_per_line: PAUSE_PER_LINE, ..Setup::default() };
        let server = Server::start(&field, &setup).await?;
        let (door, read) = (server.door.clone(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&read);
        let mut attackers = repeat(CONNECTIONS, Duration::ZERO, move |number| {
            let (door, counted) = (door.clone(), Arc::clone(&counted));
            async move { flood(&door, number, path, &counted).await }
        });
        let lasting = field.pick(Duration::from_secs(2), Duration::from_secs(10));
        let request = Request::get("/policies").with(&bearer(HONEST));
        let calls = open_loop(&server.door, &request, Connections::Kept, PER_SECOND, lasting).await;
        attackers.shutdown().await;
        let answered = calls.0.len() - calls.lost();
        wait_until(LAST_LINES, || server.logged() >= answered).await;
        let lost = answered.saturating_sub(server.logged());
        let read = count(read.load(Ordering::Relaxed));
        figures
            .push(Figure::new(format!("GET {path}: bytes of the flood's answers"), read, "").at_least(1.0));
        let name = format!("GET {path}: honest calls answered");
        figures.push(Figure::new(name, count(answered), "").at_least(1.0));
        figures.push(Figure::never(format!("GET {path}: lines lost of them"), lost));
    }
    Ok(figures)
}

/// Sends requests without a pause and reads the answers.
async fn flood(door: &Door, number: usize, path: &str, answered: &AtomicUsize) -> io::Result<()> {
    let stream = door.tcp(attacker(number, CONNECTIONS), None).await?;
    let (mut reader, mut writer) = stream.into_split();
    let requests = get(path, "").repeat(PIPELINED);
    let read = async {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer).await? {
                0 => return io::Result::Ok(()),
                bytes => answered.fetch_add(bytes, Ordering::Relaxed),
            };
        }
    };
    let write = async {
        loop {
            writer.write_all(&requests).await?;
        }
    };
    tokio::select! {
        ended = read => ended,
        ended = write => ended,
    }
}

/// A collector that takes some 2,000 lines a second: forty times the honest callers' lines.
const PAUSE_PER_LINE: Duration = Duration::from_micros(400);

const CONNECTIONS: usize = 16;
const PIPELINED: usize = 64;
const PER_SECOND: f64 = 50.0;

/// The reader is behind by a full channel and a full pipe.
const LAST_LINES: Duration = Duration::from_secs(10);
