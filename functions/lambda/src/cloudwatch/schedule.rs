//! Decides when to send.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

/// Decides after each request whether to send, for a process that is frozen between requests.
///
/// It uses the wall clock, which continues while the process is frozen.
#[derive(Debug)]
pub(crate) struct Schedule {
    interval: Duration,
    next: Mutex<Next>,
}

#[derive(Debug)]
struct Next {
    due: SystemTime,
    /// Whether it was put off once.
    is_late: bool,
}

impl Schedule {
    /// Sends at most once in this interval.
    pub(crate) fn new(interval: Duration) -> Self {
        let due = SystemTime::now() + jittered(interval);
        Self { interval, next: Mutex::new(Next { due, is_late: false }) }
    }

    /// Whether to send now. If so, the next interval starts.
    ///
    /// After a long sleep the next interval starts without sending, once: as an event begins, many
    /// environments wake up in the same second, and CloudWatch would refuse some of their calls.
    pub(crate) fn is_due(&self) -> bool {
        self.is_due_at(SystemTime::now())
    }

    fn is_due_at(&self, now: SystemTime) -> bool {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that is set back must not stop the sending.
        let far_away = next.due.duration_since(now).is_ok_and(|wait| wait > 2 * self.interval);
        if now < next.due && !far_away {
            return false;
        }
        let overslept = now.duration_since(next.due).is_ok_and(|late| late > self.interval);
        let is_late = overslept && !next.is_late;
        *next = Next { due: now + jittered(self.interval), is_late };
        !is_late
    }
}

/// Returns the interval plus a random part of up to its half. Environments that start in the same
/// second then do not send in the same second.
pub(crate) fn jittered(interval: Duration) -> Duration {
    let mut random = [0_u8; 2];
    // Without random bytes there is no jitter, which is acceptable.
    let _zero_on_failure = getrandom::fill(&mut random);
    interval + interval.mul_f64(f64::from(u16::from_le_bytes(random)) / f64::from(u16::MAX) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_secs(30);

    #[test]
    fn it_is_due_once_in_an_interval() {
        let schedule = Schedule::new(INTERVAL);
        let start = SystemTime::now();
        assert!(!schedule.is_due_at(start + Duration::from_secs(29)));
        assert!(schedule.is_due_at(start + Duration::from_secs(46)));
        assert!(!schedule.is_due_at(start + Duration::from_secs(75)));
        assert!(schedule.is_due_at(start + Duration::from_secs(92)));
        // After the clock was set back.
        assert!(schedule.is_due_at(start));
    }

    #[test]
    fn environments_that_wake_together_do_not_send_together() {
        let start = SystemTime::now();
        let wake = start + Duration::from_hours(8);
        let schedules: Vec<_> = (0..100).map(|_| Schedule::new(INTERVAL)).collect();
        assert!(schedules.iter().all(|schedule| !schedule.is_due_at(wake)));
        let sent = |seconds| {
            let now = wake + Duration::from_secs(seconds);
            schedules.iter().filter(|schedule| schedule.is_due_at(now)).count()
        };
        assert_eq!(sent(29), 0);
        assert!((1..100).contains(&sent(38)));
        // Seldom requests: the second one sends, after whatever sleep.
        let seldom = Schedule::new(INTERVAL);
        assert!(!seldom.is_due_at(wake));
        assert!(seldom.is_due_at(wake + Duration::from_hours(1)));
    }

    #[test]
    fn intervals_differ() {
        let drawn: Vec<_> = (0..100).map(|_| jittered(INTERVAL)).collect();
        assert!(drawn.iter().all(|drawn| (INTERVAL..=INTERVAL * 3 / 2).contains(drawn)));
        assert!(drawn.iter().max().unwrap().as_secs() - drawn.iter().min().unwrap().as_secs() > 5);
    }
}
