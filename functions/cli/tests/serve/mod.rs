//! Tests of the binary `saltern serve` over TCP.

mod access;
mod blocklist;
mod callers;
mod client;
mod drain;
mod gone;
mod health;
mod http1;
mod http2;
mod limits;
mod log;
mod memory;
mod other_languages;
mod passwords;
mod quick_start;
mod seals;
mod secrets;
mod server;
mod socket_file;
mod start;
mod supervisor;
mod tls;
