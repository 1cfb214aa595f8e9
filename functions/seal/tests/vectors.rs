//! The vectors of another implementation, and every way to damage one of them.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU8, Ordering},
};

use saltern_seal::{
    Context, Keys, MAX_SEALED_BYTES, NoRandomness, NotOpened, NotSealed, OLDER_KEY, Sealed, UNSEALED,
};
use saltern_vectors::{Seal, Tests, Topic, for_each};

#[test]
fn every_vector_opens_or_is_refused_with_its_code() {
    let keys = keys();
    let ran = for_each(Topic::Seal, |vector: &Seal| {
        let context = vector.context.as_deref().and_then(Context::new);
        let opened = keys.open(&vector.hash, context.as_ref());
        assert_eq!(
            opened.as_ref().map_or_else(|defect| code(*defect), |_| "opens"),
            vector.result,
            "{vector:?}"
        );
        if let Ok(opened) = opened {
            assert_eq!(Some(opened.text.as_str()), vector.text.as_deref(), "{vector:?}");
        }
        if let Ok(sealed) = Sealed::parse(&vector.hash) {
            assert_eq!(sealed.to_string(), vector.hash, "the string has one form");
        }
    });
    assert!(ran > 80, "{ran}");
}

#[test]
fn the_key_check_values_are_those_of_another_implementation() {
    let Tests::Seal { check_values, .. } = group() else { unreachable!() };
    let keys = keys();
    let own = keys.list().iter().map(|key| (key.id().to_owned(), key.check_value().to_owned()));
    assert_eq!(own.collect::<std::collections::BTreeMap<_, _>>(), check_values);
    assert_eq!(keys.current().check_value(), "b66a944a");
}

#[test]
fn the_contracts_nonce_makes_the_contracts_string() {
    let keys = keys().drawing_from(|buffer| {
        (0xa0..).zip(buffer).for_each(|(value, byte)| *byte = value);
        Ok(())
    });
    let vector = known();
    let text = vector.text.as_deref().unwrap();
    assert_eq!(keys.seal(text, context(&vector).as_ref()), Ok(vector.hash));
}

/// No damaged seal opens. Most are broken; the others have no canonical form or no listed key.
#[test]
fn no_seal_with_a_flipped_bit_opens() {
    let (keys, vector) = (keys(), known());
    let mut codes = BTreeSet::new();
    for index in 0..vector.hash.len() {
        for bit in 0..8 {
            let mut bytes = vector.hash.clone().into_bytes();
            bytes[index] ^= 1 << bit;
            let Ok(damaged) = String::from_utf8(bytes) else { continue };
            let defect = keys.open(&damaged, context(&vector).as_ref()).expect_err(&damaged);
            assert_ne!(defect, NotOpened::ContextMissing, "{damaged}");
            codes.insert(code(defect));
        }
    }
    assert_eq!(codes, ["invalid_hash", "key_unavailable", "seal_broken", "unsupported_hash"].into());
}

#[test]
fn no_part_of_a_seal_opens() {
    let (keys, vector) = (keys(), known());
    for length in 0..vector.hash.len() {
        for part in [&vector.hash[..length], &vector.hash[vector.hash.len() - length..]] {
            assert!(keys.open(part, context(&vector).as_ref()).is_err(), "{part}");
        }
    }
}

#[test]
fn a_seal_opens_in_its_own_row_only() {
    let keys = keys();
    let [ann, bob] = ["ann", "bob"].map(Context::new);
    let sealed = keys.seal("$2b$04$hash", ann.as_ref()).unwrap();
    assert_eq!(keys.open(&sealed, ann.as_ref()).unwrap().text.as_str(), "$2b$04$hash");
    assert_eq!(keys.open(&sealed, bob.as_ref()).unwrap_err(), NotOpened::Broken);
    assert_eq!(keys.open(&sealed, None).unwrap_err(), NotOpened::ContextMissing);
    assert_eq!(keys.seal("$2b$04$hash", None), Err(NotSealed::ContextMissing));
}

#[test]
fn a_key_before_the_current_one_is_older_and_one_after_it_is_not() {
    let [first, second] = ["first", "second"].map(|current| {
        let [a, b] = [1, 2].map(|byte: u8| base64(&[byte; 32]));
        let document = format!(
            r#"{{"current": "{current}", "keys": [{{"id": "first", "key": "{a}"}}, {{"id": "second", "key": "{b}"}}]}}"#
        );
        Keys::parse(document.as_bytes()).unwrap()
    });
    let [older, newer] = [&first, &second].map(|keys| keys.seal("hash", None).unwrap());
    for (keys, sealed, is_older) in
        [(&first, &older, false), (&first, &newer, false), (&second, &older, true), (&second, &newer, false)]
    {
        let opened = keys.open(sealed, None).unwrap();
        assert_eq!((opened.is_older, opened.text.as_str()), (is_older, "hash"), "{sealed}");
        let unsealed = keys.unseal(sealed, None).unwrap();
        assert_eq!(
            (unsealed.due, unsealed.text.as_str()),
            (is_older.then_some(OLDER_KEY), "hash"),
            "{sealed}"
        );
    }
}

