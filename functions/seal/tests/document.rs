//! The rules of the document of keys. Each refusal names a place, and quotes no key.

use saltern_seal::{Document, KeyEntry, Keys, MAX_DOCUMENT_BYTES, NoRandomness, Randomness};

#[test]
fn a_document_with_every_member_is_read() {
    let keys = Keys::parse(
        format!(
            r#"{{"current": "b-2", "require": true, "keys": [{}, {{"id": "b-2", "key": "{TWO}", "context": true}}],
                "site_keys": [{{"id": "old-site", "key": "cGVwcGVy"}}]}}"#,
            entry("a", ONE)
        )
        .as_bytes(),
    )
    .unwrap();
    let listed: Vec<_> = keys.list().iter().map(|key| (key.id(), key.wants_context())).collect();
    assert_eq!(listed, [("a", false), ("b-2", true)]);
    assert_eq!((keys.current().id(), keys.requires_seal()), ("b-2", true));
}

#[test]
fn padding_may_be_left_out() {
    let [padded, bare] =
        [ONE, ONE.trim_end_matches('=')].map(|key| parse(&one("a", &entry("a", key))).unwrap());
    assert_eq!(padded.current().check_value(), bare.current().check_value());
}

#[test]
fn a_faulty_document_is_refused_without_a_part_of_it() {
    let both = |second: &str| format!("{}, {second}", entry("a", ONE));
    for (document, sentence) in [
        (one("b", &entry("a", ONE)), "`current` names no key"),
        (one("a", ""), "`current` names no key"),
        (one("a", &both(&entry("a", TWO))), "key 2 of `keys`: an earlier key has this id"),
        (one("a", &both(&entry("b", ONE))), "key 2 of `keys`: an earlier key has this value"),
        (
            one("a", &both(&entry("b", ONE.trim_end_matches('=')))),
            "key 2 of `keys`: an earlier key has this value",
        ),
        (one("a", &entry("a", &ONE[..40])), "key 1 of `keys`: write 32 bytes"),
        (one("a", &entry("a", "")), "key 1 of `keys`: write 32 bytes"),
        (one("a", &entry("a", &format!("{}{TWO}", &ONE[..40]))), "key 1 of `keys`: write 32 bytes"),
        (one("a", &entry("a", &ONE.replace('E', "-"))), "key 1 of `keys`: write 32 bytes"),
        // The last character has a bit that belongs to no byte.
        (one("a", &entry("a", &ONE.replace("E=", "F="))), "key 1 of `keys`: write 32 bytes"),
        (one("A", &entry("A", ONE)), "key 1 of `keys`: write an id"),
        (one("", &entry("", ONE)), "key 1 of `keys`: write an id"),
        (one("a", &entry(&"a".repeat(33), ONE)), "key 1 of `keys`: write an id"),
        (one("a", &entry("a b", ONE)), "key 1 of `keys`: write an id"),
        (with_site_keys(&entry("", ONE)), "key 1 of `site_keys`: write an id"),
        (with_site_keys(&entry("s", "")), "key 1 of `site_keys`: write 1 to 1024 bytes"),
        (with_site_keys(&entry("s", "*")), "key 1 of `site_keys`: write 1 to 1024 bytes"),
        (with_site_keys(&entry("s", &"AAAA".repeat(342))), "key 1 of `site_keys`: write 1 to 1024 bytes"),
        (
            with_site_keys(&format!("{}, {}", entry("s", ONE), entry("s", TWO))),
            "key 2 of `site_keys`: an earlier",
        ),
    ] {
        assert_refused(&document, sentence);
    }
    for malformed in [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        format!("\"{ONE}\""),
        format!("{{\"{ONE}\": 1}}"),
        format!(r#"{{"current": "a"}} {ONE}"#),
        format!(r#"{{"current": ["{ONE}"], "keys": []}}"#),
        format!(r#"{{"keys": [{}]}}"#, entry("a", ONE)),
        r#"{"current": "a"}"#.to_owned(),
        one("a", &format!(r#"{{"id": "a", "key": "{ONE}", "{ONE}": 1}}"#)),
        one("a", &format!(r#"{{"id": "a", "key": "{ONE}", "key": "{ONE}"}}"#)),
        one("a", &format!(r#"{{"id": "a", "key": "{ONE}", "context": "{ONE}"}}"#)),
        one("a", r#"{"id": "a"}"#),
        one("a", r#"{"id": "a", "key": null}"#),
        one("a", &entry("a", ONE)).replace("\"keys\"", "\"current\": \"a\", \"keys\""),
        one("a", &entry("a", ONE)) + "{}",
    ] {
        assert_refused(&malformed, "line 1, column ");
    }
}

#[test]
fn a_printed_document_is_read_again_with_every_member() {
    let text = format!(
        r#"{{"current": "a", "require": true, "keys": [{}, {{"id": "b", "key": "{TWO}", "context": true}}],
            "site_keys": [{}]}}"#,
        entry("a", ONE),
        entry("s", ONE)
    );
    let printed = Document::parse(text.as_bytes()).unwrap().print();
    let [given, again] =
        [text.as_bytes(), &printed].map(|text| serde_json::from_slice::<serde_json::Value>(text).unwrap());
    assert_eq!(given["keys"][1], again["keys"][1]);
    assert_eq!((&given["site_keys"], &given["require"]), (&again["site_keys"], &again["require"]));
    assert!(Keys::parse(&printed).is_ok() && printed.len() < MAX_DOCUMENT_BYTES);
}

#[test]
fn a_new_key_has_32_random_bytes() {
    let made = |randomness: Randomness| KeyEntry::fresh("a", false, randomness);
    let document = Document::new(
        made(|buffer| {
            buffer.fill(7);
            Ok(())
        })
        .unwrap(),
        false,
    );
    let expected = parse(&one("a", &entry("a", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="))).unwrap();
    assert_eq!(Keys::of(&document).unwrap().current().check_value(), expected.current().check_value());
    assert_eq!(made(|_| Err(NoRandomness)).unwrap_err(), NoRandomness);
}

#[track_caller]
fn assert_refused(document: &str, sentence: &str) {
    let said = parse(document).unwrap_err();
    assert!(said.contains(sentence), "{document}: {said}");
    for part in [&ONE[..12], &TWO[..12]] {
        assert!(!said.contains(part), "{said}");
    }
}

fn parse(document: &str) -> Result<Keys, String> {
    Keys::parse(document.as_bytes()).map_err(|error| error.to_string())
}

fn one(current: &str, keys: &str) -> String {
    format!(r#"{{"current": "{current}", "keys": [{keys}]}}"#)
}

fn with_site_keys(site_keys: &str) -> String {
    format!(r#"{{"current": "a", "keys": [{}], "site_keys": [{site_keys}]}}"#, entry("a", ONE))
}

fn entry(id: &str, key: &str) -> String {
    format!(r#"{{"id": "{id}", "key": "{key}"}}"#)
}

/// 32 bytes of one and of two.
const ONE: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const TWO: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";
