//! Connections that send nothing, opened again when the server ends them.

use std::{sync::Arc, time::Duration};

use tokio::{io::AsyncReadExt as _, sync::Mutex, time::interval};

use crate::{
    attackers::{Gauge, repeat},
    door::attacker,
    figure::{Attack, Field, Figure, Found, count, per_cent},
    honest::{Connections, Request, open_loop},
    server::{Server, Setup, wait_until},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "silent-connections",
    asks: "connections that send nothing and are opened again",
    stated: || {
        vec![format!("Beside 4,700 silent connections, {SERVED} % of the calls of others are served.")]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = Vec::new();
    for (from, addresses, arguments) in [
        ("one address", 1, &[][..]),
        ("64 addresses without a bound for each", 64, &["--connections-per-address", "0"]),
    ] {
        let (connections, limit) = field.pick((60, 40), (4700, 4096));
        let room = limit.to_string();
        let arguments = [&["--connections", &room], arguments].concat();
        let server = Server::start(&field, &Setup { arguments: &arguments, ..Setup::default() }).await?;
        let open = Arc::new(Gauge::default());
        let next =
            Arc::new(Mutex::new(interval(Duration::from_secs(1) / field.pick(10, CONNECTS_PER_SECOND))));
        let (door, gauge) = (server.door.clone(), Arc::clone(&open));
        let _attackers = repeat(connections, Duration::ZERO, move |number| {
            let (door, gauge, next) = (door.clone(), Arc::clone(&gauge), Arc::clone(&next));
            async move {
                if let Ok(mut stream) = door.tcp(attacker(number, addresses), None).await {
                    let _open = gauge.opened();
                    let _ended = stream.read(&mut [0; 512]).await;
                }
                next.lock().await.tick().await;
                Ok(())
            }
        });
        // One address has half of the connections.
        wait_until(FILL, || open.now() >= limit / 2).await;
        // Without a hash, so that the connection alone decides, on a busy machine too.
        let request = Request::get("/policies");
        let lasting = field.pick(Duration::from_secs(3), LASTING);
        let calls = open_loop(&server.door, &request, Connections::New, PER_SECOND, lasting).await;
        let right = per_cent(calls.right(), calls.0.len());
        let name = format!("from {from}: silent connections open");
        figures.push(Figure::new(name, count(open.now()), "").at_least(count(limit) / 4.0).timed());
        figures.push(Figure::new(format!("from {from}: honest calls served"), right, "%").at_least(SERVED));
    }
    Ok(figures)
}

/// The share of honest calls.
const SERVED: f64 = 95.0;

/// Enough to take each slot again when the time to the first byte is over.
const CONNECTS_PER_SECOND: u32 = 1000;

const PER_SECOND: f64 = 10.0;
const FILL: Duration = Duration::from_secs(10);
const LASTING: Duration = Duration::from_secs(30);
