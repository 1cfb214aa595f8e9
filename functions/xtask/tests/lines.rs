//! `cargo xtask lines` counts as a simpler way to count does, in a crate where that way is exact.

use std::{fs, path::Path, process::Command};

#[test]
fn production_and_test_are_counted_apart() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let counted = Command::new("functions/xtask/lines").current_dir(package.join("../..")).output().unwrap();
    assert!(counted.status.success(), "{}", String::from_utf8_lossy(&counted.stderr));
    let table = String::from_utf8(counted.stdout).unwrap().replace(',', "");
    let (production, test) = lines_below(&package.join("src"));
    let (production, test) = (production, test + lines_below(&package.join("tests")).0);
    assert!(production > 100 && test > 100, "{production} {test}");
    let row = format!("| `functions/xtask` | {production} | {test} |");
    assert!(table.contains(&row), "no row {row} in\n{table}");
}

/// The lines of code above and below `cfg(test)`. This crate has no comment behind code.
fn lines_below(folder: &Path) -> (usize, usize) {
    let mut sums = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (production, test) = lines_below(&path);
            sums = (sums.0 + production, sums.1 + test);
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let mut is_test = false;
        for line in lines {
            is_test |= line == concat!("#[cfg(", "test)]");
            *if is_test { &mut sums.1 } else { &mut sums.0 } += 1;
        }
    }
    sums
}
