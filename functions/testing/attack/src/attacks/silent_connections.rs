//! Connections that send nothing, opened again when the server ends them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::AsyncReadExt as _,
    task::JoinSet,
    time::{interval, sleep},
};

use crate::{
    door::attacker,
    field::Field,
    figure::{Figure, Found, count, per_cent},
    honest::{Connections, Request, open_loop},
    server::{Server, Setup, wait_until},
};

pub(crate) async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    let unbound: &[&str] =
        if field.has_setting(BOUND_OF_AN_ADDRESS)? { &[BOUND_OF_AN_ADDRESS, "0"] } else { &[] };
    for (from, addresses, arguments) in
        [("one address", 1, &[][..]), ("64 addresses without a bound for each", 64, unbound)]
    {
        let (connections, limit) = field.pick((60, 40), (4700, 4096));
        let room = limit.to_string();
        let arguments = [&["--connections", &room], arguments].concat();
        let server = Server::start(&field, &Setup { arguments: &arguments, ..Setup::default() }).await?;
        let open = Arc::new(AtomicUsize::new(0));
        let mut attackers = JoinSet::new();
        let (door, counter) = (server.door.clone(), Arc::clone(&open));
        let connects_per_second = field.pick(10, CONNECTS_PER_SECOND);
        attackers.spawn(async move {
            let mut silent = JoinSet::new();
            for number in 0..connections {
                let (door, open) = (door.clone(), Arc::clone(&counter));
                silent.spawn(async move { be_silent(&door, number, addresses, &open).await });
            }
            let mut again = interval(Duration::from_secs(1) / connects_per_second);
            while let Some(Ok(number)) = silent.join_next().await {
                again.tick().await;
                let (door, open) = (door.clone(), Arc::clone(&counter));
                silent.spawn(async move { be_silent(&door, number, addresses, &open).await });
            }
        });
        // One address has half of the connections.
        wait_until(FILL, || open.load(Ordering::Relaxed) >= limit / 2).await;
        // Without a hash, so that the connection alone decides, on a busy machine too.
        let request = Request::get("/policies");
        let lasting = field.pick(Duration::from_secs(3), LASTING);
        let calls = open_loop(&server.door, &request, Connections::New, PER_SECOND, lasting).await;
        let right = per_cent(calls.right(), calls.0.len());
        let most = count(open.load(Ordering::Relaxed));
        figures.push(Figure::new(format!("from {from}: silent connections open"), most, ""));
        figures.push(Figure::new(format!("from {from}: honest calls served"), right, "%").at_least(SERVED));
    }
    Ok(figures)
}

/// Holds a connection until the server ends it, and returns its number.
async fn be_silent(door: &crate::door::Door, number: usize, addresses: usize, open: &AtomicUsize) -> usize {
    if let Ok(mut stream) = door.tcp(attacker(number, addresses), None).await {
        open.fetch_add(1, Ordering::Relaxed);
        let _ended = stream.read(&mut [0; 512]).await;
        open.fetch_sub(1, Ordering::Relaxed);
    } else {
        sleep(Duration::from_millis(100)).await;
    }
    number
}

const BOUND_OF_AN_ADDRESS: &str = "--connections-per-address";

/// The share of honest calls.
const SERVED: f64 = 95.0;

/// Enough to take each slot again when the time to the first byte is over.
const CONNECTS_PER_SECOND: u32 = 1000;

const PER_SECOND: f64 = 10.0;
const FILL: Duration = Duration::from_secs(10);
const LASTING: Duration = Duration::from_secs(30);

/// See [`crate::figure::Attack::stated`].
pub(crate) fn stated() -> Vec<String> {
    vec![format!("Beside 4,700 silent connections, {SERVED} % of the calls of others are served.")]
}
