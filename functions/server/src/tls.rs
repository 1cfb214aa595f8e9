//! TLS 1.2 and 1.3 with rustls and the cryptography of `ring`.

use std::{
    fmt::Display,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use arc_swap::ArcSwap;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{Acceptor, NoServerSessionStorage},
};
use tokio_rustls::{LazyConfigAcceptor, server::TlsStream};

use super::{
    bounds::{HANDSHAKE_BYTES, TLS_BUFFER_BYTES},
    file,
    slots::Slot,
    socket::Socket,
};
use crate::Failure;
use crate::arguments::AccessArguments;

/// The certificate and its key. A signal makes the server read them again.
pub(super) struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    config: ArcSwap<ServerConfig>,
}

impl Tls {
    /// Reads the certificate and its key. `None` if no certificate is named.
    pub(super) fn read(arguments: &AccessArguments) -> Result<Option<Self>, Failure> {
        let (Some(certificate), Some(key)) = (arguments.tls_certificate.clone(), arguments.tls_key.clone())
        else {
            return Ok(None);
        };
        let config = ArcSwap::new(config(&certificate, &key)?);
        Ok(Some(Self { certificate, key, config }))
    }

    /// Does the handshake of a connection. The caller bounds its time.
    pub(super) async fn accept(&self, mut socket: Socket, slot: &Slot) -> io::Result<TlsStream<Socket>> {
        socket.read_at_most(HANDSHAKE_BYTES);
        let hello = LazyConfigAcceptor::new(Acceptor::default(), socket).await?;
        let turn = slot.turn_for_handshake().await;
        // This call computes the key exchange and the signature.
        let handshake = hello.into_stream(self.config.load_full());
        drop(turn);
        let mut stream = handshake.await?;
        let (socket, session) = stream.get_mut();
        socket.read_at_most(usize::MAX);
        session.set_buffer_limit(Some(TLS_BUFFER_BYTES));
        Ok(stream)
    }

    /// Reads both files again. [`Self::install`] puts them in use.
    pub(super) fn read_again(&self) -> Result<Arc<ServerConfig>, Failure> {
        config(&self.certificate, &self.key)
    }

    /// Puts this configuration in use for all later handshakes.
    pub(super) fn install(&self, fresh: Arc<ServerConfig>) {
        self.config.store(fresh);
    }
}

fn config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, Failure> {
    let refused = |name: &Path, reason: &dyn Display| {
        Failure::configuration(format!(
            "cannot read {} ({reason}): name a readable file in PEM",
            name.display()
        ))
    };
    let read = |name: &Path| file::read(name).map_err(|error| refused(name, &error));
    // The error of the crate quotes lines, and a key without its line breaks is one line.
    let chain = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| refused(certificate, &NOT_PEM))?;
    let private_key = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|_| refused(key, &NOT_PEM))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::system(format!("cannot set up TLS ({error})")))?
        .with_no_client_auth()
        .with_single_cert(chain, private_key)
        .map_err(|error| {
            Failure::configuration(format!(
                "the certificate {} and the key {} do not fit ({error}): give a chain and the key of its first certificate",
                certificate.display(),
                key.display()
            ))
        })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // The client keeps its session, in a ticket. Sessions of callers that are kept here would be
    // displaced by those of a flood.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.ticketer = ring::Ticketer::new()
        .map_err(|error| Failure::system(format!("cannot make a key for session tickets ({error})")))?;
    Ok(Arc::new(config))
}

/// The reason to refuse a file whose sections cannot be read.
const NOT_PEM: &str = "no section of it is whole; each begins and ends in a line of its own";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_key_without_its_line_breaks_is_refused_without_being_shown() {
        let folder = std::env::temp_dir().join(format!("saltern-tls-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [certificate, key] = ["certificate.pem", "key.pem"].map(|name| folder.join(name));
        std::fs::write(&certificate, "").unwrap();
        for line_break in ["\\n", " ", ""] {
            let secret =
                ["-----BEGIN PRIVATE KEY-----", "MARKED", "-----END PRIVATE KEY-----"].join(line_break);
            for end in ["", "\n"] {
                std::fs::write(&key, format!("{secret}{end}")).unwrap();
                let failure = config(&certificate, &key).unwrap_err().to_string();
                assert!(failure.contains("key.pem (no section"), "{failure}");
                // As text, and as the numbers of its bytes.
                assert!(!failure.contains("MARKED") && !failure.contains("77, 65"), "{failure}");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
