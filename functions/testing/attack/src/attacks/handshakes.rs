//! TLS handshakes at a fixed rate, each of which costs the server a signature.

use std::time::{Duration, Instant};

use tokio::{
    task::JoinSet,
    time::{sleep_until, timeout},
};

use crate::{
    door::{Door, Identity, attacker},
    field::Field,
    figure::{Figure, Found, count},
    honest::{Calls, Request, closed_loop},
    server::{Server, Setup},
};

pub(crate) async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for (key, identity) in [("ECDSA", Identity::ecdsa()), ("RSA-3072", Identity::rsa())] {
        let identity = match identity {
            Ok(identity) => identity,
            Err(error) => {
                figures.push(Figure::not_run(format!("{key}: honest p99 over idle"), error.to_string()));
                continue;
            }
        };
        let server = Server::start(&field, &Setup { identity: Some(&identity), ..Setup::default() }).await?;
        let (windows, per_second) = field.pick((1, 20), (WINDOWS, PER_SECOND));
        let request = Request::bcrypt(DEADLINE_MS);
        let (mut idle, mut attacked) = (Calls::default(), Calls::default());
        // The load of a shared machine changes, so both kinds of windows see the same load.
        for _ in 0..windows {
            idle.0.extend(closed_loop(&server.door, &request, 1, WINDOW).await.0);
            let door = server.door.clone();
            let attack = tokio::spawn(async move { shake_hands(&door, per_second).await });
            attacked.0.extend(closed_loop(&server.door, &request, 1, WINDOW).await.0);
            attack.abort();
        }
        let (before, during) = (idle.percentile_ms(0.99), attacked.percentile_ms(0.99));
        figures.push(Figure::new(format!("{key}: honest p99 idle"), before, "ms").timed());
        figures.push(Figure::new(format!("{key}: honest p50"), attacked.percentile_ms(0.5), "ms").timed());
        figures.push(Figure::new(format!("{key}: honest p99"), during, "ms").timed());
        let ratio = Figure::new(format!("{key}: honest p99 over idle"), during / before, "").timed();
        figures.push(if key == "ECDSA" { ratio.at_most(SLOWER) } else { ratio });
        let others = attacked.0.len() - attacked.right();
        figures.push(Figure::new(format!("{key}: honest calls not served"), count(others), "").at_most(0.0));
    }
    Ok(figures)
}

async fn shake_hands(door: &Door, per_second: u32) {
    let begun = Instant::now();
    let mut hands = JoinSet::new();
    for number in 0_u32.. {
        sleep_until((begun + Duration::from_secs(1) * number / per_second).into()).await;
        let door = door.clone();
        hands.spawn(async move {
            let from = attacker(usize::try_from(number).unwrap_or_default(), ADDRESSES);
            let shaken = async { door.secure(door.tcp(from, None).await?).await };
            drop(timeout(Duration::from_secs(10), shaken).await);
        });
        while hands.try_join_next().is_some() {}
    }
}

/// The honest p99 over that of an idle server, with a key on P-256.
const SLOWER: f64 = 3.0;

/// Windows without the attack, and as many with it.
const WINDOWS: usize = 15;
const WINDOW: Duration = Duration::from_secs(2);

/// Long enough for a hash on a busy machine.
const DEADLINE_MS: u32 = 15_000;

const PER_SECOND: u32 = 200;
const ADDRESSES: usize = 64;

/// See [`crate::figure::Attack::stated`].
pub(crate) fn stated() -> Vec<String> {
    vec![format!(
        "Under {PER_SECOND} handshakes a second (ECDSA), the slowest 1 % of other calls take at most {SLOWER} times as long as on an idle server."
    )]
}
