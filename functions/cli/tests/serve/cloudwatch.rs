use std::time::Duration;

use saltern_stubs::cloudwatch::{Behaviour, CloudWatch};
use serde_json::Value;

use crate::{
    client::{Client, get, hash, verify},
    server::{Server, until},
};

fn start(cloudwatch: &CloudWatch) -> Server {
    let endpoint = cloudwatch.endpoint();
    let environment = [
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "an example of a key"),
        ("AWS_ENDPOINT_URL_CLOUDWATCH", endpoint.as_str()),
    ];
    let arguments =
        ["--cloudwatch-region", "eu-north-1", "--cloudwatch-service", "logins", "--cloudwatch-seconds", "1"];
    Server::start_with(&arguments, &environment)
}

/// How many hashes CloudWatch has taken.
fn hashes(cloudwatch: &CloudWatch) -> f64 {
    let calls = cloudwatch.calls();
    let data = calls.iter().filter(|call| call.acknowledged).flat_map(|call| &call.data);
    let hashes = data.filter(|datum| datum.name == "HashMilliseconds");
    hashes.flat_map(|datum| &datum.values).map(|(_, count)| count).sum()
}

#[test]
fn distributions_are_sent_by_the_clock_and_at_the_end() {
    let cloudwatch = CloudWatch::start(Behaviour::Takes).unwrap();
    let mut server = start(&cloudwatch);
    let stored = hash(server.address(), "p", "bcrypt-4");
    assert!(cloudwatch.has_calls(1, Duration::from_secs(20)), "nothing was sent by the clock");
    let mut client = Client::connect(server.address());
    assert_eq!(client.ask(verify("p", &stored)).json()["match"], true);
    assert_eq!(client.ask(get("/health")).status, 200);
    server.signal("TERM");
    assert!(server.end().success());
    assert_eq!(cloudwatch.faults(), [""; 0]);
    assert!((hashes(&cloudwatch) - 2.0).abs() < f64::EPSILON, "{:?}", cloudwatch.calls());
    let service = ("Service".to_owned(), "logins".to_owned());
    assert!(
        cloudwatch.calls().iter().flat_map(|call| &call.data).all(|datum| datum.dimensions[0] == service)
    );
    assert!(!server.output().contains("_aws"), "{}", server.output());
}

#[test]
fn what_cannot_be_sent_is_printed() {
    let cloudwatch = CloudWatch::start(Behaviour::Throttles).unwrap();
    let server = start(&cloudwatch);
    hash(server.address(), "p", "bcrypt-4");
    let printed = until(|| {
        let output = server.output();
        let lines = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.into_iter().find(|line| line["HashMillisecondsUnsent"].is_number())
    });
    let printed = printed.expect("the hash is printed");
    assert_eq!((&printed["Service"], &printed["Policy"]), (&"logins".into(), &"bcrypt-4".into()));
    let warning = server.line("distributions could not be sent to CloudWatch and are printed");
    assert_eq!((&warning["reason"], &warning["code"]), (&"refused".into(), &"ThrottlingException".into()));
}
