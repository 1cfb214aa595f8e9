//! Honest and hostile traffic for ten minutes: right answers, and nothing that grows.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::{
    io::AsyncWriteExt as _,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    attackers::repeat,
    attacks::bodies::unfinished_batch,
    door::{Door, Identity, attacker},
    figure::{Attack, Field, Figure, Found, count},
    hashes::{
        ARGON2ID_256_MIB, BCRYPT_12, BCRYPT_15, SHA512_CRYPT_DEAR, WRAPPED_SUN_MD5, WRAPPED_TWICE_DEAR,
    },
    honest::{Calls, Connections, Request, ask, open_loop},
    http1::{deadline_ms, get, post, verify},
    http2::Http2,
    server::{EVERY_SCOPE, HONEST, HOSTILE, ROOM_FOR_DEAR_HASHES, Server, Setup, bearer},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "soak",
    asks: "honest and hostile traffic for minutes",
    stated: || {
        vec![
            format!(
                "In ten minutes of two honest callers and a hostile one no answer is wrong, none is lost, and none is \
                 refused; nine of ten take at most {TIMES_ALONE} times as long as without the hostile one."
            ),
            format!(
                "When it is over, the process holds at most {GROWTH_MIB} MiB more than after the first minute, and no \
                 more open files."
            ),
        ]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let identity = Identity::ecdsa()?;
    let setup = Setup {
        tokens: &[(HONEST, EVERY_SCOPE), (OTHER, EVERY_SCOPE), (HOSTILE, EVERY_SCOPE)],
        arguments: ROOM_FOR_DEAR_HASHES,
        identity: Some(&identity),
        ..Setup::default()
    };
    let mut server = Server::start(&field, &setup).await?;
    let alone = honest(&server.door, field.pick(Duration::from_secs(2), Duration::from_secs(20))).await;
    let warm = field.pick(Duration::from_secs(3), Duration::from_mins(1));
    let lasting = field.pick(Duration::from_secs(3), Duration::from_mins(9));
    let mut calls = besides_attacks(&server, warm).await;
    let early = (server.resident_mib(), server.descriptors());
    let watch = server.watch_memory();
    calls.0.extend(besides_attacks(&server, lasting).await.0);
    let (peak, late) = (watch.end(), (server.resident_mib(), server.descriptors()));
    let slower = calls.percentile_ms(0.9) / alone.percentile_ms(0.9);
    let mut figures = vec![
        Figure::new("honest calls", count(calls.0.len()), ""),
        Figure::never("wrong", calls.wrong() + alone.wrong()),
        Figure::never("lost", calls.lost() + alone.lost()),
        Figure::never("refused", calls.refused()).timed(),
        Figure::new("nine of ten, times alone", slower, "").at_most(f64::from(TIMES_ALONE)).timed(),
        Figure::never("processes ended", usize::from(server.has_ended())),
        Figure::new("peak memory", peak, "MiB"),
        // In the seconds of a smoke run the first part has not seen every attack.
        Figure::new("memory kept over that after the first minute", late.0 - early.0, "MiB")
            .at_most(GROWTH_MIB)
            .timed(),
    ];
    let name = "descriptors over those after the first minute";
    figures.push(match (early.1, late.1) {
        (Some(before), Some(after)) => Figure::new(name, count(after) - count(before), "").at_most(0.0),
        _ => Figure::not_run(name, &"only root sees another process's descriptors"),
    });
    Ok(figures)
}

/// Honest calls with each attack in turn beside them, and then the rest in which memory is given back.
async fn besides_attacks(server: &Server, lasting: Duration) -> Calls {
    let (door, turns) = (server.door.clone(), Arc::new(AtomicUsize::new(0)));
    let mut hostile = repeat(CONNECTIONS, BETWEEN_ATTACKS, move |_| {
        let (door, turn) = (door.clone(), turns.fetch_add(1, Ordering::Relaxed));
        async move { timeout(LONGEST_ATTACK, attack(&door, turn)).await? }
    });
    let calls = honest(&server.door, lasting).await;
    hostile.shutdown().await;
    sleep(AFTER).await;
    calls
}

