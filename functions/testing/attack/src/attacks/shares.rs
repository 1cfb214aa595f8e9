//! A caller that asks for more than the machine can do, beside one that asks for little.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    attackers::repeat,
    figure::{Attack, Field, Figure, Found, count},
    hashes::{ARGON2ID_256_MIB, ARGON2ID_CURRENT, BCRYPT_10, BCRYPT_14, BCRYPT_15, SHA512_CRYPT_DEAR},
    honest::{Calls, Connections, Outcome, Request, ask, closed_loop, in_a_row, open_loop},
    http1::{deadline_ms, verify},
    server::{EVERY_SCOPE, HONEST, HONEST_AND_HOSTILE, HOSTILE, ROOM_FOR_DEAR_HASHES, Server, Setup, bearer},
};

pub(crate) const ATTACK: Attack = Attack {
    name: "shares",
    asks: "one token keeps every core busy with dear hashes",
    stated: || {
        vec![
            format!(
                "Beside it every request of another caller is answered, nine of ten within {TIMES_ALONE} times their \
                 time alone."
            ),
            format!(
                "On one worker with another caller's loops of digests, a caller's three connections of bcrypt-10 are \
                 answered within {SHORT_MS} ms."
            ),
            "A shorter burst may queue up to its deadlines and its caller's part of the queue, whatever other callers \
             have waiting."
                .into(),
            "Upgrades are made while another caller asks for five times what the machine can do.".into(),
            format!("Each of eight callers of equal demand gets within {FROM_EQUAL} % of an equal share."),
        ]
    },
    run: |field| Box::pin(run(field)),
};

async fn run(field: Field) -> Found {
    let mut figures = dear_hashes(&field).await?;
    figures.extend(bursts(&field).await?);
    figures.extend(given_up(&field).await?);
    figures.extend(loops_of_digests(&field).await?);
    figures.extend(upgrades(&field).await?);
    figures.extend(equal_demand(&field).await?);
    Ok(figures)
}

async fn dear_hashes(field: &Field) -> Found {
    let mut figures = Vec::new();
    for (name, hash, connections, deadline) in [
        ("40 connections of bcrypt-14", BCRYPT_14, 40, 10_000),
        ("12 connections of argon2id with 256 MiB", ARGON2ID_256_MIB, 12, 10_000),
        ("256 connections of bcrypt-15", BCRYPT_15, 256, 1_000),
    ] {
        let server = Server::start(field, &SETUP).await?;
        let honest = Request::bcrypt(deadline).with(&bearer(HONEST));
        let hostile = Request::guess("guess", hash, LONGEST_MS).with(&bearer(HOSTILE));
        let alone = closed_loop(&server.door, &honest, 1, field.pick(SMOKE, ALONE)).await;
        let beside = beside(field, &server, (&hostile, connections), (&honest, 1)).await;
        figures.extend(not_served(name, &beside));
        figures.push(times_alone(name, &alone, &beside));
    }
    Ok(figures)
}

/// Many hashes at once, of a caller that had none before, while the queue of another is never empty.
async fn bursts(field: &Field) -> Found {
    let server = Server::start(field, &SETUP).await?;
    let dear = BCRYPT_10.replace("$10$", "$13$");
    let hostile = Request::guess("guess", &dear, LONGEST_MS).with(&bearer(HOSTILE));
    // What is over a ceiling attacks nobody.
    let one = closed_loop(&server.door, &hostile, 1, Duration::from_millis(1)).await;
    let door = server.door.clone();
    let attack =
        tokio::spawn(
            async move { closed_loop(&door, &hostile, CONNECTIONS_OF_A_QUEUE, Duration::MAX).await },
        );
    sleep(field.pick(SMOKE, QUEUE_STANDS)).await;
    let mut figures = not_served("bursts: one call of the other caller", &one).to_vec();
    for (name, request, many) in [
        ("bursts of 24 bcrypt-10", Request::bcrypt(10_000), 24),
        // The queue holds two seconds of work per worker, and each of two callers has half of it. Eight
        // of these hashes fit there on any machine that has 250 ms for one.
        ("bursts of 8 argon2id with 64 MiB", Request::guess("guess", ARGON2ID_CURRENT, 10_000), 8),
    ] {
        let honest = request.with(&bearer(HONEST));
        let mut calls = Calls::default();
        for _ in 0..field.pick(1, BURSTS) {
            // So short that each caller asks once.
            calls.0.extend(closed_loop(&server.door, &honest, many, Duration::from_millis(1)).await.0);
            sleep(field.pick(SMOKE, BETWEEN_BURSTS)).await;
        }
        figures.extend(not_served(&format!("{name} beside a queue"), &calls));
    }
    attack.abort();
    Ok(figures)
}

