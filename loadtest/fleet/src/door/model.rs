//! Answers as the function does, after the time of the model.
//!
//! This is the service with [`Kernel`] in place of its workers. Routes, limits, admission,
//! deadlines and problem documents are those of the service.

use core::{convert::Infallible, future::pending, time::Duration};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use fastrand::Rng;
use http::{Response, request::Parts};
use http_body_util::Full;
use saltern_capacity::Durations;
use saltern_encoded::Params;
use saltern_policy::Policies;
use saltern_server::Failure;
use saltern_service::{Arrival, Body, Caller, Ids, Service};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::{Instant, sleep_until},
};

use super::kernel::{Kernel, TAKEN, Taken};
use crate::{documents::Users, function::Function, spread::Spread};

#[derive(Debug)]
pub(super) struct Model {
    service: Service<Kernel>,
    random: Mutex<Rng>,
}

impl Model {
    pub(super) fn new(policies: Policies, users: Users) -> Result<Self, Failure> {
        let service = Service::new(policies, Kernel::new(users)?);
        Ok(Self { service, random: Mutex::new(Rng::with_seed(1)) })
    }

    /// Answers a request that reaches the handler at `starts`. Also returns the time of the handler.
    pub(super) async fn answer(
        &self,
        function: &Function,
        parts: &Parts,
        body: Bytes,
        starts: Instant,
    ) -> (Response<Full<Bytes>>, Duration) {
        let (waiting, mut taken) = unbounded_channel();
        let arrival = Arrival { at: starts.into_std(), peer: None, caller: Caller::Anyone, latest: None };
        let mut incoming = self.service.receive(parts, arrival, Ids::of(&parts.headers));
        incoming.body = Body::new(body.to_vec());
        let mut modelled = Duration::ZERO;
        let answer = tokio::select! {
            // The service runs first, so that all hashes which it requests together are there.
            biased;
            answer = TAKEN.scope(waiting, self.service.answer(&mut incoming)) => answer,
            never = self.pace(function, starts, &mut taken, &mut modelled) => match never {},
        };
        // A request without modelled hashes takes its real time.
        let run = if modelled.is_zero() { starts.elapsed() } else { modelled };
        let (parts, body) = answer.response.into_parts();
        (Response::from_parts(parts, Full::from(body.to_vec())), run)
    }

    /// Answers hashes when their time has passed, and adds it to `modelled`. Hashes that the service
    /// requests together, as for a batch, share their time. Hashes that it requests later, as for an
    /// upgrade, take additional time.
    async fn pace(
        &self,
        function: &Function,
        starts: Instant,
        taken: &mut UnboundedReceiver<Taken>,
        modelled: &mut Duration,
    ) -> Infallible {
        loop {
            let mut all = Vec::new();
            if taken.recv_many(&mut all, usize::MAX).await == 0 {
                return pending().await;
            }
            let together = self.time_of(function, &all);
            let ends = starts + *modelled + together;
            let in_time: Vec<_> = all.into_iter().filter_map(|one| one.in_time(ends.into_std())).collect();
            if !in_time.is_empty() {
                *modelled += together;
                sleep_until(ends).await;
                for one in in_time {
                    one.answer(together);
                }
            }
        }
    }

    /// Returns the time of hashes that are requested together. Hashes of the same parameters run in
    /// parallel, and different parameters in sequence.
    fn time_of(&self, function: &Function, taken: &[Taken]) -> Duration {
        let mut hashes: HashMap<Params, u64> = HashMap::new();
        for one in taken {
            *hashes.entry(one.params).or_default() += 1;
        }
        let medians = hashes.into_iter().map(|(params, hashes)| {
            let planned = function.planned(Durations::documented(), params, hashes);
            planned.map_or(Duration::ZERO, |planned| planned.duration)
        });
        let median: Duration = medians.sum();
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        median.mul_f64(Spread::measured().draw(&mut random))
    }
}
