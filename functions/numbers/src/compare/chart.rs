//! The chart of the README, as SVG: bcrypt hashes per second per core against lanes.

use std::io;

use saltern_meter::Machine;
use saltern_page::{Axis, Plot, Series};

use super::{
    kernels::bcrypt::{LIBXCRYPT, lanes},
    rounds::Measurement,
};

/// Draws the chart.
pub(super) fn svg(measurement: &Measurement) -> io::Result<String> {
    let chart = chart(measurement, &Machine::this().cpu);
    chart.map(|chart| chart.svg()).ok_or_else(|| io::Error::other("no lanes were measured"))
}

fn chart(measurement: &Measurement, cpu: &str) -> Option<Plot> {
    let libxcrypt = MS_PER_SECOND / measurement.row(LIBXCRYPT)?.hash_ms;
    let point = |(at_once, count): (f64, usize)| {
        let ratio = measurement.row(&lanes(count))?.hashes_per_core_ratio;
        Some((at_once, ratio * libxcrypt, format!("{ratio:.2} ×")))
    };
    let points: Vec<_> = NUMBERS.into_iter().zip(1..).filter_map(point).collect();
    (!points.is_empty()).then(|| {
        Plot::new(
            format!("bcrypt-10 hashes per second per core, {cpu}"),
            Axis::linear("hashes at once in one thread").from(1.0),
            Axis::linear("a second"),
        )
        .about("Each point is labelled with how many times libxcrypt's rate it is.")
        .series(Series::joined_dots("lanes", points))
        .limit(libxcrypt, format!("libxcrypt crypt_r, one after the other: {libxcrypt:.1}"))
    })
}

const MS_PER_SECOND: f64 = 1000.0;

/// The numbers of lanes; the widest kernel has eight.
const NUMBERS: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde_json::Value;

    use super::*;

    #[test]
    fn the_committed_charts_show_the_committed_figures() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let processors: Vec<_> =
            fs::read_dir(results).unwrap().map(|processor| processor.unwrap().path()).collect();
        assert!(!processors.is_empty());
        for processor in processors {
            let json = fs::read_to_string(processor.join("bench.json")).unwrap();
            let mut json: Value = serde_json::from_str(&json).unwrap();
            let cpu = json["machine"]["cpu"].as_str().unwrap().to_owned();
            let kernels: Vec<Measurement> = serde_json::from_value(json["kernels"].take()).unwrap();
            let bcrypt = kernels.iter().find(|kernel| kernel.row(LIBXCRYPT).is_some()).unwrap();
            let drawn = chart(bcrypt, &cpu).unwrap().svg();
            let committed = fs::read_to_string(processor.join("lanes.svg")).unwrap();
            assert!(committed == drawn, "{}: the chart shows other figures", processor.display());
        }
    }
}
