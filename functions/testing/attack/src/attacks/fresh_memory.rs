//! Large hashes on a server that has no memory for hashes yet.

use std::time::Duration;

use crate::{
    figure::{Attack, Field, Figure, Found},
    hashes::ARGON2ID_256_MIB,
    honest::{Connections, Request, closed_loop, open_loop},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "fresh-memory",
    asks: "four hashes of 256 MiB on a fresh server",
    stated: || {
        vec![format!(
            "The system gives memory for a large hash while others are answered: meanwhile `/health` is answered within \
             {MOST_MS} ms, and no large hash ends more than {MOST_MS} ms after its deadline."
        )]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut late_ms = 0.0_f64;
    let mut slowest_ms = 0.0_f64;
    let (mut unanswered, mut wrong) = (0, 0);
    for _ in 0..field.pick(1, 5) {
        let setup = Setup { arguments: &["--memory-budget-mib", "1100"], ..Setup::default() };
        let server = Server::start(&field, &setup).await?;
        let large = Request::guess("guess", ARGON2ID_256_MIB, DEADLINE_MS);
        let health = Request::get("/health");
        let (large, health) = tokio::join!(
            closed_loop(&server.door, &large, 4, ONCE),
            open_loop(&server.door, &health, Connections::Kept, PER_SECOND, LASTING),
        );
        let longest = |calls: &crate::honest::Calls| {
            calls.0.iter().map(|call| call.took).max().unwrap_or_default().as_secs_f64() * 1e3
        };
        late_ms = late_ms.max(longest(&large) - f64::from(DEADLINE_MS));
        slowest_ms = slowest_ms.max(longest(&health));
        unanswered += health.0.len() - health.right();
        wrong += large.wrong();
    }
    Ok(vec![
        Figure::never("GET /health: not answered", unanswered),
        // Over a ceiling they would not be computed.
        Figure::never("the large hashes: wrong answers", wrong),
        Figure::new("GET /health: the slowest", slowest_ms, "ms").at_most(MOST_MS).timed(),
        Figure::new("the large hashes: the latest after the deadline", late_ms, "ms")
            .at_most(MOST_MS)
            .timed(),
    ])
}

/// Some slices, and the wipe of a large memory.
const MOST_MS: f64 = 50.0;

const DEADLINE_MS: u32 = 1_000;

/// Each connection sends one request.
const ONCE: Duration = Duration::from_millis(100);

const LASTING: Duration = Duration::from_secs(2);
const PER_SECOND: f64 = 100.0;
