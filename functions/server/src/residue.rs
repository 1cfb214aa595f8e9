//! Tests that no password is left in memory after the connections have ended. The test runs in the
//! server's process, because no other process can read its memory.

use std::{
    alloc::System,
    fs::{self, File},
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    num::NonZeroUsize,
    os::unix::fs::FileExt as _,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use saltern_policy::{AcceptedWeak, Limits, Policies, SHIPPED};
use saltern_pool::{Pool, PoolSettings};
use saltern_service::Service;
use zeroizing_alloc::ZeroAlloc;

use super::{
    address::{Listen, SocketMode},
    bounds::Bounds,
    door::Door,
    listener::Listener,
    runtime,
    tokens::Access,
};

/// The allocator of `saltern`, which wipes every freed buffer.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

#[test]
fn no_password_is_left_in_memory() {
    let planted = marker();
    assert!(places() > 0, "a marker that is there is found");
    drop(planted);
    assert_eq!(places(), 0, "a freed buffer is wiped");

    let runtime = runtime().unwrap();
    let (address, serving) = runtime.block_on(async {
        let any_port = Listen::Address(([127, 0, 0, 1], 0).into());
        let listener = Listener::bind(&any_port, SocketMode::OWNER).unwrap();
        let Listen::Address(address) = *listener.address() else { panic!("not an address") };
        (address, listener.serve(door()))
    });
    for policy in ["bcrypt-12-2023", "argon2id-2026"] {
        let answer = ask(address, "/hash", &format!(r#"","policy":"{policy}"}}"#), true);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let stored = answer.split('"').find(|text| text.starts_with('$')).unwrap();
        let answer = ask(address, "/verify", &format!(r#"","hash":"{stored}"}}"#), true);
        assert!(answer.contains(r#""match":true"#), "{answer}");
    }
    for stored in STORED {
        let answer = ask(address, "/verify", &format!(r#"","hash":"{stored}"}}"#), true);
        assert!(answer.contains(r#""match":false"#), "{stored}: {answer}");
    }
    for (path, rest, status) in [
        ("/hash", r#"","unknown":1}"#, "400"),
        ("/hash", r#"\ud800"}"#, "400"),
        ("/hash", "", "400"),
        ("/batch", &" ".repeat(20_000), "400"),
        ("/nowhere", r#""}"#, "404"),
        ("/verify", r#"","hash":"$2b$31$"}"#, "422"),
        ("/hash", r#"","policy":"none"}"#, "422"),
    ] {
        let answer = ask(address, path, rest, true);
        assert_eq!(&answer[9..12], status, "{answer}");
    }
    // This client leaves in the middle of its body.
    ask(address, "/hash", "", false);

    let start = Instant::now();
    while places() > 0 {
        assert!(start.elapsed() < PATIENCE, "a password is still in {} places", places());
        thread::sleep(Duration::from_millis(50));
    }
    drop(serving);
}

/// Returns a door that asks for no token.
pub(super) fn door() -> Arc<Door<Pool>> {
    let workers = NonZeroUsize::new(2).unwrap();
    let accepted_weak = AcceptedWeak::all();
    let limits = Limits { workers: 2, memory_budget_bytes: 1 << 30, accepted_weak, ..Limits::default() };
    let service = Service::new(
        Policies::load(SHIPPED, &limits).unwrap(),
        Pool::start(&PoolSettings::new(workers)).unwrap(),
    );
    Arc::new(Door::new(service, Access::Anyone, None, None, Bounds::default()))
}

/// Sends a body that begins with the marked password, and waits for the response if the body is
/// whole.
fn ask(address: SocketAddr, path: &str, rest: &str, whole: bool) -> String {
    let length = BEFORE.len() + MASKED.len() + rest.len() + usize::from(!whole);
    let head = format!(
        "POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    let mut request = Vec::with_capacity(head.len() + length);
    request.extend_from_slice(head.as_bytes());
    request.extend_from_slice(BEFORE);
    request.extend(MASKED.iter().map(|byte| byte ^ MASK));
    request.extend_from_slice(rest.as_bytes());
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&request).unwrap();
    let mut answer = String::new();
    if whole {
        stream.read_to_string(&mut answer).unwrap();
    } else {
        thread::sleep(Duration::from_millis(100));
    }
    answer
}

fn marker() -> Vec<u8> {
    MASKED.iter().map(|byte| byte ^ MASK).collect()
}

/// Counts the marked passwords in the memory of this process.
fn places() -> usize {
    let memory = File::open("/proc/self/mem").unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut buffer = vec![0; CHUNK];
    let mut found = 0;
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (range, _) = line.split_once(' ').unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let (from, to) = (u64::from_str_radix(from, 16).unwrap(), u64::from_str_radix(to, 16).unwrap());
        for start in (from..to).step_by(CHUNK - MASKED.len() + 1) {
            let wanted = usize::try_from((to - start).min(CHUNK as u64)).unwrap();
            // The memory may have been unmapped since the map was read.
            let Ok(read) = memory.read_at(&mut buffer[..wanted], start) else { continue };
            found += buffer[..read].windows(MASKED.len()).filter(|window| is_marker(window)).count();
            buffer.fill(0);
        }
    }
    found
}

fn is_marker(window: &[u8]) -> bool {
    window.iter().zip(MASKED).all(|(byte, masked)| byte ^ MASK == *masked)
}

/// A hash of each other algorithm. No password needs to match.
const STORED: [&str; 14] = [
    "$pbkdf2-sha256$i=1000,l=32$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "$1$saltsalt$......................",
    "$5$rounds=1000$saltsalt$...........................................",
    "$6$rounds=1000$saltsalt$......................................................................................",
    "$7$26..../....saltsalt$...........................................",
    "$P$5saltsalt......................",
    "$S$5saltsalt...........................................",
    "$md5$saltsalt$$......................",
    "$sha1$10$saltsalt$............................",
    "$y$j75$saltsalt$...........................................",
    "U$P$5saltsalt......................",
    "_3...salt...........",
    "sa...........",
];

const BEFORE: &[u8] = br#"{"password":""#;

/// The password with the bits of `MASK` flipped, so that the search does not find this constant.
const MASKED: &[u8] =
    b"\x37\x1b\x28\x31\x3f\x1e\x77\x28\x3f\x29\x33\x3e\x2f\x3f\x77\x6e\x38\x69\x3b\x63\x3c\x68\x3e\x62";
const MASK: u8 = 0x5a;

const CHUNK: usize = 1 << 20;

const PATIENCE: Duration = Duration::from_secs(5);