/// Right passwords, wrong passwords and requests without a hash, of two callers.
async fn honest(door: &Door, lasting: Duration) -> Calls {
    let mut callers = JoinSet::new();
    for (request, connections, per_second) in [
        (Request::bcrypt(10_000), Connections::Kept, 4.0),
        (Request::mismatch(10_000), Connections::Kept, 4.0),
        (Request::get("/policies"), Connections::Kept, 4.0),
        (Request::bcrypt(10_000), Connections::New, 1.0),
    ] {
        for name in [HONEST, OTHER] {
            let (door, request) = (door.clone(), request.clone().with(&bearer(name)));
            callers.spawn(async move { open_loop(&door, &request, connections, per_second, lasting).await });
        }
    }
    Calls(callers.join_all().await.into_iter().flat_map(|calls| calls.0).collect())
}

/// One attack, in turn.
async fn attack(door: &Door, turn: usize) -> io::Result<()> {
    let (from, token) = (attacker(turn, CONNECTIONS), bearer(HOSTILE));
    let patient = deadline_ms(60_000) + &token;
    match turn % 10 {
        // A connection that sends nothing, before the handshake and after it.
        0 => sleep_on(door.tcp(from, None).await?).await,
        1 => sleep_on(door.secure(door.tcp(from, None).await?).await?).await,
        // A request without a token, and one that is no HTTP.
        2 => drop(ask(door, &get("/policies", "")).await?),
        3 => drop(ask(door, b"\x00\xff nonsense\r\n\r\n").await?),
        // A caller that leaves during its hash.
        4 => {
            let mut stream = door.secure(door.tcp(from, None).await?).await?;
            stream.write_all(&verify(&token, "p", BCRYPT_12)).await?;
            sleep(Duration::from_millis(20)).await;
        }
        // A loop of digests over a long password with a NUL, and a dear kind with a short deadline.
        5 => drop(ask(door, &verify(&patient, &format!("{}\0", "x".repeat(1023)), SHA512_CRYPT_DEAR)).await?),
        6 => drop(ask(door, &verify(&(deadline_ms(500) + &token), "p", WRAPPED_SUN_MD5)).await?),
        // Batches of hashes at every ceiling.
        7 => {
            let dear = [BCRYPT_15, ARGON2ID_256_MIB, SHA512_CRYPT_DEAR, WRAPPED_TWICE_DEAR];
            let operations = dear.map(|hash| json!({"op": "verify", "password": "p", "hash": hash}));
            drop(
                ask(door, &post("/batch", &patient, &json!({"operations": vec![operations; 16].concat()})))
                    .await?,
            );
        }
        // Bodies that stall, and answers that are not read.
        8 => {
            let mut stalls = door.secure(door.tcp(from, None).await?).await?;
            stalls.write_all(&unfinished_batch(HOSTILE)).await?;
            sleep_on(stalls).await;
        }
        _ => {
            let stream = door.over_http2().secure(door.tcp(from, None).await?).await?;
            let mut unread = Http2::new(stream, 0).await.map_err(io::Error::other)?;
            let mut answers = Vec::new();
            for _ in 0..STREAMS {
                answers.push(unread.begin("/batch", &token, "{}").await.map_err(io::Error::other)?);
            }
            for (_, body) in &mut answers {
                let _may_be_reset = body.send_data(Vec::new().into(), true);
            }
            sleep_on((unread, answers)).await;
        }
    }
    Ok(())
}

/// Holds a connection until the turn is over.
async fn sleep_on(stream: impl Send) {
    sleep(LONGEST_ATTACK).await;
    drop(stream);
}

const OTHER: &str = "other";

/// Hostile connections at once.
const CONNECTIONS: usize = 16;

/// Requests at once of a connection whose answers are not read.
const STREAMS: usize = 250;

/// The hashes of three callers take turns.
const TIMES_ALONE: u32 = 3;

const BETWEEN_ATTACKS: Duration = Duration::from_millis(50);
const LONGEST_ATTACK: Duration = Duration::from_secs(2);

/// Pages that the allocator keeps.
const GROWTH_MIB: f64 = 16.0;

/// All hostile connections have ended, and the memory of hashes is no longer kept for the next one.
const AFTER: Duration = Duration::from_secs(12);
