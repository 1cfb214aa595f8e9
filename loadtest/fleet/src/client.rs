use core::time::Duration;

use serde::Serialize;

/// How the backends batch logins into requests.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Client {
    /// The number of backends, each with its own client.
    pub(crate) backends: usize,
    /// The largest number of logins in a request. 1 sends each login alone.
    pub(crate) batch: usize,
    /// The longest time that a login waits for other logins of its backend.
    pub(crate) wait: Duration,
}
