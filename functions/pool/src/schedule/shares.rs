//! The shares of the callers: who starts next, and who goes on at a boundary.

use std::time::{Duration, Instant};

use super::super::work::CallerNumber;

/// Shares the workers among the callers: start-time fair queueing, of jobs and of slices.
///
/// A caller has two clocks of computing time. `next_start` counts the estimates of all jobs that it
/// sent: waiting jobs are taken in the order of their starts, and a job starts when its caller's
/// last job ends, but not before the present. `used` counts the time that its work ran: at a
/// boundary the lanes of the caller with the least go on, and others are passed over. So callers
/// that want more than there is get the same, whatever their jobs cost. A caller that wanted nothing
/// begins at the present, without a claim on the past.
#[derive(Debug, Default)]
pub(super) struct Shares {
    accounts: Vec<Account>,
    /// The start of the last job that a worker took.
    present: Duration,
    /// The most that a caller has had.
    present_used: Duration,
}

#[derive(Debug)]
struct Account {
    caller: CallerNumber,
    next_start: Duration,
    used: Duration,
    /// The part of `used` that was paid in advance.
    prepaid: Duration,
    waiting: usize,
    /// Since when it always has a waiting job, if it has one.
    waits_since: Instant,
    /// When it was last refused while its queue stood.
    refused: Option<Instant>,
    /// When it last sent a job, or had one running.
    last_seen: Instant,
}

impl Shares {
    /// Returns the start of the caller's next job. `first` is the start of the first waiting job.
    ///
    /// A job that starts far ahead may be taken before others, by a worker of another kind. So the
    /// present is never after the first job that waits.
    pub(super) fn next_start(&self, caller: CallerNumber, first: Option<Duration>) -> Duration {
        let present = first.map_or(self.present, |first| first.min(self.present));
        self.account(caller).map_or(present, |account| account.next_start.max(present))
    }

    /// Returns the computing time of a caller, for comparisons with that of others.
    pub(super) fn used(&self, caller: CallerNumber) -> Duration {
        self.account(caller).map_or(self.present_used, |account| account.used)
    }

    /// Returns how much more a caller has had than another; the most there is for itself.
    pub(super) fn lead(&self, caller: CallerNumber, other: CallerNumber) -> Duration {
        if caller == other { Duration::MAX } else { self.used(caller).saturating_sub(self.used(other)) }
    }

    /// Returns the number of callers that have work here or had some lately, at least 1.
    pub(super) fn active(&self, now: Instant) -> usize {
        self.accounts.iter().filter(|account| account.is_active(now)).count().max(1)
    }