#[test]
fn a_hash_without_a_seal_stays_as_it_is_or_is_refused() {
    let [allowing, requiring] = ["false", "true"].map(|require| {
        let key = base64(&[1; 32]);
        let document =
            format!(r#"{{"current": "a", "keys": [{{"id": "a", "key": "{key}"}}], "require": {require}}}"#);
        Keys::parse(document.as_bytes()).unwrap()
    });
    let unsealed = allowing.unseal("hash", None).unwrap();
    assert_eq!((unsealed.text.as_str(), unsealed.due), ("hash", Some(UNSEALED)));
    assert!(unsealed.key.is_none());
    assert_eq!(requiring.unseal("hash", None).unwrap_err(), NotOpened::SealRequired);
    let sealed = requiring.seal("hash", None).unwrap();
    assert!(requiring.unseal(&sealed, None).unwrap().due.is_none());
}

#[test]
fn each_seal_has_its_own_nonce() {
    let keys = keys();
    let context = Context::new("7");
    let seals: BTreeSet<_> = (0..1000).map(|_| keys.seal("hash", context.as_ref()).unwrap()).collect();
    assert_eq!(seals.len(), 1000);
}

#[test]
fn without_randomness_there_is_no_seal() {
    let keys = keys().drawing_from(|_| Err(NoRandomness));
    assert_eq!(keys.seal("hash", Context::new("7").as_ref()), Err(NotSealed::NoRandomness));
}

#[test]
fn only_what_can_be_a_stored_hash_is_sealed() {
    let (keys, context) = (keys(), Context::new("7"));
    for text in ["", &"x".repeat(1025), "$saltern-seal$", &known().hash] {
        assert_eq!(keys.seal(text, context.as_ref()), Err(NotSealed::NotAHash), "{text}");
    }
    let longest = keys.seal(&"x".repeat(1024), context.as_ref()).unwrap();
    assert!(longest.len() <= MAX_SEALED_BYTES && keys.open(&longest, context.as_ref()).is_ok());
}

#[test]
fn debug_shows_no_key_and_no_hash() {
    let (keys, vector) = (keys(), known());
    let opened = keys.open(&vector.hash, context(&vector).as_ref()).unwrap();
    let document = saltern_seal::Document::parse(document().as_bytes()).unwrap();
    let shown = format!(
        "{keys:?} {opened:?} {document:?} {:?} {:?}",
        context(&vector),
        Sealed::parse(&vector.hash).unwrap()
    );
    let secrets = document_secrets();
    assert!(secrets.len() >= 3 && shown.contains("2026a"), "{shown}");
    for secret in
        secrets.iter().map(String::as_str).chain(["$2b$06$", "user-7", "oKGio6Slpqeoqaqr", "[0, 1, 2"])
    {
        assert!(!shown.contains(secret), "{shown}");
    }
}

/// Inputs that a parser of other texts would accept.
#[test]
fn a_text_that_is_no_stored_hash_comes_back_as_it_is() {
    static ROUND: AtomicU8 = AtomicU8::new(0);
    let keys = keys().drawing_from(|buffer| {
        buffer.fill(ROUND.fetch_add(1, Ordering::Relaxed));
        Ok(())
    });
    let context = Context::new("7");
    for text in ["x", "$", "null", "\u{0}", "$2b$06$short", "é", "$saltern-wrap$"] {
        let sealed = keys.seal(text, context.as_ref()).unwrap();
        assert_eq!(keys.open(&sealed, context.as_ref()).unwrap().text.as_str(), text);
    }
}

fn code(defect: NotOpened) -> &'static str {
    match defect {
        NotOpened::Broken => "seal_broken",
        NotOpened::ContextMissing => "invalid_request",
        NotOpened::KeyUnavailable => "key_unavailable",
        NotOpened::Malformed => "invalid_hash",
        NotOpened::SealRequired | NotOpened::Unsupported => "unsupported_hash",
    }
}

fn group() -> Tests {
    Topic::Seal.load().test_groups.remove(0).tests
}

/// The document of keys of the vectors.
fn document() -> String {
    let Tests::Seal { keys, .. } = group() else { unreachable!() };
    keys.to_string()
}

/// The texts of the keys.
fn document_secrets() -> Vec<String> {
    let document = document();
    document
        .split("\"key\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect()
}

fn keys() -> Keys {
    Keys::parse(document().as_bytes()).unwrap()
}

/// The contract's vector.
fn known() -> Seal {
    let Tests::Seal { tests, .. } = group() else { unreachable!() };
    tests.into_iter().find(|vector| vector.flags == ["Known"]).unwrap()
}

fn context(vector: &Seal) -> Option<Context> {
    vector.context.as_deref().and_then(Context::new)
}

fn base64(bytes: &[u8]) -> String {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    BASE64_STANDARD.encode(bytes)
}
