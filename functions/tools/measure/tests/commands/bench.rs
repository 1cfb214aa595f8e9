//! `saltern-measure bench`: its measurements, its marks, and the input that it refuses.

use std::{env, fs, process};

use serde_json::Value;

use super::run;

fn rows<'a>(results: &'a Value, algorithm: &str, series: usize) -> &'a Vec<Value> {
    let tables = results["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["algorithm"] == algorithm).unwrap();
    table["series"][series]["rows"].as_array().unwrap()
}

fn row(rows: &[Value], cost: u64) -> &Value {
    rows.iter().find(|row| row["cost"] == cost).unwrap()
}

/// Runs the whole quick bench once, which takes half a minute.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes half a minute; the slow check `bench` runs it, in release")]
fn a_quick_run_measures_every_algorithm_and_writes_a_page() {
    let page = env::temp_dir().join(format!("saltern-measure-{}.html", process::id()));
    let ended = run(&["bench", "--quick", "--json", "--out", page.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let results: Value = serde_json::from_str(&ended.out).unwrap();
    shape(&results);
    argon2_in_lanes(&results);
    html(&fs::read_to_string(&page).unwrap());
    fs::remove_file(page).unwrap();
}

#[test]
fn the_terminal_has_every_table() {
    let ended = run(&["bench", "--quick", "--algorithm", "bcrypt,pbkdf2-sha256"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    text(&ended.out);
}

fn shape(results: &Value) {
    assert_eq!(results["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(results["quick"], true);
    assert!(!results["machine"]["cpu"].as_str().unwrap().is_empty());
    assert!(results["machine"]["cores"].as_u64().unwrap() >= 1);
    let algorithms: Vec<_> = results["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["algorithm"].as_str().unwrap())
        .collect();
    assert_eq!(
        algorithms,
        ["bcrypt", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512", "sha512-crypt", "argon2id", "scrypt"]
    );
    for table in results["tables"].as_array().unwrap() {
        for series in table["series"].as_array().unwrap() {
            let rows = series["rows"].as_array().unwrap();
            let measured = rows.iter().filter(|row| row["one"]["cpu_ms"].is_object()).count();
            assert!(measured >= 2, "{} {}: {measured}", table["algorithm"], series["name"]);
            rows.iter().flat_map(|row| [&row["one"], &row["lanes"]]).for_each(figure);
            let has_limit = table["algorithm"] != "sha512-crypt";
            for row in rows {
                let is_measured = row["one"]["cpu_ms"].is_object();
                assert_eq!(row["limit"]["ms"].as_f64() > Some(0.0), has_limit && is_measured, "{row}");
            }
        }
    }
    let bcrypt = rows(results, "bcrypt", 0);
    assert_eq!(
        bcrypt.iter().map(|row| row["cost"].as_u64().unwrap()).collect::<Vec<_>>(),
        (4..=18).collect::<Vec<_>>()
    );
    let iterations = rows(results, "pbkdf2-sha256", 0);
    assert_eq!((iterations.len(), &iterations[9]["cost"]), (10, &Value::from(900_001)));
    // Cost 18 is scaled from the last measured cost: each step doubles the work.
    let (of_17, of_18) = (&row(bcrypt, 17)["one"], &row(bcrypt, 18)["one"]);
    assert!(of_17["cpu_ms"].is_null() && of_18["cpu_ms"].is_null(), "{of_17} {of_18}");
    let ratio = of_18["hash_ms"].as_f64().unwrap() / of_17["hash_ms"].as_f64().unwrap();
    assert!((ratio / 2.0 - 1.0).abs() < 1e-9, "{ratio}");
}

/// Small Argon2 hashes have no lanes, and large ones have.
fn argon2_in_lanes(results: &Value) {
    for series in 0..5 {
        let rows = rows(results, "argon2id", series);
        assert!(row(rows, 7168)["lanes"].is_null());
        assert!(row(rows, 65_536)["lanes"]["at_once"].as_u64() > Some(1), "{}", row(rows, 65_536));
    }
}

/// A figure is measured and has a spread, or is scaled and has none.
fn figure(figure: &Value) {
    if figure.is_null() {
        return;
    }
    let hash_ms = figure["hash_ms"].as_f64().unwrap();
    assert!(hash_ms > 0.0, "{figure}");
    let (cpu, wall) = (&figure["cpu_ms"], &figure["wall_ms"]);
    if cpu.is_null() {
        assert!(wall.is_null(), "{figure}");
        return;
    }
    assert!(cpu["samples"].as_u64().unwrap() >= 1 && cpu["samples"] == wall["samples"]);
    let at_once = figure["at_once"].as_f64().unwrap();
    assert!((cpu["median"].as_f64().unwrap() / at_once / hash_ms - 1.0).abs() < 1e-9, "{figure}");
    assert!(cpu["lower_quartile"].as_f64() <= cpu["upper_quartile"].as_f64());
}

fn text(text: &str) {
    let of_18 = text.lines().find(|line| line.trim_start().starts_with("18 ")).unwrap();
    assert!(of_18.contains('≈') && of_18.split_whitespace().rev().take(2).eq(["–"; 2]), "{of_18}");
    assert!(text.contains("cycles a round") && text.contains("cycles a compression"), "{text}");
    assert!(text.contains("≈ was not measured"), "{text}");
    assert!(text.contains("pbkdf2-sha256 40 bytes of output (2 blocks)"));
    assert!(text.contains("pbkdf2-sha256 32 bytes of output (1 block)"));
}

fn html(html: &str) {
    for reference in ["http://", "https://", "src=", "url(", "<script"] {
        assert!(!html.contains(reference), "{reference}");
    }
    // The list of contents names headings of the page.
    for target in html.split("href=").skip(1) {
        let heading = target.strip_prefix("\"#").and_then(|target| target.split_once('"')).unwrap().0;
        assert!(html.contains(&format!("id=\"{heading}\"")), "{heading}");
    }
    for said in [
        "argon2id, in lanes",
        "Intel i3-8109U (NUC, 2018)",
        "author's desktop, 2016",
        "186,173,000",
        "40 bytes of output (2 blocks)",
    ] {
        let escaped = said.replace('\'', "&#39;");
        assert!(html.contains(said) || html.contains(&escaped), "{said}");
    }
}

#[test]
fn only_the_chosen_algorithms_are_measured() {
    let ended = run(&["bench", "--quick", "--json", "--algorithm", "sha512-crypt,bcrypt"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let results: Value = serde_json::from_str(&ended.out).unwrap();
    let chosen = results["tables"].as_array().unwrap();
    assert_eq!(chosen.len(), 2);
    // An algorithm that is only verified has no lanes.
    assert!(rows(&results, "sha512-crypt", 0).iter().all(|row| row["lanes"].is_null()));
    assert!(rows(&results, "bcrypt", 0).iter().all(|row| row["lanes"]["at_once"].as_u64() > Some(1)));
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_measured() {
    for (arguments, code, sentence) in [
        (vec!["--algorithm", "md5"], 64, "possible values: bcrypt, pbkdf2-sha1"),
        (vec!["--out", "/nowhere/at/all/page.html"], 64, "name a file in a directory that exists"),
    ] {
        let ended = run(&[vec!["bench"], arguments].concat());
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.err.starts_with("saltern-measure: ") && ended.err.contains(sentence), "{}", ended.err);
        assert!(ended.out.is_empty());
    }
}
