//! Hashes that allocate more memory than the system gives.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    cgroup::{CGROUP_BYTES, Cgroup},
    field::Field,
    figure::{Figure, Found, count, per_cent},
    hashes::{YESCRYPT_128_MIB, YESCRYPT_BYTES},
    honest::{Connections, Outcome, Request, ask, open_loop},
    http1::{deadline_ms, post},
    server::{Server, Setup},
};

pub(crate) async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    // More than the limit, so that the server's own budget does not refuse the work.
    let setup = Setup { arguments: &["--memory-budget-mib", "4096"], ..Setup::default() };
    for (streams, seconds) in [(2, field.pick(3, 8)), (field.pick(4, 32), field.pick(3, 15))] {
        let server = Server::start(&field, &setup).await?;
        let _warm = open_loop(&server.door, &honest(), Connections::New, 10.0, Duration::from_secs(1)).await;
        server.leave_address_space(YESCRYPT_BYTES * 3 / 2)?;
        let of = format!("{streams} x 128 MiB where 1.5 fit");
        figures.extend(attack(server, streams, Duration::from_secs(seconds), &of).await);
    }
    let of = format!("32 x 128 MiB in a cgroup of {} MiB", CGROUP_BYTES >> 20);
    match Cgroup::new(CGROUP_BYTES) {
        Err(error) => figures.push(Figure::not_run(of, format!("cgroup: {error}"))),
        Ok(group) => {
            let server = Server::start(&field, &Setup { cgroup: Some(&group), ..Setup::default() }).await?;
            figures.extend(attack(server, 32, Duration::from_secs(field.pick(3, 15)), &of).await);
        }
    }
    Ok(figures)
}

/// Sends large hashes on so many streams beside an honest caller.
async fn attack(mut server: Server, streams: usize, lasting: Duration, of: &str) -> [Figure; 4] {
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
    let calls = open_loop(&server.door, &honest(), Connections::Kept, 2.0, lasting).await;
    let ended = usize::from(server.has_ended());
    let answered = per_cent(calls.count(|outcome| *outcome != Outcome::Lost), calls.0.len());
    let right = per_cent(calls.right(), calls.0.len());
    [
        Figure::new(format!("{of}: processes ended"), count(ended), "").at_most(0.0),
        Figure::new(format!("{of}: wrong answers"), count(calls.wrong()), "").at_most(0.0),
        Figure::new(format!("{of}: honest calls answered"), answered, "%").at_least(100.0).timed(),
        Figure::new(format!("{of}: honest calls served"), right, "%").timed(),
    ]
}

fn honest() -> Request {
    Request::bcrypt(5000)
}

/// See [`crate::figure::Attack::stated`].
pub(crate) fn stated() -> Vec<String> {
    vec!["A hash without memory is refused, and the process lives".into()]
}
