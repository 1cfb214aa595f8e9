//! A stand-in for Lambda's `Invoke`, with a function behind it that computes nothing: its times are a formula.

use std::{
    io::{BufRead, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use saltern_encoded::{Params, pbkdf2::Prf};
use saltern_meter::{
    Machine, Measured, Spread,
    remote::{Answer, Event, Outcome, Reason, Reply},
};

/// How it answers.
#[derive(Clone, Copy)]
pub(crate) enum Mood {
    /// As a function that measures; costs of bcrypt above this are over its ceiling.
    Measuring { most_bcrypt_cost: u32 },
    /// As one that measures, and whose deadline ends what takes longer than so many milliseconds.
    EndingAfter { ms: f64 },
    /// As one that measures, and measured something else when it was asked the first, third, fifth time.
    BusyEveryOtherTime,
    /// With this status, error code and body, as Lambda itself does.
    Refusing { status: u16, code: &'static str },
    /// As a function without calibrate events, or one that ended.
    Saying { error: bool, payload: &'static str },
}

pub(crate) struct Lambda {
    pub(crate) address: SocketAddr,
    /// The request lines and headers of all calls.
    calls: Arc<Mutex<Vec<String>>>,
}

impl Lambda {
    pub(crate) fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, calls) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let noted = Arc::clone(&calls);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || serve(&stream.unwrap(), mood, &noted));
            }
        });
        Self { address, calls }
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

fn serve(stream: &TcpStream, mood: Mood, noted: &Mutex<Vec<String>>) {
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    loop {
        let mut head = String::new();
        loop {
            let before = head.len();
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
            if head[before..].trim_end().is_empty() {
                break;
            }
        }
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).unwrap();
        let mut calls = noted.lock().unwrap();
        calls.push(head);
        let is_odd = calls.len() % 2 == 1;
        drop(calls);
        let (status, headers, payload) = match mood {
            Mood::Measuring { most_bcrypt_cost } => {
                (200, String::new(), measure(&body, most_bcrypt_cost, f64::INFINITY))
            }
            Mood::EndingAfter { ms } => (200, String::new(), measure(&body, u32::MAX, ms)),
            Mood::BusyEveryOtherTime if is_odd => (200, String::new(), refused("busy")),
            Mood::BusyEveryOtherTime => (200, String::new(), measure(&body, u32::MAX, f64::INFINITY)),
            Mood::Refusing { status, code } => (
                status,
                format!("x-amzn-errortype: {code}\r\n"),
                r#"{"Message":"told by the stand-in"}"#.to_owned(),
            ),
            Mood::Saying { error, payload } => {
                let header = if error { "x-amz-function-error: Unhandled\r\n" } else { "" };
                (200, header.to_owned(), payload.to_owned())
            }
        };
        let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", payload.len());
        writer.write_all(&[head.as_bytes(), payload.as_bytes()].concat()).unwrap();
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
            // A little around it, the same each time.
            let wall_ms = Spread::of(&[0.99, 1.0, 1.0, 1.01, 1.2].map(|noise| noise * ms));
            if ms > most_ms {
                Outcome::Refused(Reason::DeadlineExceeded)
            } else {
                Outcome::Measured(Measured { at_once, wall_ms, cpu_ms: wall_ms })
            }
        }
    };
    reply(outcome)
}

/// What a function answers that does not measure.
pub(crate) fn refused(reason: &str) -> String {
    reply(Outcome::Refused(serde_json::from_value(reason.into()).unwrap()))
}

fn reply(outcome: Outcome) -> String {
    let machine = Machine { cpu: "ARM Neoverse-V2".to_owned(), architecture: "aarch64".to_owned(), cores: 2 };
    serde_json::to_string(&Reply { answer: Answer { machine, memory_mb: 1769, outcome } }).unwrap()
}

/// Times that are as on Graviton, about.
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
