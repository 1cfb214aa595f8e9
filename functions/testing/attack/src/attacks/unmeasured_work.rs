//! Work of kinds that the server has not measured, right after its start.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    figure::{Attack, Field, Figure, Found, per_cent},
    hashes::{SHA512_CRYPT_DEAR, WRAPPED_SUN_MD5},
    honest::{Calls, Connections, Outcome, Request, ask, open_loop},
    http1::{deadline_ms, post},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "unmeasured-work",
    asks: "kinds of work that the server has not measured, right after its start",
    stated: || vec!["every algorithm has an estimate before its first hash.".into()],
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for (name, batches, password, hash) in [
        ("64 wrapped Sun-MD5", 1, "p".to_owned(), WRAPPED_SUN_MD5),
        ("1,024 sha512-crypt with 1,024 bytes", 16, "x".repeat(1024), SHA512_CRYPT_DEAR),
    ] {
        let (calls, over) = attack(&field, batches, &password, hash).await?;
        let refused = calls.0.iter().filter(|call| call.outcome != Outcome::Right);
        let until = refused.map(|call| call.at + call.took).max().unwrap_or_default();
        let others = calls.0.len() - calls.right();
        let share = per_cent(others, calls.0.len());
        figures.push(Figure::never(format!("{name}: batches over a ceiling"), over));
        figures.push(Figure::never(format!("{name}: wrong answers"), calls.wrong()));
        figures.push(Figure::new(format!("{name}: honest callers refused"), share, "%").timed());
        figures.push(
            Figure::new(format!("{name}: the last refusal"), until.as_secs_f64(), "s")
                .at_most(LONGEST_LOCK_OUT)
                .timed(),
        );
    }
    Ok(figures)
}

/// Returns the honest calls, until all calls of some seconds were answered, and how many batches were
/// over a ceiling: those attack nobody.
async fn attack(
    field: &Field,
    batches: usize,
    password: &str,
    hash: &str,
) -> Result<(Calls, usize), Box<dyn std::error::Error>> {
    let server = Server::start(field, &Setup::default()).await?;
    let operation = json!({"op": "verify", "password": password, "hash": hash});
    let body = json!({"operations": Value::from(vec![operation; OPERATIONS])});
    let batch = post("/batch", &deadline_ms(60_000), &body);
    let mut attackers = JoinSet::new();
    for _ in 0..batches {
        let (door, batch) = (server.door.clone(), batch.clone());
        attackers.spawn(async move {
            let answer = ask(&door, &batch).await.map(|answer| answer.body).unwrap_or_default();
            String::from_utf8_lossy(&answer).contains("cost_out_of_bounds")
        });
    }
    let request = Request::bcrypt(1000);
    let mut all = Calls::default();
    let mut begun = Duration::ZERO;
    while begun < field.pick(LOOK, LONGEST_ATTACK) {
        let calls = open_loop(&server.door, &request, Connections::Kept, PER_SECOND, LOOK).await;
        let is_over = begun >= FIRST_MEASURED && calls.right() == calls.0.len();
        all.0.extend(calls.0.into_iter().map(|call| crate::honest::Call { at: call.at + begun, ..call }));
        if is_over {
            break;
        }
        begun += LOOK;
    }
    let mut over = 0;
    while let Some(Ok(is_over)) = attackers.try_join_next() {
        over += usize::from(is_over);
    }
    Ok((all, over))
}

/// A worker's queue of 2 s, a hash that runs already, and its end.
const LONGEST_LOCK_OUT: f64 = 5.0;

/// The most of a batch.
const OPERATIONS: usize = 64;

/// Far below the capacity of two cores.
const PER_SECOND: f64 = 4.0;

/// By then the first hash of the kind has ended, and the server knows how long the others take.
const FIRST_MEASURED: Duration = Duration::from_secs(15);

/// The attack is over when all honest calls of this time were answered.
const LOOK: Duration = Duration::from_secs(5);

/// Longer than the attacker's deadline.
const LONGEST_ATTACK: Duration = Duration::from_secs(65);
