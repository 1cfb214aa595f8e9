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
    let time = clock_gettime(clock);
    // These clocks start at zero with the process or the thread, so neither part is negative.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
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
