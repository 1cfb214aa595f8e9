//! The function's answers, in the time that the model gives them.
//!
//! It is the service itself, with [`Kernel`] in the workers' place: routes, limits, admission, deadlines and problem
//! documents are its own.

use core::{future::Future as _, future::poll_fn, pin::pin, task::Poll, time::Duration};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response, request::Parts};
use http_body_util::Full;
use saltern_algorithm::{Pool, PoolSettings};
use saltern_capacity::Durations;
use saltern_policy::Policies;
use saltern_service::{Answer, Arrival, Body, Service};
use tokio::time::{Instant, sleep_until};

use crate::{
    documents::{self, Users},
    failure::Failure,
    function::Function,
    kernel::{HASHES, Hashes, Kernel, Taken},
    random::Random,
    spread::Spread,
};

use super::function_url::Answered;

#[derive(Debug)]
pub(crate) struct Model {
    service: Service,
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
            .map_err(|error| Failure::system(format!("the system gives no thread to hash on ({error})")))?;
        let (kernel, known) = (Kernel::new(users), Arc::clone(&durations));
        let pool = pool.with_model(move |work| kernel.take(&known, work));
        let service = Service::new(policies, pool);
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
        request.extensions_mut().insert(Arrival(starts.into_std()));
        let paced = self.paced(function, company, request, starts);
        let (answer, modelled) = HASHES.scope(hashes, paced).await;
        // What was not modelled was computed, or was no hash at all.
        let run = if modelled.is_zero() { starts.elapsed() } else { modelled };
        let (parts, body) = answer.response.into_parts();
        Answered { response: Response::from_parts(parts, Full::from(body.to_vec())), run }
    }

    /// Lets the service go on whenever hashes are due. Those that it asks for together, as it does for a batch, take their
    /// time together; those that it asks for later, as for an upgrade, take theirs after that.
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
                        // It waits for something that is computed.
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

    /// Of hashes that are asked for together: those of one kind side by side, one kind after the other.
    fn time_of(&self, function: &Function, company: u64, taken: &[Taken]) -> Duration {
        let mut kinds: Vec<_> = taken.iter().map(|one| one.parameters).collect();
        kinds.sort_unstable();
        let medians = kinds.chunk_by(|a, b| a == b).map(|same| {
            let hashes = u64::try_from(same.len()).unwrap_or(u64::MAX);
            let planned = function.planned(&self.durations, same[0], hashes, company);
            planned.map_or(Duration::ZERO, |planned| planned.duration)
        });
        let median: Duration = medians.sum();
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        median.mul_f64(self.spread.draw(&mut random))
    }
}
