//! Properties of stored hashes, requests, documents and lanes, for the fuzz targets and the smoke
//! test. A violated property panics.
//!
//! `functions/testing/fuzz/search` searches for violations. `cargo test` takes the test vectors,
//! and mutates them for a few seconds. Bytes that are not UTF-8 are ignored, since the parser takes
//! `&str`.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use http::Request;
use saltern_encoded::{MAX_ENCODED_BYTES, Setting, parse, verify_only::Cost};
use saltern_kernels::{
    Admitted, Arena, Password, compute,
    lanes::{Lane, advance},
};
use saltern_policy::{AcceptedWeak, Limits, Policies, Refusal, SHIPPED, Status};
use saltern_pool::{Refused, Ticket, Work, Workers};
use saltern_seal::{Context, Document, Keys, MAX_SEALED_BYTES, NotSealed, Sealed, is_sealed};
use saltern_service::{Arrival, Body, Caller, Ids, Service};
use tokio::runtime::{Builder, Runtime};

/// Checks that a parsed hash prints as the same text. So no two texts have the same meaning.
///
/// # Panics
/// If the property does not hold.
pub fn parse_print_parse(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(encoded) = parse(text) else { return };
    assert!(text.len() <= MAX_ENCODED_BYTES);
    let printed = encoded.to_string();
    assert_eq!(printed, text);
    assert!(parse(&printed).is_ok_and(|again| again == encoded));
}

/// Checks that an admitted hash is below the shipped ceilings, and computes it if it is cheap.
///
/// A hash that is not admitted must have one of the four codes for stored hashes.
///
/// # Panics
/// If the property does not hold.
pub fn admit(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let stored = match POLICIES.admit_stored(text) {
        Ok(stored) => stored,
        Err(refusal) => {
            let of_a_stored_hash = matches!(
                refusal,
                Refusal::CostOutOfBounds
                    | Refusal::InvalidHash
                    | Refusal::SiteKeyUnavailable
                    | Refusal::UnsupportedHash
            );
            assert!(of_a_stored_hash, "{refusal:?}");
            return;
        }
    };
    let admitted = stored.admitted();
    let setting = admitted.setting();
    assert!(admitted.work() > 0, "{text}");
    assert!(is_below(setting, &POLICIES), "{text}");
    assert!(admitted.memory_bytes() <= MOST_MEMORY_BYTES, "{text}");
    if is_cheap(setting, admitted.work(), admitted.memory_bytes()) {
        let output = compute(admitted, b"saltern").expect("a cheap hash wants little memory");
        assert_eq!(output.expose().len(), setting.output_bytes(), "{text}");
        // Verifying twice gives the same answer.
        let again = compute(admitted, b"saltern").expect("a cheap hash wants little memory");
        assert!(again.matches(output.expose()), "{text}");
    }
}

/// Checks that a parsed seal prints as the same text, and that the text, sealed, opens to itself.
///
/// # Panics
/// If the property does not hold.
pub fn open_seal(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    for context in [None, Context::new("user-7")] {
        // A random string does not open. A vector opens to a text that seals.
        if let Ok(opened) = KEYS.open(text, context.as_ref()) {
            assert!(text.len() <= MAX_SEALED_BYTES && !is_sealed(&opened.text), "{text}");
        }
    }
    if let Ok(sealed) = Sealed::parse(text) {
        assert_eq!(sealed.to_string(), text);
    }
    let context = Context::new("user-7");
    match KEYS.seal(text, context.as_ref()) {
        Ok(sealed) => {
            assert!(sealed.len() <= MAX_SEALED_BYTES && Sealed::parse(&sealed).is_ok(), "{text}");
            let opened = KEYS.open(&sealed, context.as_ref()).expect("the same key opens it");
            assert_eq!(*opened.text, text);
            assert!(KEYS.open(&sealed, Context::new("user-8").as_ref()).is_err(), "{text}");
        }
        Err(refusal) => {
            assert_eq!(refusal, NotSealed::NotAHash);
            assert!(text.is_empty() || text.len() > MAX_ENCODED_BYTES || is_sealed(text), "{text}");
        }
    }
}

