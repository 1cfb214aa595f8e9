//! Who can reach the port decides what the port wants.

use std::net::SocketAddr;

use saltern_program::Failure;

#[derive(Clone, Copy, Debug)]
pub(super) struct Exposure {
    pub(super) listen: SocketAddr,
    pub(super) tokens: bool,
    pub(super) tls: bool,
    pub(super) waived: Waived,
}

/// What the operator does without beyond loopback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waived {
    Nothing,
    /// A proxy in front ends it.
    Tls,
    TlsAndTokens,
}

impl Exposure {
    /// Beyond loopback nothing starts without tokens and TLS, except where it is said out loud.
    pub(super) fn check(self) -> Result<(), Failure> {
        if self.listen.ip().to_canonical().is_loopback() || self.waived == Waived::TlsAndTokens {
            return Ok(());
        }
        let lacks = match (self.tokens, self.tls || self.waived == Waived::Tls) {
            (true, true) => return Ok(()),
            (false, true) => "bearer tokens: give --tokens-file or SALTERN_TOKENS",
            (true, false) => {
                "TLS: give --tls-certificate and --tls-key, or --behind-tls-proxy where a proxy ends TLS"
            }
            (false, false) => {
                "bearer tokens and TLS: give --tokens-file, --tls-certificate and --tls-key \
                 (--behind-tls-proxy where a proxy ends TLS)"
            }
        };
        Err(Failure::configuration(format!(
            "{} can be reached from other machines and lacks {lacks}; --insecure does without",
            self.listen
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_wants_nothing() {
        for listen in ["127.0.0.1:9000", "127.8.8.8:1", "[::1]:9000", "[::ffff:127.0.0.1]:9000"] {
            assert!(bare(listen).check().is_ok(), "{listen}");
        }
    }

    #[test]
    fn beyond_loopback_wants_tokens_and_tls() {
        for listen in ["0.0.0.0:9000", "[::]:9000", "192.168.0.1:9000", "[::ffff:10.0.0.1]:9000"] {
            let bare = bare(listen);
            assert_eq!(lacking(bare), Some("bearer tokens and TLS"));
            assert_eq!(lacking(Exposure { tls: true, ..bare }), Some("bearer tokens"));
            assert_eq!(lacking(Exposure { waived: Waived::Tls, ..bare }), Some("bearer tokens"));
            assert_eq!(lacking(Exposure { tokens: true, ..bare }), Some("TLS"));
            assert_eq!(lacking(Exposure { tokens: true, tls: true, ..bare }), None);
            assert_eq!(lacking(Exposure { tokens: true, waived: Waived::Tls, ..bare }), None);
            assert_eq!(lacking(Exposure { waived: Waived::TlsAndTokens, ..bare }), None);
        }
    }

    fn bare(listen: &str) -> Exposure {
        Exposure { listen: listen.parse().unwrap(), tokens: false, tls: false, waived: Waived::Nothing }
    }

    fn lacking(exposure: Exposure) -> Option<&'static str> {
        let Err(Failure::Configuration(sentence)) = exposure.check() else { return None };
        ["bearer tokens and TLS:", "bearer tokens:", "TLS:"]
            .into_iter()
            .find(|what| sentence.contains(&format!("lacks {what}")))
            .map(|what| what.trim_end_matches(':'))
    }
}
