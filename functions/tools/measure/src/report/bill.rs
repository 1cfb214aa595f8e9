//! The cost of a window, from CloudWatch's counts and the list prices.

use std::time::Duration;

use saltern_capacity::{Prices, Size, Usage, gb_seconds};

use super::{figures::Figures, window::Window};

/// A bill, line by line, in US dollars.
#[derive(Debug)]
pub(crate) struct Bill {
    pub(crate) usage: Usage,
    pub(crate) requests_usd: f64,
    pub(crate) on_demand_usd: f64,
    pub(crate) provisioned_usd: f64,
    pub(crate) provisioned_run_usd: f64,
}

impl Bill {
    pub(crate) fn new(figures: &Figures, window: Window, size: Size) -> Self {
        let invocations = figures.lambda("invocations").sum();
        let on_provisioned = figures.lambda("provisioned_invocations").sum();
        let provisioned_share = if invocations > 0.0 { (on_provisioned / invocations).min(1.0) } else { 0.0 };
        let run_ms = figures.lambda("duration_sum").sum() + invocations * ROUNDED_UP_MS;
        let run = gb_seconds(size.memory_mb, Duration::from_secs_f64(run_ms.max(0.0) / 1000.0));
        let usage = Usage {
            requests: whole(invocations),
            on_demand_gb_seconds: run * (1.0 - provisioned_share),
            provisioned_gb_seconds: gb_seconds(size.memory_mb, provisioned(figures, window)),
            provisioned_run_gb_seconds: run * provisioned_share,
        };
        let usd = |part: Usage| Prices::listed().usd(size.architecture, &part);
        let none = Usage::default();
        Self {
            requests_usd: usd(Usage { requests: usage.requests, ..none }),
            on_demand_usd: usd(Usage { on_demand_gb_seconds: usage.on_demand_gb_seconds, ..none }),
            provisioned_usd: usd(Usage { provisioned_gb_seconds: usage.provisioned_gb_seconds, ..none }),
            provisioned_run_usd: usd(Usage {
                provisioned_run_gb_seconds: usage.provisioned_run_gb_seconds,
                ..none
            }),
            usage,
        }
    }

    pub(crate) fn usd(&self) -> f64 {
        self.requests_usd + self.on_demand_usd + self.provisioned_usd + self.provisioned_run_usd
    }
}

/// Returns the provisioned environments in each period. Lambda reports the number in use and its
/// share, but only while requests come. Between requests the last figure holds.
pub(crate) fn allocated(figures: &Figures, window: Window) -> Vec<f64> {
    let (in_use, share) = (figures.lambda("provisioned_in_use"), figures.lambda("provisioned_share"));
    let requests = figures.lambda("invocations");
    let mut last = 0.0;
    let at = |time: i64| {
        match (in_use.at(time), share.at(time)) {
            (Some(in_use), Some(share)) if share > 0.0 => last = (in_use / share).round(),
            // Requests came, and no environment was provisioned.
            _ if requests.at(time).is_some_and(|requests| requests > 0.0) => last = 0.0,
            _ => {}
        }
        last
    };
    window.periods().map(at).collect()
}

/// Returns the product of environments and time.
fn provisioned(figures: &Figures, window: Window) -> Duration {
    let environments: f64 = allocated(figures, window).iter().sum();
    Duration::try_from_secs_f64(environments * f64::from(window.period)).unwrap_or_default()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, which is not negative")]
fn whole(count: f64) -> u64 {
    count.max(0.0).round() as u64
}

/// Lambda bills whole milliseconds, rounded up, which adds half a millisecond on average.
const ROUNDED_UP_MS: f64 = 0.5;

#[cfg(test)]
mod tests {
    use saltern_capacity::Architecture;

    use super::*;

    const WINDOW: Window = Window { from: 0, to: 180, period: 60 };
    const ARM: Size = Size { architecture: Architecture::Arm64, memory_mb: 1769 };

    fn figures(of: &[(&str, &[(i64, f64)])]) -> Figures {
        let mut figures = Figures::default();
        for (id, points) in of {
            figures.add(id, "", points.iter().copied());
        }
        figures
    }

    #[test]
    fn the_cost_on_demand_is_the_one_computed_by_hand() {
        // A million requests of 249.5 ms, billed as 250: 1769 / 1024 × 250,000 s × 0.0000133334 +
        // 0.20 USD.
        let bill = Bill::new(
            &figures(&[("invocations", &[(0, 1e6)]), ("duration_sum", &[(0, 249.5e6)])]),
            WINDOW,
            ARM,
        );
        assert!((bill.usd() - 5.9585).abs() < 0.0001, "{}", bill.usd());
    }

    #[test]
    fn idle_provisioned_environments_cost_money() {
        let figures = figures(&[
            ("invocations", &[(0, 100.0)]),
            ("provisioned_invocations", &[(0, 100.0)]),
            ("duration_sum", &[(0, 950.0)]),
            // Half of 800 are in use in the first minute. No request comes in the next two.
            ("provisioned_in_use", &[(0, 400.0)]),
            ("provisioned_share", &[(0, 0.5)]),
        ]);
        assert_eq!(allocated(&figures, WINDOW), [800.0, 800.0, 800.0]);
        let bill = Bill::new(&figures, WINDOW, ARM);
        let expected = 800.0 * 180.0 * 1769.0 / 1024.0;
        assert!((bill.usage.provisioned_gb_seconds - expected).abs() < 1e-6);
        assert!(bill.usage.on_demand_gb_seconds.abs() < 1e-9 && bill.provisioned_run_usd > 0.0);
    }

    #[test]
    fn environments_that_are_gone_cost_no_money() {
        let figures = figures(&[
            ("invocations", &[(0, 100.0), (60, 100.0)]),
            ("provisioned_in_use", &[(0, 400.0)]),
            ("provisioned_share", &[(0, 0.5)]),
        ]);
        assert_eq!(allocated(&figures, WINDOW), [800.0, 0.0, 0.0]);
    }

    #[test]
    fn no_request_costs_nothing() {
        assert!(Bill::new(&Figures::default(), WINDOW, ARM).usd().abs() < 1e-12);
    }
}
