//! TLS handshakes at a fixed rate, each of which costs the server a signature.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::timeout;

use crate::{
    attackers::at_rate,
    door::{Identity, attacker},
    figure::{Attack, Field, Figure, Found, count},
    honest::{Calls, Request, closed_loop},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "handshakes",
    asks: "TLS handshakes without a request",
    stated: || {
        vec![format!(
            "Under {PER_SECOND} handshakes a second (ECDSA), the slowest 1 % of other calls take at most {SLOWER} times as long as on an idle server."
        )]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let identity = Identity::ecdsa()?;
    let server = Server::start(&field, &Setup { identity: Some(&identity), ..Setup::default() }).await?;
    let (windows, per_second) = field.pick((1, 20.0), (WINDOWS, PER_SECOND));
    let request = Request::bcrypt(DEADLINE_MS);
    let (mut idle, mut attacked) = (Calls::default(), Calls::default());
    let made = Arc::new(AtomicUsize::new(0));
    // The load of a shared machine changes, so both kinds of windows see the same load.
    for _ in 0..windows {
        idle.0.extend(closed_loop(&server.door, &request, 1, WINDOW).await.0);
        let (door, counted) = (server.door.clone(), Arc::clone(&made));
        let shake_hands = move |number| {
            let (door, counted) = (door.clone(), Arc::clone(&counted));
            async move {
                let shaken = async { door.secure(door.tcp(attacker(number, ADDRESSES), None).await?).await };
                let is_made = timeout(PATIENCE, shaken).await.is_ok_and(|shaken| shaken.is_ok());
                counted.fetch_add(usize::from(is_made), Ordering::Relaxed);
            }
        };
        let attack = tokio::spawn(at_rate(per_second, Duration::MAX, shake_hands));
        attacked.0.extend(closed_loop(&server.door, &request, 1, WINDOW).await.0);
        attack.abort();
    }
    let (before, during) = (idle.percentile_ms(0.99), attacked.percentile_ms(0.99));
    let others = attacked.0.len() - attacked.right();
    let made = made.load(Ordering::Relaxed);
    let planned = per_second * WINDOW.as_secs_f64() * count(windows);
    Ok(vec![
        Figure::never("no handshake made", usize::from(made == 0)),
        Figure::new("handshakes made", count(made), "").at_least(planned / 2.0).timed(),
        Figure::new("honest p99 idle", before, "ms").timed(),
        Figure::new("honest p50", attacked.percentile_ms(0.5), "ms").timed(),
        Figure::new("honest p99", during, "ms").timed(),
        Figure::new("honest p99 over idle", during / before, "").at_most(SLOWER).timed(),
        Figure::never("honest calls not served", others),
    ])
}

/// The honest p99 over that of an idle server, with a key on P-256.
const SLOWER: f64 = 3.0;

/// Windows without the attack, and as many with it.
const WINDOWS: usize = 15;
const WINDOW: Duration = Duration::from_secs(2);

/// Long enough for a hash on a busy machine.
const DEADLINE_MS: u32 = 15_000;

const PER_SECOND: f64 = 200.0;
/// The longest time of a handshake.
const PATIENCE: Duration = Duration::from_secs(10);

const ADDRESSES: usize = 64;
