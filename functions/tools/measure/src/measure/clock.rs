use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time of this process.
#[must_use]
pub(crate) fn process_time() -> Duration {
    cpu_time(ClockId::ProcessCPUTime)
}

/// Returns the processor time of the calling thread.
#[cfg(any(test, feature = "peers"))]
#[must_use]
pub(crate) fn thread_time() -> Duration {
    cpu_time(ClockId::ThreadCPUTime)
}

fn cpu_time(clock: ClockId) -> Duration {
    // These clocks start at zero with the process or the thread, so the time is never negative.
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{hint::black_box, thread};

    use super::*;

    #[test]
    fn the_time_of_another_thread_counts_only_for_the_process() {
        let (process, thread) = (process_time(), thread_time());
        thread::spawn(|| {
            let began = thread_time();
            while thread_time().saturating_sub(began) < Duration::from_millis(50) {
                black_box(began);
            }
        })
        .join()
        .unwrap();
        assert!(process_time().saturating_sub(process) >= Duration::from_millis(50));
        assert!(thread_time().saturating_sub(thread) < Duration::from_millis(50));
    }
}