/// Hashes of much memory that are given up after some slices. Each has another size, so none finds
/// memory that another has left.
async fn given_up(field: &Field) -> Found {
    let server = Server::start(field, &SETUP).await?;
    let honest = Request::bcrypt(1_000).with(&bearer(HONEST));
    let alone = closed_loop(&server.door, &honest, 1, field.pick(SMOKE, ALONE)).await;
    let (door, sent) = (server.door.clone(), Arc::new(AtomicU32::new(0)));
    let given_up = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&given_up);
    let attack = repeat(CALLERS, RETRY, move |_| {
        let smaller_kib = sent.fetch_add(1, Ordering::Relaxed) % SIZES * SIZE_STEP_KIB;
        let memory = format!("m={}", LARGEST_KIB - smaller_kib);
        let hash = ARGON2ID_256_MIB.replace(&format!("m={LARGEST_KIB}"), &memory);
        let request = verify(&(bearer(HOSTILE) + &deadline_ms(LONGEST_MS)), "guess", hash);
        let (door, counted) = (door.clone(), Arc::clone(&counted));
        async move {
            let is_given_up = timeout(GIVEN_UP_AFTER, ask(&door, &request)).await.is_err();
            counted.fetch_add(usize::from(is_given_up), Ordering::Relaxed);
            Ok(())
        }
    });
    sleep(LEAD).await;
    let beside = closed_loop(&server.door, &honest, 1, field.pick(SMOKE, LASTING)).await;
    drop(attack);
    let name = "hashes of much memory that are given up";
    let number = count(given_up.load(Ordering::Relaxed));
    let [wrong, refused] = not_served(name, &beside);
    let given_up = Figure::new(format!("{name}: their number"), number, "").at_least(1.0);
    Ok(vec![given_up, wrong, refused, times_alone(name, &alone, &beside)])
}

/// The longest password, of two readings, under many rounds, on the worker of another caller.
async fn loops_of_digests(field: &Field) -> Found {
    let server = Server::start(field, &Setup { arguments: &["--workers", "1"], ..SETUP }).await?;
    let rounds = SHA512_CRYPT_DEAR.replace("100000", "200000");
    let long = "x".repeat(1023) + "\0";
    let hostile = Request::guess(&long, &rounds, LONGEST_MS).with(&bearer(HOSTILE));
    let honest = Request::bcrypt(SHORT_MS).with(&bearer(HONEST));
    let calls = beside(field, &server, (&hostile, 3), (&honest, 3)).await;
    let mut figures = not_served(LOOPS, &calls).to_vec();
    figures.push(Figure::new(format!("{LOOPS}: the latest answer"), calls.percentile_ms(1.0), "ms").timed());
    Ok(figures)
}

/// Upgrades beside a multiple of what the machine can do.
async fn upgrades(field: &Field) -> Found {
    let server = Server::start(field, &SETUP).await?;
    let hostile = Request::bcrypt(10_000).with(&bearer(HOSTILE));
    let measured = field.pick(SMOKE, ALONE);
    let right = closed_loop(&server.door, &hostile, CALLERS, measured).await.right();
    let per_second = TIMES_CAPACITY * count(right.max(1)) / measured.as_secs_f64();
    let door = server.door.clone();
    let attack = tokio::spawn(async move {
        open_loop(&door, &hostile, Connections::Kept, per_second, Duration::MAX).await
    });
    sleep(LEAD).await;
    let upgrade = Request::upgrade(LONGEST_MS).with(&bearer(HONEST));
    let calls = in_a_row(&server.door, &upgrade, UPGRADES).await;
    attack.abort();
    let name = format!("{UPGRADES} upgrades beside {TIMES_CAPACITY} x capacity: not made");
    Ok(vec![
        Figure::new("upgrades: hashes of the other caller before", count(right), "").at_least(1.0).timed(),
        Figure::never(name, UPGRADES - calls.right()),
    ])
}

