//! Tests of the door, without a network but for the last one.

use std::future::ready;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::*;
use crate::{
    arguments::plan,
    documents::{User, Users},
};

/// An open door with the users of the load test.
struct Opened {
    door: Arc<Door>,
    users: Vec<User>,
    /// A user whose real hash the door does not know.
    stranger: User,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Opened {
    /// Opens a door with flags of the function.
    fn with(flags: &str) -> Self {
        let file = |name: &str| format!("{}/../{name}", env!("CARGO_MANIFEST_DIR"));
        let policies = documents::policies(file("policies.json").as_ref()).unwrap();
        let mut users = documents::users(file("pool.json").as_ref()).unwrap().users;
        let stranger = users.remove(0);
        let known = Users { users: users.clone() };
        let model = Model::new(policies, known).unwrap();
        Self { door: Arc::new(Door::open(plan(flags).unwrap().function, model)), users, stranger }
    }

    /// Returns a user of a policy, with which its password begins.
    fn user(&self, policy: &str) -> &User {
        self.users.iter().find(|user| user.password.starts_with(policy)).unwrap()
    }

    async fn ask(&self, method: &str, path: &str, header: (&str, &str), body: impl Into<Bytes>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if header.0 != "content-type" {
            request = request.header("content-type", "application/json");
        }
        let request = request.header(header.0, header.1).body(Full::<Bytes>::from(body.into())).unwrap();
        let (parts, body) = Arc::clone(&self.door).answer(request).await.into_parts();
        let body = serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask("POST", path, ("x-a", "1"), body.to_string()).await
    }

    async fn matches(&self, password: &str, hash: &str) -> bool {
        let answer = self.post("/verify", json!({"password": password, "hash": hash})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body["match"].as_bool().unwrap()
    }

    /// Lets a user log in.
    async fn log_in(&self) -> Answer {
        let user = self.user("bcrypt-10-2019");
        self.post("/verify", json!({"password": user.password, "hash": user.hash})).await
    }
}

impl Answer {
    fn modelled_ms(&self) -> f64 {
        self.headers[function_url::MODELLED_MS].to_str().unwrap().parse().unwrap()
    }
}

#[tokio::test]
async fn only_the_right_password_of_a_pool_user_matches() {
    let opened = Opened::with("");
    let users = ["bcrypt-4-smoke", "argon2id-2026", "pbkdf2-sha512-2016"].map(|policy| opened.user(policy));
    for user in users {
        assert!(opened.matches(&user.password, &user.hash).await, "{}", user.password);
        for wrong in ["", "sälä-sana", &format!("{}!", user.password), &user.password[1..]] {
            assert!(!opened.matches(wrong, &user.hash).await, "{} {wrong}", user.password);
        }
        for other in users.into_iter().filter(|other| other.hash != user.hash) {
            assert!(!opened.matches(&user.password, &other.hash).await, "{} {}", user.password, other.hash);
        }
    }
}

#[tokio::test]
async fn hashes_of_fleet_verify_in_fleet() {
    let opened = Opened::with("");
    for policy in ["bcrypt-4-smoke", "argon2id-2026", "pbkdf2-sha512-2016"] {
        let made = opened.post("/hash", json!({"password": "new", "policy": policy})).await;
        let made = made.body["hash"].as_str().unwrap();
        assert!(opened.matches("new", made).await, "{policy}");
        assert!(!opened.matches("old", made).await, "{policy}");
    }
    // An upgrade is also a new hash.
    let user = opened.user("bcrypt-4-smoke");
    let body = json!({"password": user.password, "hash": user.hash, "rehash": true});
    let upgraded = opened.post("/verify", body).await.body;
    assert_eq!(
        (&upgraded["match"], &upgraded["rehashed"]["policy"]),
        (&json!(true), &json!("bcrypt-11-2021"))
    );
    assert!(opened.matches(&user.password, upgraded["rehashed"]["hash"].as_str().unwrap()).await);
}

#[tokio::test]
async fn a_hash_of_other_software_matches_no_password() {
    let opened = Opened::with("");
    assert!(!opened.matches(&opened.stranger.password, &opened.stranger.hash).await);
    // Nor does any password match a hash of the pool with one different letter.
    let user = opened.user("bcrypt-4-smoke");
    let (start, end) = user.hash.split_at(40);
    let altered = format!("{start}{}{}", if end.starts_with('x') { 'y' } else { 'x' }, &end[1..]);
    assert!(!opened.matches(&user.password, &altered).await);
    // No time on Lambda is known for this scheme.
    let unknown = json!({"password": "x", "hash": "$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/"});
    let answer = opened.post("/verify", unknown).await;
    assert_eq!((answer.status, &answer.body["code"]), (503, &json!("deadline_exceeded")));
}

#[tokio::test]
async fn bcrypt_uses_72_bytes_of_a_password() {
    let opened = Opened::with("");
    let long = "y".repeat(72);
    let made = opened.post("/hash", json!({"password": long, "policy": "bcrypt-4-smoke"})).await.body;
    assert!(opened.matches(&format!("{long}z"), made["hash"].as_str().unwrap()).await);
    assert!(!opened.matches(&long[1..], made["hash"].as_str().unwrap()).await);
}

#[tokio::test]
async fn all_other_answers_are_those_of_the_service() {
    let opened = Opened::with("");
    let too_costly =
        r#"{"password":"x","hash":"$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}"#;
    let decoy = r#"{"password":"x","hash":null}"#;
    let large = format!(r#"{{"password":"{}"}}"#, "x".repeat(17 * 1024));
    for (method, path, header, body, status, code) in [
        ("POST", "/verify", ("x-a", "1"), "{", 400, "invalid_json"),
        ("POST", "/verify", ("x-a", "1"), r#"{"password":"x","hash":"$2b$04$"}"#, 422, "invalid_hash"),
        ("POST", "/verify", ("x-a", "1"), too_costly, 422, "cost_out_of_bounds"),
        ("POST", "/verify", ("saltern-deadline-ms", "5"), decoy, 503, "deadline_exceeded"),
        ("POST", "/hash", ("content-type", "text/plain"), "{}", 415, "unsupported_media_type"),
        ("POST", "/hash", ("x-a", "1"), &large, 413, "body_too_large"),
        ("GET", "/verify", ("x-a", "1"), "", 405, "method_not_allowed"),
    ] {
        let answer = opened.ask(method, path, header, body.to_owned()).await;
        assert_eq!((answer.status, &answer.body["code"]), (status, &json!(code)), "{body}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
    }
    let named = opened.ask("POST", "/verify", ("x-request-id", "login-7"), decoy).await;
    assert_eq!((named.status, &named.headers["x-request-id"]), (200, &HeaderValue::from_static("login-7")));
}

#[tokio::test]
async fn a_request_takes_the_time_of_the_model() {
    let opened = Opened::with("");
    let user = opened.user("bcrypt-10-2019");
    let operation = json!({"op": "verify", "password": user.password, "hash": user.hash});
    // bcrypt-10 takes 82 ms. The first request has a cold start.
    for (hashes, expected) in [(1, 164.0 + 82.0), (1, 82.0), (4, 82.0 * 1.17), (8, 82.0 * 1.91)] {
        let began = Instant::now();
        let answer = opened.post("/batch", json!({"operations": vec![&operation; hashes]})).await;
        let (took, modelled) = (began.elapsed().as_secs_f64() * 1e3, answer.modelled_ms());
        assert_eq!(answer.status, 200);
        assert!((modelled / expected - 1.0).abs() < 0.06, "{modelled} for {expected}");
        assert!(took >= modelled, "{took} for {modelled}");
    }
}

#[tokio::test]
async fn a_throttled_request_gets_the_answer_of_lambda() {
    let opened = Opened::with("--account-concurrency=2");
    // Each of them reaches an environment before the next one starts.
    let (first, second, third) = tokio::join!(opened.log_in(), opened.log_in(), opened.log_in());
    assert_eq!([first.status, second.status, third.status], [200, 200, 429]);
    assert_eq!(third.headers["x-amzn-errortype"], "TooManyRequestsException");
    let reason = "ConcurrentInvocationLimitExceeded";
    assert_eq!(third.body, json!({"Reason": reason, "Type": "User", "message": "Rate Exceeded."}));
    let totals = opened.door.series().totals;
    assert_eq!((totals.requested, totals.answered, totals.cold_starts), (3, 2, 2));
    // The environments are free again.
    assert_eq!(opened.log_in().await.status, 200);
}

#[tokio::test]
async fn provisioned_environments_have_no_cold_start() {
    let opened = Opened::with("--provisioned=1");
    let (first, second) = tokio::join!(opened.log_in(), opened.log_in());
    let modelled = [first.modelled_ms(), second.modelled_ms()];
    assert!(modelled[0] < 90.0 && modelled[1] > 164.0 + 75.0, "{modelled:?}");
    let totals = opened.door.series().totals;
    assert_eq!((totals.cold_starts, totals.spillover), (1, 1));
}

#[tokio::test]
async fn a_disconnect_does_not_end_the_invocation() {
    let opened = Opened::with("--account-concurrency=1");
    // The request reaches an environment, and its caller leaves at once.
    tokio::select! {
        biased;
        _ = opened.log_in() => panic!("an answer without its time"),
        () = ready(()) => {}
    }
    assert_eq!(opened.log_in().await.status, 429, "the environment is busy");
    // It ends without its caller, which makes the environment free.
    let answered = async {
        while opened.log_in().await.status != 200 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(10), answered).await.unwrap();
}

#[tokio::test]
async fn the_door_speaks_http() {
    let (socket, address) = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    tokio::spawn(accept(socket, Opened::with("").door));
    for (path, expected) in [("/health", "HTTP/1.1 200 OK"), ("/series", "HTTP/1.1 404 Not Found")] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: fleet\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with(expected), "{path}: {answer}");
    }
}
