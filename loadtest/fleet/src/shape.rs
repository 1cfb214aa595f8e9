//! The rate of arrivals over time.

use core::{iter, str::FromStr, time::Duration};

use fastrand::Rng;

/// A rate that changes linearly within stages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    stages: Vec<Stage>,
}

/// A stage: the rate moves from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stage {
    seconds: f64,
    /// Arrivals a second at the start.
    from: f64,
    /// Arrivals a second at the end.
    to: f64,
}

impl Shape {
    pub(crate) fn constant(rate: f64, time: Duration) -> Self {
        Self { stages: vec![Stage { seconds: time.as_secs_f64(), from: rate, to: rate }] }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.seconds).sum()
    }

    pub(crate) fn highest_rate(&self) -> f64 {
        self.stages.iter().flat_map(|stage| [stage.from, stage.to]).fold(0.0, f64::max)
    }

    /// Returns the times of independent arrivals: a Poisson process with the rate of the shape, by
    /// thinning one with the highest rate (Lewis and Shedler, 1979).
    pub(crate) fn arrivals(&self, seed: u64) -> impl Iterator<Item = Duration> {
        let mut random = Rng::with_seed(seed);
        // Not zero, so that a shape without arrivals ends too.
        let highest = self.highest_rate().max(f64::MIN_POSITIVE);
        let mut at = 0.0;
        let candidates = iter::from_fn(move || {
            // The gaps of independent arrivals are exponentially distributed.
            at -= (1.0 - random.f64()).ln() / highest;
            Some((at, highest * random.f64()))
        });
        let (mut before, mut stages) = (0.0, self.stages.iter().peekable());
        candidates
            .map_while(move |(at, chance)| {
                while let Some(stage) = stages.next_if(|stage| at >= before + stage.seconds) {
                    before += stage.seconds;
                }
                let stage = stages.peek()?;
                let rate = stage.from + (stage.to - stage.from) * (at - before) / stage.seconds;
                Some((chance < rate).then(|| Duration::from_secs_f64(at)))
            })
            .flatten()
    }
}

/// Parses `SECONDS:RATE` for each stage, in the form of k6. The rate is the last rate of the stage.
/// The first stage is constant.
impl FromStr for Shape {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let mut stages: Vec<Stage> = Vec::new();
        for part in text.split(',') {
            let (seconds, rate) = part.split_once(':').ok_or(NOT_A_SHAPE)?;
            let number = |text: &str| text.parse().ok().filter(|number: &f64| (0.0..=1e7).contains(number));
            let (seconds, to) = (number(seconds).ok_or(NOT_A_SHAPE)?, number(rate).ok_or(NOT_A_SHAPE)?);
            let from = stages.last().map_or(to, |stage| stage.to);
            stages.push(Stage { seconds, from, to });
        }
        let shape = Self { stages };
        if shape.seconds() > 0.0 { Ok(shape) } else { Err(NOT_A_SHAPE) }
    }
}

const NOT_A_SHAPE: &str = "write SECONDS:RATE for each stage, separated by commas, with at least one stage longer than 0 s, such as 60:100,10:3000,60:3000";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_parsed_in_the_form_of_k6() {
        let shape: Shape = "60:100,10:3000,60:3000".parse().unwrap();
        let stage = |seconds, from, to| Stage { seconds, from, to };
        let rise = stage(10.0, 100.0, 3000.0);
        assert_eq!(shape.stages, [stage(60.0, 100.0, 100.0), rise, stage(60.0, 3000.0, 3000.0)]);
        assert!((shape.seconds() - 130.0).abs() < 1e-9 && (shape.highest_rate() - 3000.0).abs() < 1e-9);
        for wrong in
            ["", "60", "60:", ":3000", "60:-1", "60:100,", "a:b", "60:NaN", "60:inf", "0:5", "0:5,0:9"]
        {
            assert_eq!(wrong.parse::<Shape>(), Err(NOT_A_SHAPE), "{wrong}");
        }
    }

    #[test]
    fn the_arrivals_of_each_stage_match_its_rate() {
        let shape: Shape = "10:100,10:2000,0:50,10:50".parse().unwrap();
        let mut seconds = [0_u32; 30];
        for arrival in shape.arrivals(7) {
            seconds[usize::try_from(arrival.as_secs()).unwrap()] += 1;
        }
        let stage = |from: usize| f64::from(seconds[from..from + 10].iter().sum::<u32>());
        for (from, expected) in [(0, 1000.0_f64), (10, 10_500.0), (20, 500.0)] {
            // Within four standard deviations.
            assert!((stage(from) - expected).abs() < 4.0 * expected.sqrt(), "{} of {expected}", stage(from));
        }
        // At a quarter of the rise the rate is 575 a second.
        let quarter = f64::from(seconds[12]);
        assert!((quarter - 575.0).abs() < 4.0 * 575.0_f64.sqrt(), "{quarter}");
    }
}
