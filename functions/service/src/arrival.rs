use std::time::Instant;

/// When the request arrived. The deadline counts from this time.
///
/// A front door puts it into the request's extensions. The default is the call of
/// [`Service::answer`](crate::Service::answer).
#[derive(Clone, Copy, Debug)]
pub struct Arrival(pub Instant);

/// The latest possible deadline: the time at which the front door itself is stopped.
///
/// A front door with such a time puts it into the request's extensions.
#[derive(Clone, Copy, Debug)]
pub struct NotAfter(pub Instant);
