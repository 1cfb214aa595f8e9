//! The protection that an address requires: tokens and TLS if other machines can reach it.

use crate::Failure;

use super::address::Listen;

#[derive(Clone, Copy, Debug)]
pub(super) struct Exposure<'a> {
    pub(super) listen: &'a Listen,
    pub(super) tokens: bool,
    pub(super) tls: bool,
    pub(super) waived: Waived,
}

/// The protection that the operator waives beyond loopback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waived {
    Nothing,
    /// A proxy in front terminates TLS.
    Tls,
    TlsAndTokens,
}

impl Exposure<'_> {
    /// Refuses an address beyond loopback without tokens and TLS, unless the operator waives them.
    /// Only this machine reaches a socket file, and its mode says which users.
    pub(super) fn check(self) -> Result<(), Failure> {
        let is_local = match self.listen {
            Listen::Address(address) => address.ip().to_canonical().is_loopback(),
            Listen::File(_) => true,
        };
        if is_local || self.waived == Waived::TlsAndTokens {
            return Ok(());
        }
        let lacks = match (self.tokens, self.tls || self.waived == Waived::Tls) {
            (true, true) => return Ok(()),
            (false, true) => "bearer tokens: give --tokens-file or SALTERN_TOKENS",
            (true, false) => {
                "TLS: give --tls-certificate and --tls-key, or --behind-tls-proxy if a proxy terminates TLS"
            }
            (false, false) => {
                "bearer tokens and TLS: give --tokens-file, --tls-certificate and --tls-key \
                 (--behind-tls-proxy if a proxy terminates TLS)"
            }
        };
        Err(Failure::configuration(format!(
            "other machines can reach {}, which lacks {lacks}; --insecure waives both",
            self.listen
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_a_socket_file_require_nothing() {
        for listen in ["127.0.0.1:9000", "127.8.8.8:1", "[::1]:9000", "[::ffff:127.0.0.1]:9000", "unix:path"]
        {
            assert!(bare(&listen.parse().unwrap()).check().is_ok(), "{listen}");
        }
    }

    #[test]
    fn beyond_loopback_requires_tokens_and_tls() {
        for listen in ["0.0.0.0:9000", "[::]:9000", "192.168.0.1:9000", "[::ffff:10.0.0.1]:9000"] {
            let listen = listen.parse().unwrap();
            let bare = bare(&listen);
            assert_eq!(lacking(bare), Some("bearer tokens and TLS"));
            assert_eq!(lacking(Exposure { tls: true, ..bare }), Some("bearer tokens"));
            assert_eq!(lacking(Exposure { waived: Waived::Tls, ..bare }), Some("bearer tokens"));
            assert_eq!(lacking(Exposure { tokens: true, ..bare }), Some("TLS"));
            assert_eq!(lacking(Exposure { tokens: true, tls: true, ..bare }), None);
            assert_eq!(lacking(Exposure { tokens: true, waived: Waived::Tls, ..bare }), None);
            assert_eq!(lacking(Exposure { waived: Waived::TlsAndTokens, ..bare }), None);
        }
    }

    fn bare(listen: &Listen) -> Exposure<'_> {
        Exposure { listen, tokens: false, tls: false, waived: Waived::Nothing }
    }

    fn lacking(exposure: Exposure<'_>) -> Option<&'static str> {
        let Err(Failure::Configuration(sentence)) = exposure.check() else { return None };
        ["bearer tokens and TLS:", "bearer tokens:", "TLS:"]
            .into_iter()
            .find(|lacking| sentence.contains(&format!("lacks {lacking}")))
            .map(|lacking| lacking.trim_end_matches(':'))
    }
}
