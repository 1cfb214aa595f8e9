//! Hashes of passwords that a site prepared: their peppers and their verdicts.

use saltern_policy::{Refusal, RehashReason, Verdict};

use crate::support::{judge, judge_with, policies};

/// libxcrypt made these hashes.
const SALT: &str = "$2b$05$abcdefghijklmnopqrstuu";

fn appended(output: &str) -> String {
    format!("$saltern-prep$v=1,p=pepper-append,k=site${SALT}{output}")
}

fn prepended(output: &str) -> String {
    format!("$saltern-prep$v=1,p=pepper-prepend,k=site${SALT}{output}")
}

fn with_pepper(stored: &str, password: &str) -> Verdict {
    judge_with(&policies(""), stored, password, &[("other", b"x"), ("site", b"site pepper")])
}

#[test]
fn a_match_of_a_prepared_password_is_replaced_by_a_plain_hash() {
    // bcrypt of the MD5 in hexadecimal.
    let stored = format!("$saltern-prep$v=1,p=md5-hex${SALT}kwmtBCisHk0zb6Hu53ELq3z.q5OLjDi");
    let of_md5 = judge(&policies(""), &stored, "saltern");
    assert_eq!((of_md5.policy, of_md5.rehash), (None, Some(RehashReason::OtherAlgorithm)));
    for stored in [appended("oNsaREdiynvrBMjXoPbQV5VGLjp9yAS"), prepended(".iHh6ThHRN8WRfUlqv2TCvvhNRNI6FK")]
    {
        let verdict = with_pepper(&stored, "saltern");
        assert_eq!((verdict.policy, verdict.rehash), (None, Some(RehashReason::OtherAlgorithm)), "{stored}");
        assert!(!with_pepper(&stored, "Saltern").matches, "{stored}");
        assert!(!with_pepper(&stored, "salternsite pepper").matches, "{stored}");
    }
}

#[test]
fn a_pepper_that_is_not_known_is_no_mismatch() {
    let stored = appended("oNsaREdiynvrBMjXoPbQV5VGLjp9yAS");
    assert_eq!(policies("").admit_stored(&stored).err(), Some(Refusal::SiteKeyUnavailable));
    let other = policies("").admit_stored_with(&stored, |id| (id == "other").then_some(b"x"));
    assert_eq!(other.err(), Some(Refusal::SiteKeyUnavailable));
}

#[test]
fn only_a_cut_within_the_password_prevents_its_replacement() {
    // The pepper is cut, and all of the password counts.
    let cut_pepper = with_pepper(&appended("bbUroFyBYtSXvznHkbguhEFRHiAVOwa"), &"x".repeat(70));
    assert_eq!(cut_pepper.rehash, Some(RehashReason::OtherAlgorithm));
    let cut_password = with_pepper(&appended("jf8SX2ahXLwp9w/B.Y5XdysS6yR576q"), &"x".repeat(80));
    assert_eq!((cut_password.matches, cut_password.rehash), (true, None));
    let behind_pepper = with_pepper(&prepended("0PeNCoYQiGSTNrXh.lXzv3CeNtSJtXq"), &"y".repeat(65));
    assert_eq!((behind_pepper.matches, behind_pepper.rehash), (true, None));
}

#[test]
fn a_pepper_that_hides_the_password_is_refused() {
    let (first, last) = (prepended(&"A".repeat(30)), appended(&"A".repeat(30)));
    for (pepper, refused) in [
        (vec![b'p'; 64], None),
        (vec![b'p'; 65], Some(Refusal::UnsupportedHash)),
        (vec![b'p'; 72], Some(Refusal::UnsupportedHash)),
        (b"p\0".to_vec(), Some(Refusal::UnsupportedHash)),
    ] {
        let admitted = |stored: &str| policies("").admit_stored_with(stored, |_| Some(&pepper)).err();
        let stored = first.clone() + ".";
        assert_eq!(admitted(&stored), refused, "{}", pepper.len());
        assert_eq!(admitted(&(last.clone() + ".")), None, "{}", pepper.len());
    }
}

#[test]
fn a_prepared_hash_is_weak_as_its_inner_one() {
    let stored = "$saltern-prep$v=1,p=md5-hex$$md5$pf=e1BBU1NXT1JEfXtTQUxUfQ==$eHsh$QXkw3MQb+v74BfSfQxFDlw==";
    let weak = saltern_encoded::parse(stored).map(|encoded| encoded.to_string());
    assert_eq!(weak.as_deref(), Ok(stored));
    assert_eq!(policies("").admit_stored(stored).err(), Some(Refusal::WeakScheme));
    let accepted = policies("kratos-digest");
    assert_eq!(judge(&accepted, stored, "saltern").rehash, Some(RehashReason::WeakScheme));
}
