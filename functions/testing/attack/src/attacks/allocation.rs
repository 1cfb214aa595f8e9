//! Hashes that allocate more memory than the system gives.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::{
    attackers::repeat,
    cgroup::{CGROUP_BYTES, Cgroup},
    figure::{Attack, Field, Figure, Found, per_cent},
    hashes::{YESCRYPT_128_MIB, YESCRYPT_BYTES},
    honest::{Connections, Outcome, Request, ask, open_loop},
    http1::{deadline_ms, verify},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "allocation",
    asks: "hashes whose memory the system does not have",
    stated: || vec!["A hash without memory is refused, and the process lives".into()],
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
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
        Err(error) => figures.push(Figure::not_run(of, &format!("cgroup: {error}"))),
        Ok(group) => {
            // The budget is half of the memory, and the share of a worker must hold a large hash.
            let arguments = &["--workers", "2"];
            let setup = Setup { cgroup: Some(&group), arguments, ..Setup::default() };
            let server = Server::start(&field, &setup).await?;
            figures.extend(attack(server, 32, Duration::from_secs(field.pick(3, 15)), &of).await);
        }
    }
    Ok(figures)
}

/// Sends large hashes on so many streams beside an honest caller.
async fn attack(mut server: Server, streams: usize, lasting: Duration, of: &str) -> [Figure; 5] {
    let (door, over) = (server.door.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&over);
    let _attackers = repeat(streams, Duration::ZERO, move |_| {
        let (door, counted) = (door.clone(), Arc::clone(&counted));
        async move {
            let answer = ask(&door, &verify(&deadline_ms(60_000), "p", YESCRYPT_128_MIB)).await;
            let is_over = answer.is_ok_and(|answer| answer.status == 422);
            counted.fetch_add(usize::from(is_over), Ordering::Relaxed);
            Ok(())
        }
    });
    let calls = open_loop(&server.door, &honest(), Connections::Kept, 2.0, lasting).await;
    let ended = usize::from(server.has_ended());
    let answered = per_cent(calls.count(|outcome| *outcome != Outcome::Lost), calls.0.len());
    let right = per_cent(calls.right(), calls.0.len());
    [
        Figure::never(format!("{of}: processes ended"), ended),
        Figure::never(format!("{of}: wrong answers"), calls.wrong()),
        Figure::never(format!("{of}: large hashes over a ceiling"), over.load(Ordering::Relaxed)),
        Figure::new(format!("{of}: honest calls answered"), answered, "%").at_least(100.0).timed(),
        Figure::new(format!("{of}: honest calls served"), right, "%").timed(),
    ]
}

fn honest() -> Request {
    Request::bcrypt(5000)
}
