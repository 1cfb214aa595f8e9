//! The documented rules of Lambda: which request gets an environment, a cold start or a 429.
//!
//! A state machine without clock, thread or randomness. Every number comes from [`Limits`] or from
//! [`crate::assumptions`].

use core::time::Duration;
use std::collections::VecDeque;

use serde::Serialize;

use crate::{
    assumptions::{IDLE_LIFE, REQUEST_BURST},
    bucket::Bucket,
    function::Function,
    limits::Limits,
};

/// Lambda for one function.
#[derive(Clone, Debug)]
pub(crate) struct Platform {
    requests: Bucket,
    pace: Bucket,
    /// The limit of concurrent requests, on demand and on provisioned environments together.
    concurrency: u64,
    /// Environments on demand that serve a request.
    busy: u64,
    /// The times since which the other environments on demand are idle. The last used one is last.
    idle: VecDeque<Duration>,
    /// Provisioned environments, and those of them that serve a request.
    provisioned: u64,
    provisioned_busy: u64,
}

/// The environment of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Environment {
    /// On demand, started for this request.
    Cold,
    Provisioned,
    /// On demand, used before.
    Warm,
}

/// The reason for a 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Throttle {
    /// The concurrent requests have reached the quota.
    Concurrency,
    /// More requests a second than ten times the concurrency.
    RequestRate,
    /// A new environment would exceed the pace of Lambda.
    ScalingRate,
}

impl Throttle {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Concurrency => "concurrency",
            Self::RequestRate => "request rate",
            Self::ScalingRate => "scaling rate",
        }
    }
}

impl Platform {
    pub(crate) fn new(function: &Function, limits: &Limits) -> Self {
        let concurrency = function.account_concurrency;
        let requests = concurrency * limits.requests_per_second_per_concurrency;
        Self {
            requests: Bucket::new(requests, REQUEST_BURST),
            pace: Bucket::new(limits.environments_per_ten_seconds, Duration::from_secs(10)),
            concurrency,
            busy: 0,
            idle: VecDeque::new(),
            provisioned: function.provisioned,
            provisioned_busy: 0,
        }
    }

    /// Gives an environment to a request.
    ///
    /// # Errors
    /// The reason, if the request is throttled.
    pub(crate) fn place(&mut self, now: Duration) -> Result<Environment, Throttle> {
        if !self.requests.take(now) {
            return Err(Throttle::RequestRate);
        }
        if self.provisioned_busy < self.provisioned {
            self.provisioned_busy += 1;
            return Ok(Environment::Provisioned);
        }
        // Provisioned concurrency counts against the quota, used or not.
        if self.busy >= self.concurrency.saturating_sub(self.provisioned) {
            return Err(Throttle::Concurrency);
        }
        self.reclaim(now);
        let environment = match self.idle.pop_back() {
            Some(_) => Environment::Warm,
            None if self.pace.take(now) => Environment::Cold,
            None => return Err(Throttle::ScalingRate),
        };
        self.busy += 1;
        Ok(environment)
    }

    /// Makes the environment of a request available to the next one.
    pub(crate) fn release(&mut self, now: Duration, environment: Environment) {
        if environment == Environment::Provisioned {
            self.provisioned_busy -= 1;
        } else {
            self.busy -= 1;
            self.idle.push_back(now);
        }
    }

    /// Returns the number of environments of any kind.
    pub(crate) fn environments(&mut self, now: Duration) -> u64 {
        self.reclaim(now);
        self.busy + self.provisioned + u64::try_from(self.idle.len()).unwrap_or(u64::MAX)
    }

