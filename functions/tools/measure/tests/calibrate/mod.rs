//! `saltern-measure calibrate`, on this machine and with a stub of Lambda.

mod lambda;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use lambda::{Lambda, Mood};
use saltern_policy::{Limits, Policies};
use saltern_stubs::http::Request;
use serde_json::{Value, json};

const ALGORITHMS: [&str; 5] = ["argon2id", "scrypt", "bcrypt", "pbkdf2-sha256", "pbkdf2-sha512"];

fn saltern(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltern-measure"));
    command.args(arguments).env_clear().envs(variables.iter().copied());
    command.output().unwrap()
}

fn error_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json_of(output: &Output) -> Value {
    assert!(output.status.success(), "{}", error_of(output));
    assert_eq!(error_of(output), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs the command with the stub and these arguments.
fn on_lambda(lambda: &Lambda, arguments: &[&str]) -> Output {
    let endpoint = lambda.stub.endpoint();
    let variables = [
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "example-secret-key"),
        ("AWS_ENDPOINT_URL_LAMBDA", endpoint.as_str()),
        ("AWS_EC2_METADATA_DISABLED", "true"),
        ("AWS_CONFIG_FILE", "/dev/null"),
        ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null"),
        ("AWS_MAX_ATTEMPTS", "1"),
    ];
    let all = [&["calibrate", "--on-lambda", "logins", "--region", "eu-north-1"], arguments].concat();
    saltern(&all, &variables)
}

/// Adds every proposed policy to the shipped document, the first as `current`, and loads the
/// document.
fn assert_loads(found: &Value, memory_budget_mib: u64) {
    let mut document: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
    let listed = document["policies"].as_array_mut().unwrap();
    let proposed = found["algorithms"].as_array().unwrap();
    assert!(!proposed.is_empty(), "{found}");
    for proposal in proposed {
        if proposal["listed_as"].is_null() {
            listed.push(proposal["policy"].clone());
        }
    }
    if proposed[0]["listed_as"].is_null() {
        document["current"] = proposed[0]["policy"]["id"].clone();
    }
    let schema = include_str!("../../../../policy/policies.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let errors: Vec<_> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}: {document}");
    let limits = Limits { workers: 1, memory_budget_bytes: memory_budget_mib << 20, ..Limits::default() };
    Policies::load(document.to_string().as_bytes(), &limits).unwrap();
}

#[test]
fn proposed_policies_stay_within_the_time_and_load_in_a_document() {
    let found = json_of(&saltern(&["calibrate", "--target-ms", "30", "--json"], &[]));
    let proposed = found["algorithms"].as_array().unwrap();
    let names: Vec<_> = proposed.iter().map(|proposal| proposal["algorithm"].as_str().unwrap()).collect();
    assert_eq!(names, ALGORITHMS);
    for proposal in proposed {
        let ms = proposal["milliseconds"].as_f64().unwrap();
        // The next step has less than twice the work, so a time far below the target would be a
        // wrong search.
        assert!((6.0..=30.0).contains(&ms) || proposal["bound_by"] != "time", "{proposal}");
        let logins = proposal["logins_per_second_per_core"].as_f64().unwrap();
        assert!((logins * ms / 1000.0 - 1.0).abs() < 1e-6, "{proposal}");
        assert!(proposal["usd_per_million"].is_null(), "{proposal}");
    }
    assert!(found["function"].is_null(), "{found}");
    assert_loads(&found, 1 << 20);
}

#[test]
fn the_measurement_uses_the_kernels_and_lanes_of_the_settings() {
    let arguments = ["calibrate", "--target-ms", "30", "--algorithm", "bcrypt", "--json"];
    for (variable, value, lanes) in [("SALTERN_KERNELS", "crates", 1), ("SALTERN_BCRYPT_LANES", "3", 3)] {
        let found = json_of(&saltern(&arguments, &[(variable, value)]));
        assert_eq!(found["algorithms"][0]["lanes"], json!(lanes), "{variable} {found}");
    }
}

#[test]
fn the_memory_of_a_function_bounds_parameters() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 15 });
    let size = ["--memory-mb", "128", "--architecture", "arm64"];
    let arguments = [&["--target-ms", "2000", "--algorithm", "argon2id", "--json"][..], &size].concat();
    let found = json_of(&on_lambda(&lambda, &arguments));
    // 128 MB without the 46 MB for the process and its event.
    assert_eq!(found["algorithms"][0]["parameters"]["memory_kib"], json!(80 * 1024), "{found}");
    assert_loads(&found, 82);
}

