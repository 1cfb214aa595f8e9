//! The documented rules as tables.

use super::*;
use crate::function::{ManagedInstances, ProvisionedConcurrency};

fn platform(function: &Function) -> Platform {
    Platform::new(function, Limits::documented(), 1)
}

fn at_ms(milliseconds: u64) -> Moment {
    Moment::START + Duration::from_millis(milliseconds)
}

/// Places requests until the first throttle. Returns the placed requests and the reason for the
/// throttle.
fn fill(platform: &mut Platform, now: Moment) -> (Vec<Placed>, Throttle) {
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
/// - "In practice, Lambda makes a best attempt to refill your concurrency scaling rate continuously
///   over time."
/// - "Lambda doesn't accrue unused portions."
const SCALING_LAW: &[(u64, usize)] = &[
    (0, 1000),
    (10, 1001),
    (500, 1050),
    (1000, 1100),
    (5000, 1500),
    (10_000, 2000),
    (20_000, 3000),
    (30_000, 4000),
    (60_000, 7000),
    (90_000, 10_000),
    // The quota of the account.
    (100_000, 10_000),
];

#[test]
fn environments_come_at_the_documented_pace() {
    let mut platform = platform(&Function { account_concurrency: 10_000, ..Function::unprepared() });
    let mut environments = 0;
    let mut rows = SCALING_LAW.iter().peekable();
    // Requests that never end fill the platform every ten milliseconds.
    for ms in (0..=100_000).step_by(10) {
        let (placed, _) = fill(&mut platform, at_ms(ms));
        assert!(placed.iter().all(|placed| placed.start == Start::Cold));
        environments += placed.len();
        if let Some(&&(_, documented)) = rows.peek().filter(|(at, _)| *at == ms) {
            assert_eq!(environments, documented, "after {ms} ms");
            rows.next();
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn an_unused_pace_does_not_accumulate() {
    let mut platform = platform(&Function { account_concurrency: 10_000, ..Function::unprepared() });
    platform.place(at_ms(0)).unwrap();
    let (placed, throttle) = fill(&mut platform, at_ms(3_600_000));
    assert_eq!((placed.len(), throttle), (1000, Throttle::ScalingRate));
}

#[test]
fn the_pace_is_for_new_environments_only() {
    let mut platform = platform(&Function { account_concurrency: 10_000, ..Function::unprepared() });
    let (first, throttle) = fill(&mut platform, at_ms(0));
    assert_eq!((first.len(), throttle), (1000, Throttle::ScalingRate));
    for placed in first {
        platform.release(at_ms(200), placed.lease);
    }
    let (second, _) = fill(&mut platform, at_ms(200));
    let warm = second.iter().filter(|placed| placed.start == Start::Warm).count();
    assert_eq!((warm, second.len()), (1000, 1020));
}

/// The account, reserved and provisioned concurrency, the concurrent requests with an environment,
/// and the throttle of the next one.
type AtOnce = (u64, Option<u64>, Option<u64>, usize, Throttle);

const CONCURRENCY: &[AtOnce] = &[
    (1000, None, None, 1000, Throttle::Concurrency),
    (100, None, None, 100, Throttle::Concurrency),
    (10, None, None, 10, Throttle::Concurrency),
    (3000, None, None, 1000, Throttle::ScalingRate),
    (1000, Some(300), None, 300, Throttle::Concurrency),
    (1000, Some(0), None, 0, Throttle::RequestRate),
    // Provisioned environments count against the quota and not against the pace.
    (1000, None, Some(700), 1000, Throttle::Concurrency),
    (3000, None, Some(1500), 2500, Throttle::ScalingRate),
    (3000, Some(800), Some(800), 800, Throttle::Concurrency),
    (3000, Some(800), Some(500), 800, Throttle::Concurrency),
];

#[test]
fn concurrency_is_bounded_by_account_and_reservation() {
    for &(account_concurrency, reserved, provisioned, most, why) in CONCURRENCY {
        let provisioned =
            provisioned.map(|environments| ProvisionedConcurrency { environments, asked_at_seconds: -900 });
        let function = Function { account_concurrency, reserved, provisioned, ..Function::unprepared() };
        let (placed, throttle) = fill(&mut platform(&function), at_ms(0));
        assert_eq!((placed.len(), throttle), (most, why), "{function:?}");
    }
}

#[test]
fn requests_a_second_are_bounded_by_ten_times_the_concurrency() {
    // Requests without duration, so never two at once.
    let mut platform = platform(&Function { reserved: Some(30), ..Function::unprepared() });
    let mut answered = [0; 3];
    for ms in 0..3000 {
        for _ in 0..2 {
            match platform.place(at_ms(ms)) {
                Ok(placed) => {
                    answered[usize::try_from(ms / 1000).unwrap()] += 1;
                    platform.release(at_ms(ms), placed.lease);
                }
                Err(throttle) => assert_eq!(throttle, Throttle::RequestRate),
            }
        }
    }
    // 300 a second, after the full quota of one second.
    assert_eq!(answered, [599, 300, 300]);
}

/// Provisioned environments, and milliseconds from the order until all are usable: two minutes, and
/// 6,000 a minute.
const ALLOCATION: &[(u64, u64)] = &[(1, 120_010), (100, 121_000), (800, 128_000), (6000, 180_000)];

#[test]
fn provisioned_environments_are_usable_when_all_are_ready() {
    for &(environments, ms) in ALLOCATION {
        let provisioned = Some(ProvisionedConcurrency { environments, asked_at_seconds: 0 });
        let function = Function { account_concurrency: 20_000, provisioned, ..Function::unprepared() };
        let mut platform = platform(&function);
        assert_eq!(platform.place(at_ms(ms - 1)).unwrap().start, Start::Cold, "{environments}");
        assert_eq!(platform.census().provisioned, 0);
        assert_eq!(platform.place(at_ms(ms)).unwrap().start, Start::Provisioned, "{environments}");
        assert_eq!(platform.census().provisioned, environments);
    }
}

#[test]
fn requests_beyond_provisioned_concurrency_spill_over() {
    let provisioned = Some(ProvisionedConcurrency { environments: 2, asked_at_seconds: -900 });
    let mut platform = platform(&Function { provisioned, ..Function::unprepared() });
    let placed: Vec<_> = (0..3).map(|_| platform.place(at_ms(0)).unwrap()).collect();
    let kinds: Vec<_> = placed.iter().map(|placed| (placed.lease.kind, platform.spills(placed))).collect();
    assert_eq!(kinds, [(Kind::Provisioned, false), (Kind::Provisioned, false), (Kind::OnDemand, true)]);
    platform.release(at_ms(1), placed[0].lease);
    assert_eq!(platform.place(at_ms(1)).unwrap().lease, placed[0].lease);
}

#[test]
fn environments_are_reused_and_reclaimed_when_idle() {
    let mut platform = platform(&Function::unprepared());
    let first = platform.place(at_ms(0)).unwrap();
    let second = platform.place(at_ms(0)).unwrap();
    platform.release(at_ms(100), first.lease);
    platform.release(at_ms(200), second.lease);
    // The last used environment is used again, so the others can be reclaimed.
    let again = platform.place(at_ms(300)).unwrap();
    assert_eq!((again.start, again.lease), (Start::Warm, second.lease));
    platform.advance(at_ms(100) + IDLE_LIFE - Duration::from_millis(1));
    assert!(platform.take_reclaimed().is_empty());
    platform.advance(at_ms(100) + IDLE_LIFE);
    assert_eq!(platform.take_reclaimed().as_slice(), [first.lease.environment]);
    assert_eq!(platform.census(), Census { environments: 1, provisioned: 0 });
}

#[test]
fn managed_instances_spread_requests_over_their_environments() {
    let managed = ManagedInstances { environments: 3, requests_at_once: 4, vcpus: 1, ec2_usd_per_hour: 0.0 };
    let mut platform = platform(&Function { managed: Some(managed), ..Function::unprepared() });
    let (placed, throttle) = fill(&mut platform, at_ms(0));
    assert_eq!(throttle, Throttle::Concurrency);
    let company: Vec<_> = placed.iter().map(|placed| placed.company).collect();
    assert_eq!(company, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    let freed = placed[7].lease;
    platform.release(at_ms(5), freed);
    let next = platform.place(at_ms(5)).unwrap();
    assert_eq!((next.lease, next.company), (freed, 4));
    for placed in placed {
        platform.release(at_ms(9), placed.lease);
    }
    assert_eq!(platform.place(at_ms(9)).unwrap().company, 1);
}

#[test]
fn a_scaled_platform_has_the_same_part_of_every_limit() {
    let provisioned = Some(ProvisionedConcurrency { environments: 500, asked_at_seconds: -900 });
    let function = Function { account_concurrency: 2000, provisioned, ..Function::unprepared() };
    let mut platform = Platform::new(&function, Limits::documented(), 10);
    let (placed, throttle) = fill(&mut platform, at_ms(0));
    assert_eq!((placed.len(), throttle), (150, Throttle::ScalingRate));
}

/// The scale, and the requests that the scaled quota of 1,000 stands for.
const PARTS: &[(u64, usize)] = &[(1, 1000), (3, 999), (7, 994), (18, 990)];

#[test]
fn a_scaled_quota_never_stands_for_more_than_the_quota() {
    for &(scale, most) in PARTS {
        let mut platform = Platform::new(&Function::unprepared(), Limits::documented(), scale);
        let (placed, _) = fill(&mut platform, at_ms(0));
        assert_eq!(placed.len() * usize::try_from(scale).unwrap(), most, "{scale}");
    }
}
