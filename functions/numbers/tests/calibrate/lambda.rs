//! A stub of Lambda's `Invoke`. Its function computes nothing: a formula gives the times.

use std::{
    io::BufReader,
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex},
};

use saltern_encoded::{Params, pbkdf2::Prf};
use saltern_meter::{
    Machine, Measured, Spread,
    remote::{Answer, Event, Outcome, Reason, Response},
};
use saltern_stubs::http::{self, Request};

/// The behaviour of the stub.
#[derive(Clone, Copy)]
pub(crate) enum Mood {
    /// Measures; bcrypt costs above this exceed the function's ceiling.
    Measuring { most_bcrypt_cost: u32 },
    /// Measures, with a deadline after this number of milliseconds.
    EndingAfter { ms: f64 },
    /// Measures, and is busy in the first, third, fifth call.
    BusyEveryOtherTime,
    /// Refuses as Lambda itself does, with this status and error code.
    Refusing { status: u16, code: &'static str },
    /// Answers as a function without calibrate events, or as one that failed.
    Saying { error: bool, payload: &'static str },
}

pub(crate) struct Lambda {
    pub(crate) address: SocketAddr,
    calls: Arc<Mutex<Vec<Request>>>,
}

impl Lambda {
    pub(crate) fn start(mood: Mood) -> Self {
        let calls = Arc::<Mutex<Vec<Request>>>::default();
        let noted = Arc::clone(&calls);
        let serve = move |stream: &TcpStream| {
            serve(stream, mood, &noted);
            Ok(())
        };
        Self { address: http::listen("stub", || false, serve).unwrap(), calls }
    }

    /// Returns the calls since the last time.
    pub(crate) fn calls(&self) -> Vec<Request> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

fn serve(stream: &TcpStream, mood: Mood, noted: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = http::read(&mut reader).unwrap() {
        let measured = |most_bcrypt_cost, most_ms| measure(&request.body, most_bcrypt_cost, most_ms);
        let is_odd = noted.lock().unwrap().len().is_multiple_of(2);
        let (status, header, payload) = match mood {
            Mood::Measuring { most_bcrypt_cost } => (200, None, measured(most_bcrypt_cost, f64::INFINITY)),
            Mood::EndingAfter { ms } => (200, None, measured(u32::MAX, ms)),
            Mood::BusyEveryOtherTime if is_odd => (200, None, refused("busy")),
            Mood::BusyEveryOtherTime => (200, None, measured(u32::MAX, f64::INFINITY)),
            Mood::Refusing { status, code } => {
                (status, Some(("x-amzn-errortype", code)), r#"{"Message":"from the stub"}"#.to_owned())
            }
            Mood::Saying { error, payload } => {
                (200, error.then_some(("x-amz-function-error", "Unhandled")), payload.to_owned())
            }
        };
        noted.lock().unwrap().push(request);
        http::write(stream, status, header.as_slice(), payload.as_bytes()).unwrap();
    }
}

fn measure(event: &[u8], most_bcrypt_cost: u32, most_ms: f64) -> String {
    let Event { question } = serde_json::from_slice(event).unwrap();
    let encoded = saltern_encoded::parse(&question.hash).unwrap();
    let params = encoded.setting().params().unwrap();
    let outcome = match params {
        Params::Bcrypt(params) if params.cost() > most_bcrypt_cost => {
            Outcome::Refused(Reason::CostOutOfBounds)
        }
        _ => {
            let at_once = if question.in_lanes && matches!(params, Params::Bcrypt(_)) { 8 } else { 1 };
            let ms = if at_once == 8 { 2.0 * one_ms(params) } else { one_ms(params) };
            // The same small spread each time.
            let wall_ms = Spread::of(&[0.99, 1.0, 1.0, 1.01, 1.2].map(|noise| noise * ms));
            if ms > most_ms {
                Outcome::Refused(Reason::DeadlineExceeded)
            } else {
                Outcome::Measured(Measured { at_once, wall_ms, cpu_ms: wall_ms })
            }
        }
    };
    response(outcome)
}

/// Returns the response of a function that refuses to measure.
pub(crate) fn refused(reason: &str) -> String {
    response(Outcome::Refused(serde_json::from_value(reason.into()).unwrap()))
}

fn response(outcome: Outcome) -> String {
    let machine = Machine { cpu: "ARM Neoverse-V2".to_owned(), architecture: "aarch64".to_owned(), cores: 2 };
    serde_json::to_string(&Response { answer: Answer { machine, memory_mb: 1769, outcome } }).unwrap()
}

/// Returns a time that is about as on Graviton.
fn one_ms(params: Params) -> f64 {
    match params {
        Params::Argon2(params) => 0.001 * f64::from(params.memory_kib()) * f64::from(params.passes()),
        Params::Bcrypt(params) => 0.05 * 2_f64.powi(i32::try_from(params.cost()).unwrap()),
        Params::Pbkdf2(params) if params.prf() == Prf::Sha256 => 0.000_2 * f64::from(params.iterations()),
        Params::Pbkdf2(params) => 0.000_49 * f64::from(params.iterations()),
        Params::Scrypt(params) => {
            0.000_2 * 2_f64.powi(i32::from(params.log_n())) * f64::from(params.r() * params.p())
        }
    }
}