#[test]
fn a_function_is_measured_by_invoking_it() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 15 });
    let found = json_of(&on_lambda(&lambda, &["--target-ms", "250", "--alias", "live", "--json"]));
    let parameters: Vec<_> =
        found["algorithms"].as_array().unwrap().iter().map(|proposal| &proposal["parameters"]).collect();
    // From the formula of the stub, computed by hand.
    let expected = [
        json!({"memory_kib": 224 * 1024, "passes": 1, "parallelism": 1}),
        json!({"log_n": 17, "r": 8, "p": 1}),
        json!({"cost": 12}),
        json!({"iterations": 1_200_000}),
        json!({"iterations": 500_000}),
    ];
    assert_eq!(parameters, expected.iter().collect::<Vec<_>>());
    let bcrypt = &found["algorithms"][2];
    assert!((bcrypt["milliseconds"].as_f64().unwrap() - 204.8).abs() < 1e-9, "{bcrypt}");
    // 1769 / 1024 × 205 ms × 0.0000133334 × 10^6 + 0.20. Eight at once take twice as long.
    let number = |name: &str| bcrypt[name].as_f64().unwrap();
    assert!((number("usd_per_million") - 4.92).abs() < 0.01, "{bcrypt}");
    assert!((number("logins_per_second_per_core_in_lanes") - 8000.0 / 409.6).abs() < 1e-6, "{bcrypt}");
    assert_eq!(found["function"], json!({"memory_mb": 1769, "architecture": "arm64"}));
    assert_loads(&found, 1723);

    let calls = lambda.calls();
    assert!((50..500).contains(&calls.len()), "{} calls", calls.len());
    for (number, call) in calls.iter().enumerate() {
        let (method, of) = if number == 0 { ("GET", "configuration") } else { ("POST", "invocations") };
        let path = format!("/2015-03-31/functions/logins/{of}?Qualifier=live");
        assert_eq!((call.method.as_str(), call.path.as_str()), (method, path.as_str()));
        let authorization = call.header("authorization").unwrap();
        assert!(authorization.contains("/eu-north-1/lambda/aws4_request"), "{authorization}");
    }
    let count =
        |part: &str| calls.iter().filter(|call| String::from_utf8_lossy(&call.body).contains(part)).count();
    // The policy of the function is hashed, one by one; others are verified.
    assert_eq!((count("\"rawPath\":\"/policies\""), count("\"rawPath\":\"/hash\"")), (1, 6));
    assert!(count("\"rawPath\":\"/verify\"") > 50 && count("\"rawPath\":\"/batch\"") > 50);
}

#[test]
fn the_size_of_a_function_is_not_read_if_the_arguments_give_it() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 15 });
    let size =
        ["--memory-mb", "3538", "--arch", "x86_64", "--target-ms", "50", "--algorithm", "bcrypt", "--json"];
    let found = json_of(&on_lambda(&lambda, &size));
    assert_eq!(found["function"], json!({"memory_mb": 3538, "architecture": "x86_64"}));
    let calls = lambda.calls();
    assert!(calls.iter().all(|call| call.method == "POST"));
    // A batch fills the lanes of both virtual CPUs. Of the stub's eight lanes each has four.
    let operations = |call: &Request| call.body.windows(6).filter(|part| part == b"\\\"op\\\"").count();
    assert_eq!(calls.iter().map(operations).max(), Some(2 * 6));
}

#[test]
fn parameters_that_the_function_refuses_are_not_proposed() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 9 });
    let output = on_lambda(&lambda, &["--target-ms", "250", "--algorithm", "bcrypt"]);
    assert!(output.status.success(), "{}", error_of(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("Nothing here meets OWASP's minimum within 250 ms"), "{text}");
    for part in ["cost 9", "BELOW", "function_ceiling", "\"cost\": 9", "Below the minimum"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_recommendation_has_a_reason_and_the_time_in_lanes() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 15 });
    let output = on_lambda(&lambda, &["--target-ms", "250", "--algorithm", "bcrypt"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "Use bcrypt with cost 12: 205 ms, 4.9 logins a second and core.",
        // 57.97 USD; eight at once take 0.4096 s.
        "An attacker pays 58.0 USD for 10^9 guesses, which is 1,132 USD for each second of a core that a login takes in lanes.",
        " 409.6 ",
        // The shipped document has these parameters, so a second entry would be refused.
        "already lists bcrypt with cost 12, as bcrypt-12-2023: there is nothing to add",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("\"cost\": 12"), "{text}");
}

