//! What attackers share: they begin again and again, or come at a fixed rate.

use std::{
    io,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use tokio::{
    task::JoinSet,
    time::{sleep, sleep_until},
};

/// Starts so many attackers. Each begins again after a pause when its attack ends; all end with the
/// returned set.
pub(crate) fn repeat<A>(
    attackers: usize,
    pause: Duration,
    attack: impl Fn(usize) -> A + Clone + Send + 'static,
) -> JoinSet<()>
where
    A: Future<Output = io::Result<()>> + Send,
{
    let mut running = JoinSet::new();
    for number in 0..attackers {
        let attack = attack.clone();
        running.spawn(async move {
            loop {
                let _ended = attack(number).await;
                sleep(pause).await;
            }
        });
    }
    running
}

/// Starts a task at each beat of a fixed rate without waiting for the others, and returns all
/// results.
pub(crate) async fn at_rate<F>(
    per_second: f64,
    lasting: Duration,
    task: impl Fn(usize) -> F,
) -> Vec<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let (begun, mut running, mut results) = (Instant::now(), JoinSet::new(), Vec::new());
    for number in 0.. {
        let at = Duration::from_secs_f64(f64::from(number) / per_second);
        if at >= lasting {
            break;
        }
        sleep_until((begun + at).into()).await;
        running.spawn(task(number.try_into().unwrap_or_default()));
        while let Some(Ok(result)) = running.try_join_next() {
            results.push(result);
        }
    }
    results.extend(running.join_all().await);
    results
}

/// Counts connections that are open.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Gauge {
    /// Counts a connection until the returned value is dropped.
    pub(crate) fn opened(&self) -> Opened<'_> {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        Opened(self)
    }

    pub(crate) fn now(&self) -> usize {
        self.now.load(Ordering::Relaxed)
    }

    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }
}

pub(crate) struct Opened<'a>(&'a Gauge);

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}
