//! Hashes that other software makes: their verdicts.

#[path = "../../cli/src/convert/keycloak.rs"]
mod keycloak;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use keycloak::keycloak;
use saltern_policy::{FirebaseProject, Refusal, RehashReason};
use saltern_vectors::{Expected, Firebase, FirebaseProject as Project, Tests, Topic, Vector as _};

use crate::support::{judge, policies, policies_with};

#[test]
fn a_hash_in_another_notation_is_compared_with_the_policies_by_its_costs() {
    let policies = policies("");
    for (stored, policy, rehash) in [
        // The shipped policies list bcrypt with cost 10, and no PBKDF2 with these iterations.
        (BCRYPT_10_OF_DJANGO, Some("bcrypt-10-2019"), RehashReason::OlderPolicy),
        (PBKDF2_OF_DJANGO, None, RehashReason::OtherAlgorithm),
        (ARGON2_OF_DJANGO, None, RehashReason::UnlistedParameters),
    ] {
        let verdict = judge(&policies, stored, "saltern");
        assert!(verdict.matches, "{stored}");
        assert_eq!((verdict.policy.as_deref(), verdict.rehash), (policy, Some(rehash)), "{stored}");
        assert!(!judge(&policies, stored, "Saltern").matches, "{stored}");
    }
}

#[test]
fn a_hash_of_a_prepared_password_belongs_to_no_policy() {
    let verdict = judge(&policies(""), BCRYPT_SHA256_10_OF_DJANGO, "saltern");
    assert!(verdict.matches);
    assert_eq!((verdict.policy, verdict.rehash), (None, Some(RehashReason::OtherAlgorithm)));
}

#[test]
fn spaces_that_wordpress_removes_count_as_an_ignored_part() {
    let policies = policies("");
    let stored = vector("made with spaces at its ends");
    let bare = judge(&policies, &stored, "saltern");
    assert_eq!((bare.matches, bare.rehash), (true, Some(RehashReason::OtherAlgorithm)));
    for password in [" saltern", "saltern ", "\t\r\n saltern\u{b}\0"] {
        let verdict = judge(&policies, &stored, password);
        assert_eq!((verdict.matches, verdict.rehash), (true, None), "{password:?}");
    }
    for password in ["\u{c}saltern", "salt ern", "\u{a0}saltern", " "] {
        assert!(!judge(&policies, &stored, password).matches, "{password:?}");
    }
}

