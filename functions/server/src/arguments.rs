//! The arguments of `serve`. The module `settings` checks them.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
};

use clap::{Args, ValueEnum, builder::FalseyValueParser};
use saltern_service::Upgrades;

use crate::{
    Failure, KernelArguments, MachineArguments,
    address::{Listen, SocketMode},
};

#[derive(Args, Debug)]
#[command(
    after_help = "Bearer tokens may also come from the environment: SALTERN_TOKENS, with `;` between the lines. It stays readable there.\n\
                  On SIGHUP the server reads the tokens, the certificate and the seal keys again. It reads the policies only at the start.\n\
                  On SIGTERM /health answers 503; the server answers the accepted requests and ends."
)]
/// Arguments of the command `serve`.
pub struct ServeArguments {
    /// The address or the socket file to listen on
    #[arg(
        long,
        env = "SALTERN_LISTEN",
        value_name = "ADDRESS:PORT|unix:PATH",
        default_value = "127.0.0.1:9000"
    )]
    pub(crate) listen: Listen,
    /// The mode of the socket file, in octal digits [default: 600]
    #[arg(long, env = "SALTERN_SOCKET_MODE", value_name = "MODE")]
    socket_mode: Option<SocketMode>,
    /// The policy document [default: the one that Saltern ships]
    #[arg(long, env = "SALTERN_POLICIES", value_name = "FILE")]
    pub(crate) policies: Option<PathBuf>,
    /// The keys of sealed hashes; only the owner of the file may read it
    #[arg(long, env = "SALTERN_SEAL_KEYS", value_name = "FILE")]
    pub(crate) seal_keys: Option<PathBuf>,
    /// A list of breached passwords, made by `saltern blocklist build`: they get no new hash
    #[arg(long, env = "SALTERN_BLOCKLIST", value_name = "FILE")]
    pub(crate) blocklist: Option<PathBuf>,
    /// Which of the matches that need a new hash get one: on, off or a share such as 10%
    #[arg(long, env = "SALTERN_UPGRADES", value_name = "on|off|N%", default_value_t)]
    pub(crate) upgrades: Upgrades,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    #[command(flatten)]
    pub(crate) kernels: KernelArguments,
    #[command(flatten)]
    pub(crate) access: AccessArguments,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
    /// After SIGTERM, the time in which /health answers 503 and the server still takes requests
    #[arg(long, env = "SALTERN_DRAIN_NOTICE_SECONDS", value_name = "SECONDS", default_value_t = 0)]
    pub(crate) drain_notice_seconds: u64,
    /// The longest shutdown after SIGTERM and the notice
    #[arg(long, env = "SALTERN_DRAIN_SECONDS", value_name = "SECONDS", default_value_t = 30)]
    pub(crate) drain_seconds: u64,
    /// The format of the log [default: text on a terminal, else json]
    #[arg(long, env = "SALTERN_LOG_FORMAT", value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
}