    /// Ends the environments that are idle for too long.
    fn reclaim(&mut self, now: Duration) {
        while self.idle.front().is_some_and(|&since| now.saturating_sub(since) >= IDLE_LIFE) {
            self.idle.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::plan;

    fn platform(flags: &str) -> Platform {
        Platform::new(&plan(flags).unwrap().function, Limits::documented())
    }

    fn at_ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Places requests until the first throttle. Returns their environments and the reason for the
    /// throttle.
    fn fill(platform: &mut Platform, now: Duration) -> (Vec<Environment>, Throttle) {
        let mut placed = Vec::new();
        loop {
            match platform.place(now) {
                Ok(one) => placed.push(one),
                Err(throttle) => return (placed, throttle),
            }
        }
    }

    /// Milliseconds since the start of an unlimited load, and the environments at that time.
    ///
    /// The rules of docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html:
    ///
    /// - "Every 10 seconds, Lambda can allocate at most 1,000 additional execution environment
    ///   instances."
    /// - "In practice, Lambda makes a best attempt to refill your concurrency scaling rate
    ///   continuously over time."
    /// - "Lambda doesn't accrue unused portions."
    ///
    /// The last row is the quota of the account.
    const SCALING_LAW: [(u64, usize); 8] = [
        (0, 1000),
        (10, 1001),
        (500, 1050),
        (1000, 1100),
        (10_000, 2000),
        (60_000, 7000),
        (90_000, 10_000),
        (100_000, 10_000),
    ];

    #[test]
    fn environments_come_at_the_documented_pace() {
        let mut platform = platform("--account-concurrency=10000");
        let mut environments = 0;
        let mut rows = SCALING_LAW.iter().peekable();
        // Requests that never end fill the platform every ten milliseconds.
        for ms in (0..=100_000).step_by(10) {
            let (placed, _) = fill(&mut platform, at_ms(ms));
            assert!(placed.iter().all(|environment| *environment == Environment::Cold));
            environments += placed.len();
            if let Some((_, documented)) = rows.next_if(|(at, _)| *at == ms) {
                assert_eq!(environments, *documented, "after {ms} ms");
            }
        }
        assert_eq!(rows.next(), None);
    }

    #[test]
    fn the_pace_is_for_new_environments_only_and_does_not_accumulate() {
        let mut platform = platform("--account-concurrency=10000");
        let (first, throttle) = fill(&mut platform, at_ms(3_600_000));
        assert_eq!((first.len(), throttle), (1000, Throttle::ScalingRate));
        for environment in first {
            platform.release(at_ms(3_600_200), environment);
        }
        let (second, _) = fill(&mut platform, at_ms(3_600_200));
        let warm = second.iter().filter(|environment| **environment == Environment::Warm).count();
        assert_eq!((warm, second.len()), (1000, 1020));
    }

    /// Flags, the concurrent requests with an environment, and the throttle of the next one.
    const CONCURRENCY: [(&str, usize, Throttle); 5] = [
        ("", 1000, Throttle::Concurrency),
        ("--account-concurrency=10", 10, Throttle::Concurrency),
        ("--account-concurrency=3000", 1000, Throttle::ScalingRate),
        // Provisioned environments count against the quota and not against the pace.
        ("--provisioned=700", 1000, Throttle::Concurrency),
        ("--account-concurrency=3000 --provisioned=1500", 2500, Throttle::ScalingRate),
    ];

    #[test]
    fn concurrency_is_bounded_by_the_account() {
        for (flags, most, why) in CONCURRENCY {
            let (placed, throttle) = fill(&mut platform(flags), at_ms(0));
            assert_eq!((placed.len(), throttle), (most, why), "{flags}");
        }
    }

    #[test]
    fn requests_a_second_are_bounded_by_ten_times_the_concurrency() {
        // Requests without duration, so never two at once.
        let mut platform = platform("--account-concurrency=30");
        let answered = [0, 1, 2_u64].map(|second| {
            let mut answer = |ms| match platform.place(at_ms(1000 * second + ms)) {
                Ok(environment) => {
                    platform.release(at_ms(1000 * second + ms), environment);
                    true
                }
                Err(throttle) => {
                    assert_eq!(throttle, Throttle::RequestRate);
                    false
                }
            };
            (0..2000).filter(|half_ms| answer(half_ms / 2)).count()
        });
        // 300 a second, after the full quota of one second.
        assert_eq!(answered, [599, 300, 300]);
    }

    #[test]
    fn requests_beyond_provisioned_concurrency_spill_over() {
        let mut platform = platform("--provisioned=2");
        let mut place = || platform.place(at_ms(0)).unwrap();
        let placed = [place(), place(), place()];
        assert_eq!(placed, [Environment::Provisioned, Environment::Provisioned, Environment::Cold]);
        platform.release(at_ms(1), Environment::Provisioned);
        assert_eq!(platform.place(at_ms(1)), Ok(Environment::Provisioned));
    }

    #[test]
    fn environments_are_reused_and_reclaimed_when_idle() {
        let mut platform = platform("");
        let (first, second) = (platform.place(at_ms(0)).unwrap(), platform.place(at_ms(0)).unwrap());
        platform.release(at_ms(100), first);
        platform.release(at_ms(200), second);
        // The last used environment is used again, so the others can be reclaimed.
        assert_eq!(platform.place(at_ms(300)), Ok(Environment::Warm));
        assert_eq!(platform.environments(at_ms(99) + IDLE_LIFE), 2);
        assert_eq!(platform.environments(at_ms(100) + IDLE_LIFE), 1);
    }
}