/// Checks that a request gets an answer of the contract, which never contains the password. Its first
/// line is the path, its next lines are headers, and an empty line stands before the body.
///
/// No hash is computed: the workers refuse all work.
///
/// # Panics
/// If the property does not hold.
pub fn request(data: &[u8]) {
    let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
    let (head, body) = (&data[..end], data.get(end + 2..).unwrap_or_default());
    let mut lines = head.split(|byte| *byte == b'\n');
    let mut builder = Request::post(lines.next().unwrap_or_default());
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        builder = builder.header(&line[..colon], line.get(colon + 1..).unwrap_or_default());
    }
    let Ok((parts, ())) = builder.body(()).map(Request::into_parts) else { return };
    let arrival = Arrival { at: Instant::now(), peer: None, caller: Caller::Anyone, latest: None };
    let mut incoming = SERVICE.receive(&parts, arrival, Ids::of(&parts.headers));
    incoming.body = Body::new(body.to_vec());
    let answer = RUNTIME.block_on(SERVICE.answer(&mut incoming)).response;
    let status = answer.status().as_u16();
    assert!([200, 400, 404, 405, 413, 415, 422, 503].contains(&status), "{status}");
    let read = serde_json::from_slice::<serde_json::Value>(body);
    // Of the body only its media type and its size are judged before it is read.
    if [422, 503].contains(&status) {
        let password =
            read.expect("accepted JSON is JSON")["password"].as_str().unwrap_or_default().to_owned();
        let is_shown = answer.body().windows(password.len().max(1)).any(|shown| shown == password.as_bytes());
        assert!(!is_shown || password.len() < LEAST_RECOGNISABLE, "{password}");
    }
}

/// Checks that an accepted policy document makes only hashes that it verifies, and that an accepted
/// document of keys prints as one with the same keys, which open what they seal.
///
/// # Panics
/// If the property does not hold.
pub fn document(data: &[u8]) {
    if let Ok(policies) = Policies::load(data, &limits()) {
        assert!(policies.admit_decoy().is_ok());
        let password = Password::new(b"saltern").expect("it is short");
        for policy in policies.list() {
            let made = policies.admit_new(Some(policy.id()), &password);
            assert_eq!(made.is_ok(), policy.status() == Status::Active, "{}", policy.id());
            let is_within = made.map_or(true, |hash| is_below(hash.admitted().setting(), &policies));
            assert!(is_within, "{}", policy.id());
        }
    }
    if let Ok(document) = Document::parse(data) {
        let printed = document.print();
        assert_eq!(Document::parse(&printed).expect("it is valid").print(), printed);
    }
    if let Ok(keys) = Keys::parse(data) {
        let context = Context::new("user-7");
        let sealed = keys.seal("$1$salt$qJH7.N4xYta3aEG/dfqo/0", context.as_ref()).expect("a hash");
        assert!(keys.open(&sealed, context.as_ref()).is_ok());
    }
}

/// Lets hashes of one algorithm join, advance and leave as the bytes say, and checks each finished
/// output against the reference crate.
///
/// # Panics
/// If the property does not hold.
pub fn lanes(data: &[u8]) {
    let Some((first, events)) = data.split_first() else { return };
    let admitted = &LANES[usize::from(*first) % LANES.len()];
    let algorithm = admitted.setting().algorithm();
    let arena = Arena::new(0);
    let mut running: Vec<(Lane, &[u8])> = Vec::new();
    for (at, event) in events.iter().enumerate().take(MOST_EVENTS) {
        let choice = usize::from(event / 4);
        match event % 4 {
            0 if running.len() < MOST_LANES => {
                let password = &events[at..events.len().min(at + choice)];
                let lane = Lane::start(admitted, password, &arena).expect("little memory");
                running.push((lane.expect("the algorithm has lanes"), password));
            }
            1 if !running.is_empty() => drop(running.swap_remove(choice % running.len())),
            _ => {}
        }
        let Some(least) = running.iter().map(|(lane, _)| lane.remaining()).min() else { continue };
        advance(algorithm, running.iter_mut().map(|(lane, _)| lane), least.min(choice as u64));
        for (lane, password) in running.extract_if(.., |(lane, _)| lane.remaining() == 0) {
            let expected = compute(admitted, password).expect("little memory");
            assert!(lane.finish(admitted).matches(expected.expose()), "{algorithm:?}");
        }
    }
}

/// Checks the ceilings again, on the params and with numbers that cannot overflow.
fn is_below(setting: &Setting, policies: &Policies) -> bool {
    let ceilings = policies.ceilings();
    match setting {
        Setting::Argon2(setting) => {
            let params = setting.params();
            let written = u128::from(params.memory_kib()) * u128::from(params.passes());
            params.memory_kib() <= ceilings.argon2_memory_kib
                && written <= u128::from(ceilings.argon2_memory_passes_kib)
                && params.parallelism() <= ceilings.argon2_parallelism
        }
        Setting::Bcrypt(setting) => setting.params().cost() <= ceilings.bcrypt_cost,
        Setting::Pbkdf2(setting) => {
            let blocks = setting.output_bytes().div_ceil(setting.params().prf().block_bytes()) as u128;
            u128::from(setting.params().iterations()) * blocks
                <= u128::from(ceilings.pbkdf2_iterations_blocks)
        }
        Setting::VerifyOnly(setting) => match setting.cost() {
            Cost::Rounds(rounds) => rounds <= ceilings.sha_crypt_rounds,
            Cost::Memory { blocks, other_blocks, work } => {
                128 * u128::from(blocks) <= u128::from(ceilings.scrypt_memory_bytes)
                    && 128 * u128::from(other_blocks) <= u128::from(ceilings.scrypt_memory_bytes)
                    && work <= ceilings.scrypt_n_r_p
            }
        },
        Setting::Wrapped(setting) => {
            let params = setting.outer().params();
            params.memory_kib() <= ceilings.argon2_memory_kib && is_below(setting.inner().setting(), policies)
        }
        Setting::Scrypt(setting) => {
            let params = setting.params();
            let (n, r, p) = (1_u128 << params.log_n(), u128::from(params.r()), u128::from(params.p()));
            let most_memory = u128::from(ceilings.scrypt_memory_bytes);
            128 * n * r <= most_memory
                && 128 * p * r <= most_memory
                && n * r * p <= u128::from(ceilings.scrypt_n_r_p)
        }
    }
}

