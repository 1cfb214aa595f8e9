//! Writes lines to an output that may be slow, full or without a reader. The caller never waits.
//!
//! The crate `tracing-appender` has such a writer. At the end it reports unread lines to standard
//! error; that blocks or panics if standard error has no reader either.

use std::{
    io::{self, Write},
    sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    thread,
    time::{Duration, Instant},
};

use saltern_service::metrics::DroppedLines;

/// Takes one line with each write, and drops the line if too many are waiting.
#[derive(Clone)]
pub(super) struct Lines {
    sender: SyncSender<Message>,
    dropped: DroppedLines,
}

enum Message {
    Line(Vec<u8>),
    /// Answered when all earlier lines are written.
    Flush(SyncSender<()>),
}

impl Lines {
    /// Starts the thread that writes.
    pub(super) fn start(output: impl Write + Send + 'static, dropped: DroppedLines) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(MOST_WAITING);
        let counted = dropped.clone();
        thread::Builder::new()
            .name("saltern-log".to_owned())
            .spawn(move || write_all(&receiver, output, &counted))?;
        Ok(Self { sender, dropped })
    }

    /// Waits until the lines taken so far are written, at most for `patience`.
    pub(super) fn flush_within(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let (done, is_done) = sync_channel(1);
        let mut message = Message::Flush(done);
        while let Err(TrySendError::Full(back)) = self.sender.try_send(message) {
            if Instant::now() >= deadline {
                return;
            }
            message = back;
            thread::sleep(BEFORE_ANOTHER_TRY);
        }
        let _unread = is_done.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.sender.try_send(Message::Line(line.to_vec())).is_err() {
            self.dropped.inc();
        }
        Ok(line.len())
    }

    /// Does nothing, so that no caller waits: see [`Lines::flush_within`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_all(receiver: &Receiver<Message>, mut output: impl Write, dropped: &DroppedLines) {
    while let Ok(message) = receiver.recv() {
        match message {
            Message::Line(line) => {
                if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                    dropped.inc();
                }
            }
            Message::Flush(done) => {
                let _timed_out = done.try_send(());
            }
        }
    }
}

/// A line has some 400 bytes, so this is 1.6 MiB. At 4,096 requests a second the reader may pause
/// for a second.
const MOST_WAITING: usize = 4096;

const BEFORE_ANOTHER_TRY: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, mpsc};

    use super::*;

    #[test]
    fn lines_are_written_whole_and_in_order() {
        let written = Shared::default();
        let mut lines = Lines::start(written.clone(), DroppedLines::default()).unwrap();
        for number in 0..100 {
            lines.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
        lines.flush_within(PATIENCE);
        let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        assert!(written.lines().eq((0..100).map(|number| number.to_string())), "{written}");
    }

    #[test]
    fn lines_beyond_the_limit_are_dropped_and_counted() {
        let (_stays, never) = mpsc::channel::<()>();
        let dropped = DroppedLines::default();
        let mut lines = Lines::start(Stalled(never), dropped.clone()).unwrap();
        let start = Instant::now();
        // The thread that writes may hold one more.
        for _ in 0..MOST_WAITING + 3 {
            lines.write_all(b"line\n").unwrap();
        }
        lines.flush_within(Duration::from_millis(50));
        assert!(start.elapsed() < PATIENCE);
        assert!((2..=3).contains(&dropped.get()), "{}", dropped.get());
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let dropped = DroppedLines::default();
        let mut lines = Lines::start(Full, dropped.clone()).unwrap();
        lines.write_all(b"one\n").unwrap();
        lines.write_all(b"two\n").unwrap();
        lines.flush_within(PATIENCE);
        assert_eq!(dropped.get(), 2);
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
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

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const PATIENCE: Duration = Duration::from_secs(10);
}
