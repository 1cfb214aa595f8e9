//! The phases of a connection, and what is due in each. Nothing here reads a clock, a socket or a
//! lock, so that the tests can try every order of events.

use std::time::{Duration, Instant};

use super::{bounds::Bounds, drain::SETTLE};

/// What a connection is doing. HTTP/2 answers several requests at once, and leaves the heads of
/// requests to the HTTP crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// No byte of a request has arrived since this time.
    Idle { since: Instant },
    /// A part of a request's head has arrived, the first byte at this time.
    Head { since: Instant },
    /// Requests are being read or answered.
    Answering {
        /// The number of requests.
        open: usize,
        /// Whether a read is pending, which will notice the end of the connection. If bytes of the
        /// next request were read, the next read follows the answer.
        reads: bool,
        /// Whether a part of the next request was read.
        next: bool,
    },
    /// The last answer is made, at this time, and not passed to the system.
    Sending {
        since: Instant,
        /// When a part of the next request was read.
        next: Option<Instant>,
    },
}

impl Phase {
    /// Bytes of a request were read.
    pub(super) fn received(&mut self, now: Instant) {
        match self {
            Self::Idle { .. } => *self = Self::Head { since: now },
            Self::Head { .. } => {}
            Self::Answering { reads, next, .. } => (*reads, *next) = (false, true),
            Self::Sending { next, .. } => {
                next.get_or_insert(now);
            }
        }
    }

    /// A read found no bytes and waits for some.
    pub(super) fn waits_for_bytes(&mut self) {
        if let Self::Answering { reads, .. } = self {
            *reads = true;
        }
    }

    /// The HTTP crate hands a request over.
    pub(super) fn asked(&mut self) {
        let open = self.open() + 1;
        *self = Self::Answering { open, reads: false, next: false };
    }

    /// The request was read to its end, and bytes of the next one were read too, or not.
    pub(super) fn was_read(&mut self, goes_beyond: bool) {
        if let Self::Answering { next, .. } = self {
            *next = goes_beyond;
        }
    }

    /// An answer was made, or its caller has gone.
    pub(super) fn answered(&mut self, now: Instant) {
        let Self::Answering { open, next, .. } = self else { return };
        *open -= 1;
        if *open == 0 {
            // The rest of the next head is not read during the answer: its time begins now.
            *self = Self::Sending { since: now, next: next.then_some(now) };
        }
    }

    /// All answers were passed to the system.
    pub(super) fn sent(&mut self) {
        if let Self::Sending { since, next } = *self {
            *self = next.map_or(Self::Idle { since }, |since| Self::Head { since });
        }
    }

    /// The number of requests that are being read or answered.
    pub(super) fn open(self) -> usize {
        if let Self::Answering { open, .. } = self { open } else { 0 }
    }

    /// The time since which no request is being answered. `None`: one is.
    pub(super) fn quiet_since(self) -> Option<Instant> {
        match self {
            Self::Idle { since } | Self::Head { since } | Self::Sending { since, .. } => Some(since),
            Self::Answering { .. } => None,
        }
    }
}

/// How far a connection has come with the shutdown of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Shutdown {
    #[default]
    NotBegun,
    /// It began at this time. A request may still be on its way.
    Begun(Instant),
    /// The HTTP crate was told to end the connection after the answer.
    Told,
}

/// Returns the next step of an HTTP/1.1 connection.
///
/// `untaken` is the time since which an answer waits for the peer, and `looked` that of the last
/// look at the socket.
pub(super) fn next(
    phase: Phase,
    shutdown: Shutdown,
    untaken: Option<Instant>,
    looked: Instant,
    now: Instant,
    bounds: &Bounds,
) -> Next {
    let settled = match shutdown {
        Shutdown::Begun(begun) => Some(begun + SETTLE),
        Shutdown::NotBegun | Shutdown::Told => None,
    };
    let tell = settled.filter(|&settled| match phase {
        Phase::Answering { .. } => true,
        Phase::Head { .. } | Phase::Sending { next: Some(_), .. } => false,
        Phase::Idle { .. } | Phase::Sending { next: None, .. } => settled <= now,
    });
    if tell.is_some() {
        return Next::Drain;
    }
    let (at, then) = match (untaken, phase) {
        (Some(since), phase) if phase.open() == 0 || since + bounds.answer_timeout <= now => {
            (since + bounds.answer_timeout, Next::End(Ended::Idle))
        }
        (_, Phase::Answering { reads: true, .. }) => return Next::Wait(None),
        (_, Phase::Answering { reads: false, .. }) => (looked + LOOK_EVERY, Next::Look),
        (_, Phase::Head { since } | Phase::Sending { next: Some(since), .. }) => {
            (since + bounds.header_timeout, Next::End(Ended::Slow(since)))
        }
        (_, Phase::Idle { since } | Phase::Sending { since, next: None }) => {
            (since + bounds.idle_timeout, Next::End(Ended::Idle))
        }
    };
    if at <= now {
        return then;
    }
    Next::Wait(Some(settled.filter(|settled| *settled > now).map_or(at, |settled| settled.min(at))))
}