impl ServeArguments {
    /// The mode of the socket file.
    ///
    /// # Errors
    /// [`Failure::Configuration`] if a mode is given for an address, or for a socket that the
    /// service manager passes.
    pub(crate) fn socket_mode(&self, listen: &Listen, is_passed: bool) -> Result<SocketMode, Failure> {
        match (listen, self.socket_mode) {
            (_, Some(_)) if is_passed => Err(Failure::configuration(
                "--socket-mode does not change a passed socket: write SocketMode= in the .socket unit",
            )),
            (Listen::Address(_), Some(_)) => Err(Failure::configuration(
                "--socket-mode applies to a socket file only: leave it out, or give --listen unix:PATH",
            )),
            (_, mode) => Ok(mode.unwrap_or(SocketMode::OWNER)),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct AccessArguments {
    /// Bearer tokens, one a line as NAME SCOPES EXPIRY TOKEN; lines that begin with # are comments
    #[arg(long, env = "SALTERN_TOKENS_FILE", value_name = "FILE")]
    pub(crate) tokens_file: Option<PathBuf>,
    /// The certificate chain, in PEM
    #[arg(long, env = "SALTERN_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, env = "SALTERN_TLS_KEY", value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Beyond loopback, serve without TLS: a proxy in front terminates TLS
    #[arg(long, env = "SALTERN_BEHIND_TLS_PROXY", value_parser = FalseyValueParser::new())]
    pub(crate) behind_tls_proxy: bool,
    /// Beyond loopback, serve without TLS and tokens: every host that reaches the port can hash,
    /// and the network can read the passwords
    #[arg(long, env = "SALTERN_INSECURE", value_parser = FalseyValueParser::new())]
    pub(crate) insecure: bool,
}

/// Limits on connections. The module `bounds` has the defaults and their reasons.
#[derive(Args, Debug)]
pub(crate) struct BoundsArguments {
    /// Most connections at once [default: 4096, or fewer if the process may open only few files]
    #[arg(long, env = "SALTERN_CONNECTIONS", value_name = "COUNT")]
    pub(crate) connections: Option<NonZeroUsize>,
    /// Most connections of one address that wait for a request, 0 for no bound [default: half of
    /// all; none behind a proxy]
    #[arg(long, env = "SALTERN_CONNECTIONS_PER_ADDRESS", value_name = "COUNT")]
    pub(crate) connections_per_address: Option<usize>,
    /// Longest time for a TLS handshake, and then for the first byte of the first request
    /// [default: 5000]
    #[arg(long, env = "SALTERN_FIRST_BYTE_TIMEOUT_MS", value_name = "MS")]
    pub(crate) first_byte_timeout_ms: Option<NonZeroU64>,
    /// Longest time for the head of a request from its first byte [default: 10000]
    #[arg(long, env = "SALTERN_HEADER_TIMEOUT_MS", value_name = "MS")]
    pub(crate) header_timeout_ms: Option<NonZeroU64>,
    /// Longest time for the body of a request [default: 10000]
    #[arg(long, env = "SALTERN_BODY_TIMEOUT_MS", value_name = "MS")]
    pub(crate) body_timeout_ms: Option<NonZeroU64>,
    /// Longest time for the caller to take an answer [default: 10000]
    #[arg(long, env = "SALTERN_ANSWER_TIMEOUT_MS", value_name = "MS")]
    pub(crate) answer_timeout_ms: Option<NonZeroU64>,
    /// Longest time to the first byte of a later request [default: 75000]
    #[arg(long, env = "SALTERN_IDLE_TIMEOUT_MS", value_name = "MS")]
    pub(crate) idle_timeout_ms: Option<NonZeroU64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object a line
    Json,
    /// Lines of text for people
    Text,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_has_a_row_for_every_setting() {
        let (_, table) = include_str!("../README.md").split_once("| argument | variable |").unwrap();
        let (table, _) = table.split_once("\n\n").unwrap();
        let rows: Vec<&str> = table.lines().skip(2).collect();
        let definition = ServeArguments::augment_args(clap::Command::new("serve"));
        let arguments: Vec<_> = definition.get_arguments().collect();
        for argument in &arguments {
            let flag = format!("| `--{}", argument.get_long().unwrap());
            let variable = format!("`{}`", argument.get_env().unwrap().to_str().unwrap());
            let is_own = |row: &&&str| {
                let rest = row.strip_prefix(&flag);
                rest.is_some_and(|rest| rest.starts_with([' ', '`'])) && row.contains(&variable)
            };
            let row = rows.iter().find(is_own).unwrap_or_else(|| panic!("no row of {flag} and {variable}"));
            let defaults =
                argument.get_default_values().iter().filter(|_| argument.get_action().takes_values());
            for default in defaults {
                assert!(row.contains(default.to_str().unwrap()), "{row}: the default is {default:?}");
            }
        }
        // SALTERN_TOKENS has no argument, so that no token is in the list of processes.
        assert_eq!(rows.len(), arguments.len() + 1, "{rows:?}");
    }
}
