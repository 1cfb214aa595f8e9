use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::{Value, json};

use super::{BCRYPT, LDAP_SHA, keys, saltern, succeeds};

/// The SHA-1 of `saltern`, as in [`LDAP_SHA`].
const LDAP_SHA_HEX: &str = "dc4bd56ad78655041ad5a264fbbe04d6298de4a0";

/// libxcrypt made it, of `saltern` and `site pepper`.
const PEPPERED: &str =
    "$saltern-prep$v=1,p=pepper-append,k=devise$$2b$05$abcdefghijklmnopqrstuuoNsaREdiynvrBMjXoPbQV5VGLjp9yAS";

#[test]
fn every_row_is_counted_in_one_class() {
    let rows = [
        BCRYPT,
        BCRYPT,
        LDAP_SHA,
        "",
        "!",
        "*0",
        "d41d8cd98f00b204e9800998ecf8427e",
        "$2b$04$cut",
        "hunter2",
        "{noop}x",
    ];
    let plan = plan(&rows.join("\n"));
    assert_eq!(plan["rows"], 10);
    let classes: Vec<_> = plan["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["scheme"].clone(), c["hashes"].clone()))
        .collect();
    assert_eq!(classes, [("bcrypt".into(), 2.into()), ("ldap-sha".into(), 1.into())]);
    let unread = |reason: &str| {
        let all = plan["not_verified"].as_array().unwrap();
        all.iter().find(|found| found["reason"] == reason).map_or(0, |found| found["rows"].as_u64().unwrap())
    };
    for (reason, count) in
        [("no_password", 3), ("bare_digest", 1), ("invalid_hash", 1), ("no_hash", 1), ("unsupported_hash", 1)]
    {
        assert_eq!(unread(reason), count, "{reason} {plan}");
    }
}

/// Without keys the plan says how many rows are sealed, and with which keys.
#[test]
fn sealed_rows_are_counted_by_key_and_opened_with_their_keys() {
    let file = keys::file("plan");
    let path = file.to_str().unwrap();
    for arguments in [&["new", "--id", "a", path][..], &["add", "--id", "b", "--context", path]] {
        succeeds(&[&["keys"], arguments].concat(), "");
    }
    succeeds(&["keys", "add-site", "--id", "devise", path], "site pepper\n");
    let csv = ["--delimiter", "\\t", "--column", "2", "--seal-keys", path];
    let under_a = saltern(&[&["seal"], &csv[..]].concat(), &format!("7\t{BCRYPT}\n8\t{PEPPERED}\n")).out;
    succeeds(&["keys", "rotate", path], "");
    let with_context = [&csv[..], &["--context-column", "1"]].concat();
    let under_b = saltern(&[&["seal"], &with_context[..]].concat(), &format!("9\t{LDAP_SHA}\n")).out;
    let table = format!("{under_a}{under_b}10\t\n");

    let closed = saltern(&[&["migrate-plan"], &csv[..4]].concat(), &table);
    assert!(closed.out.starts_with("4 rows: 0 hashes, 3 sealed, 1 without\n"), "{}", closed.out);
    let by_key = "\nSealed, by key: --seal-keys and --context-column open the rows\n           2  a\n           1  b\n";
    assert!(closed.out.contains(by_key), "{}", closed.out);
    let by_key = "\nSealed, by key\n           2  a\n           1  b\n";
    let open = saltern(&[&["migrate-plan"], &with_context[..]].concat(), &table);
    assert!(open.out.starts_with("4 rows: 3 hashes, 1 without\n"), "{}", open.out);
    assert!(open.out.contains(by_key) && !open.out.contains("has its site key"), "{}", open.out);
    let opened = saltern(&[&["migrate-plan", "--json"], &csv[..]].concat(), &table);
    let plan: Value = serde_json::from_str(&opened.out).unwrap();
    assert_eq!(plan["sealed"], json!({"a": 2, "b": 1}));
    assert_eq!(plan["not_verified"][0]["reason"], "no_password");
    assert_eq!(plan["not_verified"][1]["reason"], "not_opened");
    let classes = plan["classes"].as_array().unwrap();
    let prepared: Vec<_> = classes.iter().filter(|class| class["preparation"] == "pepper-append").collect();
    assert_eq!((classes.len(), prepared.len()), (2, 1), "{plan}");
    assert_eq!(prepared[0]["at_login"], "replaced");
    // The server answers each row by its own site key.
    let both = format!("7\t{PEPPERED}\n8\t{}\n", PEPPERED.replace("k=devise", "k=other"));
    let both = saltern(&[&["migrate-plan", "--json"], &csv[..]].concat(), &both);
    let plan: Value = serde_json::from_str(&both.out).unwrap();
    let fates: Vec<_> = plan["classes"].as_array().unwrap().iter().map(|class| &class["at_login"]).collect();
    assert!(fates.len() == 2 && fates.contains(&&json!("key_unavailable")), "{plan}");
    for secret in ["saltern-seal", "site pepper", BCRYPT] {
        assert!(!open.out.contains(secret) && !open.err.contains(secret), "{secret}");
    }
}

/// The server refuses a hash without a seal then.
#[test]
fn a_hash_without_the_seal_that_its_keys_require_is_not_planned() {
    let file = keys::file("plan-require");
    let path = file.to_str().unwrap();
    succeeds(&["keys", "new", "--id", "a", "--require", path], "");
    let sealed = saltern(&["seal", "--seal-keys", path], BCRYPT).out;
    let table = format!("{}\n{BCRYPT}\n\n", sealed.trim_end());
    let planned = saltern(&["migrate-plan", "--seal-keys", path], &table).out;
    assert!(planned.starts_with("3 rows: 1 hash, 2 without\n"), "{planned}");
    assert!(planned.contains("1  not_opened: the hash has no seal, and the keys require one"), "{planned}");
    assert!(planned.contains("1  no_password: "), "{planned}");
}

/// The common shapes of values without the name of a scheme, with the text about each.
#[test]
fn the_plan_tells_digests_salts_and_missing_passwords_apart() {
    let (md5, sha1, sha512) = ("5f4dcc3b5aa765d61d8327deb882cf99", &LDAP_SHA_HEX, "0".repeat(128));
    for (value, reason, said) in [
        (md5.to_owned(), "bare_digest", "probably MD5"),
        (md5.to_uppercase(), "bare_digest", "probably MD5"),
        (format!("0x{md5}"), "bare_digest", "probably MD5"),
        (format!("*{sha1}"), "bare_digest", "PASSWORD() of MySQL"),
        (format!("8Jq4xZ0p:{md5}"), "salt_and_digest", "old forums"),
        (format!("{md5}:8Jq4xZ0p"), "digest_and_salt", "old forums"),
        (format!("{md5}:{sha512}"), "salt_and_digest", "PBKDF2 or scrypt of Node"),
        (format!("{sha512}.{md5}"), "digest_and_salt", "PBKDF2 or scrypt of Node"),
        ("lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyQ==".to_owned(), "encoded", "may be a hash"),
        ("!AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd".to_owned(), "no_password", "Send null"),
        (format!("!{BCRYPT}"), "no_password", "Send null"),
        (format!("!{md5}"), "no_password", "Send null"),
        // One random salt of printable characters in a hundred begins so.
        (format!("!Jq4xZ0p:{md5}"), "salt_and_digest", "old forums"),
        ("NULL".to_owned(), "no_password", "Send null"),
        (format!("{BCRYPT}  "), "padded", "make the type text"),
        (format!("{md5}\t"), "padded", "trim"),
        (format!(" 8Jq4xZ0p:{md5} "), "padded", "trim"),
        ("\\N".to_owned(), "no_password", "Send null"),
        (BCRYPT[..40].to_owned(), "invalid_hash", "width of the column"),
        ("hunter2".to_owned(), "no_hash", "saltern try"),
    ] {
        let rows = format!("{BCRYPT}\n{value}\n");
        let plan = plan(&rows);
        let unread = &plan["not_verified"];
        assert_eq!((&unread[0]["reason"], unread[1].is_null()), (&reason.into(), true), "{value}: {unread}");
        let told = unfolded(&saltern(&["migrate-plan"], &rows).out);
        let line = told.lines().find(|line| line.ends_with("(row 2)")).unwrap();
        assert!(line.contains(said) && !line.contains("hash them"), "{value}: {line}");
    }
}

#[test]
fn wrong_arguments_are_told_with_a_code() {
    let row = |number| format!("{number},ann@example.com,{BCRYPT}\n");
    let rows: String = (1..4).map(row).collect();
    let named = format!("id,email,password_hash\n{rows}");
    let csv = ["migrate-plan", "--delimiter", ","];
    let with = |more: &[&str], table: &str| saltern(&[&csv[..], more].concat(), table);
    for (ended, said) in [
        (with(&["--column", "2"], &rows), "field 3 holds the hashes: use --column 3"),
        (with(&["--column", "4"], &rows), "field 3 holds the hashes: use --column 3"),
        (with(&["--column", "3"], &named), "row 1 names the fields: use --header"),
        (with(&["--column", "3", "--header"], "id,email,password_hash\n1,x,\n2,y,\n"), "no row has a hash"),
        (with(&["--column", "3"], &format!("{rows}7\n")), "1 row is without field 3"),
        (saltern(&["migrate-plan"], &rows), "use --delimiter ',' --column 3"),
        (saltern(&["migrate-plan"], &named.replace(',', "\t")), "use --delimiter '\\t' --column 3"),
        (saltern(&["migrate-plan"], &format!("password\n{BCRYPT}\n")), "row 1 names the fields"),
        (saltern(&["migrate-plan"], "hunter2\nhunter3\n"), "no row has a hash"),
    ] {
        assert_eq!(ended.code, 65, "{said}: {}", ended.err);
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        assert!(ended.out.contains(" rows: "), "{}", ended.out);
    }
    assert_eq!(with(&["--column", "3", "--header"], &named).code, 0);
}

#[test]
fn a_shadow_file_is_not_called_an_htpasswd_file() {
    let shadow = format!("ann:{BCRYPT}:19000:0:99999:7:::\nbo:!:19000:0:99999:7:::\n");
    let told = succeeds(&["migrate-plan"], &shadow);
    assert!(
        told.out.starts_with("2 rows: 1 hash, 1 without") && !told.out.contains("htpasswd"),
        "{}",
        told.out
    );
}

#[test]
fn replaced_and_weak_hashes_count_as_moving() {
    let current = saltern(&["hash"], "saltern\n").out;
    let plan = plan(&format!("{}{LDAP_SHA}\n{current}", format!("{BCRYPT}\n").repeat(20)));
    let fates: Vec<_> =
        plan["classes"].as_array().unwrap().iter().map(|class| class["at_login"].clone()).collect();
    for fate in ["replaced", "needs_permission", "stays"] {
        assert!(fates.contains(&fate.into()), "{fates:?}");
    }
    assert_eq!(plan["moving"]["replaced"], 21);
    assert_eq!(plan["moving"]["weak"], 1);
    assert!(plan["moving"]["core_seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_hash_over_a_ceiling_is_reported_and_not_computed() {
    let expensive = BCRYPT.replace("$05$", "$31$");
    let plan = plan(&expensive);
    assert_eq!(plan["classes"][0]["at_login"], "cost_out_of_bounds");
    assert_eq!(plan["classes"][0]["milliseconds"], Value::Null);
    let said = "its bcrypt_cost is 31, and the ceiling is 15: if you accept the cost, raise ceilings.bcrypt_cost in the policy document, and --memory-budget-mib or --ceiling where they lower it";
    for ended in [
        saltern(&["migrate-plan"], &expensive),
        saltern(&["inspect", &expensive], ""),
        saltern(&["verify", &expensive], "saltern\n"),
    ] {
        assert!(
            unfolded(&ended.out).contains(said) || ended.err.contains(said),
            "{} {}",
            ended.out,
            ended.err
        );
    }
}

/// It is within the ceilings of the document, and no document raises that of p = 2.
#[test]
fn a_hash_over_a_fixed_ceiling_is_reported_as_such() {
    let fixed = format!("$argon2id$v=19$m=65536,t=10,p=2${}${}", "A".repeat(22), "A".repeat(43));
    assert_eq!(plan(&fixed)["classes"][0]["at_login"], "cost_out_of_bounds");
    for ended in [
        saltern(&["migrate-plan"], &fixed),
        saltern(&["inspect", &fixed], ""),
        saltern(&["verify", &fixed], "saltern\n"),
    ] {
        let said = format!("{} {}", unfolded(&ended.out), ended.err);
        assert!(said.contains("a fixed ceiling"), "{said}");
    }
}

#[test]
fn a_hash_of_another_firebase_project_has_another_advice() {
    let project = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plan-firebase-project");
    let key = format!("{}==", "A".repeat(86));
    let text = format!(
        "hash_config {{\n algorithm: SCRYPT,\n base64_signer_key: {key},\n base64_salt_separator: Bw==,\n rounds: 8,\n mem_cost: 15,\n}}"
    );
    fs::write(&project, text).unwrap();
    fs::set_permissions(&project, fs::Permissions::from_mode(0o600)).unwrap();
    let stored = format!("$fbscrypt$v=1,n=14,r=8,p=1$c2FsdHNhbHQ=${key}");
    let advice =
        |arguments: &[&str]| unfolded(&saltern(&[&["migrate-plan"], arguments].concat(), &stored).out);
    assert!(advice(&[]).contains("name the project with --firebase-project"), "{}", advice(&[]));
    let of_other = advice(&["--firebase-project", project.to_str().unwrap()]);
    assert!(of_other.contains("of another project than"), "{of_other}");
    fs::remove_file(project).unwrap();
}

/// Two lengths of salt are two shapes, and one class.
#[test]
fn a_class_names_the_first_rows_of_all_its_shapes() {
    let [short, long] = [20 + 4, 20 + 10].map(|bytes| format!("{{SSHA}}{}", "A".repeat(bytes / 3 * 4)));
    let rows = [&long, &short, &short, &long, &short, &short, &long].map(String::as_str);
    let plan = plan(&rows.join("\n"));
    assert_eq!(plan["classes"].as_array().unwrap().len(), 1, "{plan}");
    let class = &plan["classes"][0];
    assert_eq!((&class["hashes"], &class["first_rows"]), (&7.into(), &json!([1, 2, 3, 4, 5])));
}

#[test]
fn the_plan_of_an_htpasswd_file_names_users_with_slow_hashes() {
    let slow = BCRYPT.replace("$05$", "$12$");
    let ended = succeeds(&["migrate-plan"], &format!("ann:{BCRYPT}\nbo:{LDAP_SHA}\ncarol:{slow}\n"));
    assert!(ended.out.contains("This is an htpasswd file"), "{}", ended.out);
    let of_carol = ended.out.lines().find(|line| line.contains("(carol)"));
    assert!(of_carol.is_some_and(|line| line.contains("bcrypt cost 12")), "{}", ended.out);
    assert!(!ended.out.contains(&slow[7..]), "no hash is printed");
}

/// libxcrypt draws random rounds of sha1-crypt and Sun's MD5 for each hash. Millions of hashes make
/// only a few rows.
#[test]
fn random_costs_are_counted_together() {
    let sha1 = |rounds: u32| format!("$sha1${rounds}$salt$............................\n");
    let rows: String = (190_000..190_200).map(sha1).chain([sha1(250)]).collect();
    let plan = plan(&rows);
    let counts: Vec<_> = plan["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|class| (class["cost"].as_str().unwrap().to_owned(), class["hashes"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("about 200000 rounds".to_owned(), 200), ("about 300 rounds".to_owned(), 1)]);
    let kept = saltern(&["wrap", "--shape", "bcrypt", "--dry-run"], &rows).err;
    assert!(kept.contains("of another shape: sha1-crypt") && !kept.contains("sha1-crypt:"), "{kept}");
    let inspected = saltern(&["inspect", sha1(250).trim_end()], "").out;
    assert!(inspected.contains("250 rounds") && !inspected.contains("about"), "{inspected}");
}

#[test]
fn a_comment_before_the_entries_does_not_hide_the_form_of_the_file() {
    let ended = saltern(&["migrate-plan"], &format!("# staff\n\nann:{LDAP_SHA}\n"));
    assert!(
        ended.out.contains("This is an htpasswd file") && ended.out.contains("ldap-sha"),
        "{}",
        ended.out
    );
}

#[test]
fn a_file_without_hashes_is_refused_with_a_message() {
    let ended = saltern(&["migrate-plan"], &"x".repeat(100_000));
    assert_eq!(ended.code, 65);
    assert!(ended.err.contains("name a column of hashes"), "{}", ended.err);
    assert_eq!(saltern(&["migrate-plan", "/nowhere/at/all"], "").code, 64);
}

/// `false | saltern …`, and `saltern seal x > x`, where the shell has emptied the file.
#[test]
fn an_empty_table_is_refused_by_every_command() {
    let keys = keys::file("empty");
    let keys = keys.to_str().unwrap();
    succeeds(&["keys", "new", "--id", "a", keys], "");
    for command in [
        &["migrate-plan"][..],
        &["convert", "--from", "md5"],
        &["wrap"],
        &["hash-clear"],
        &["seal", "--seal-keys", keys],
        &["unseal", "--seal-keys", keys],
    ] {
        let ended = saltern(command, "");
        assert_eq!((ended.code, ended.out.as_str()), (65, ""), "{command:?}");
        assert!(ended.err.contains("the table is empty"), "{}", ended.err);
        let header = saltern(&[command, &["--delimiter", ",", "--header"]].concat(), "hash\n");
        assert_eq!(header.code, 0, "{command:?} {}", header.err);
    }
}

/// An empty line has no password in every command.
#[test]
fn an_empty_line_is_no_mistake() {
    let table = format!("1,{BCRYPT}\n\n2,{BCRYPT}\n");
    let fields = ["--delimiter", ",", "--column", "2"];
    let plan = succeeds(&[&["migrate-plan"], &fields[..]].concat(), &table);
    assert!(plan.out.starts_with("3 rows: 2 hashes, 1 without\n"), "{}", plan.out);
    let wrapped = succeeds(&[&["wrap"], &fields[..]].concat(), &table);
    assert!(wrapped.err.contains("1  left: an empty line"), "{}", wrapped.err);
}

/// Each has a cost of its own. Memory and time stay those of a thousand.
#[test]
fn a_table_of_many_costs_is_counted_in_bounded_memory() {
    let row = |rounds: u64| {
        format!("$pbkdf2-sha512$i={},l=32${}${}\n", 1_000 + rounds, "A".repeat(22), "A".repeat(43))
    };
    let plan = plan(&(0..20_000).map(row).collect::<String>());
    assert_eq!(plan["classes"].as_array().unwrap().len(), 1_000);
    assert_eq!(
        plan["not_verified"],
        json!([{"reason": "further_shape", "rows": 19_000, "first_rows": [1001, 1002, 1003, 1004, 1005]}])
    );
}

#[test]
fn the_plan_fits_a_hundred_columns_and_says_a_thing_once() {
    let kinds = include_str!("kinds.txt").lines().filter(|line| !line.starts_with('#'));
    let values = kinds.filter_map(|line| line.split(' ').nth(1));
    let wrapped = super::confirmed(&["wrap"], LDAP_SHA).out;
    let all =
        [BCRYPT, LDAP_SHA, APR1, ASPNET_V2, PEPPERED, wrapped.trim_end(), "$2b$04$cut", "{noop}x", "hunter2"];
    let costs = [BCRYPT.replace("$05$", "$31$"), BCRYPT.replace("$05$", "$12$"), format!("{BCRYPT} ")];
    let rows: Vec<&str> = values.chain(all).chain(costs.iter().map(String::as_str)).collect();
    for table in [rows.join("\n"), format!("ann:{BCRYPT}\nbo:{}\nz:{LDAP_SHA}", costs[0])] {
        let told = saltern(&["migrate-plan"], &table).out;
        for line in told.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        for once in ["by argon2id-2026: ", "after a login: argon2id-2026", "--accept-weak names"] {
            assert_eq!(told.matches(once).count(), 1, "{once}: {told}");
        }
    }
}

/// apr1, and PBKDF2 of 1,000 iterations, are salted. One card tries these few in a day all the same.
#[test]
fn what_falls_within_a_day_is_what_the_plan_advises_to_wrap() {
    let table = format!("{APR1}\n{ASPNET_V2}\n{}\n", BCRYPT.replace("$05$", "$12$"));
    let planned = plan(&table);
    assert_eq!(planned["moving"]["weak"], 2);
    for class in planned["classes"].as_array().unwrap() {
        let (attack, is_bcrypt) = (&class["attack"], class["scheme"] == "bcrypt");
        assert_eq!(attack["now"]["accounts_tried"]["day_1"] == class["hashes"], !is_bcrypt, "{class}");
        assert_eq!(attack["wrapped"].is_null(), is_bcrypt, "{class}");
    }
    let told = saltern(&["migrate-plan"], &table).out;
    let (_, command) = told.split_once("\n  saltern wrap").unwrap();
    let (named, _) = command.split_once("\n\n").unwrap();
    let wrapped = super::shell(&format!("saltern wrap{named} --unverified 2"), &table);
    assert!(wrapped.err.starts_with("3 rows: 2 changed, 1 left as wanted"), "{named} {}", wrapped.err);
}

/// Joins the lines that the plan has broken.
fn unfolded(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let is_begun = out.lines().last().is_some_and(|last: &str| {
            let indent = |line: &str| line.len() - line.trim_start().len();
            line.starts_with(' ') && indent(line) == indent(last) + 4
        });
        out.push_str(if is_begun { " " } else { "\n" });
        out.push_str(if is_begun { line.trim_start() } else { line });
    }
    out.trim_start().to_owned()
}

/// `openssl passwd -apr1 -salt saltsalt saltern`
const APR1: &str = "$apr1$saltsalt$adjBRisDFvgyfTQaVYFX/1";

/// ASP.NET Identity's version 2 with a salt and an output of zeros.
const ASPNET_V2: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==";

/// 184,000 guesses a second on bcrypt-5 are 15,897,600,000 a day: 15 accounts on one card.
#[test]
fn the_plan_prices_a_guess_before_and_after() {
    let bcrypt = format!("{BCRYPT}\n").repeat(20);
    let planned = plan(&format!("{bcrypt}{LDAP_SHA}"));
    let attack = &planned["classes"][0]["attack"];
    assert_eq!(attack["now"]["guesses_per_second"], 184_000.0);
    assert_eq!(attack["now"]["basis"], "measured");
    assert_eq!(
        attack["now"]["accounts_tried"],
        serde_json::json!({"day_1": 15, "week_1": 20, "day_100": 20, "week_100": 20})
    );
    let usd = attack["now"]["usd_per_billion"].as_f64().unwrap();
    assert!((usd - 1e9 / 184_000.0 / 3600.0 * 0.30).abs() < 1e-9, "{usd}");
    assert_eq!(attack["wrapped"], Value::Null);
    assert_eq!(attack["upgraded"]["row"], "argon2id-65536-3-1");
    // Without a salt, one pass over the list is for all accounts.
    let digest = &planned["classes"][1]["attack"];
    assert_eq!(
        (&digest["now"]["basis"], &digest["now"]["accounts_tried"]["day_1"]),
        (&"bound".into(), &1.into())
    );
    assert_eq!(digest["wrapped"]["accounts_tried"]["day_1"], 0);
    let arguments = ["migrate-plan", "--attacker-usd-per-hour", "0.60"];
    let told = saltern(&arguments, &bcrypt).out;
    assert!(told.contains("one RTX 4090 at 0.6 USD an hour"), "{told}");
    assert!(told.contains("measured: hashcat 3200, RTX 4090"), "{told}");
    assert_eq!(saltern(&["migrate-plan", "--attacker-usd-per-hour", "0"], &bcrypt).code, 64);
}

fn plan(rows: &str) -> Value {
    let ended = succeeds(&["migrate-plan", "--json"], rows);
    serde_json::from_str(&ended.out).unwrap()
}
