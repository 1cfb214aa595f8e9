//! Writes lines to an output that may be slow, full or without a reader. The caller never waits.
//!
//! Two classes of lines have a queue each. Lines that anyone can cause are written only when no
//! other line waits, and only so many a second. So a flood of them costs no other line.
//!
//! The crate `tracing-appender` has a writer with one queue. At the end it reports unread lines to
//! standard error; that blocks or panics if standard error has no reader either.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use saltern_service::{LineClass, metrics::DroppedLines};
use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

/// Takes lines, and drops a line if too many of its class are waiting.
#[derive(Clone)]
pub(super) struct Lines {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    /// Rung when a line arrives, and when the last one is written.
    changed: Condvar,
    dropped: DroppedLines,
}

struct Waiting {
    of_callers: VecDeque<Vec<u8>>,
    unauthenticated: VecDeque<Vec<u8>>,
    sampler: Sampler,
    /// Whether the thread writes a line that is in no queue.
    is_writing: bool,
}

impl Waiting {
    /// Takes a line, unless too many of its class wait or arrived lately.
    fn put(&mut self, line: &[u8], class: LineClass, now: Instant) -> bool {
        let (queue, most) = match class {
            LineClass::Caller => (&mut self.of_callers, MOST_OF_CALLERS),
            LineClass::Unauthenticated if self.sampler.admits(now) => {
                (&mut self.unauthenticated, MOST_UNAUTHENTICATED)
            }
            LineClass::Unauthenticated => return false,
        };
        let has_room = queue.len() < most;
        if has_room {
            queue.push_back(line.to_vec());
        }
        has_room
    }

    fn next(&mut self) -> Option<(Vec<u8>, LineClass)> {
        let of_caller = self.of_callers.pop_front().map(|line| (line, LineClass::Caller));
        of_caller.or_else(|| Some((self.unauthenticated.pop_front()?, LineClass::Unauthenticated)))
    }

    fn is_empty(&self) -> bool {
        self.of_callers.is_empty() && self.unauthenticated.is_empty() && !self.is_writing
    }
}

/// Admits a burst of lines, and later one line in each [`PAUSE_OF_SAMPLE`].
struct Sampler {
    /// The time up to which earlier lines have used the rate.
    used_until: Instant,
}

impl Sampler {
    fn admits(&mut self, now: Instant) -> bool {
        let used_until = self.used_until.max(now);
        let admits = used_until.saturating_duration_since(now) <= PAUSE_OF_SAMPLE * (BURST_OF_SAMPLE - 1);
        if admits {
            self.used_until = used_until + PAUSE_OF_SAMPLE;
        }
        admits
    }
}

impl Lines {
    /// Starts the thread that writes.
    pub(super) fn start(output: impl Write + Send + 'static, dropped: DroppedLines) -> io::Result<Self> {
        let waiting = Waiting {
            of_callers: VecDeque::new(),
            unauthenticated: VecDeque::new(),
            sampler: Sampler { used_until: Instant::now() },
            is_writing: false,
        };
        let shared = Arc::new(Shared { waiting: Mutex::new(waiting), changed: Condvar::new(), dropped });
        let writer = Arc::clone(&shared);
        thread::Builder::new().name("saltern-log".to_owned()).spawn(move || writer.write_all(output))?;
        Ok(Self { shared })
    }

    /// Waits until all lines are written, at most for `patience`.
    pub(super) fn flush_within(&self, patience: Duration) {
        let unwritten = |waiting: &mut Waiting| !waiting.is_empty();
        let _unread = self.shared.changed.wait_timeout_while(self.shared.lock(), patience, unwritten);
    }

    fn put(&self, line: &[u8], class: LineClass) {
        if self.shared.lock().put(line, class, Instant::now()) {
            self.shared.changed.notify_all();
        } else {
            self.shared.dropped.inc(class);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines as long as the process lives.
    fn write_all(&self, mut output: impl Write) {
        let mut waiting = self.lock();
        loop {
            let Some((line, class)) = waiting.next() else {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            waiting.is_writing = true;
            drop(waiting);
            if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                self.dropped.inc(class);
            }
            waiting = self.lock();
            waiting.is_writing = false;
            if waiting.is_empty() {
                self.changed.notify_all();
            }
        }
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = OneLine<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        OneLine { lines: self, class: LineClass::Caller }
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Self::Writer {
        OneLine { lines: self, class: LineClass::of_target(line.target()) }
    }
}

/// Takes one line with each write.
pub(super) struct OneLine<'a> {
    lines: &'a Lines,
    class: LineClass,
}

impl Write for OneLine<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.put(line, self.class);
        Ok(line.len())
    }