/// What an HTTP/1.1 connection does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Tells the HTTP crate to end the connection after the answer.
    Drain,
    /// Ends the connection.
    End(Ended),
    /// Looks whether the peer is still connected, since nothing is read.
    Look,
    /// Waits for an event, at most until this time.
    Wait(Option<Instant>),
}

/// The reason why an HTTP/1.1 connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The HTTP crate or the peer ended it.
    Closed,
    /// The peer left before its responses.
    Gone,
    /// No request arrived, or the peer did not take its answers, within the timeout.
    Idle,
    /// The head of a request is malformed.
    Malformed { is_too_large: bool },
    /// The head of a request that began at this time was not complete within its timeout.
    Slow(Instant),
}

/// The interval of looks at a peer with unread requests: a fraction of the 2 s of the queue.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(25);

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A connection as its events leave it. Times are relative to the start of the test, so that
    /// equal states are equal.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Connection {
        phase: Phase,
        shutdown: Shutdown,
        untaken: Option<Instant>,
        looked: Instant,
        now: Instant,
        /// When the first byte of the head arrived that no request was made of.
        unasked: Option<Instant>,
    }

    /// What can happen to a connection.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Answered,
        Asked,
        Drain,
        NextTime,
        Received,
        Sent,
        Stuck,
        WaitsForBytes,
        WasRead { goes_beyond: bool },
    }

    const EVENTS: [Event; 10] = [
        Event::Answered,
        Event::Asked,
        Event::Drain,
        Event::NextTime,
        Event::Received,
        Event::Sent,
        Event::Stuck,
        Event::WaitsForBytes,
        Event::WasRead { goes_beyond: false },
        Event::WasRead { goes_beyond: true },
    ];

    /// Events in a row. Longer orders reach no further phase.
    const LENGTH: usize = 9;

    /// Bounds that differ, so that no two times coincide.
    fn bounds() -> Bounds {
        Bounds {
            header_timeout: Duration::from_millis(300),
            answer_timeout: Duration::from_millis(170),
            idle_timeout: Duration::from_millis(700),
            ..Bounds::default()
        }
    }

    impl Connection {
        fn next(self) -> Next {
            next(self.phase, self.shutdown, self.untaken, self.looked, self.now, &bounds())
        }

        /// The connection after an event, or `None` if the event cannot happen now.
        fn after(mut self, event: Event) -> Option<Self> {
            let is_answering = self.phase.open() > 0;
            match event {
                Event::Answered if is_answering => {
                    self.phase.answered(self.now);
                    self.untaken.get_or_insert(self.now);
                    self.unasked = self.unasked.map(|_| self.now);
                }
                Event::Asked
                    if matches!(self.phase, Phase::Head { .. }) && self.shutdown != Shutdown::Told =>
                {
                    self.phase.asked();
                    self.unasked = None;
                }
                Event::Drain if self.shutdown == Shutdown::NotBegun => {
                    self.shutdown = Shutdown::Begun(self.now);
                }
                Event::NextTime => match self.next() {
                    Next::Wait(Some(at)) => self.now = at,
                    Next::Look => self.looked = self.now,
                    Next::Drain => self.shutdown = Shutdown::Told,
                    Next::Wait(None) | Next::End(_) => return None,
                },
                Event::Received => {
                    self.phase.received(self.now);
                    self.unasked.get_or_insert(self.now);
                }
                Event::Sent if self.untaken.is_some() => {
                    self.untaken = None;
                    self.phase.sent();
                }
                Event::Stuck if is_answering => _ = self.untaken.get_or_insert(self.now),
                Event::WaitsForBytes => self.phase.waits_for_bytes(),
                Event::WasRead { goes_beyond } if is_answering => {
                    self.phase.was_read(goes_beyond);
                    self.unasked = goes_beyond.then_some(self.now);
                }
                _ => return None,
            }
            Some(self)
        }

        fn check(self) {
            let Self { phase, shutdown, untaken, looked, now, unasked } = self;
            let bounds = bounds();
            let is_answering = phase.open() > 0;
            match self.next() {
                Next::Wait(None) => {
                    assert!(
                        matches!(phase, Phase::Answering { reads: true, .. }),
                        "{self:?} waits for nothing"
                    );
                }
                Next::Wait(Some(at)) => {
                    assert!(at > now, "{self:?} would never rest");
                    let soonest = match phase {
                        Phase::Answering { .. } => looked + LOOK_EVERY,
                        _ => now + bounds.idle_timeout,
                    };
                    assert!(at <= soonest, "{self:?} sleeps too long");
                }
                Next::Look => assert!(is_answering && now >= looked + LOOK_EVERY, "{self:?}"),
                Next::Drain => {
                    let Shutdown::Begun(begun) = shutdown else { panic!("{self:?}") };
                    assert!(is_answering || now >= begun + SETTLE, "{self:?}: requests may be on their way");
                    assert!(is_answering || unasked.is_none(), "{self:?} would lose a request");
                }
                Next::End(Ended::Slow(since)) => {
                    assert!(!is_answering && Some(since) == unasked, "{self:?}");
                    assert!(now >= since + bounds.header_timeout && untaken.is_none(), "{self:?}");
                }
                Next::End(Ended::Idle) => match untaken {
                    Some(since) => assert!(now >= since + bounds.answer_timeout, "{self:?}"),
                    None => assert!(!is_answering && unasked.is_none(), "{self:?}"),
                },
                Next::End(ended) => panic!("{self:?} ends as {ended:?}"),
            }
            // No answer waits longer for its peer, and no head for its end.
            let overdue = untaken.is_some_and(|since| since + bounds.answer_timeout < now);
            let slow = unasked.is_some_and(|since| since + bounds.header_timeout < now);
            let held_up = untaken.is_some() || is_answering;
            if overdue || (slow && !held_up) {
                assert!(matches!(self.next(), Next::End(_)), "{self:?}");
            }
        }
    }

    #[test]
    fn every_order_of_events_ends_in_time_and_loses_no_request() {
        let start = Instant::now();
        let begun = Connection {
            phase: Phase::Head { since: start },
            shutdown: Shutdown::NotBegun,
            untaken: None,
            looked: start,
            now: start,
            unasked: Some(start),
        };
        let mut reached = HashSet::from([begun]);
        let mut last = vec![begun];
        for _ in 0..LENGTH {
            let mut further = Vec::new();
            for connection in last {
                for next in EVENTS.into_iter().filter_map(|event| connection.after(event)) {
                    if reached.insert(next) {
                        next.check();
                        further.push(next);
                    }
                }
            }
            last = further;
        }
        let phases =
            |is: fn(&Phase) -> bool| reached.iter().filter(|connection| is(&connection.phase)).count();
        assert!(phases(|phase| matches!(phase, Phase::Idle { .. })) > 100);
        assert!(phases(|phase| matches!(phase, Phase::Sending { next: Some(_), .. })) > 100);
        let ends = |end: fn(Next) -> bool| reached.iter().any(|connection| end(connection.next()));
        assert!(ends(|next| next == Next::Drain) && ends(|next| next == Next::Look));
        assert!(ends(|next| next == Next::End(Ended::Idle)));
        assert!(ends(|next| matches!(next, Next::End(Ended::Slow(_)))));
    }

    #[test]
    fn several_requests_of_http2_end_one_by_one() {
        let now = Instant::now();
        let mut phase = Phase::Idle { since: now };
        phase.asked();
        phase.asked();
        assert_eq!((phase.open(), phase.quiet_since()), (2, None));
        phase.answered(now);
        assert_eq!((phase.open(), phase.quiet_since()), (1, None));
        phase.answered(now);
        assert_eq!((phase.open(), phase.quiet_since()), (0, Some(now)));
    }
}
