//! Hashes that allocate more memory than the system gives.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    field::Field,
    figure::{Figure, Found, count, per_cent},
    hashes::{YESCRYPT_128_MIB, YESCRYPT_BYTES},
    honest::{Connections, Outcome, Request, ask, open_loop},
    http1::{deadline_ms, post},
    server::{Server, Setup},
};

pub(crate) async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for (streams, seconds) in [(2, field.pick(3, 8)), (field.pick(4, 32), field.pick(3, 15))] {
        // More than the limit, so that the server's own budget does not refuse the work.
        let arguments = ["--memory-budget-mib", "4096"];
        let mut server = Server::start(&field, &Setup { arguments: &arguments, ..Setup::default() }).await?;
        let request = Request::bcrypt(5000);
        let _warm = open_loop(&server.door, &request, Connections::New, 10.0, Duration::from_secs(1)).await;
        server.leave_address_space(YESCRYPT_BYTES * 3 / 2)?;
        let mut attackers = JoinSet::new();
        let body = json!({"password": "p", "hash": YESCRYPT_128_MIB});
        let attack = post("/verify", &deadline_ms(60_000), &body);
        for _ in 0..streams {
            let (door, attack) = (server.door.clone(), attack.clone());
            attackers.spawn(async move {
                // As long as the server answers.
                while ask(&door, &attack).await.is_ok() {}
            });
        }
        let lasting = Duration::from_secs(seconds);
        let calls = open_loop(&server.door, &request, Connections::Kept, 2.0, lasting).await;
        let answered = calls.count(|outcome| *outcome != Outcome::Lost);
        let of = format!("{streams} x 128 MiB where 1.5 fit");
        let ended = usize::from(server.has_ended());
        figures.push(Figure::new(format!("{of}: processes ended"), count(ended), "").at_most(0.0));
        figures.push(Figure::new(format!("{of}: wrong answers"), count(calls.wrong()), "").at_most(0.0));
        let answered = per_cent(answered, calls.0.len());
        figures.push(Figure::new(format!("{of}: honest calls answered"), answered, "%").at_least(100.0));
        let right = per_cent(calls.right(), calls.0.len());
        figures.push(Figure::new(format!("{of}: honest calls served"), right, "%").timed());
    }
    Ok(figures)
}

/// See [`crate::figure::Attack::stated`].
pub(crate) const STATED: &[&str] = &[];
