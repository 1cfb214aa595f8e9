//! The chart of the README, as SVG: bcrypt hashes per second per core against lanes.

use crate::measure::median;
use saltern_page::{Axis, Plot, Series};
use serde::{Deserialize, Serialize};

use super::{
    contenders::{LIBXCRYPT, lanes},
    figure::to_three_decimals,
    rounds::{Measurement, count},
};

/// The hashes per core in lanes.
#[derive(Deserialize, Serialize)]
pub(super) struct Lanes {
    /// The milliseconds of a hash by libxcrypt, one after the other.
    libxcrypt_ms: f64,
    /// With one lane, two and so on: how many times libxcrypt's rate.
    ratios: Vec<f64>,
}

impl Lanes {
    /// Returns nothing if the measurement has no lanes beside libxcrypt.
    pub(super) fn of(measurement: &Measurement) -> Option<Self> {
        let libxcrypt = measurement.row(LIBXCRYPT)?;
        let libxcrypt_ms = to_three_decimals(libxcrypt.hash_ms());
        let ratio = |at_once| {
            let ratios = measurement.row(&lanes(at_once))?.hashes_per_core_against(libxcrypt);
            Some(to_three_decimals(median(&ratios)))
        };
        let ratios: Vec<_> = (1..).map_while(ratio).collect();
        (!ratios.is_empty()).then_some(Self { libxcrypt_ms, ratios })
    }

    /// Draws the chart.
    pub(super) fn svg(&self, cpu: &str) -> String {
        let libxcrypt = MS_PER_SECOND / self.libxcrypt_ms;
        let point =
            |(at_once, ratio): (usize, &f64)| (count(at_once), ratio * libxcrypt, format!("{ratio:.2} ×"));
        let points: Vec<_> = (1..).zip(&self.ratios).map(point).collect();
        let plot = Plot::new(
            format!("bcrypt-10 hashes per second per core, {cpu}"),
            Axis::linear("hashes at once in one thread").from(1.0),
            Axis::linear("a second"),
        );
        plot.about("Each point is labelled with how many times libxcrypt's rate it is.")
            .series(Series::joined_dots("lanes", points))
            .limit(libxcrypt, format!("libxcrypt crypt_r, one after the other: {libxcrypt:.1}"))
            .svg()
    }
}

const MS_PER_SECOND: f64 = 1000.0;

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
            let json = fs::read_to_string(processor.join("figures.json")).unwrap();
            let mut json: Value = serde_json::from_str(&json).unwrap();
            let cpu = json["machine"]["cpu"].as_str().unwrap().to_owned();
            let lanes: Lanes = serde_json::from_value(json["bcrypt_10_lanes"].take()).unwrap();
            let drawn = lanes.svg(&cpu);
            let committed = fs::read_to_string(processor.join("lanes.svg")).unwrap();
            assert!(committed == drawn, "{}: the chart shows other figures", processor.display());
        }
    }
}