#[test]
fn every_firebase_vector_gives_its_result_under_its_project() {
    let mut ran = 0;
    for (project, users) in &firebase() {
        let policies = policies_with(Some(project.console().parse().unwrap()));
        for user in users {
            let password = std::str::from_utf8(&user.password).unwrap();
            let verdict = judge(&policies, &project.stored(user), password);
            assert_eq!(verdict.matches, user.result == Expected::Match, "{}", user.comment);
            let rehash = verdict.matches.then_some(RehashReason::OtherAlgorithm);
            assert_eq!((verdict.policy, verdict.rehash), (None, rehash), "{}", user.comment);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn a_firebase_hash_is_unsupported_without_a_project_and_with_another_projects_costs() {
    let projects = firebase();
    let stored = |(project, users): &(Project, Vec<Firebase>)| project.stored(&users[0]);
    let (one, other) =
        (&projects[0], projects.iter().find(|other| other.0.mem_cost != projects[0].0.mem_cost));
    let policies = policies_with(Some(one.0.console().parse().unwrap()));
    assert!(policies.admit_stored(&stored(one)).is_ok());
    let refusal = policies.admit_stored(&stored(other.unwrap())).err();
    assert_eq!(refusal, Some(Refusal::UnsupportedHash));
    assert_eq!(policies_with(None).admit_stored(&stored(one)).err(), Some(Refusal::UnsupportedHash));
}

#[test]
fn the_message_of_an_invalid_firebase_project_does_not_quote_it() {
    let whole = firebase()[0].0.console();
    let key = &firebase()[0].0.signer_key;
    assert!(whole.parse::<FirebaseProject>().is_ok());
    assert!(whole.replace('\n', "\r\n").parse::<FirebaseProject>().is_ok());
    for (from, to) in [
        ("hash_config {", ""),
        ("SCRYPT", "BCRYPT"),
        ("base64_signer_key", "signer_key"),
        ("  rounds: ", "  rounds: -"),
        ("  rounds: ", "  rounds: 0 "),
        ("  mem_cost: ", "  mem_cost: 6"),
        (&key[..4], ""),
        ("}", ""),
        ("  rounds:", "  rounds: 8,\n  rounds:"),
        (&whole, ""),
    ] {
        let text = whole.replacen(from, to, 1);
        assert_ne!(text, whole, "{from} is missing");
        let error = text.parse::<FirebaseProject>().unwrap_err();
        assert!(error.contains("Password hash parameters") && !error.contains(&key[4..]), "{error}");
    }
    assert_eq!(format!("{:?}", whole.parse::<FirebaseProject>()), "Ok(FirebaseProject(..))");
}

#[test]
fn every_keycloak_credential_gives_its_result_as_a_string() {
    let (policies, mut ran) = (policies(""), 0);
    let groups = Topic::Products.load().test_groups;
    for row in groups.iter().flat_map(saltern_vectors::Keycloak::of) {
        let admitted = keycloak(&row.credential_data, &row.secret_data)
            .map_err(Refusal::from)
            .and_then(|stored| policies.admit_stored(&stored).map(|_admitted| stored));
        let answer = match admitted {
            Err(Refusal::CostOutOfBounds) => Expected::CostOutOfBounds,
            Err(Refusal::InvalidHash) => Expected::InvalidHash,
            Err(Refusal::UnsupportedHash) => Expected::UnsupportedHash,
            Err(refusal) => panic!("{refusal:?}"),
            Ok(stored) if judge(&policies, &stored, str::from_utf8(&row.password).unwrap()).matches => {
                Expected::Match
            }
            Ok(_) => Expected::Mismatch,
        };
        assert_eq!(answer, row.result, "{}: {}", row.tc_id, row.comment);
        ran += 1;
    }
    assert!(ran > 0);
}

/// SCHEMES.md states that the whole hash exceeds the ceiling and that the first of its four blocks
/// is verified.
#[test]
fn keycloaks_old_default_verifies_by_its_first_block() {
    let groups = Topic::Products.load().test_groups;
    let mut rows = groups.iter().flat_map(saltern_vectors::Keycloak::of);
    let row = rows.find(|row| row.credential_data.contains("\"hashIterations\":1300000")).unwrap();
    let whole = keycloak(&row.credential_data, &row.secret_data).unwrap();
    assert_eq!(policies("").admit_stored(&whole).err(), Some(Refusal::CostOutOfBounds));
    let (head, output) = whole.rsplit_once('$').unwrap();
    let output = BASE64_STANDARD_NO_PAD.decode(output).unwrap();
    let first = BASE64_STANDARD_NO_PAD.encode(&output[..20]);
    let stored = format!("{}${first}", head.replace(",l=64", ",l=20"));
    assert!(judge(&policies(""), &stored, str::from_utf8(&row.password).unwrap()).matches);
}

/// Hashes of three passwords by the deprecated encoders of Spring Security 7.1.1.
#[test]
fn hashes_of_the_old_spring_security_encoders_are_verified() {
    let policies = policies("spring-md5,spring-sha-1,spring-sha-256,spring-sha256");
    for (password, stored) in OF_SPRING_SECURITY {
        assert_eq!(judge(&policies, stored, password).rehash, Some(RehashReason::WeakScheme), "{stored}");
        assert!(!judge(&policies, stored, "Saltern").matches, "{stored}");
    }
    // The example in the documentation of `MessageDigestPasswordEncoder`.
    assert!(judge(&policies, "{MD5}{thisissalt}2a4e7104c2780098f50ed5a84bb2323d", "password").matches);
}

/// These strings do not name the software that made them, or two programs read them differently.
#[test]
fn an_ambiguous_hash_is_unsupported() {
    let policies = policies("all");
    for stored in ["DIGEST", "sha1$saltsalt$DIGEST", "saltsalt:DIGEST", "$DIGEST", "{noop}saltern", "saltern"]
    {
        for digest in
            [SHA1_OF_SALTERN.to_owned(), SHA1_OF_SALTERN.to_uppercase(), SHA1_OF_SALTERN[..32].to_owned()]
        {
            let stored = stored.replace("DIGEST", &digest);
            assert_eq!(policies.admit_stored(&stored).err(), Some(Refusal::UnsupportedHash), "{stored}");
        }
    }
    // MySQL writes upper-case digits.
    let refusal = policies.admit_stored(&format!("*{SHA1_OF_SALTERN}")).err();
    assert_eq!(refusal, Some(Refusal::InvalidHash));
    // Only Django writes a missing salt in this way.
    assert!(judge(&policies, &format!("sha1$${SHA1_OF_SALTERN}"), "saltern").matches);
}

/// Returns the projects of all vectors with their users.
fn firebase() -> Vec<(Project, Vec<Firebase>)> {
    let groups = Topic::Products.load().test_groups.into_iter();
    groups
        .filter_map(|group| match group.tests {
            Tests::Firebase { project, tests } => Some((project, tests)),
            _ => None,
        })
        .collect()
}

/// Returns the hash of the vector with this comment.
fn vector(comment: &str) -> String {
    let groups = Topic::Products.load().test_groups;
    let mut tests = groups.iter().flat_map(saltern_vectors::Verify::of);
    tests.find(|test| test.comment == comment).unwrap().hash.clone()
}

/// Hashes of `saltern` by Django 5.2.
const ARGON2_OF_DJANGO: &str =
    "argon2$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0$BgcVfx82b9fRLHTlM67jvoW4WJm/Kjpps79f0Wnk0Po";
const BCRYPT_10_OF_DJANGO: &str = "bcrypt$$2b$10$G7O8y9wSwoXU/6kigUfUoOaR9W0S4Wetw8fD6GNxxl9NxH8VUhYrq";
const BCRYPT_SHA256_10_OF_DJANGO: &str =
    "bcrypt_sha256$$2b$10$3uxvWBO9lJbQxcCNPjHMKeSRQ9bdtN6nBR.EuhMr99PPq26IKk19a";
const PBKDF2_OF_DJANGO: &str =
    "pbkdf2_sha256$1000$saltsaltsaltsaltsalt22$WYR6GrDeSRujJ6JZ5Nk17h+2tDvgnJ00rnfB4B0BZNw=";

/// The output of `openssl dgst -sha1`.
const SHA1_OF_SALTERN: &str = "dc4bd56ad78655041ad5a264fbbe04d6298de4a0";

const OF_SPRING_SECURITY: [(&str, &str); 12] = [
    ("saltern", "{MD5}{6FPHHgq7j4d8wrTOE8quHN2EUHf0WjVkaaoq8grPmb4=}b3e7087a7db91e84d195ef36b6aa1989"),
    (
        "saltern",
        "{SHA-1}{NT/C4MNAPmw+uRQLm1OEP3Wr4lRNJmH6rjbJFMweR4E=}2f1ab2d25c56d87ac02559b99e3c6f96f91fa9bf",
    ),
    (
        "saltern",
        "{SHA-256}{HN8Wy1ez5hlA9xLhyKJD60NUJykiTBqo2w/Ia/BJZ5Q=}626a6db65bd8ccd9f791bc333cd14decb3e59da4ab674a154b1302288b2c97ae",
    ),
    ("saltern", "{sha256}942f7db4e9ccf1a52e5b03ec0349b4b4129883dc8fc0d7e16b832ed8a4af88395083e3fa3990785a"),
    (
        "Pässwörd 密码 🧂",
        "{MD5}{0zDg6JXVxkvOITtZH9CyZIkcqZEt9Fpo+Wu7p7/Qo/A=}21794d826b538b05b997a91c491b9d13",
    ),
    (
        "Pässwörd 密码 🧂",
        "{SHA-1}{2Qi4X8buK20H9hXgayMdNxnZ85XiwB8GxRhs188f2WY=}1b32f4ef70902ca28404069ab1cf04c42e8ef190",
    ),
    (
        "Pässwörd 密码 🧂",
        "{SHA-256}{cvJ1G9iDhvJ33GHYSunKIrkZYZ2/k/OVLtZdtiT9MDQ=}fa6a6caeb4102de3f5d2ce691ca039032f7514ef072fefcf115f91ebe8000568",
    ),
    (
        "Pässwörd 密码 🧂",
        "{sha256}df906eac00822c3e5fa858ed9c80bea1ea8bb189f5541175e6b3d8c706067c78c67b9e0c8349b8e6",
    ),
    ("x", "{MD5}{6BfzLLfZcg6zourErCq09gSxezOW0qenLqv9yHqFLxY=}a04b89a2d9c3ec65be330dc27c52e0c9"),
    ("x", "{SHA-1}{lgftIwVU9T0uteQlJQXbsOOHkVZVQkniBDDd9mda/KU=}a2618a718759f1f7b4566bab173b536523a64143"),
    (
        "x",
        "{SHA-256}{pG5jtwfu1SpHyE+Kftp3ooU0HAI17hhUL/7tA/fn6kg=}9c9e4065bcaafbf58b2690d199ba3962ff2df03cd8c5ea504fee4dacef93dc51",
    ),
    ("x", "{sha256}bc71063e02252912940f7565879dfc30a3ff862df6b00877ee62c62a63e3cddf2ef315774b704051"),
];
