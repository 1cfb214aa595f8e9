//! Honest and hostile traffic for ten minutes: right answers, and nothing that grows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt as _,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    attackers::repeat,
    door::{Door, Identity, attacker},
    figure::{Attack, Field, Figure, Found, count},
    hashes::{BCRYPT_12, SHA512_CRYPT, WRAPPED_SUN_MD5},
    honest::{Calls, Connections, Request, ask, open_loop},
    http1::{deadline_ms, get, verify},
    server::{HONEST, HONEST_AND_HOSTILE, Server, Setup, bearer},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "soak",
    asks: "honest and hostile traffic for minutes",
    stated: || {
        vec![
            "In ten minutes of honest and hostile traffic no answer is wrong and none is lost.".into(),
            format!(
                "The process takes at most {GROWTH_MIB} MiB more than after the first minute, and no more open files."
            ),
        ]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let identity = Identity::ecdsa()?;
    let setup = Setup { identity: Some(&identity), tokens: HONEST_AND_HOSTILE, ..Setup::default() };
    let mut server = Server::start(&field, &setup).await?;
    let (door, turns) = (server.door.clone(), Arc::new(AtomicUsize::new(0)));
    let mut hostile = repeat(HOSTILE, BETWEEN_ATTACKS, move |_| {
        let (door, turn) = (door.clone(), turns.fetch_add(1, Ordering::Relaxed));
        async move { timeout(LONGEST_ATTACK, attack(&door, turn)).await? }
    });
    let warm = field.pick(Duration::from_secs(2), Duration::from_mins(1));
    let lasting = field.pick(Duration::from_secs(3), Duration::from_mins(9));
    let mut calls = honest(&server.door, warm).await;
    let watch = server.watch_memory();
    sleep(Duration::from_secs(1)).await;
    let early = (watch.end(), server.descriptors());
    let watch = server.watch_memory();
    calls.0.extend(honest(&server.door, lasting).await.0);
    let peak = watch.end();
    hostile.shutdown().await;
    sleep(AFTER).await;
    let mut figures = vec![
        Figure::new("honest calls", count(calls.0.len()), ""),
        Figure::never("wrong", calls.wrong()),
        Figure::never("lost", calls.lost()),
        Figure::new("refused", count(calls.refused()), "").timed(),
        Figure::never("processes ended", usize::from(server.has_ended())),
        Figure::new("peak memory over that after a minute", peak - early.0, "MiB").at_most(GROWTH_MIB),
    ];
    let name = "descriptors at the end over those under attack";
    figures.push(match (early.1, server.descriptors()) {
        (Some(before), Some(after)) => Figure::new(name, count(after) - count(before), "").at_most(0.0),
        _ => Figure::not_run(name, &"only root sees another process's descriptors"),
    });
    Ok(figures)
}

/// Right passwords, wrong passwords and requests without a hash.
async fn honest(door: &Door, lasting: Duration) -> Calls {
    let mut callers = JoinSet::new();
    for (request, connections, per_second) in [
        (Request::bcrypt(10_000), Connections::Kept, 4.0),
        (Request::mismatch(10_000), Connections::Kept, 4.0),
        (Request::get("/policies"), Connections::Kept, 4.0),
        (Request::bcrypt(10_000), Connections::New, 1.0),
    ] {
        let (door, request) = (door.clone(), request.with(&bearer(HONEST)));
        callers.spawn(async move { open_loop(&door, &request, connections, per_second, lasting).await });
    }
    Calls(callers.join_all().await.into_iter().flat_map(|calls| calls.0).collect())
}

/// One attack, in turn.
async fn attack(door: &Door, turn: usize) -> std::io::Result<()> {
    let from = attacker(turn, HOSTILE);
    match turn % 7 {
        // A connection that sends nothing, before the handshake and after it.
        0 => sleep_on(door.tcp(from, None).await?).await,
        1 => sleep_on(door.secure(door.tcp(from, None).await?).await?).await,
        // A request without a token, and one that is no HTTP.
        2 => drop(ask(door, &get("/policies", "")).await?),
        3 => drop(ask(door, b"\x00\xff nonsense\r\n\r\n").await?),
        // A caller that leaves during its hash.
        4 => {
            let mut stream = door.secure(door.tcp(from, None).await?).await?;
            stream.write_all(&verify(&bearer(HONEST), "p", BCRYPT_12)).await?;
            sleep(Duration::from_millis(20)).await;
        }
        // Work with the honest token: a long password with a NUL, and a dear kind.
        5 => {
            let long = format!("{}\0x", "x".repeat(1000));
            drop(ask(door, &verify(&bearer(HONEST), &long, SHA512_CRYPT)).await?);
        }
        _ => {
            let headers = bearer(HONEST) + &deadline_ms(500);
            drop(ask(door, &verify(&headers, "p", WRAPPED_SUN_MD5)).await?);
        }
    }
    Ok(())
}

/// Holds a connection until the turn is over.
async fn sleep_on(stream: impl Send) {
    sleep(LONGEST_ATTACK).await;
    drop(stream);
}

/// Hostile connections at once.
const HOSTILE: usize = 16;

const BETWEEN_ATTACKS: Duration = Duration::from_millis(50);
const LONGEST_ATTACK: Duration = Duration::from_secs(2);

/// Pages that the allocator keeps.
const GROWTH_MIB: f64 = 16.0;

/// All hostile connections have ended.
const AFTER: Duration = Duration::from_secs(12);
