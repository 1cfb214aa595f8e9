//! What other programs took of the machine while the service was measured: where that is much, a figure tells of them.

use std::{fs, io, time::Duration};

use saltern_meter::process_time;

use super::server::{Server, TICKS_PER_SECOND};

/// The machine's time so far, and ours of it.
pub(super) struct Others {
    all: Duration,
    busy: Duration,
    ours: Duration,
}

impl Others {
    pub(super) fn until_now(server: &Server) -> io::Result<Self> {
        let stat = fs::read_to_string("/proc/stat")?;
        let fields = stat.lines().next().unwrap_or_default().split_ascii_whitespace().skip(1);
        let ticks: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
        let time = |ticks: u64| Duration::from_secs(ticks) / TICKS_PER_SECOND;
        let busy = BUSY.iter().filter_map(|&field| ticks.get(field)).sum();
        Ok(Self {
            all: time(ticks.iter().sum()),
            busy: time(busy),
            ours: process_time() + server.cpu_time()?,
        })
    }

    /// Their share of all cores since then, 0 to 1.
    pub(super) fn share_since(&self, server: &Server) -> io::Result<f64> {
        let now = Self::until_now(server)?;
        let busy = now.busy.saturating_sub(self.busy);
        let others = busy.saturating_sub(now.ours.saturating_sub(self.ours));
        Ok(others.as_secs_f64() / now.all.saturating_sub(self.all).as_secs_f64())
    }
}

/// user, nice, system and steal of `proc_stat(5)`: interrupts are on nobody's account.
const BUSY: [usize; 4] = [0, 1, 2, 7];
