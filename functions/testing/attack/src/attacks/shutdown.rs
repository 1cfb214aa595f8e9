//! Requests over HTTP/2 around the signal that ends a server, again and again.
//!
//! A caller has lost nothing if it got an answer, if it could not send its request, or if the server
//! told that it does not process it (RFC 9113 §8.7): by GOAWAY or by a refused stream.
//!
//! No server can tell it to a caller that has been silent, and greets in the instant in which the
//! server ends the connection. Such requests are counted apart.

use std::{
    error::Error,
    net::Ipv4Addr,
    sync::Arc,
    time::{Duration, Instant},
};

use h2::Reason;
use rustix::{
    io::Errno,
    net::{RecvFlags, recv},
};
use tokio::{
    sync::Barrier,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    door::{Door, Identity},
    figure::{Attack, Field, Figure, Found, count},
    http1::deadline_ms,
    http2::{Http2, USUAL_WINDOW, response},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "shutdown",
    asks: "requests over HTTP/2 around SIGTERM",
    stated: Vec::new,
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let identity = Identity::ecdsa()?;
    let begun = Instant::now();
    let (mut shutdowns, mut unclean) = (0, 0);
    let (mut answered, mut told, mut not_greeted, mut lost) = (0, 0, 0, 0);
    while begun.elapsed() < field.hunt() {
        let setup = Setup { identity: (shutdowns % 2 > 0).then_some(&identity), ..Setup::default() };
        let mut server = Server::start(&field, &setup).await?;
        let signal = Arc::new(Barrier::new(CLIENTS + 1));
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            // Each shutdown tries times between those of the others, most of them right after the signal.
            let at = count(number * STEPS + shutdowns % STEPS) / count(CLIENTS * STEPS);
            let at = LATEST.mul_f64(at.powi(3));
            let client = Client { door: server.door.over_http2(), number, at };
            clients.spawn(client.ask(Arc::clone(&signal)));
        }
        timeout(PATIENCE, signal.wait()).await?;
        server.terminate()?;
        for (client, fates) in clients.join_all().await {
            for fate in fates {
                match fate {
                    Fate::Answered => answered += 1,
                    Fate::Told => told += 1,
                    Fate::NotGreeted => not_greeted += 1,
                    Fate::Lost(how) => {
                        eprintln!("  shutdown {shutdowns}, {client}: {how}");
                        lost += 1;
                    }
                }
            }
        }
        unclean += usize::from(!server.ends_well().await);
        shutdowns += 1;
    }
    Ok(vec![
        Figure::new("shutdowns", count(shutdowns), ""),
        Figure::new("requests answered", count(answered), "").at_least(1.0),
        Figure::new("requests not sent, or refused", count(told), ""),
        Figure::new("requests that met the end of a silent connection", count(not_greeted), ""),
        Figure::never("requests lost", lost),
        Figure::never("shutdowns that did not end well", unclean),
    ])
}

struct Client {
    door: Door,
    number: usize,
    /// When it sends its requests, after the signal.
    at: Duration,
}

enum Fate {
    Answered,
    Told,
    /// The server ended the connection before it had read a byte.
    NotGreeted,
    Lost(String),
}

impl Client {
    /// Sends some requests at once. Returns their fates, and who sent them.
    async fn ask(self, signal: Arc<Barrier>) -> (String, Vec<Fate>) {
        let of = format!("client {} at {:?}", self.number, self.at);
        let Ok(mut connection) = self.connect(&signal).await else { return (of, Vec::new()) };
        let (mut fates, mut sent) = (Vec::new(), Vec::new());
        for _ in 0..REQUESTS {
            match connection.begin("/verify", &deadline_ms(DEADLINE_MS), BODY).await {
                Ok((answer, mut body)) => {
                    let _may_be_reset = body.send_data(Vec::new().into(), true);
                    sent.push(answer);
                }
                Err(_not_sent) => fates.push(Fate::Told),
            }
        }
        for answer in sent {
            fates.push(match timeout(PATIENCE, response(answer)).await {
                Ok(Ok(_)) => Fate::Answered,
                Ok(Err(error)) if error.is_go_away() => Fate::Told,
                Ok(Err(error)) if error.reason() == Some(Reason::REFUSED_STREAM) => Fate::Told,
                Ok(Err(error)) if error.is_io() && !connection.greeted() => Fate::NotGreeted,
                Ok(Err(error)) => Fate::Lost(error.to_string()),
                Err(_) => Fate::Lost("no answer".into()),
            });
        }
        (of, fates)
    }

    /// Connects, and waits for its time. Until then a third of the connections is silent, a third has
    /// only greeted, and a third has had an answer.
    async fn connect(&self, signal: &Barrier) -> Result<Http2, Box<dyn Error + Send + Sync>> {
        let stream = self.door.tcp(Ipv4Addr::LOCALHOST, None).await?;
        if self.number.is_multiple_of(3) {
            signal.wait().await;
            sleep(self.at).await;
            // A caller that finds its connection ended sends nothing. The runtime may not know of it yet.
            if recv(&stream, &mut [0], RecvFlags::PEEK | RecvFlags::DONTWAIT) != Err(Errno::WOULDBLOCK) {
                return Err("the server has ended a silent connection".into());
            }
            return Ok(Http2::new(self.door.secure(stream).await?, USUAL_WINDOW).await?);
        }
        let mut connection = Http2::new(self.door.secure(stream).await?, USUAL_WINDOW).await?;
        if self.number % 3 > 1 {
            connection.ask("/verify", &deadline_ms(DEADLINE_MS), BODY.to_owned()).await?;
        }
        signal.wait().await;
        sleep(self.at).await;
        Ok(connection)
    }
}

/// A hash at the floor of bcrypt, some milliseconds of work.
const BODY: &str =
    r#"{"password": "p", "hash": "$2b$05$abcdefghijklmnopqrstuuUIVEGk.YVR60MLuRRGE7Ag5sfTN44RK"}"#;

/// Long enough for all hashes at once on a busy machine.
const DEADLINE_MS: u32 = 60_000;

const CLIENTS: usize = 48;
const REQUESTS: usize = 5;

/// The last requests: a while after the server has ended its silent connections.
const LATEST: Duration = Duration::from_millis(200);

/// Shutdowns until the times of the first one come again.
const STEPS: usize = 50;

const PATIENCE: Duration = Duration::from_mins(1);
