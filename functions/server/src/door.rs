//! What all connections of the server share: the service, who may call it, the bounds and what is
//! left of them.

use std::{path::PathBuf, sync::Arc, time::Instant};

use saltern_pool::Workers;
use saltern_service::{Answer, Arrival, Caller, Ids, Incoming, PeerAddress, Problem, Service};

use super::{
    bounds::{Bounds, EXCHANGES, MAX_BODY_BYTES_AT_ONCE, RESERVE, UNSENT_ANSWER_BYTES},
    room::Room,
    settings::seal_keys,
    tls::Tls,
    tokens::Access,
};

/// The parts of the server that all connections share.
pub(super) struct Door<W> {
    pub(super) service: Service<W>,
    pub(super) access: Access,
    /// The file with the keys of sealed hashes.
    keys_file: Option<PathBuf>,
    pub(super) tls: Option<Tls>,
    pub(super) bounds: Bounds,
    /// Memory for bodies, in bytes.
    pub(super) bodies: Arc<Room>,
    /// Places for HTTP/2 requests.
    pub(super) places: Arc<Room>,
    /// Memory for unsent answers, in bytes.
    pub(super) answers: Arc<Room>,
}

impl<W: Workers> Door<W> {
    pub(super) fn new(
        service: Service<W>,
        access: Access,
        keys_file: Option<PathBuf>,
        tls: Option<Tls>,
        bounds: Bounds,
    ) -> Self {
        Self {
            service,
            access,
            keys_file,
            tls,
            bounds,
            bodies: Room::new(MAX_BODY_BYTES_AT_ONCE, MAX_BODY_BYTES_AT_ONCE / RESERVE),
            places: Room::new(EXCHANGES, EXCHANGES / RESERVE),
            answers: Room::new(UNSENT_ANSWER_BYTES, UNSENT_ANSWER_BYTES / RESERVE),
        }
    }

    /// Reads the tokens, the certificate and the seal keys again, and logs the result. All change,
    /// or none.
    pub(super) fn read_again(&self) {
        let certificate =
            || self.tls.as_ref().map(|tls| tls.read_again().map(|fresh| (tls, fresh))).transpose();
        let keys = || self.keys_file.as_deref().map(seal_keys).transpose();
        let read = self.access.read_again().and_then(|tokens| Ok((tokens, certificate()?, keys()?)));
        match read {
            Ok((tokens, certificate, keys)) => {
                let (tokens_read, certificate_read) = (tokens.is_some(), certificate.is_some());
                let seal_key = keys.as_ref().map(|keys| keys.current().id().to_owned());
                if let Some(fresh) = tokens {
                    self.access.install(fresh);
                    self.access.log_advice();
                }
                if let Some((tls, fresh)) = certificate {
                    tls.install(fresh);
                }
                if let Some(fresh) = keys {
                    self.service.install_keys(fresh);
                }
                // Whoever waits for this line finds what was read in use.
                tracing::info!(
                    tokens = tokens_read,
                    certificate = certificate_read,
                    seal_key,
                    "tokens, certificate and seal keys were read again; the policy document is read only at the start"
                );
            }
            Err(failure) => {
                tracing::error!(%failure, "the old tokens, the old certificate and the old seal keys stay in use");
            }
        }
    }

    /// Refuses what a peer sent before a head could be read.
    pub(super) fn refuse_unread(&self, at: Instant, peer: Option<PeerAddress>, problem: Problem) -> Answer {
        let arrival = Arrival { at, peer, caller: Caller::Unknown, latest: None };
        self.service.refuse(&Incoming::unread(arrival, Ids::random()), problem)
    }
}
