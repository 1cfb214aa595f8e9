//! A bounded amount, of bytes or of places, that the callers share.
//!
//! A caller that is alone may use all but a reserve. Each of several callers is guaranteed an equal
//! share of the whole, and may use more while more than the reserve is free. For a request within its
//! caller's share, requests of callers over theirs are evicted, if enough of them can be.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use saltern_pool::CallerNumber;
use tokio::sync::Notify;

pub(super) struct Room(Mutex<Shares>);

impl Room {
    /// An amount of which a caller that is alone leaves this reserve.
    pub(super) fn new(bound: usize, reserve: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Shares::new(bound, reserve))))
    }

    /// Takes this amount for a request. `None` if it is over its caller's share and nothing is free.
    ///
    /// An evicted request is notified, and its room counts as free since then. A request of which
    /// nobody holds the [`Notify`] any more is not evicted.
    pub(super) fn take(
        self: &Arc<Self>,
        of: CallerNumber,
        amount: usize,
        evicted: &Arc<Notify>,
    ) -> Option<Taken> {
        let number = self.shares().take(of, amount, Instant::now(), evicted)?;
        Some(Taken { room: Arc::clone(self), of, number })
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a request has taken, free again when it is dropped.
pub(super) struct Taken {
    room: Arc<Room>,
    of: CallerNumber,
    number: u64,
}

impl Taken {
    /// Takes this much more. Returns `false` if that is over the caller's share and nothing is free,
    /// or if the request was evicted.
    pub(super) fn grow(&self, more: usize) -> bool {
        self.room.shares().grow(self.of, self.number, more)
    }

    /// Tells that the request waits for its peer: a byte has come, or its answer is made. So it can
    /// be evicted, the later the better.
    pub(super) fn waits_for_peer(&self) {
        self.room.shares().set_quiet_since(self.of, self.number, Some(Instant::now()));
    }

    /// Tells that the request waits for the server, and cannot be evicted.
    pub(super) fn waits_for_server(&self) {
        self.room.shares().set_quiet_since(self.of, self.number, None);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.shares().free(self.of, self.number);
    }
}

/// The state of a [`Room`]. It reads no clock, so that the tests can try every order of events.
#[derive(Clone, Debug)]
struct Shares {
    bound: usize,
    reserve: usize,
    used: usize,
    /// The callers that are present: each has a request.
    parties: HashMap<CallerNumber, Party>,
    /// Requests that ever took room.
    numbered: u64,
}

#[derive(Clone, Debug, Default)]
struct Party {
    used: usize,
    requests: BTreeMap<u64, Request>,
}

#[derive(Clone, Debug)]
struct Request {
    amount: usize,
    /// The time of its last byte; `None` while it waits for the server and not for its peer.
    quiet_since: Option<Instant>,
    evicted: Weak<Notify>,
}

impl Shares {
    fn new(bound: usize, reserve: usize) -> Self {
        Self { bound, reserve, used: 0, parties: HashMap::new(), numbered: 0 }
    }

    fn take(&mut self, of: CallerNumber, amount: usize, now: Instant, evicted: &Arc<Notify>) -> Option<u64> {
        let number = self.numbered;
        self.numbered += 1;
        let request = Request { amount: 0, quiet_since: Some(now), evicted: Arc::downgrade(evicted) };
        self.parties.entry(of).or_default().requests.insert(number, request);
        let has_room = self.grow(of, number, amount);
        if !has_room {
            self.free(of, number);
        }
        has_room.then_some(number)
    }

    fn grow(&mut self, of: CallerNumber, number: u64, more: usize) -> bool {
        if self.request(of, number).is_none() || self.make_room(of, more).is_none() {
            return false;
        }
        if let Some(party) = self.parties.get_mut(&of)
            && let Some(request) = party.requests.get_mut(&number)
        {
            request.amount += more;
            party.used += more;
            self.used += more;
        }
        true
    }

    fn set_quiet_since(&mut self, of: CallerNumber, number: u64, at: Option<Instant>) {
        if let Some(request) = self.request(of, number) {
            request.quiet_since = at;
        }
    }

    /// Frees the room of a request, unless it was evicted.
    fn free(&mut self, of: CallerNumber, number: u64) -> Option<Request> {
        let party = self.parties.get_mut(&of)?;
        let request = party.requests.remove(&number)?;
        party.used -= request.amount;
        self.used -= request.amount;
        if party.requests.is_empty() {
            self.parties.remove(&of);
        }
        Some(request)
    }

    /// Makes room for this much more of a caller; `None` if there is none for it.
    fn make_room(&mut self, of: CallerNumber, more: usize) -> Option<()> {
        let usable = self.bound - self.reserve;
        if self.used + more <= usable {
            return Some(());
        }
        let share = usable.min(self.bound / self.parties.len());
        if self.parties.get(&of)?.used + more > share {
            return None;
        }
        let mut victims = Vec::new();
        while self.used + more > self.bound {
            let Some((of, number, evicted)) = self.least_deserving(share) else {
                for (of, number, request, _) in victims {
                    self.put_back(of, number, request);
                }
                return None;
            };
            victims.push((of, number, self.free(of, number)?, evicted));
        }
        for (.., evicted) in victims {
            evicted.notify_one();
        }
        Some(())
    }

    fn put_back(&mut self, of: CallerNumber, number: u64, request: Request) {
        let party = self.parties.entry(of).or_default();
        party.used += request.amount;
        self.used += request.amount;
        party.requests.insert(number, request);
    }

    /// The request that is longest without a byte, of the caller that is most over this share.
    fn least_deserving(&self, share: usize) -> Option<(CallerNumber, u64, Arc<Notify>)> {
        let over = self.parties.iter().filter(|(_, party)| party.used > share);
        let candidates = over.filter_map(|(of, party)| {
            let quiet = party.requests.iter().filter_map(|(number, request)| {
                Some((request.quiet_since?, *number, request.evicted.upgrade()?))
            });
            Some((party.used, of, quiet.min_by_key(|(since, number, _)| (*since, *number))?))
        });
        let (_, of, (_, number, evicted)) = candidates.max_by_key(|(used, ..)| *used)?;
        Some((*of, number, evicted))
    }

    fn request(&mut self, of: CallerNumber, number: u64) -> Option<&mut Request> {
        self.parties.get_mut(&of)?.requests.get_mut(&number)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::LazyLock, time::Duration};

    use super::*;

    /// What tells a request that it is evicted, where no test asks for it.
    static TOLD: LazyLock<Arc<Notify>> = LazyLock::new(Arc::default);

    const CALLERS: usize = 3;
    const BOUND: usize = 7;
    const RESERVE: usize = 1;

    /// Events in a row: two callers fill the room, and the third asks.
    const LENGTH: usize = 6;

    #[derive(Clone, Copy, Debug)]
    enum Event {
        Take {
            caller: usize,
            amount: usize,
        },
        /// The newest request of the caller ends.
        Free {
            caller: usize,
        },
        /// The newest request of the caller needs one more.
        Grow {
            caller: usize,
        },
        /// A byte of the oldest request of the caller arrives.
        Receive {
            caller: usize,
        },
    }

    #[test]
    fn every_caller_within_its_share_gets_room_after_every_order_of_events() {
        let events: Vec<Event> = (0..CALLERS)
            .flat_map(|caller| {
                [
                    Event::Take { caller, amount: 1 },
                    Event::Take { caller, amount: 3 },
                    Event::Free { caller },
                    Event::Grow { caller },
                    Event::Receive { caller },
                ]
            })
            .collect();
        let mut evictions = 0;
        after(&Shares::new(BOUND, RESERVE), Instant::now(), LENGTH, &events, &mut evictions);
        assert!(evictions > 1000, "{evictions}");
    }

    fn after(before: &Shares, now: Instant, left: usize, events: &[Event], evictions: &mut usize) {
        if left == 0 {
            return;
        }
        for &event in events {
            let mut shares = before.clone();
            if apply(&mut shares, event, now) {
                *evictions += check(before, &shares, event);
                after(&shares, now + Duration::from_secs(1), left - 1, events, evictions);
            }
        }
    }

    /// Returns whether the event could happen.
    fn apply(shares: &mut Shares, event: Event, now: Instant) -> bool {
        match event {
            Event::Take { caller, amount } => {
                let taken = shares.take(of(caller), amount, now, &TOLD);
                assert_eq!(
                    taken.is_none(),
                    taken.is_none_or(|number| shares.request(of(caller), number).is_none())
                );
                true
            }
            Event::Free { caller } => {
                newest(shares, caller).is_some_and(|number| shares.free(of(caller), number).is_some())
            }
            Event::Grow { caller } => {
                let number = newest(shares, caller);
                number.inspect(|&number| _ = shares.grow(of(caller), number, 1)).is_some()
            }
            Event::Receive { caller } => {
                let requests = shares.parties.get(&of(caller)).map(|party| &party.requests);
                let oldest = requests.and_then(|requests| requests.keys().next().copied());
                oldest.inspect(|&number| shares.set_quiet_since(of(caller), number, Some(now))).is_some()
            }
        }
    }

    /// Checks what an event did, and returns how many requests it evicted.
    fn check(before: &Shares, after: &Shares, event: Event) -> usize {
        let parties = after.parties.values();
        assert!(parties.clone().all(|party| !party.requests.is_empty()));
        let amounts = parties.map(|party| {
            let used = party.requests.values().map(|request| request.amount).sum::<usize>();
            assert_eq!(party.used, used, "{after:?}");
            used
        });
        assert_eq!(amounts.sum::<usize>(), after.used, "{after:?}");
        assert!(after.used <= BOUND, "{after:?}");
        if after.parties.len() == 1 && before.parties.len() <= 1 {
            assert!(after.used <= BOUND - RESERVE, "one caller alone leaves the reserve: {after:?}");
        }
        let (caller, more) = match event {
            Event::Take { caller, amount } => (of(caller), amount),
            Event::Grow { caller } => (of(caller), 1),
            Event::Free { .. } | Event::Receive { .. } => return 0,
        };
        let used = |shares: &Shares| shares.parties.get(&caller).map_or(0, |party| party.used);
        let others = before.parties.keys().filter(|other| **other != caller).count();
        let share = if others == 0 { BOUND - RESERVE } else { BOUND / (others + 1) };
        let was_taken = used(after) == used(before) + more;
        assert!(was_taken || used(after) == used(before), "{event:?} evicted a request of its caller");
        assert!(was_taken || used(before) + more > share, "{event:?} within its share: {before:?}");
        assert!(was_taken || before.used + more > BOUND - RESERVE, "{event:?} with free room: {before:?}");
        let mut evicted = 0;
        for (other, party) in before.parties.iter().filter(|(other, _)| **other != caller) {
            let left = after.parties.get(other).map(|party| &party.requests);
            let (kept, gone): (Vec<_>, Vec<_>) = party
                .requests
                .iter()
                .partition(|(number, _)| left.is_some_and(|left| left.contains_key(number)));
            evicted += gone.len();
            assert!(
                gone.is_empty() || (was_taken && party.used > share),
                "{event:?} evicted in vain: {before:?}"
            );
            let since = |(number, request): &(&u64, &Request)| (request.quiet_since, **number);
            assert!(
                gone.iter().map(since).max() < kept.iter().map(since).min()
                    || gone.is_empty()
                    || kept.is_empty(),
                "{event:?} did not evict the request that is longest without a byte: {before:?}"
            );
        }
        evicted
    }

    fn newest(shares: &Shares, caller: usize) -> Option<u64> {
        shares.parties.get(&of(caller))?.requests.keys().next_back().copied()
    }

    fn of(caller: usize) -> CallerNumber {
        CallerNumber(caller as u64)
    }

    #[tokio::test]
    async fn the_caller_most_over_its_share_gives_way_and_a_dropped_request_frees_its_room() {
        let room = Room::new(8, 2);
        let evicted = Arc::default();
        let [most_over, over, new, fourth] = [1, 2, 3, 4].map(CallerNumber);
        let take = |caller, amount| room.take(caller, amount, &TOLD);
        let most = room.take(most_over, 4, &evicted).unwrap();
        let much = take(over, 2).unwrap();
        assert!(take(most_over, 1).is_none(), "the rest is the reserve");
        let newcomer = take(new, 2).unwrap();
        assert!(take(new, 1).is_none());
        let fourth = take(fourth, 2).unwrap();
        evicted.notified().await;
        assert!(!most.grow(1));
        drop((most, newcomer));
        assert!(fourth.grow(1) && much.grow(2) && !much.grow(1));
    }

    #[test]
    fn only_a_request_that_waits_for_its_peer_and_can_be_told_is_evicted() {
        let room = Room::new(4, 0);
        let take = |caller, evicted| room.take(CallerNumber(caller), 1, evicted);
        let working: Vec<_> = (0..3).map(|_| take(1, &TOLD).unwrap()).collect();
        working.iter().for_each(Taken::waits_for_server);
        let untold = room.take(CallerNumber(1), 1, &Arc::default()).unwrap();
        assert!(take(2, &TOLD).is_none());
        working[2].waits_for_peer();
        let two = room.take(CallerNumber(2), 2, &TOLD);
        assert!(two.is_none() && working[2].grow(0), "evicted in vain");
        working[2].waits_for_peer();
        assert!(take(2, &TOLD).is_some() && untold.grow(0) && working[0].grow(0) && !working[2].grow(0));
    }
}
