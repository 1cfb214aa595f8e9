//! The room that each caller has beside the others, for bodies and for HTTP/2 requests.

use serde_json::json;

use super::{
    client::{Client, ask, batch_head, post_with},
    http2::{Http2, Stalled, reset},
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

#[test]
fn stalled_streams_of_one_token_make_room_for_those_of_another() {
    let server = Server::with_tokens(&tokens(), &[]);
    let stall = |token, count| {
        let mut client = Http2::connect(server.address());
        client.use_token(token);
        let stalled = client.stall("/batch", b"{", count);
        client.wait_until_read();
        (client, stalled)
    };
    let end = |(mut client, stalled): (Http2, Vec<Stalled>)| {
        let answers = client.end(stalled, b"}");
        answers.into_iter().flatten().filter(|(status, _)| *status == 400).count()
    };
    // All 2,048 places but the reserve of 128.
    let mut greedy: Vec<_> = (0..8).map(|_| stall(GREEDY, 240)).collect();
    let honest: Vec<_> = (0..4).map(|_| stall(HONEST, 240)).collect();
    let evicted = 4 * 240 - 128;
    // What the server has read may still wait for its place, and takes one that is free by then.
    let is_over = || {
        let streams = greedy.iter_mut().flat_map(|(_, stalled)| stalled);
        (streams.filter_map(reset).count() >= evicted).then_some(())
    };
    until(is_over).expect("every honest stream has its place");
    assert_eq!(honest.into_iter().map(end).collect::<Vec<_>>(), [240; 4]);
    // Those that are longest without a byte have made room.
    let left = greedy.into_iter().map(end).collect::<Vec<_>>();
    assert_eq!(left.iter().sum::<usize>(), 8 * 240 - evicted);
    assert_eq!((left[..3].iter().sum::<usize>(), &left[4..]), (0, &[240; 4][..]));
}

#[test]
fn stalled_bodies_on_a_connection_do_not_keep_the_other_callers_on_it_from_their_answers() {
    let server = Server::with_tokens(&tokens(), &[]);
    let mut proxy = Http2::connect(server.address());
    proxy.use_token(GREEDY);
    let mut stalled = proxy.stall("/batch", &[b' '; 16 * 1024], 60);
    // The server has not read the first of these when the last one arrives.
    stalled.extend(proxy.stall("/batch", b" ", 190));
    let body = json!({"password": "p".repeat(1000), "hash": null}).to_string();
    for token in [HONEST, OTHER].repeat(10) {
        proxy.use_token(token);
        let (status, answer) = proxy.ask("POST", "/verify", &body);
        assert_eq!(status, 200, "{answer}");
    }
    let answers = proxy.end(stalled, b"{}");
    assert!(answers.into_iter().flatten().all(|(status, _)| status == 400));
}

#[test]
fn long_answers_that_one_token_leaves_unread_do_not_keep_another_from_its_own() {
    let server = Server::with_tokens(&tokens(), &[]);
    let operation = json!({"op": "verify", "password": "p", "hash": "of no scheme"});
    let body = json!({"operations": vec![operation; 64]}).to_string();
    let mut greedy = Http2::connect_without_window(server.address());
    greedy.use_token(GREEDY);
    greedy.send("/batch", &body, 255);
    let unread = greedy.receive_heads();
    assert!(unread.iter().any(|answer| answer.status() == 503), "4 MiB are not enough for these");
    let mut honest = Http2::connect(server.address());
    honest.use_token(HONEST);
    for _ in 0..10 {
        assert_eq!(honest.ask("POST", "/batch", &body).0, 200);
    }
    drop(unread);
}

#[test]
fn refused_bodies_do_not_fill_the_window_of_their_connection() {
    let server = Server::with_tokens(&tokens(), &[]);
    let _all_of_its_room: Vec<Client> = (0..60).map(|_| begin_batch(&server, GREEDY).unwrap()).collect();
    let mut proxy = Http2::connect(server.address());
    proxy.use_token(GREEDY);
    let refused = proxy.stall("/batch", &[b' '; 16 * 1024], 100);
    let answers = proxy.end(refused, b"");
    assert!(answers.iter().all(|answer| answer.as_ref().is_some_and(|(status, _)| *status == 503)));
    proxy.use_token(HONEST);
    let body = json!({"password": "p", "hash": null}).to_string();
    assert_eq!(proxy.ask("POST", "/verify", &body).0, 200);
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
    format!("greedy verify never {GREEDY}\nhonest verify never {HONEST}\nother verify never {OTHER}\n")
}

const GREEDY: &str = "greedy-0123456789abcdef0123456789";
const HONEST: &str = "honest-0123456789abcdef0123456789";
const OTHER: &str = "other-0123456789abcdef0123456789";

/// The longest body of a batch.
const MIB: usize = 1024 * 1024;
