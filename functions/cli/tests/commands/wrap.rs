use super::{BCRYPT, LDAP_SHA, saltern};

#[test]
fn weak_hashes_are_wrapped_and_other_lines_pass_through() {
    let ended = saltern(&["wrap"], &format!("{LDAP_SHA}\n{BCRYPT}\nno hash\n\n{LDAP_SHA}"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<&str> = ended.out.lines().collect();
    let [first, bcrypt, no_hash, empty, last] = lines[..] else { panic!("{lines:?}") };
    assert_eq!([bcrypt, no_hash, empty], [BCRYPT, "no hash", ""]);
    assert_ne!(first, last, "each hash has a new salt");
    for wrapped in [first, last] {
        assert!(wrapped.starts_with("$saltern-wrap$argon2id$v=19$m=19456,t=2,p=1$"), "{wrapped}");
        assert!(!wrapped.contains(&LDAP_SHA[5..]), "the old output is gone");
        assert_eq!(
            saltern(&["verify", wrapped], "saltern\n").out,
            "matches, and should be replaced: weak_scheme\n"
        );
        assert_eq!(saltern(&["verify", wrapped], "Saltern\n").code, 1);
    }
}

#[test]
fn a_wrapped_hash_is_not_wrapped_again() {
    let once = saltern(&["wrap"], LDAP_SHA).out;
    assert_eq!(saltern(&["wrap", "--schemes", "wrapped,ldap-sha"], &once).out, once);
}

#[test]
fn named_schemes_are_wrapped() {
    let wrapped = saltern(&["wrap", "--schemes", "bcrypt"], BCRYPT).out;
    assert!(wrapped.starts_with("$saltern-wrap$"), "{wrapped}");
    assert_eq!(saltern(&["verify", wrapped.trim_end()], "saltern\n").code, 0);
    let unknown = saltern(&["wrap", "--schemes", "rot13"], BCRYPT);
    assert_eq!(unknown.code, 64);
}

#[test]
fn a_table_keeps_its_other_columns_and_if_wanted_the_old_hash() {
    let table = format!("id,hash,name\n7,{LDAP_SHA},\"Ann, Bo\"\n8,{BCRYPT},C\n");
    let csv = ["wrap", "--delimiter", ",", "--column", "2", "--header", "--keep-old"];
    let ended = saltern(&csv, &table);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[1].starts_with("7,\"$saltern-wrap$"), "{}", lines[1]);
    assert!(lines[1].ends_with(&format!(",\"Ann, Bo\",{LDAP_SHA}")), "{}", lines[1]);
    assert_eq!(lines[2], format!("8,{BCRYPT},C,{BCRYPT}"));
    assert_eq!(lines[0], "id,hash,name,old_hash");
}

#[test]
fn an_htpasswd_file_keeps_its_form() {
    let ended = saltern(&["wrap"], &format!("ann:{LDAP_SHA}\nbo:{BCRYPT}\n"));
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[0].starts_with("ann:$saltern-wrap$"), "{}", lines[0]);
    assert_eq!(lines[1], format!("bo:{BCRYPT}"));
}

#[test]
fn comments_and_fields_after_the_hash_stay() {
    let ended = saltern(
        &["wrap"],
        &format!("# users: all of them\n\nann:{LDAP_SHA}:19000:0:::\nbo:{BCRYPT}:1:\n#cy:{LDAP_SHA}\n"),
    );
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines[..2], ["# users: all of them", ""]);
    assert!(lines[2].starts_with("ann:$saltern-wrap$") && lines[2].ends_with("=:19000:0:::"), "{}", lines[2]);
    assert_eq!(lines[3..], [format!("bo:{BCRYPT}:1:"), format!("#cy:{LDAP_SHA}")]);
}

#[test]
fn a_wrapped_hash_over_the_length_limit_is_refused() {
    let stored = |salt: usize| format!("{{SSHA}}{}", "A".repeat((20 + salt) / 3 * 4));
    let wrapped = saltern(&["wrap"], &stored(640));
    assert_eq!(wrapped.code, 0, "{}", wrapped.err);
    assert_eq!(saltern(&["inspect", wrapped.out.trim_end()], "").code, 0);
    let ended = saltern(&["wrap"], &format!("{LDAP_SHA}\n{}\n", stored(700)));
    assert_eq!(ended.code, 65);
    assert!(ended.err.contains("row 2") && ended.err.contains("1024 bytes"), "{}", ended.err);
}

#[test]
fn a_policy_that_is_not_argon2id_is_refused() {
    let ended = saltern(&["wrap", "--policy", "bcrypt-12-2023"], LDAP_SHA);
    assert_eq!((ended.code, ended.out.as_str()), (64, ""));
    assert!(ended.err.contains("argon2id"), "{}", ended.err);
}
