//! Secrets in a layer: KMS decrypts them once, at the start.

use crate::{
    answers::Scratch,
    support::{Function, SOON, bootstrap},
};
use saltern_stubs::{
    kms::{Behaviour, Document, Kms},
    lambda::{Environment, RuntimeApi},
};
use serde_json::{Value, json};

#[test]
fn keys_are_decrypted_once_and_seal_and_open_hashes() {
    let layer = Layer::new("keys");
    let function = Function::start_with(&layer.variables(&SEAL_KEYS));
    assert_eq!(layer.kms.calls(), 1);
    let made = function.request("POST", "/hash", &json!({"password": "p", "context": "user-7"}));
    let hash = made.body["hash"].as_str().unwrap();
    assert!(hash.starts_with("$saltern-seal$v=1,k=2026a$"), "{made:?}");
    let verify = |hash: &str, context: &str| {
        let body = json!({"password": "p", "hash": hash, "rehash": true, "context": context});
        function.request("POST", "/verify", &body)
    };
    for _ in 0..20 {
        let verified = verify(hash, "user-7").body;
        assert_eq!((&verified["match"], &verified["needs_rehash"]), (&json!(true), &json!(false)));
    }
    verify(hash, "user-8").assert_problem(422, "seal_broken");
    verify(&hash.replace("2026a", "2024"), "user-7").assert_problem(503, "key_unavailable");
    assert_eq!(layer.kms.calls(), 1, "a request called KMS");
    let output = function.stop();
    assert!(output.stdout.contains("\"seal_key\":\"2026a\""), "{output:?}");
    for secret in [KEY, hash] {
        assert!(!output.stdout.contains(secret) && !output.stderr.contains(secret), "{output:?}");
    }
}

#[test]
fn a_firebase_project_is_decrypted_too() {
    let layer = Layer::new("firebase");
    let function = Function::start_with(&layer.variables(&[SEAL_KEYS[0], FIREBASE_PROJECT]));
    assert_eq!(layer.kms.calls(), 2, "one call for each secret");
    for (password, matches) in [("user1password", true), ("user2password", false)] {
        let body = json!({"password": password, "hash": FIREBASE_HASH});
        let verified = function.request("POST", "/verify", &body);
        assert_eq!(verified.body["match"], json!(matches), "{verified:?}");
    }
    assert!(!function.stop().stdout.contains("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH"));
}

#[test]
fn a_start_without_kms_fails_with_a_sentence_and_a_running_function_goes_on() {
    let layer = Layer::new("no-kms");
    let running = Function::start_with(&layer.variables(&SEAL_KEYS));
    let wrong_keys = ("SALTERN_SEAL_KEYS", "wrong.kms");
    for (behaviour, secret, sentence) in [
        (Behaviour::Denies, SEAL_KEYS[0], "keys.kms (refused, AccessDeniedException): encrypt the file for"),
        (Behaviour::Disconnects, SEAL_KEYS[0], "keys.kms (not reached, or no credentials): encrypt"),
        (Behaviour::Decrypts, ("SALTERN_SEAL_KEYS", "plain"), "plain (refused, InvalidCiphertextException)"),
        (Behaviour::Decrypts, ("SALTERN_SEAL_KEYS", "offline.kms"), "(refused, InvalidCiphertextException)"),
        (Behaviour::Decrypts, ("SALTERN_SEAL_KEYS", "none.kms"), "none.kms cannot be read"),
        (Behaviour::Decrypts, wrong_keys, "wrong.kms: `current` names no key of `keys`"),
        (Behaviour::Decrypts, ("SALTERN_FIREBASE_PROJECT", "keys.kms"), "keys.kms: copy the text of"),
    ] {
        layer.kms.behave(behaviour);
        let api = RuntimeApi::start().unwrap();
        let variables = layer.variables(&[secret]);
        let output = Environment::start(&bootstrap(), &api, &variables).unwrap().wait(SOON).unwrap();
        assert!(!output.status.success() && output.stderr.lines().count() == 1, "{output:?}");
        assert!(output.stderr.starts_with("bootstrap: ") && output.stderr.contains(sentence), "{output:?}");
        assert!(!output.stderr.contains(KEY), "{output:?}");
        let reported: Value = serde_json::from_slice(&api.init_error(SOON).unwrap()).unwrap();
        assert!(reported["errorMessage"].as_str().unwrap().contains(sentence), "{reported}");
    }
    layer.kms.behave(Behaviour::Disconnects);
    let made = running.request("POST", "/hash", &json!({"password": "p", "context": "user-7"}));
    assert_eq!(made.status, 200, "{made:?}");
}

/// A layer with encrypted files, and the KMS that decrypts them.
pub(crate) struct Layer {
    /// Removed after the test.
    _directory: Scratch,
    kms: Kms,
    endpoint: String,
    paths: Vec<(&'static str, String)>,
}

impl Layer {
    pub(crate) fn new(name: &str) -> Self {
        let keys = |current: &str| {
            json!({
                "current": current,
                "keys": [{"id": "2026a", "key": KEY, "context": true}],
            })
            .to_string()
        };
        let document = |name: &str, purpose: &str, plaintext: String| Document {
            ciphertext: format!("ciphertext of {name}").into_bytes(),
            plaintext: plaintext.into_bytes(),
            context: json!({"function": "saltern", "purpose": purpose}),
        };
        let documents = [
            ("keys.kms", document("keys.kms", "serve", keys("2026a"))),
            ("offline.kms", document("offline.kms", "offline", keys("2026a"))),
            ("wrong.kms", document("wrong.kms", "serve", keys("2025"))),
            ("firebase.kms", document("firebase.kms", "serve", PROJECT.to_owned())),
        ];
        let directory = Scratch::new(&format!("layer-{name}"));
        for (name, document) in &documents {
            directory.write(name, str::from_utf8(&document.ciphertext).unwrap());
        }
        directory.write("plain", &keys("2026a"));
        let names = ["keys.kms", "offline.kms", "wrong.kms", "firebase.kms", "plain", "none.kms"];
        let paths = names.map(|name| (name, directory.path(name))).to_vec();
        let kms = Kms::start(&documents.map(|(_, document)| document)).unwrap();
        Self { endpoint: kms.endpoint(), _directory: directory, kms, paths }
    }

    /// The variables of a function with these secrets, by their names in the layer.
    pub(crate) fn variables<'a>(&'a self, secrets: &[(&'a str, &str)]) -> Vec<(&'a str, &'a str)> {
        let path = |wanted: &str| {
            let found = self.paths.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, path)| path.as_str()).unwrap()
        };
        let mut variables = vec![
            ("AWS_REGION", "eu-north-1"),
            ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", "an example of a key"),
            ("AWS_ENDPOINT_URL_KMS", self.endpoint.as_str()),
            ("SALTERN_DISTRIBUTIONS", "printed"),
        ];
        variables.extend(secrets.iter().map(|(variable, name)| (*variable, path(name))));
        variables
    }
}

pub(crate) const SEAL_KEYS: [(&str, &str); 1] = [("SALTERN_SEAL_KEYS", "keys.kms")];

const FIREBASE_PROJECT: (&str, &str) = ("SALTERN_FIREBASE_PROJECT", "firebase.kms");

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// The project and the user that <https://github.com/firebase/scrypt> publishes.
const PROJECT: &str = "hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
";
const FIREBASE_HASH: &str = "$fbscrypt$v=1,n=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";
