//! Answers as the function does, after the time of the model.
//!
//! This is the service with [`Kernel`] in place of its workers. Routes, limits, admission,
//! deadlines and problem documents are those of the service.

use core::{future::Future as _, future::poll_fn, pin::pin, task::Poll, time::Duration};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use http::{Request, Response, request::Parts};
use http_body_util::Full;
use saltern_algorithm::{Pool, PoolSettings};
use saltern_capacity::Durations;
use saltern_encoded::Params;
use saltern_policy::Policies;
use saltern_service::{Answer, Arrival, Body, Service};
use tokio::time::{Instant, sleep_until};

use crate::{
    documents::{self, Users},
    function::Function,
    kernel::{HASHES, Hashes, Kernel, Taken},
    random::Random,
    spread::Spread,
};
use saltern_program::Failure;

use super::function_url::Answered;

#[derive(Debug)]
pub(crate) struct Model {
    service: Service<Kernel>,
    durations: Arc<Durations>,
    spread: Spread,
    random: Mutex<Random>,
}

impl Model {
    pub(crate) fn new(
        policies: Policies,
        users: Users,
        durations: Durations,
        spread: Spread,
        seed: u64,
    ) -> Result<Self, Failure> {
        let durations = Arc::new(durations);
        let pool = Pool::start(&PoolSettings::new(documents::cores()))
            .map_err(|error| Failure::system(format!("no thread can be started for hashing ({error})")))?;
        let service = Service::new(policies, Kernel::new(users, Arc::clone(&durations), pool));
        Ok(Self { service, durations, spread, random: Mutex::new(Random::new(seed)) })
    }

    /// Answers a request that reaches the handler at `starts`.
    pub(super) async fn answer(
        &self,
        function: &Function,
        company: u64,
        parts: Parts,
        body: Bytes,
        starts: Instant,
    ) -> Answered {
        let hashes = Hashes::of(&body);
        let mut request = Request::from_parts(parts, Body::new(body.to_vec()));
        request.extensions_mut().insert(Arrival::at(starts.into_std()));
        let paced = self.paced(function, company, request, starts);
        let (answer, modelled) = HASHES.scope(hashes, paced).await;
        // A request without modelled hashes takes its real time.
        let run = if modelled.is_zero() { starts.elapsed() } else { modelled };
        let (parts, body) = answer.response.into_parts();
        Answered { response: Response::from_parts(parts, Full::from(body.to_vec())), run }
    }

    /// Runs the service and answers its hashes when their time has passed. Hashes that it requests
    /// together, as for a batch, share their time. Hashes that it requests later, as for an
    /// upgrade, take additional time.
    async fn paced(
        &self,
        function: &Function,
        company: u64,
        request: Request<Body>,
        starts: Instant,
    ) -> (Answer, Duration) {
        let mut answering = pin!(self.service.answer(request));
        let mut modelled = Duration::ZERO;
        let mut taken: Vec<Taken> = Vec::new();
        let mut together = Duration::ZERO;
        let mut due = pin!(sleep_until(starts));
        let answer = poll_fn(|context| {
            loop {
                if let Poll::Ready(answer) = answering.as_mut().poll(context) {
                    return Poll::Ready(answer);
                }
                if taken.is_empty() {
                    let all = HASHES.with(Hashes::take_all);
                    if all.is_empty() {
                        // The service waits for a computed hash.
                        return Poll::Pending;
                    }
                    together = self.time_of(function, company, &all);
                    let ends = starts + modelled + together;
                    taken = all.into_iter().filter_map(|one| one.in_time(ends.into_std())).collect();
                    if taken.is_empty() {
                        continue;
                    }
                    modelled += together;
                    due.as_mut().reset(ends);
                }
                if due.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                taken.drain(..).for_each(|one| one.answer(together));
            }
        })
        .await;
        (answer, modelled)
    }

    /// Returns the time of hashes that are requested together. Hashes of the same parameters run in
    /// parallel, and different parameters in sequence.
    fn time_of(&self, function: &Function, company: u64, taken: &[Taken]) -> Duration {
        let mut hashes: HashMap<Params, u64> = HashMap::new();
        for one in taken {
            *hashes.entry(one.params).or_default() += 1;
        }
        let medians = hashes.into_iter().map(|(params, hashes)| {
            let planned = function.planned(&self.durations, params, hashes, company);
            planned.map_or(Duration::ZERO, |planned| planned.duration)
        });
        let median: Duration = medians.sum();
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        median.mul_f64(self.spread.draw(&mut random))
    }
}
