//! A caller that asks for more than the machine can do, beside one that asks for little.

use std::time::Duration;

use crate::{
    figure::{Attack, Field, Figure, Found},
    hashes::{ARGON2ID_256_MIB, BCRYPT_14, BCRYPT_15},
    honest::{Request, closed_loop},
    server::{HONEST, HONEST_AND_HOSTILE, HOSTILE, Server, Setup, bearer},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "shares",
    asks: "one token keeps every core busy with dear hashes",
    stated: || {
        vec![format!(
            "Beside it every request of another caller is answered, nine of ten within {TIMES_ALONE} times their \
             time alone."
        )]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for (name, hash, connections, deadline) in [
        ("40 connections of bcrypt-14", BCRYPT_14, 40, 10_000),
        ("12 connections of argon2id with 256 MiB", ARGON2ID_256_MIB, 12, 10_000),
        ("256 connections of bcrypt-15", BCRYPT_15, 256, 1_000),
    ] {
        // Memory for two hashes of the ceiling on each worker.
        let arguments = &["--memory-budget-mib", "1300"];
        let setup = Setup { tokens: HONEST_AND_HOSTILE, arguments, ..Setup::default() };
        let server = Server::start(&field, &setup).await?;
        let honest = Request::bcrypt(deadline).with(&bearer(HONEST));
        let hostile = Request::guess(hash, 60_000).with(&bearer(HOSTILE));
        let alone = closed_loop(&server.door, &honest, 1, field.pick(SMOKE, ALONE)).await;
        let attack = closed_loop(&server.door, &hostile, connections, field.pick(SMOKE, LASTING));
        let beside = async {
            tokio::time::sleep(LEAD).await;
            closed_loop(&server.door, &honest, 1, field.pick(SMOKE, LASTING).saturating_sub(2 * LEAD)).await
        };
        let (_, beside) = tokio::join!(attack, beside);
        let [alone_ms, beside_ms] = [&alone, &beside].map(|calls| calls.percentile_ms(0.9));
        figures.push(Figure::never(format!("{name}: wrong answers"), beside.wrong() + beside.lost()));
        figures.push(Figure::never(format!("{name}: refused"), beside.refused()).timed());
        figures.push(
            Figure::new(format!("{name}: nine of ten, times alone"), beside_ms / alone_ms, "")
                .at_most(f64::from(TIMES_ALONE))
                .timed(),
        );
    }
    Ok(figures)
}

/// Lanes beside those of others are slower than alone, and take turns.
const TIMES_ALONE: u32 = 3;

const ALONE: Duration = Duration::from_secs(5);
const LASTING: Duration = Duration::from_secs(20);
const SMOKE: Duration = Duration::from_millis(1_500);

/// By then the attacker's hashes fill every lane.
const LEAD: Duration = Duration::from_millis(500);
