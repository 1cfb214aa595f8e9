//! The resources of a program that was started.

use std::{fs, time::Duration};

/// Returns the processor time of a process so far, in the ticks of Linux (mostly 10 ms), or `None`
/// if `/proc` does not show it.
#[must_use]
pub fn processor_time(pid: u32) -> Option<Duration> {
    // proc_pid_stat(5): after the command in parentheses, utime and stime are the 12th and 13th
    // fields.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()))
}