/// Callers with as many connections, whose hashes cost twice as much from one to the next.
async fn equal_demand(field: &Field) -> Found {
    let names: Vec<_> = (0..EQUALS).map(|number| format!("caller-{number}")).collect();
    let tokens: Vec<_> = names.iter().map(|name| (&**name, EVERY_SCOPE)).collect();
    let server = Server::start(field, &Setup { tokens: &tokens, ..SETUP }).await?;
    let lasting = field.pick(SMOKE, LONG);
    let mut callers = JoinSet::new();
    for (name, cost) in names.iter().zip(CHEAPEST..) {
        let hash = BCRYPT_10.replace("$10$", &format!("${cost:02}$"));
        let request = Request::guess("guess", &hash, LONGEST_MS).with(&bearer(name));
        let door = server.door.clone();
        callers.spawn(async move {
            let calls = closed_loop(&door, &request, CONNECTIONS, lasting).await;
            calls.right_between(lasting / 10, lasting) * f64::from(1 << cost)
        });
    }
    let work = callers.join_all().await;
    let equal = work.iter().sum::<f64>() / count(EQUALS);
    let furthest = work.iter().map(|work| 100.0 * (work / equal - 1.0).abs()).fold(0.0, f64::max);
    // If nobody is served, all shares are equal.
    let unserved = work.iter().filter(|work| **work <= 0.0).count();
    let of = format!("{EQUALS} callers, costs 1 : {}", 1 << (EQUALS - 1));
    Ok(vec![
        Figure::never(format!("{of}: served nothing"), unserved).timed(),
        Figure::new(format!("{of}: furthest from an equal share"), furthest, "%")
            .at_most(f64::from(FROM_EQUAL))
            .timed(),
    ])
}

/// Returns the calls of the honest callers beside so many connections of an attacker, and its wrong
/// answers: what is over a ceiling attacks nobody.
async fn beside(
    field: &Field,
    server: &Server,
    (hostile, connections): (&Request, usize),
    (honest, callers): (&Request, usize),
) -> Calls {
    let lasting = field.pick(SMOKE, LASTING);
    let attack = closed_loop(&server.door, hostile, connections, lasting);
    let beside = async {
        sleep(LEAD).await;
        closed_loop(&server.door, honest, callers, lasting.saturating_sub(2 * LEAD)).await
    };
    let (attack, mut calls) = tokio::join!(attack, beside);
    calls.0.extend(attack.0.into_iter().filter(|call| matches!(call.outcome, Outcome::Wrong(_))));
    calls
}

fn not_served(name: &str, calls: &Calls) -> [Figure; 2] {
    [
        Figure::never(format!("{name}: wrong answers"), calls.wrong() + calls.lost()),
        Figure::never(format!("{name}: refused"), calls.refused()).timed(),
    ]
}

fn times_alone(name: &str, alone: &Calls, beside: &Calls) -> Figure {
    let [alone_ms, beside_ms] = [alone, beside].map(|calls| calls.percentile_ms(0.9));
    Figure::new(format!("{name}: nine of ten, times alone"), beside_ms / alone_ms, "")
        .at_most(f64::from(TIMES_ALONE))
        .timed()
}

/// Two callers who compute what is dear.
const SETUP: Setup<'static> = Setup {
    tokens: HONEST_AND_HOSTILE,
    arguments: ROOM_FOR_DEAR_HASHES,
    identity: None,
    cgroup: None,
    pause_per_line: Duration::ZERO,
};

/// Lanes beside those of others are slower than alone, and take turns.
const TIMES_ALONE: u32 = 3;

/// A queue of one caller that is never empty, after so long.
const CONNECTIONS_OF_A_QUEUE: usize = 40;
const QUEUE_STANDS: Duration = Duration::from_secs(4);

/// Bursts of another.
const BURSTS: usize = 3;
const BETWEEN_BURSTS: Duration = Duration::from_secs(3);

/// The memory of [`ARGON2ID_256_MIB`], and of the hashes that are given up: more sizes than the server
/// keeps.
const LARGEST_KIB: u32 = 256 << 10;
const SIZES: u32 = 60;
const SIZE_STEP_KIB: u32 = 2 << 10;
const GIVEN_UP_AFTER: Duration = Duration::from_millis(100);
const RETRY: Duration = Duration::from_millis(20);

/// The deadline of a caller beside loops of digests.
const SHORT_MS: u32 = 300;
const LOOPS: &str = "loops of digests";

/// Upgrades of one caller, and the load beside them.
const UPGRADES: usize = 20;
const TIMES_CAPACITY: f64 = 5.0;

/// Callers that fill all lanes of two cores.
const CALLERS: usize = 32;

/// Callers of equal demand, with so many connections each, and the cost of the cheapest hashes.
const EQUALS: usize = 8;
const CONNECTIONS: usize = 4;
const CHEAPEST: u32 = 7;

/// The most that a caller's time differs from an equal share, in per cent.
const FROM_EQUAL: u32 = 10;

/// Long enough for every hash.
const LONGEST_MS: u32 = 60_000;

const ALONE: Duration = Duration::from_secs(5);
const LASTING: Duration = Duration::from_secs(20);
const SMOKE: Duration = Duration::from_millis(1_500);

/// Many of the dearest hashes.
const LONG: Duration = Duration::from_mins(1);

/// By then the attacker's hashes fill every lane.
const LEAD: Duration = Duration::from_millis(500);
