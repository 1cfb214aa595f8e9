//! The settings of `serve`, made from its arguments. An error is reported before anything starts.

use std::{
    io::IsTerminal as _,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use saltern_policy::{Limits, Policies};
use saltern_pool::PoolSettings;
use saltern_seal::Keys;
use saltern_service::{Blocklist, Upgrades};

use crate::{Failure, document};
use crate::{arguments::LogFormat, arguments::ServeArguments};

use super::{
    address::{Listen, SocketMode},
    bounds::{Bounds, CONNECTIONS},
    drain::DrainTimes,
    exposure::{Exposure, Waived},
    local::Local,
    supervisor::Passed,
    tls::Tls,
    tokens::Access,
};

pub(super) struct Settings {
    pub(super) listen: Listen,
    pub(super) socket_mode: SocketMode,
    /// The socket of the service manager. Then `listen` is its address.
    pub(super) passed: Option<Passed>,
    pub(super) access: Access,
    pub(super) tls: Option<Tls>,
    pub(super) policies: Policies,
    /// The file with the keys of sealed hashes, and the keys.
    pub(super) seal_keys: Option<(PathBuf, Keys)>,
    pub(super) blocklist: Option<Blocklist>,
    pub(super) upgrades: Upgrades,
    pub(super) pool: PoolSettings,
    pub(super) bounds: Bounds,
    pub(super) drain: DrainTimes,
    pub(super) log_format: LogFormat,
    memory_budget_bytes: u64,
}

impl Settings {
    /// Call it before the first thread starts: see [`Passed::take`].
    pub(super) fn read(arguments: &ServeArguments) -> Result<Self, Failure> {
        let passed = Passed::take()?;
        let listen = passed.as_ref().map(Passed::listen).transpose()?;
        let listen = listen.unwrap_or_else(|| arguments.listen.clone());
        let socket_mode = arguments.socket_mode(&listen, passed.is_some())?;
        let without_tokens =
            if arguments.access.insecure { Access::Anyone } else { Access::Local(Local::at(&listen)) };
        let access = Access::read(arguments.access.tokens_file.as_deref(), without_tokens)?;
        let tls = Tls::read(&arguments.access)?;
        Exposure {
            listen: &listen,
            tokens: access.requires_tokens(),
            tls: tls.is_some(),
            waived: match &arguments.access {
                access if access.insecure => Waived::TlsAndTokens,
                access if access.behind_tls_proxy => Waived::Tls,
                _ => Waived::Nothing,
            },
        }
        .check()?;
        let limits = Limits { shares_memory: access.callers() > 1, ..document::limits(&arguments.machine)? };
        let policies = document::named_or_shipped(arguments.policies.as_deref(), &limits)?;
        let read = |file: &PathBuf| seal_keys(file).map(|keys| (file.clone(), keys));
        let seal_keys = arguments.seal_keys.as_ref().map(read).transpose()?;
        if seal_keys.is_some() && matches!(access, Access::Local(Local::Port)) {
            return Err(Failure::configuration(
                "--seal-keys without tokens at an address: any process of this machine could seal hashes and try \
                 passwords against sealed ones; give --tokens-file or --listen unix:PATH (--insecure waives it)",
            ));
        }
        let workers = NonZeroUsize::new(limits.workers).unwrap_or(NonZeroUsize::MIN);
        Ok(Self {
            listen,
            socket_mode,
            passed,
            access,
            tls,
            seal_keys,
            blocklist: arguments.blocklist.as_deref().map(blocklist).transpose()?,
            upgrades: arguments.upgrades,
            pool: PoolSettings {
                kernels: arguments.kernels.kernels,
                bcrypt_lanes: arguments.kernels.bcrypt_lanes,
                argon2_lanes: arguments.kernels.argon2_lanes,
                holders: policies.holders(),
                kept_bytes: limits.memory_budget_bytes / policies.holders().get() as u64,
                reserved_bytes: policies.reserved_bytes(),
                ..PoolSettings::new(workers)
            },
            policies,
            bounds: Bounds::read(&arguments.bounds, arguments.access.behind_tls_proxy)?,
            drain: DrainTimes {
                notice: Duration::from_secs(arguments.drain_notice_seconds),
                patience: Duration::from_secs(arguments.drain_seconds),
            },
            log_format: arguments.log_format.unwrap_or_else(log_format),
            memory_budget_bytes: limits.memory_budget_bytes,
        })
    }

    /// Writes the log line at start-up. With `--listen 127.0.0.1:0` it tells the port.
    pub(super) fn log(&self, address: &Listen) {
        let callers = self.access.callers();
        let keys = self.seal_keys.as_ref().map(|(_, keys)| keys);
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            %address,
            tls = self.tls.is_some(),
            tokens = self.access.requires_tokens(),
            workers = self.pool.workers,
            kernels = self.pool.kernels.name(),
            memory_budget_mib = self.memory_budget_bytes / document::BYTES_PER_MIB,
            connections = self.bounds.connections,
            connection_memory_mib = self.bounds.connection_memory_bytes() as u64 / document::BYTES_PER_MIB,
            policies = self.policies.digest(),
            accepted_weak = self.policies.accepted_weak().to_string(),
            firebase_project = self.policies.has_firebase_project(),
            blocklist = self.blocklist.as_ref().map(Blocklist::digest),
            upgrades = %self.upgrades,
            seal_key = keys.map(|keys| keys.current().id()),
            seal_required = keys.is_some_and(Keys::requires_seal),
            "serving"
        );
        if self.pool.holders < self.pool.workers {
            tracing::warn!(
                at_once = self.pool.holders,
                workers = self.pool.workers,
                "fewer hashes in memory at once than workers: raise --memory-budget-mib, or lower --workers"
            );
        }
        if callers > 1 && self.pool.reserved_bytes == 0 {
            tracing::warn!(
                "one caller may take the memory of all hashes: raise --memory-budget-mib, so that each worker holds two \
                 hashes of the largest policy"
            );
        }
        if self.bounds.connections_lowered {
            tracing::warn!(
                connections = self.bounds.connections,
                by_default = CONNECTIONS,
                "fewer connections than by default: raise the limit on open files (ulimit -n, LimitNOFILE)"
            );
        }
    }
}

/// Reads the keys of sealed hashes.
pub(super) fn seal_keys(file: &Path) -> Result<Keys, Failure> {
    Keys::read(file).map_err(|error| Failure::configuration(error.to_string()))
}

fn blocklist(file: &Path) -> Result<Blocklist, Failure> {
    Blocklist::open(file).map_err(Failure::configuration)
}

/// Returns the default format: text on a terminal, and JSON for programs that collect logs.
fn log_format() -> LogFormat {
    if std::io::stdout().is_terminal() { LogFormat::Text } else { LogFormat::Json }
}
