//! The processor time of other processes.

use std::{fs, io, time::Duration};

/// The processor time of the whole machine up to a moment, to compute the share of other programs
/// later.
#[derive(Debug)]
pub(crate) struct Others {
    all: Duration,
    busy: Duration,
    own: Duration,
}

impl Others {
    /// Reads the time of the machine up to now. `own` is processor time that does not count as time
    /// of other programs: the time of this process and of the processes that it measures.
    ///
    /// # Errors
    /// [`io::Error`] if `/proc/stat` cannot be read.
    pub(crate) fn until_now(own: Duration) -> io::Result<Self> {
        let stat = fs::read_to_string("/proc/stat")?;
        let fields = stat.lines().next().unwrap_or_default().split_ascii_whitespace().skip(1);
        let ticks: Vec<u64> = fields.take(GUEST_FIELD).map_while(|field| field.parse().ok()).collect();
        let time = |ticks: u64| Duration::from_secs(ticks) / TICKS_PER_SECOND;
        let busy = BUSY_FIELDS.iter().filter_map(|&field| ticks.get(field)).sum();
        Ok(Self { all: time(ticks.iter().sum()), busy: time(busy), own })
    }

    /// Returns the share of all cores that other programs have taken since then, 0 to 1.
    ///
    /// # Errors
    /// [`io::Error`] if `/proc/stat` cannot be read.
    pub(crate) fn share_since(&self, own: Duration) -> io::Result<f64> {
        let now = Self::until_now(own)?;
        let busy = now.busy.saturating_sub(self.busy);
        let others = busy.saturating_sub(now.own.saturating_sub(self.own));
        Ok(others.as_secs_f64() / now.all.saturating_sub(self.all).as_secs_f64())
    }
}

/// Returns the processor time of all threads of a process, user and system.
///
/// # Errors
/// [`io::Error`] if the process does not exist.
pub(crate) fn process_time_of(id: u32) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The second field, the name in parentheses, may contain spaces. The third field follows it.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let ticks = fields.skip(UTIME_FIELD - 3).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>();
    Ok(Duration::from_secs(1) * ticks.map_err(io::Error::other)? / TICKS_PER_SECOND)
}

/// `user`, `nice`, `system` and `steal` of `proc_stat(5)`. Interrupts belong to no program.
const BUSY_FIELDS: [usize; 4] = [0, 1, 2, 7];

/// `guest` and the fields after it are parts of other fields.
const GUEST_FIELD: usize = 8;

/// `utime` of `proc_pid_stat(5)`, counted from 1; `stime` follows.
const UTIME_FIELD: usize = 14;

/// `USER_HZ`, which is 100 for programs on every Linux.
const TICKS_PER_SECOND: u32 = 100;

#[cfg(test)]
mod tests {
    use std::{hint::black_box, process};

    use super::*;
    use crate::measure::process_time;

    #[test]
    fn the_kernel_s_time_of_this_process_is_that_of_its_clock() {
        let began = process_time();
        while process_time().saturating_sub(began) < Duration::from_millis(50) {
            black_box(began);
        }
        let (before, listed) = (process_time(), process_time_of(process::id()).unwrap());
        // A thread that runs elsewhere reports its time at the next tick.
        assert!(listed.abs_diff(before) < Duration::from_millis(100), "{listed:?} {before:?}");
        assert!(process_time_of(0).is_err());
    }

    #[test]
    fn other_programs_take_between_nothing_and_all_cores() {
        let others = Others::until_now(process_time()).unwrap();
        let began = process_time();
        while process_time().saturating_sub(began) < Duration::from_millis(50) {
            black_box(began);
        }
        let share = others.share_since(process_time()).unwrap();
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
}
