//! `saltern-numbers bench`: its measurements, its marks, and the input that it refuses.

use std::{env, fs, path::PathBuf, process};

use serde_json::{Value, json};

use super::run;

/// Returns the path of a file for one test.
fn file(name: &str) -> PathBuf {
    env::temp_dir().join(format!("saltern-numbers-{}-{name}", process::id()))
}

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
fn a_quick_run_writes_everything_in_every_format() {
    let [json, page, markdown] = ["a.json", "a.html", "a.md"].map(file);
    let [json_name, page_name, markdown_name] = [&json, &page, &markdown].map(|file| file.to_str().unwrap());
    let ended = run(&["bench", "--quick", "--out", json_name, "--out", page_name, "--out", markdown_name]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let results: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    shape(&results);
    argon2_in_lanes(&results);
    text(&ended.out, &results);
    let markdown_text = fs::read_to_string(&markdown).unwrap();
    assert!(markdown_text.contains("\n## bcrypt\n\n| cost | one hash, ms | ± | a second |"));
    html(&fs::read_to_string(&page).unwrap());

    // The written results can be shown again without measuring.
    let again = run(&["bench", "--from", json_name, "--json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(serde_json::from_str::<Value>(&again.out).unwrap(), results);
    assert_eq!(run(&["bench", "--from", json_name]).out, ended.out);
    for file in [json, page, markdown] {
        fs::remove_file(file).unwrap();
    }
}

fn shape(results: &Value) {
    assert_eq!(results["form"], 1);
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
            let measured = rows.iter().filter(|row| row["one"]["source"] == "measured").count();
            assert!(measured >= 2, "{} {}: {measured}", table["algorithm"], series["name"]);
            assert!(series["one_line"]["slope_ms"].as_f64().unwrap() > 0.0);
            rows.iter().flat_map(|row| [&row["one"], &row["lanes"]]).for_each(figure);
        }
    }
    let bcrypt = rows(results, "bcrypt", 0);
    assert_eq!(
        bcrypt.iter().map(|row| row["cost"].as_u64().unwrap()).collect::<Vec<_>>(),
        [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 31]
    );
    let iterations = rows(results, "pbkdf2-sha256", 0);
    assert_eq!((iterations.len(), &iterations[9]["cost"]), (10, &Value::from(900_001)));
    // Cost 31 comes from the line. Its intercept is negligible beside 2^18 expansions.
    assert_eq!(row(bcrypt, 31)["one"]["source"], "line");
    let line = &results["tables"][0]["series"][0]["one_line"];
    let of_18 =
        line["intercept_ms"].as_f64().unwrap() + line["slope_ms"].as_f64().unwrap() * f64::from(1 << 18);
    let ratio = row(bcrypt, 31)["one"]["hash_ms"].as_f64().unwrap() / of_18;
    assert!((ratio / 8192.0 - 1.0).abs() < 0.01, "{ratio}");
}

/// Small Argon2 hashes have no lanes, and large ones have.
fn argon2_in_lanes(results: &Value) {
    for series in 0..5 {
        let rows = rows(results, "argon2id", series);
        assert!(row(rows, 7168)["lanes"].is_null());
        assert!(row(rows, 65_536)["lanes"]["at_once"].as_u64() > Some(1), "{}", row(rows, 65_536));
    }
}

/// A figure is measured and has a spread, or comes from the line and has none.
fn figure(figure: &Value) {
    if figure.is_null() {
        return;
    }
    let hash_ms = figure["hash_ms"].as_f64().unwrap();
    assert!(hash_ms > 0.0, "{figure}");
    match figure["source"].as_str().unwrap() {
        "measured" => {
            let (cpu, wall) = (&figure["cpu_ms"], &figure["wall_ms"]);
            assert!(cpu["samples"].as_u64().unwrap() >= 1 && cpu["samples"] == wall["samples"]);
            let at_once = figure["at_once"].as_f64().unwrap();
            assert!((cpu["median"].as_f64().unwrap() / at_once / hash_ms - 1.0).abs() < 1e-9, "{figure}");
            assert!(cpu["lower_quartile"].as_f64() <= cpu["upper_quartile"].as_f64());
        }
        "line" => assert!(figure["wall_ms"].is_null() && figure["cpu_ms"].is_null(), "{figure}"),
        other => panic!("{other}"),
    }
}

fn text(text: &str, results: &Value) {
    let of_31 = text.lines().find(|line| line.trim_start().starts_with("31 ")).unwrap();
    let is_extrapolated = of_31.contains('≈') && (of_31.contains(" days)") || of_31.contains(" h)"));
    // On a busy machine the line can be bad.
    let error = results["tables"][0]["series"][0]["one_line"]["worst_error"].as_f64().unwrap();
    assert_eq!(is_extrapolated, error <= 0.1, "{of_31}");
    assert!(text.contains("≈ was not measured") && text.contains("One hash: "), "{text}");
    assert!(text.contains("PBKDF2-HMAC-SHA-256, 40 bytes of output (2 blocks)"));
    assert!(text.contains("PBKDF2-HMAC-SHA-256, 32 bytes of output (1 block)"));
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
        "argon2id in lanes, logarithmic",
        "Intel i3-8109U (NUC, 2018)",
        "author's desktop, 2016",
        "186,173,000",
        "logarithmic",
        "two blocks of SHA-1",
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
    assert!(rows(&results, "bcrypt", 0).iter().all(|row| row["lanes"]["at_once"].as_u64() >= Some(1)));
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_measured() {
    let no_json = file("no.json");
    fs::write(&no_json, "{\"form\": 1}").unwrap();
    let no_json_name = no_json.to_str().unwrap();
    for (arguments, code, sentence) in [
        (vec!["--algorithm", "md5"], 64, "possible values: bcrypt, pbkdf2-sha1"),
        (vec!["--out", "page.txt"], 64, "ends in .html, .json or .md"),
        (vec!["--out", "/nowhere/at/all/page.html"], 64, "name a file in a directory that exists"),
        (vec!["--from", "/nowhere.json"], 64, "cannot be read"),
        (vec!["--from", no_json_name], 65, "measure again"),
        (vec!["--from", no_json_name, "--quick"], 64, "cannot be used with"),
    ] {
        let ended = run(&[vec!["bench"], arguments].concat());
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.err.starts_with("saltern-numbers: ") && ended.err.contains(sentence), "{}", ended.err);
        assert!(ended.out.is_empty());
    }
    fs::remove_file(no_json).unwrap();
}

/// Results of bcrypt-10 and of PBKDF2 at 40 bytes on half a core; bcrypt-12 comes from the line.
fn half_a_core() -> Value {
    let spread = |ms: f64| json!({"least": ms, "median": ms, "lower_quartile": ms, "upper_quartile": ms, "samples": 5});
    let measured = |ms: f64, at_once: u32| {
        let (cpu_ms, wall_ms) = (spread(ms), spread(2.0 * ms));
        json!({
            "source": "measured", "at_once": at_once, "hash_ms": ms / f64::from(at_once),
            "hashes_per_second": 1e3 * f64::from(at_once) / ms, "cpu_ms": cpu_ms, "wall_ms": wall_ms,
        })
    };
    let from_line = |ms: f64, at_once: u32| {
        json!({
            "source": "line", "at_once": at_once, "hash_ms": ms, "hashes_per_second": 1e3 / ms, "cpu_ms": null, "wall_ms": null,
        })
    };
    let line = json!({"intercept_ms": 0.0, "slope_ms": 0.05, "worst_error": 0.0, "points": 2});
    let bcrypt = json!([
        {"cost": 10, "work": 1024, "one": measured(51.2, 1), "lanes": measured(102.4, 8)},
        {"cost": 12, "work": 4096, "one": from_line(204.8, 1), "lanes": from_line(51.2, 8)},
    ]);
    let pbkdf2 = json!([{"cost": 100_001, "work": 200_002, "one": measured(50.0, 1), "lanes": null}]);
    json!({
        "form": 1, "version": "0.1.0", "machine": {"cpu": "a CPU", "architecture": "x86_64", "cores": 2},
        "began": "2026-11-01T00:00:00Z", "took_seconds": 10.0, "quick": true,
        "tables": [
            {"algorithm": "bcrypt", "series": [{"name": "", "rows": bcrypt, "one_line": line, "lanes_line": line}]},
            {"algorithm": "pbkdf2-sha1", "series": [
                {"name": "40 bytes of output (2 blocks)", "rows": pbkdf2, "one_line": line, "lanes_line": null},
            ]},
        ],
    })
}

#[test]
fn results_that_are_read_again_have_marks_and_notes() {
    let [json, page] = ["half.json", "half.html"].map(file);
    fs::write(&json, half_a_core().to_string()).unwrap();
    let ended = run(&["bench", "--from", json.to_str().unwrap(), "--out", page.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    for part in ["CPU quota took 50 % of the core", "2.0 times as long", "The second block doubles your"] {
        assert!(ended.out.contains(part), "{part} in {}", ended.out);
    }
    let html = fs::read_to_string(&page).unwrap();
    // bcrypt-12 was not measured.
    let verdict =
        "One core computes bcrypt-10 in 51.2 ms: 19.5 a second one by one, and 78.1 with 8 in lanes.";
    assert!(html.contains(verdict), "{html}");
    let (before, _) = html.split_once("<nav").unwrap();
    assert!(before.contains("The machine was busy"), "{html}");
    for section in ["What an attacker pays", "bcrypt", "PBKDF2"] {
        assert!(html.contains(&format!(">{section}</a>")), "{section}");
    }
    for file in [json, page] {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_line_with_a_large_error_gives_no_time() {
    let [json, page] = ["line.json", "line.html"].map(file);
    for (error, is_shown) in [(0.1, true), (0.3, false)] {
        let mut results = half_a_core();
        for line in ["one_line", "lanes_line"] {
            results["tables"][0]["series"][0][line]["worst_error"] = json!(error);
        }
        fs::write(&json, results.to_string()).unwrap();
        let ended = run(&["bench", "--from", json.to_str().unwrap(), "--out", page.to_str().unwrap()]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        let html = fs::read_to_string(&page).unwrap();
        // bcrypt-12 was not measured. In lanes the line gives its hash 51.2 ms.
        for (place, shown) in
            [(&ended.out, "≈ 205"), (&html, "≈ 205"), (&html, "≈ 51.2"), (&html, "≈ extrapolated")]
        {
            assert_eq!(place.contains(shown), is_shown, "{shown} with an error of {error}: {place}");
        }
    }
    for file in [json, page] {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn incomplete_results_are_refused() {
    let broken = file("broken.json");
    // The first change removes nothing, so the others are refused for the part that they lost.
    let breaks: [fn(&mut Value); 7] = [
        |_| (),
        |results| results["took_seconds"] = json!(-1),
        |results| results["tables"][0]["series"] = json!([]),
        |results| results["tables"][1]["series"] = json!([]),
        |results| results["tables"][0]["series"][0]["rows"] = json!([]),
        |results| results["tables"][0]["series"][0]["lanes_line"] = Value::Null,
        |results| results["tables"][0]["series"][0]["rows"][0]["cost"] = json!(0),
    ];
    for (at, change) in breaks.into_iter().enumerate() {
        let mut results = half_a_core();
        change(&mut results);
        fs::write(&broken, results.to_string()).unwrap();
        let ended = run(&["bench", "--from", broken.to_str().unwrap()]);
        assert_eq!(ended.code, if at == 0 { 0 } else { 65 }, "{at}: {}", ended.err);
        assert_eq!(ended.err.contains("measure again"), at > 0, "{at}: {}", ended.err);
        assert_eq!(ended.out.is_empty(), at > 0, "{at}: {}", ended.out);
    }
    fs::remove_file(broken).unwrap();
}