/// Whether computing takes well under a millisecond.
fn is_cheap(setting: &Setting, work: u64, memory_bytes: u64) -> bool {
    let little_work = match setting {
        Setting::Argon2(_) => work <= 256,
        Setting::Bcrypt(_) => work <= 16,
        Setting::Pbkdf2(_) => work <= 2048,
        Setting::Scrypt(_) => work <= 512,
        // The fewest rounds of sha-crypt, and all of md5-crypt.
        Setting::VerifyOnly(_) => work <= 1000,
        // The inner layer may be expensive.
        Setting::Wrapped(_) => false,
    };
    little_work && memory_bytes <= 1 << 20
}

static POLICIES: LazyLock<Policies> = LazyLock::new(shipped);

fn shipped() -> Policies {
    let limits = Limits { accepted_weak: AcceptedWeak::all(), ..limits() };
    Policies::load(SHIPPED, &limits).expect("the shipped document is valid")
}

fn limits() -> Limits {
    Limits { workers: 1, memory_budget_bytes: u64::MAX, ..Limits::default() }
}

/// Refuses all work.
#[derive(Debug)]
struct Refusing;

impl Workers for Refusing {
    fn submit(&self, _work: Work) -> Result<Ticket, Refused> {
        Err(Refused::Overloaded { retry_after: Duration::from_secs(1) })
    }

    fn arena_bytes(&self) -> u64 {
        0
    }

    fn argon2_lanes(&self) -> usize {
        1
    }
}

static SERVICE: LazyLock<Service<Refusing>> = LazyLock::new(|| {
    let service = Service::new(shipped(), Refusing);
    service.install_keys(Keys::parse(KEY).expect("the document is valid"));
    service
});

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

/// A cheap setting of each algorithm that has lanes of its own.
static LANES: LazyLock<Vec<Admitted>> = LazyLock::new(|| {
    let texts = [
        "$2b$04$......................4QqIrvEqWMALFbTSEMvHWTOXWbOgbsm",
        "$argon2d$v=16$m=16,t=2,p=1$c2FsdHNhbHQ$c29tZW91dHB1dA",
        "$argon2i$v=19$m=19,t=3,p=1$c2FsdHNhbHQ$c29tZW91dHB1dA",
        "$argon2id$v=19$m=33,t=2,p=1$c2FsdHNhbHQ$c29tZW91dHB1dA",
        "$pbkdf2$i=9,l=24$c2FsdHNhbHQ$c29tZW91dHB1dHNvbWVvdXRwdXRzb21l",
        "$pbkdf2-sha256$i=9,l=36$c2FsdHNhbHQ$c29tZW91dHB1dHNvbWVvdXRwdXRzb21lb3V0cHV0c29tZW91",
        "$pbkdf2-sha512$i=9,l=24$c2FsdHNhbHQ$c29tZW91dHB1dHNvbWVvdXRwdXRzb21l",
        "$scrypt$ln=3,r=2,p=2$c2FsdHNhbHQ$c29tZW91dHB1dHNvbWVvdXRwdXRzb21l",
        "$5$rounds=1000$salt$...........................................",
        "$1$salt$......................",
    ];
    let admitted = |text| {
        let encoded = parse(text).expect("a hash");
        Admitted::new(encoded.setting().clone(), POLICIES.ceilings()).expect("a cheap hash")
    };
    texts.map(admitted).into()
});

static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::parse(KEY).expect("the document is valid"));

/// The key of the contract's vector.
const KEY: &[u8] = br#"{"current": "2026a", "keys": [
    {"id": "2026a", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "context": true}]}"#;

/// The most memory of an admitted hash: the 256 MiB of `argon2_memory_kib`, or twice the 128 MiB of
/// `scrypt_memory_bytes`.
const MOST_MEMORY_BYTES: u64 = 256 << 20;

/// The most that bcrypt computes side by side.
const MOST_LANES: usize = 8;

/// Some milliseconds.
const MOST_EVENTS: usize = 200;

/// A shorter password may stand in an answer by chance.
const LEAST_RECOGNISABLE: usize = 12;
