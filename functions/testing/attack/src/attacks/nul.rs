//! A password with a NUL and a wrapped hash are each one piece of work.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use tokio::{io::AsyncWriteExt as _, time::sleep};

use crate::{
    figure::{Attack, Field, Figure, Found},
    hashes::{BCRYPT_10, BCRYPT_15, WRAPPED_DEAR_OUTSIDE, WRAPPED_TWICE_DEAR},
    honest::ask,
    http1::{deadline_ms, described, verify},
    server::{Server, Setup, wait_until},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "nul",
    asks: "passwords with a NUL on an idle server, and both layers of a wrapped hash",
    stated: || {
        vec!["both layers of a wrapped hash and both readings of a NUL are one operation, with one deadline and one ceiling.".into()]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    // A hash of the ceiling is longer than the queue of one worker, which takes it if it is idle.
    let setup = Setup { arguments: &["--workers", "1"], ..Setup::default() };
    let server = Server::start(&field, &setup).await?;
    let mut figures = Vec::new();
    for (name, hash, times) in
        [("bcrypt-10", BCRYPT_10, field.pick(3, 20)), ("bcrypt-15, the ceiling", BCRYPT_15, 1)]
    {
        let request = verify(&deadline_ms(DEADLINE_MS), "p\0q", hash);
        let mut refused = 0;
        for _ in 0..times {
            let answer = ask(&server.door, &request).await?;
            refused += usize::from(answer.status != 200);
        }
        let name = format!("answers other than 200 to a NUL on an idle server, {name}");
        figures.push(Figure::never(name, refused));
    }

    let begun = Instant::now();
    verified(&server, WRAPPED_TWICE_DEAR).await?;
    let seconds = begun.elapsed().as_secs_f64();
    figures.push(
        Figure::new("both layers of a wrapped hash, each at half of its ceiling", seconds, "s").timed(),
    );

    let before = server.processor_time();
    verified(&server, WRAPPED_DEAR_OUTSIDE).await?;
    let whole = server.processor_time().saturating_sub(before);
    let before = server.processor_time();
    let mut leaves = server.door.connect().await?;
    leaves.write_all(&verify(&deadline_ms(DEADLINE_MS), "p", WRAPPED_DEAR_OUTSIDE)).await?;
    sleep(BEFORE_LEAVING).await;
    drop(leaves);
    let mut last = (server.processor_time(), Instant::now());
    wait_until(LONGEST_WORK, || {
        let now = server.processor_time();
        if now > last.0 {
            last = (now, Instant::now());
        }
        last.1.elapsed() > RESTS
    })
    .await;
    let spent = last.0.saturating_sub(before).as_secs_f64() / whole.as_secs_f64();
    let name = "work on a wrapped hash whose caller left, of the whole";
    figures.push(Figure::new(name, spent, "").at_most(LEFT).timed());
    Ok(figures)
}

/// Verifies a hash, and fails if the server refuses it.
async fn verified(server: &Server, hash: &str) -> Result<(), Box<dyn Error>> {
    let answer = ask(&server.door, &verify(&deadline_ms(DEADLINE_MS), "p", hash)).await?;
    if answer.status == 200 { Ok(()) } else { Err(format!("{}: {hash}", described(&answer)).into()) }
}

/// Its layer ends at a slice. The rest is the time before leaving.
const LEFT: f64 = 0.4;

/// Longer than every hash here.
const DEADLINE_MS: u32 = 60_000;

/// Shorter than the inner layer on a fast machine.
const BEFORE_LEAVING: Duration = Duration::from_millis(100);

/// A server without processor time for so long has ended its work.
const RESTS: Duration = Duration::from_secs(1);
const LONGEST_WORK: Duration = Duration::from_mins(1);
