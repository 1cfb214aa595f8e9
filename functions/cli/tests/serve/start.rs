//! A server that does not start prints one error message with advice, and exits with 64.

use std::process::Output;

use super::{
    client::{ask, get},
    seals::private,
    server::{Server, command, file, saltern, with_open_files},
};

#[test]
fn beyond_loopback_requires_tokens_and_tls() {
    let tokens = file("tokens", &format!("shop hash never {TOKEN}"));
    let tokens = tokens.to_str().unwrap();
    for listen in ["0.0.0.0:0", "[::]:0"] {
        assert_refused(&["--listen", listen], "lacks bearer tokens and TLS");
        assert_refused(&["--listen", listen, "--tokens-file", tokens], "lacks TLS");
        assert_refused(&["--listen", listen, "--behind-tls-proxy"], "lacks bearer tokens");
    }
}

#[test]
fn wrong_settings_are_refused_with_a_message() {
    let short = file("short", "short");
    let expiry = file("expiry", &format!("# by hand\nshop hash 31.12.2027 {TOKEN}"));
    let broken = file("broken.json", "{");
    let project = file("firebase-project", "short");
    private(&project);
    let directory = env!("CARGO_TARGET_TMPDIR");
    let at_directory = format!("unix:{directory}");
    for (arguments, sentence) in [
        (&["--listen", "nowhere"][..], "--listen"),
        (&["--listen", "unix:"], "name a path"),
        (&["--listen", at_directory.as_str()], "not a socket"),
        (&["--socket-mode", "600"], "--listen unix:PATH"),
        (&["--listen", "unix:s", "--socket-mode", "rw"], "octal"),
        (&["--workers", "0"], "--workers"),
        (&["--memory-budget-mib", "0"], "--memory-budget-mib"),
        (&["--tokens-file", "/nonexistent"], "tokens file"),
        (&["--tokens-file", short.to_str().unwrap()], ": write NAME SCOPES EXPIRY TOKEN"),
        (&["--tokens-file", expiry.to_str().unwrap()], "line 2 of "),
        (&["--tokens-file", expiry.to_str().unwrap()], ": write the expiry as the last day"),
        (&["--tls-certificate", "/nonexistent"], "--tls-key"),
        (&["--tls-certificate", "/nonexistent", "--tls-key", "/nonexistent"], "PEM"),
        (&["--tls-certificate", "/dev/zero", "--tls-key", "/nonexistent"], "more than 1048576 bytes"),
        (&["--ceiling", "bcrypt_cost"], "NAME=VALUE"),
        (&["--kernels", "fast"], "lanes"),
        (&["--ceiling", "bcrypt_cost=31"], "raises the ceiling"),
        (&["--ceiling", "no_such=1"], "not a ceiling"),
        (&["--ceiling", "bcrypt_cost=8"], "exceeds a ceiling"),
        (&["--accept-weak", "bcrypt-12"], "ldap-ssha"),
        (&["--accept-weak", ""], "--accept-weak"),
        (&["--firebase-project", "/nonexistent"], "cannot read the Firebase project"),
        (&["--firebase-project", "/dev/zero"], "other users can read the Firebase project"),
        (&["--firebase-project", project.to_str().unwrap()], "Password hash parameters"),
        (&["--connections", "1000000000"], "--connections"),
        (&["--log-format", "xml"], "--log-format"),
        (&["--unknown"], "--unknown"),
    ] {
        assert_refused(arguments, sentence);
    }
    for (document, sentence) in [
        ("/nonexistent", "cannot read the policy document"),
        (directory, "cannot read the policy document"),
        (broken.to_str().unwrap(), "policy document"),
    ] {
        assert_sentence(&run(&["serve", "--policies", document]), sentence);
        assert_sentence(&run(&["policies", "check", document]), sentence);
    }
}

