//! The room that each caller has beside the others, for bodies and for HTTP/2 requests.

use serde_json::json;

use super::{
    client::{Client, ask, batch_head, post_with},
    server::{Server, until},
};

#[test]
fn stalled_bodies_of_one_token_do_not_keep_another_from_verifying() {
    let server = Server::with_tokens(&tokens(), &[]);
    let mut stalled: Vec<Client> = (0..64).filter_map(|_| begin_batch(&server, GREEDY)).collect();
    for client in &mut stalled {
        client.send(" ".repeat(MIB - 1));
    }
    let body = json!({"password": "p".repeat(1000), "hash": null}).to_string();
    for _ in 0..20 {
        let answer = ask(server.address(), post_with("/verify", &bearer(HONEST), &body));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(stalled.len(), 60, "the others are refused from their heads");
    assert!(!stalled.iter().any(Client::has_answer), "the reserve is enough");
}

#[test]
fn a_caller_within_its_share_evicts_the_bodies_that_are_longest_without_a_byte() {
    let server = Server::with_tokens(&tokens(), &[]);
    let mut greedy: Vec<Client> = (0..60).map(|_| begin_batch(&server, GREEDY).unwrap()).collect();
    let mut honest: Vec<Client> = (0..32).map(|_| begin_batch(&server, HONEST).unwrap()).collect();
    for evicted in &mut greedy[..28] {
        let answer = evicted.receive();
        answer.assert_problem(503, "overloaded");
        assert_eq!(answer.header("connection"), Some("close"));
    }
    assert!(begin_batch(&server, HONEST).is_none(), "half of the room is its share");
    assert!(!greedy[28..].iter().chain(&honest).any(Client::has_answer));
    for client in &mut honest {
        client.send(format!("{{}}{}", " ".repeat(MIB - 2)));
        client.receive().assert_problem(400, "invalid_request");
    }
    until(|| begin_batch(&server, GREEDY)).expect("what nobody uses is free again");
}

/// Sends the head of a batch of 1 MiB. `None` if the server has no room for it.
fn begin_batch(server: &Server, token: &str) -> Option<Client> {
    let mut client = Client::connect(server.address());
    let answer = client.ask(batch_head(&bearer(token), &format!("Content-Length: {MIB}")));
    if answer.status == 100 {
        return Some(client);
    }
    answer.assert_problem(503, "overloaded");
    None
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// The tokens file.
fn tokens() -> String {
    format!("greedy verify never {GREEDY}\nhonest verify never {HONEST}\n")
}

const GREEDY: &str = "greedy-0123456789abcdef0123456789";
const HONEST: &str = "honest-0123456789abcdef0123456789";

/// The longest body of a batch.
const MIB: usize = 1024 * 1024;