/// The stub's argon2id with 224 MiB and one pass takes 229 ms, and has no lanes. Eight bcrypt-12 at
/// once take 410 ms.
#[test]
fn the_price_of_a_guess_for_a_second_of_a_core_ranks() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 15 });
    let arguments = ["--target-ms", "250", "--algorithm", "argon2id,bcrypt", "--json"];
    let found = json_of(&on_lambda(&lambda, &arguments));
    assert_eq!(found["recommended"], "bcrypt");
    let [argon2id, bcrypt] = found["algorithms"].as_array().unwrap().as_slice() else { panic!("{found}") };
    let usd = 1e9 / 1_437.5 / 3600.0 * 0.30;
    for (name, expected) in [("usd_per_billion_guesses", usd), ("usd_per_core_second", usd * 8.0 / 0.4096)] {
        assert!((bcrypt[name].as_f64().unwrap() / expected - 1.0).abs() < 1e-9, "{name}: {bcrypt}");
    }
    assert_eq!(argon2id["memory_mib_of_all_workers"], 224);
    assert_eq!(found["notes"], json!([]));
    let text = String::from_utf8(on_lambda(&lambda, &arguments[..arguments.len() - 1]).stdout).unwrap();
    // The rate of argon2id is scaled roughly, that of bcrypt is not.
    let rows: Vec<_> = text.lines().filter(|line| line.contains(" meets ")).collect();
    let [argon2id, bcrypt] = rows.as_slice() else { panic!("{text}") };
    assert!(argon2id.contains('≈') && !bcrypt.contains('≈') && bcrypt.contains(" 1,132 "), "{text}");
}

/// argon2id with 20 MiB and 12 passes has 278 USD for each second of a core. bcrypt-12 alone has
/// 283, and its run in lanes exceeds the deadline.
#[test]
fn between_nearly_equal_prices_the_order_of_owasp_decides() {
    let lambda = Lambda::start(Mood::EndingAfter { ms: 300.0 });
    let document = narrow_document("nearly-the-most");
    let narrowed = ["--policies", &document, "--memory-budget-mib", "20", "--workers", "1"];
    let arguments = [&["--target-ms", "250", "--algorithm", "argon2id,bcrypt"][..], &narrowed].concat();
    let output = on_lambda(&lambda, &arguments);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        text.starts_with("Use argon2id with memory_kib 20480, passes 12, parallelism 1: "),
        "{text}{}",
        error_of(&output)
    );
}

/// Writes a policy document with one weak bcrypt policy, which low ceilings and little memory
/// admit.
fn narrow_document(name: &str) -> String {
    let mut document: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
    let policy =
        document["policies"].as_array().unwrap().iter().find(|policy| policy["algorithm"] == "bcrypt");
    let mut policy = policy.unwrap().clone();
    (policy["id"], policy["cost"], policy["status"]) = (json!("weak"), json!(8), json!("active"));
    (document["policies"], document["current"], document["decoy"]) =
        (json!([policy]), json!("weak"), json!("weak"));
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    fs::write(&file, document.to_string()).unwrap();
    file.into_os_string().into_string().unwrap()
}

#[test]
fn a_refused_cost_is_bound_by_the_function_s_ceiling_and_not_by_time() {
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 12 });
    let bound_by = |target: &str| {
        let found = json_of(&on_lambda(&lambda, &["--target-ms", target, "--algorithm", "bcrypt", "--json"]));
        let bcrypt = &found["algorithms"][0];
        (bcrypt["parameters"]["cost"].clone(), bcrypt["bound_by"].clone())
    };
    assert_eq!(bound_by("250"), (json!(12), json!("time")));
    // Cost 15 fits the time, and the local document admits it.
    assert_eq!(bound_by("2000"), (json!(12), json!("function_ceiling")));
}

#[test]
fn a_cost_beyond_the_function_s_deadline_is_bound_by_the_deadline() {
    for mood in [Mood::EndingAfter { ms: 300.0 }, Mood::TimingOutAfter { ms: 300.0 }] {
        let lambda = Lambda::start(mood);
        let asked = ["--target-ms", "2000", "--algorithm", "bcrypt"];
        let found = json_of(&on_lambda(&lambda, &[&asked[..], &["--json"]].concat()));
        let bcrypt = &found["algorithms"][0];
        assert_eq!(
            (&bcrypt["parameters"]["cost"], &bcrypt["bound_by"]),
            (&json!(12), &json!("function_deadline"))
        );
        let text = String::from_utf8(on_lambda(&lambda, &asked).stdout).unwrap();
        assert!(text.contains(" function_deadline "), "{text}");
    }
}

#[test]
fn if_two_at_once_exceed_the_deadline_the_function_has_no_lanes() {
    // Cost 12 takes 205 ms, and two at once take 410 ms.
    let lambda = Lambda::start(Mood::EndingAfter { ms: 300.0 });
    let found = json_of(&on_lambda(&lambda, &["--target-ms", "250", "--algorithm", "bcrypt", "--json"]));
    let bcrypt = &found["algorithms"][0];
    assert_eq!((&bcrypt["parameters"]["cost"], &bcrypt["bound_by"]), (&json!(12), &json!("time")));
    assert_eq!((&bcrypt["lanes"], &bcrypt["milliseconds_in_lanes"]), (&json!(1), &bcrypt["milliseconds"]));
}

