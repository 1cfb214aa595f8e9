//! Marked passwords, searched for in the memory of the server after their answers, again and again.

use std::{
    error::Error,
    fs::{self, File},
    io,
    os::unix::fs::FileExt as _,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{io::AsyncWriteExt as _, task::JoinSet, time::sleep};

use crate::{
    door::Door,
    figure::{Attack, Field, Figure, Found, count},
    hashes::{ARGON2ID_CURRENT, BCRYPT_10, MD5_CRYPT, SHA512_CRYPT, UNREADABLE},
    honest::ask,
    http1::{deadline_ms, post},
    http2::{Http2, USUAL_WINDOW},
    server::{Server, Setup},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "residue",
    asks: "a search of the server's memory for passwords after their answers",
    stated: Vec::new,
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let server = Server::start(&field, &Setup::default()).await?;
    let (mut rounds, mut left, mut unanswered) = (0, 0, 0);
    if let Err(error) = places(server.pid()) {
        return Ok(vec![Figure::not_run("passwords left in memory", &error)]);
    }
    let mut waits = server.door.connect().await?;
    let request = post("/hash", "", &json!({"password": format!("{}waits", String::from_utf8_lossy(&MARK))}));
    waits.write_all(&request[..request.len() - 1]).await?;
    waits.flush().await?;
    sleep(AFTER).await;
    let waiting = places(server.pid())?.len();
    drop(waits);
    let begun = Instant::now();
    while begun.elapsed() < field.hunt() {
        let mut requests = JoinSet::new();
        for number in 0..REQUESTS {
            requests.spawn(send(server.door.clone(), rounds, number));
        }
        unanswered += requests.join_all().await.iter().filter(|sent| sent.is_err()).count();
        let answered = Instant::now();
        sleep(AFTER).await;
        let mut found = places(server.pid())?;
        left += usize::from(!found.is_empty());
        while !found.is_empty() && answered.elapsed() < LONGEST {
            eprintln!("  round {rounds}, {:?} after the answers: {}", answered.elapsed(), found.join(", "));
            sleep(AFTER).await;
            found = places(server.pid())?;
        }
        rounds += 1;
    }
    Ok(vec![
        Figure::new("rounds", count(rounds), "").at_least(1.0),
        Figure::never("requests without an answer", unanswered),
        Figure::new("places of a password whose body has not ended", count(waiting), "").at_least(1.0),
        Figure::never(format!("rounds with a password in memory {AFTER:?} after its answer"), left),
    ])
}

/// Sends a request with a marked password, and ends the connection after the answer or before it.
async fn send(door: Door, round: usize, number: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let password = format!("{}{round}-{number}", String::from_utf8_lossy(&MARK));
    let hash = HASHES[(number + round) % HASHES.len()];
    let verify = json!({"op": "verify", "password": password, "hash": hash});
    let (path, body) = match number % 5 {
        0 => ("/hash", json!({"password": password})),
        1 => ("/batch", json!({"operations": vec![verify; 3]})),
        2 => ("/verify", json!({"password": password, "unknown": hash})),
        _ => ("/verify", json!({"password": password, "hash": hash})),
    };
    let headers = deadline_ms(DEADLINE_MS);
    match number % 3 {
        0 => drop(
            Http2::new(door.connect().await?, USUAL_WINDOW)
                .await?
                .ask(path, &headers, body.to_string())
                .await?,
        ),
        1 => drop(ask(&door, &post(path, &headers, &body)).await?),
        _ => {
            let mut leaves = door.connect().await?;
            let request = post(path, &headers, &body);
            // Some leave during their body, others during their hash.
            leaves.write_all(&request[..request.len() - number % 2]).await?;
            sleep(BEFORE_LEAVING).await;
        }
    }
    Ok(())
}

/// Returns the places of marks in the memory of this process, as root may read it.
fn places(pid: u32) -> io::Result<Vec<String>> {
    let memory = File::open(format!("/proc/{pid}/mem"))?;
    let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
    let (mut found, mut piece) = (Vec::new(), vec![0; PIECE_BYTES]);
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let address = |text| u64::from_str_radix(text, 16).unwrap_or_default();
        let (from, to) = range.map_or((0, 0), |(from, to)| (address(from), address(to)));
        for start in (from..to).step_by(PIECE_BYTES - LONGEST_BYTES) {
            // The memory may have been unmapped since the map was read.
            let Ok(read) = memory.read_at(&mut piece, start) else { continue };
            for text in piece[..read].split(|byte| *byte == MARK[0]).skip(1) {
                if text.starts_with(&MARK[1..]) {
                    let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST_BYTES)]);
                    found.push(format!("{text:?} at {start:x} in {line}"));
                }
            }
        }
    }
    Ok(found)
}

/// The passwords begin so.
const MARK: [u8; 9] = *b"~residue-";

const HASHES: &[Option<&str>] =
    &[None, Some(BCRYPT_10), Some(ARGON2ID_CURRENT), Some(SHA512_CRYPT), Some(MD5_CRYPT), Some(UNREADABLE)];

/// Requests at once: each kind on each way. After six rounds each was sent with each hash.
const REQUESTS: usize = 30;

/// By then all is wiped.
const AFTER: Duration = Duration::from_secs(1);

/// The longest watch of a mark.
const LONGEST: Duration = Duration::from_secs(10);

const BEFORE_LEAVING: Duration = Duration::from_millis(20);

/// Long enough for all hashes at once on a busy machine.
const DEADLINE_MS: u32 = 60_000;

/// What is read of the memory at once, and the part of it that is printed.
const PIECE_BYTES: usize = 1 << 20;
const LONGEST_BYTES: usize = 64;