#[test]
fn too_few_open_files_are_refused_or_reported() {
    let output = with_open_files(192, &command(&[])).output().unwrap();
    assert_sentence(&output, "it allows 0 connections: raise the limit (ulimit -n, LimitNOFILE)");
    let few = Server::start_with_open_files(214, &[]);
    assert_eq!(few.line("serving")["connections"], 22);
    let told =
        few.line("fewer connections than by default: raise the limit on open files (ulimit -n, LimitNOFILE)");
    assert_eq!(
        (&told["level"], &told["connections"], &told["by_default"]),
        (&"WARN".into(), &22.into(), &4096.into())
    );
    assert_eq!(ask(few.address(), get("/health")).status, 200);
    let asked_for = Server::start_with_open_files(214, &["--connections", "20"]);
    assert_eq!(asked_for.line("serving")["connections"], 20);
    assert!(!asked_for.output().contains("WARN"), "{}", asked_for.output());
}

#[test]
fn a_policy_beyond_the_memory_budget_is_refused() {
    // argon2id-2026 takes 64 MiB.
    let with = |mib: &str| run(&["policies", "check", SHIPPED, "--workers", "3", "--memory-budget-mib", mib]);
    assert!(with("64").status.success());
    assert_sentence(&with("63"), "more than the memory budget of 63 MiB: add memory");
}

#[test]
fn a_memory_budget_for_fewer_hashes_than_workers_is_reported() {
    // Each of two workers needs 1 MiB for argon2id-small.
    let server = Server::start(&["--memory-budget-mib", "1"]);
    let told = server
        .line("fewer hashes in memory at once than workers: raise --memory-budget-mib, or lower --workers");
    assert_eq!((&told["level"], &told["at_once"], &told["workers"]), (&"WARN".into(), &1.into(), &2.into()));
    let enough = Server::start(&["--memory-budget-mib", "2"]);
    assert!(!enough.output().contains("WARN"), "{}", enough.output());
}

#[test]
fn a_consistent_document_is_reported() {
    let output = run(&["policies", "check", SHIPPED]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("4 policies") && said.contains("argon2id-2026") && said.contains("sha256:"),
        "{said}"
    );
}

#[test]
fn an_address_in_use_is_reported() {
    let server = Server::start(&[]);
    let output = command(&["--listen", &server.address().to_string()]).output().unwrap();
    assert_eq!(output.status.code(), Some(71));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--listen"));
}

#[test]
fn the_environment_sets_the_same_settings() {
    let server =
        Server::start_with(&[], &[("SALTERN_CONNECTIONS", "17"), ("SALTERN_MEMORY_BUDGET_MIB", "99")]);
    let started = server.line("serving");
    assert_eq!((&started["connections"], &started["memory_budget_mib"]), (&17.into(), &99.into()));
    assert_eq!(started["workers"], 2);
    assert!(started["policies"].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn the_line_at_start_up_names_the_accepted_weak_schemes() {
    let none = Server::start(&[]).line("serving");
    assert_eq!((&none["accepted_weak"], &none["firebase_project"]), (&"".into(), &false.into()));
    let two = Server::start(&["--accept-weak", "ldap-ssha,django-md5"]).line("serving");
    assert_eq!(two["accepted_weak"], "ldap-ssha,django-md5");
    let all = Server::start_with(&[], &[("SALTERN_ACCEPT_WEAK", "all")]).line("serving");
    assert_eq!(all["accepted_weak"], "all");
}

#[track_caller]
fn assert_refused(arguments: &[&str], sentence: &str) {
    assert_sentence(&command(arguments).output().unwrap(), sentence);
}

#[track_caller]
fn assert_sentence(output: &Output, sentence: &str) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(64), "{said}");
    assert!(said.starts_with("saltern: ") && said.contains(sentence), "{said}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

fn run(arguments: &[&str]) -> Output {
    saltern().args(arguments).output().unwrap()
}

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../policy/policies.json");
const TOKEN: &str = "0123456789abcdef0123456789abcdef";