#[test]
fn the_limit_of_a_ladder_on_this_machine_has_a_name() {
    let bound_by = |arguments: &[&str]| {
        let found =
            json_of(&saltern(&[&["calibrate", "--target-ms", "100", "--json"], arguments].concat(), &[]));
        found["algorithms"][0]["bound_by"].clone()
    };
    let document = narrow_document("what-ends-a-ladder");
    let narrowed = ["--policies", &document];
    let ceiling = ["--algorithm", "bcrypt", "--ceiling", "bcrypt_cost=8"];
    assert_eq!(bound_by(&[&ceiling[..], &narrowed].concat()), "ceiling");
    let memory = ["--algorithm", "argon2id", "--memory-budget-mib", "5", "--workers", "1"];
    assert_eq!(bound_by(&[&memory[..], &narrowed].concat()), "memory");
}

#[test]
fn a_function_calibrates_a_document_without_bcrypt() {
    let mut document: Value = serde_json::from_slice(saltern_policy::SHIPPED).unwrap();
    let policies = document["policies"].as_array_mut().unwrap();
    policies.retain(|policy| policy["algorithm"] == "argon2id");
    document["ceilings"]["bcrypt_cost"]["max"] = json!(0);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("argon2id-only.json");
    fs::write(&file, document.to_string()).unwrap();
    let lambda = Lambda::start(Mood::Measuring { most_bcrypt_cost: 15 });
    let arguments = ["--target-ms", "250", "--algorithm", "argon2id", "--json", "--policies"];
    let arguments = [&arguments[..], &[file.to_str().unwrap()]].concat();
    let found = json_of(&on_lambda(&lambda, &arguments));
    assert_eq!(found["algorithms"][0]["parameters"]["memory_kib"], json!(224 * 1024), "{found}");
}

#[test]
fn a_failure_is_one_sentence_with_an_advice() {
    let not_found = r#"{"statusCode":404,"headers":{},"body":"{}","isBase64Encoded":false}"#;
    let killed =
        r#"{"errorType":"Runtime.ExitError","errorMessage":"Runtime exited with error: signal: killed"}"#;
    for (mood, code, part) in [
        (Mood::Failing { status: 503, code: "overloaded" }, 71, "overloaded: from the stub"),
        (Mood::Saying { error: false, payload: not_found }, 64, "does not answer as Saltern does"),
        (Mood::Saying { error: false, payload: "\"hello\"" }, 64, "deploy this version of Saltern"),
        (Mood::Saying { error: true, payload: killed }, 71, "signal: killed"),
        (Mood::Refusing { status: 404, code: "ResourceNotFoundException" }, 71, "Exception: from the stub"),
        (Mood::Refusing { status: 403, code: "UnrecognizedClientException" }, 64, "AWS_ACCESS_KEY_ID"),
        (Mood::Refusing { status: 500, code: "ServiceException" }, 71, "Try again"),
    ] {
        let lambda = Lambda::start(mood);
        let output = on_lambda(&lambda, &["--target-ms", "250"]);
        let sentence = error_of(&output);
        assert_eq!(output.status.code(), Some(code), "{sentence}");
        assert!(sentence.contains(part), "{part} in {sentence}");
        assert_eq!((sentence.lines().count(), output.stdout.len()), (1, 0), "{sentence}");
        assert!(!sentence.contains("example-secret-key") && !sentence.contains("AKIAEXAMPLE"), "{sentence}");
    }
}

#[test]
fn invalid_arguments_are_refused() {
    for (arguments, part) in [
        (&["--target-ms", "250ms"][..], "--target-ms"),
        (&["--target-ms", "4"], "5..=5000"),
        (&["--target-ms", "5001"], "5..=5000"),
        (&[], "--target-ms"),
        (&["--target-ms", "250", "--algorithm", "md5"], "argon2id"),
        (&["--target-ms", "250", "--algorithm", "sha512-crypt"], "possible values: argon2id, scrypt"),
        (&["--target-ms", "250", "--algorithm", "pbkdf2-sha1"], "possible values: argon2id, scrypt"),
        (&["--target-ms", "250", "--memory-mb", "64"], "128"),
        (&["--target-ms", "250", "--on-lambda", "logins"], "the region of the function is unknown"),
        (&["--target-ms", "250", "--memory-budget-mib", "8"], "argon2id-2026"),
        (&["--target-ms", "250", "--memory-mb", "128", "--architecture", "arm64"], "--on-lambda"),
        (&["--target-ms", "250", "--on-lambda", "logins", "--memory-mb", "128"], "--architecture"),
    ] {
        let isolated = [("AWS_EC2_METADATA_DISABLED", "true"), ("AWS_CONFIG_FILE", "/dev/null")];
        let output = saltern(&[&["calibrate"], arguments].concat(), &isolated);
        let sentence = error_of(&output);
        assert_eq!(output.status.code(), Some(64), "{arguments:?} {sentence}");
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
}