    /// Does nothing, so that no caller waits: see [`Lines::flush_within`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line has some 400 bytes, so this is 1.6 MiB. At 4,096 requests a second the reader may pause
/// for a second.
const MOST_OF_CALLERS: usize = 4096;

/// As many as the burst, so that a pause of the reader costs no line of a usual rate.
const MOST_UNAUTHENTICATED: usize = 64;

/// The lines of a short disturbance are whole: some 64 are enough to see its cause.
const BURST_OF_SAMPLE: u32 = 64;

/// Ten lines a second are 350 MB a day. The health checks of some balancers take one or two.
const PAUSE_OF_SAMPLE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};

    use super::*;

    #[test]
    fn lines_are_written_whole_and_in_order() {
        let written = Written::default();
        let lines = Lines::start(written.clone(), DroppedLines::default()).unwrap();
        for number in 0..100 {
            lines.put(format!("{number}\n").as_bytes(), LineClass::Caller);
        }
        lines.flush_within(PATIENCE);
        let written = written.text();
        assert!(written.lines().eq((0..100).map(|number| number.to_string())), "{written}");
    }

    #[test]
    fn lines_beyond_the_limit_are_dropped_and_counted() {
        let (_stays, never) = mpsc::channel::<()>();
        let dropped = DroppedLines::default();
        let lines = Lines::start(Stalled(never), dropped.clone()).unwrap();
        let start = Instant::now();
        // The thread that writes may hold one more.
        for _ in 0..MOST_OF_CALLERS + 3 {
            lines.put(b"line\n", LineClass::Caller);
        }
        lines.flush_within(Duration::from_millis(50));
        assert!(start.elapsed() < PATIENCE);
        assert!((2..=3).contains(&dropped.get(LineClass::Caller)), "{dropped:?}");
    }

    #[test]
    fn a_flood_of_unauthenticated_lines_costs_no_other_line() {
        let (go_on, stalled) = mpsc::channel::<()>();
        let (dropped, written) = (DroppedLines::default(), Written::default());
        let output = StalledFirst { until: Some(stalled), then: written.clone() };
        let lines = Lines::start(output, dropped.clone()).unwrap();
        // The thread that writes may hold a line of either class.
        for number in 0..MOST_OF_CALLERS {
            for _ in 0..FLOOD_PER_LINE {
                lines.put(b"flood\n", LineClass::Unauthenticated);
            }
            lines.put(format!("{number}\n").as_bytes(), LineClass::Caller);
        }
        drop(go_on);
        lines.flush_within(PATIENCE);
        assert_eq!(dropped.get(LineClass::Caller), 0);
        let written = written.text();
        let of_callers = written.lines().filter(|line| *line != "flood");
        assert!(of_callers.eq((0..MOST_OF_CALLERS).map(|number| number.to_string())), "{written}");
        let of_flood = written.lines().filter(|line| *line == "flood").count();
        assert!((1..=MOST_UNAUTHENTICATED + 1).contains(&of_flood), "{of_flood}");
        let first_of_flood = written.lines().skip(1).position(|line| line == "flood").unwrap();
        assert!(first_of_flood >= MOST_OF_CALLERS - 1, "the lines of callers are first: {first_of_flood}");
        let lost = u64::try_from(MOST_OF_CALLERS * FLOOD_PER_LINE - of_flood).unwrap();
        assert_eq!(dropped.get(LineClass::Unauthenticated), lost);
    }

    #[test]
    fn unauthenticated_lines_are_a_burst_and_then_a_rate() {
        let start = Instant::now();
        let mut sampler = Sampler { used_until: start };
        let admitted =
            |sampler: &mut Sampler, at: Duration| (0..1000).filter(|_| sampler.admits(start + at)).count();
        assert_eq!(admitted(&mut sampler, Duration::ZERO), 64);
        assert_eq!(admitted(&mut sampler, Duration::from_millis(99)), 0);
        assert_eq!(admitted(&mut sampler, Duration::from_secs(1)), 10);
        assert_eq!(admitted(&mut sampler, Duration::from_mins(1)), 64);
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let dropped = DroppedLines::default();
        let lines = Lines::start(Full, dropped.clone()).unwrap();
        lines.put(b"one\n", LineClass::Caller);
        lines.put(b"two\n", LineClass::Unauthenticated);
        lines.flush_within(PATIENCE);
        assert_eq!([LineClass::Caller, LineClass::Unauthenticated].map(|class| dropped.get(class)), [1, 1]);
    }

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Blocks while the other end exists.
    struct Stalled(Receiver<()>);

    impl Write for Stalled {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ended = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Blocks at the first line while the other end exists.
    struct StalledFirst {
        until: Option<Receiver<()>>,
        then: Written,
    }

    impl Write for StalledFirst {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(until) = self.until.take() {
                let _ended = until.recv();
            }
            self.then.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Lines of the flood for each line of a caller.
    const FLOOD_PER_LINE: usize = 10;

    const PATIENCE: Duration = Duration::from_secs(20);
}