    /// Returns the number of callers with this one.
    pub(super) fn active_with(&self, caller: CallerNumber, now: Instant) -> u32 {
        let others =
            self.accounts.iter().filter(|account| account.caller != caller && account.is_active(now));
        u32::try_from(others.count()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Follows a job that begins to wait at this start.
    pub(super) fn submitted(
        &mut self,
        caller: CallerNumber,
        start: Duration,
        core_time: Duration,
        now: Instant,
    ) {
        let present_used = self.present_used;
        let account = self.account_mut(caller, now);
        // A caller that had no work, or whose work could not run, has no claim on the past. Else it
        // could save up, and then take the workers from all others.
        let claim = if account.waiting == 0 { Duration::ZERO } else { MOST_CLAIM };
        account.used = account.used.max(present_used.saturating_sub(claim));
        account.next_start = start + core_time;
        if account.waiting == 0 {
            account.waits_since = now;
        }
        account.waiting += 1;
        account.last_seen = now;
    }

    /// Follows a job that a worker took.
    pub(super) fn taken(&mut self, caller: CallerNumber, start: Duration, now: Instant) {
        self.present = self.present.max(start);
        let account = self.account_mut(caller, now);
        account.waiting = account.waiting.saturating_sub(1);
    }

    /// Follows a job that left the queue and is not computed.
    pub(super) fn left(&mut self, caller: CallerNumber, core_time: Duration, now: Instant) {
        let account = self.account_mut(caller, now);
        account.waiting = account.waiting.saturating_sub(1);
        account.next_start = account.next_start.saturating_sub(core_time);
    }

    /// Whether the load of a caller lasts: the workers have not emptied its queue for some time.
    ///
    /// A worker takes all jobs that it has room for at each boundary. So the queue of a caller that
    /// wants no more than its share is empty after each boundary. A short queue is at times empty
    /// under overload too, so it also stands while jobs are refused.
    pub(super) fn stands(&self, caller: CallerNumber, now: Instant) -> bool {
        let within = |since: Instant, time: Duration| now.saturating_duration_since(since) < time;
        self.account(caller).is_some_and(|account| {
            (account.waiting > 0 && !within(account.waits_since, STANDING_AFTER))
                || account.refused.is_some_and(|refused| within(refused, CALM_AFTER))
        })
    }

    /// Follows a refusal.
    pub(super) fn note_refusal(&mut self, caller: CallerNumber, now: Instant) {
        if self.stands(caller, now) {
            self.account_mut(caller, now).refused = Some(now);
        }
    }

    /// Charges a caller for computing time.
    pub(super) fn charge(&mut self, caller: CallerNumber, core_time: Duration, now: Instant) {
        let account = self.account_mut(caller, now);
        account.used += core_time;
        account.last_seen = now;
        let used = account.used.saturating_sub(account.prepaid);
        self.present_used = self.present_used.max(used);
    }

    /// Replaces the estimate of a job by the time that it took.
    pub(super) fn correct(&mut self, caller: CallerNumber, estimate: Duration, took: Duration, now: Instant) {
        let account = self.account_mut(caller, now);
        account.next_start = (account.next_start + took).saturating_sub(estimate);
    }

    /// Charges a caller in advance for a job that cannot be stopped, and returns the charge.
    ///
    /// The present does not follow, since the estimate of a job may be far too long.
    pub(super) fn prepay(&mut self, caller: CallerNumber, estimate: Duration, now: Instant) -> Duration {
        let charged = estimate.min(MOST_PREPAID);
        let account = self.account_mut(caller, now);
        account.used += charged;
        account.prepaid += charged;
        charged
    }

    /// Replaces the charge of a job that was paid in advance by the time that it took.
    pub(super) fn recharge(&mut self, caller: CallerNumber, charged: Duration, took: Duration, now: Instant) {
        let account = self.account_mut(caller, now);
        account.used = account.used.saturating_sub(charged);
        account.prepaid = account.prepaid.saturating_sub(charged);
        self.charge(caller, took, now);
    }

    fn account(&self, caller: CallerNumber) -> Option<&Account> {
        self.accounts.iter().find(|account| account.caller == caller)
    }

    fn account_mut(&mut self, caller: CallerNumber, now: Instant) -> &mut Account {
        let position = self.accounts.iter().position(|account| account.caller == caller);
        let position = position.unwrap_or_else(|| {
            self.accounts.retain(|account| account.is_active(now));
            if self.accounts.len() >= MOST_CALLERS {
                self.forget_one();
            }
            self.accounts.push(Account {
                caller,
                next_start: Duration::ZERO,
                used: self.present_used,
                prepaid: Duration::ZERO,
                waiting: 0,
                waits_since: now,
                refused: None,
                last_seen: now,
            });
            self.accounts.len() - 1
        });
        &mut self.accounts[position]
    }

    /// Forgets the caller that was idle longest.
    fn forget_one(&mut self) {
        let idle = self.accounts.iter().enumerate().filter(|(_, account)| account.waiting == 0);
        if let Some((longest, _)) = idle.min_by_key(|(_, account)| account.last_seen) {
            self.accounts.swap_remove(longest);
        }
    }
}

impl Account {
    fn is_active(&self, now: Instant) -> bool {
        self.waiting > 0 || now.saturating_duration_since(self.last_seen) <= ACTIVE_FOR
    }
}

/// The most that is paid for a job in advance. Those that cannot be stopped take less, and an
/// estimate of a kind that was never measured is far longer.
const MOST_PREPAID: Duration = Duration::from_secs(1);

/// How much less than another a caller with waiting work may have had, to get it later. It waits for
/// lanes, memory or a worker for whole hashes, and seldom for long.
pub(super) const MOST_CLAIM: Duration = Duration::from_millis(100);

/// The queue of a caller that was not empty for so long stands: the load lasts. A shorter burst may
/// queue up to its deadlines.
pub(super) const STANDING_AFTER: Duration = Duration::from_millis(2500);

/// The time without a refusal after which an emptied queue no longer stands. At 1.5 times the
/// capacity a third of all jobs are refused, so refusals are much closer together.
const CALM_AFTER: Duration = Duration::from_millis(500);

/// A caller counts as active for so long after its last work.
pub(super) const ACTIVE_FOR: Duration = Duration::from_secs(5);

/// The most callers whose work is remembered.
pub(super) const MOST_CALLERS: usize = 1024;
