//! The open connections, up to the limit. If all slots are taken, a silent connection makes room
//! for a new one.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Instant,
};

use saltern_service::PeerAddress;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use super::{
    bounds::{HANDSHAKES, MAKING_ROOM, MAX_ASKING, MAX_BEHIND, MAX_GREETED},
    watch::Watch,
};

pub(super) struct Slots {
    /// The most connections at once.
    most: usize,
    /// The most connections of one address that wait for a request. `None`: no bound.
    per_address: Option<usize>,
    taken: Mutex<TakenSlots>,
    /// Permits for connections, with those that were told to end and have not ended.
    open: Arc<Semaphore>,
    /// Turns to compute a handshake, first come, first served.
    handshakes: Semaphore,
}

#[derive(Default)]
struct TakenSlots {
    /// In the order in which the connections were accepted.
    occupants: BTreeMap<u64, Arc<Occupant>>,
    /// Connections that ever took a slot.
    accepted: u64,
    of_network: HashMap<IpAddr, Party>,
    /// Connections without an accepted request, by the stage that they have reached. The first is
    /// the oldest. Some have gone on or ended since.
    greeted: VecDeque<u64>,
    asking: VecDeque<u64>,
    /// Connections whose peers read no answers, the longest first. Their slots are asked to end
    /// beyond [`MAX_BEHIND`], also after an accepted request.
    behind: VecDeque<u64>,
}

impl Slots {
    pub(super) fn new(most: usize, per_address: Option<usize>) -> Arc<Self> {
        let open = Arc::new(Semaphore::new(most + MAKING_ROOM));
        let handshakes = Semaphore::new(HANDSHAKES);
        Arc::new(Self { most, per_address, taken: Mutex::default(), open, handshakes })
    }

    /// Waits until a further connection may be accepted: at most [`MAKING_ROOM`] connections were
    /// told to end and have not ended.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.open).acquire_owned().await.ok()
    }

    /// Takes a slot for a connection, if necessary that of a silent one. `None` if requests of all
    /// connections are being answered.
    pub(super) fn take(
        self: &Arc<Self>,
        open: OwnedSemaphorePermit,
        peer: Option<PeerAddress>,
    ) -> Option<Slot> {
        let network = peer.and_then(PeerAddress::network);
        let mut taken = self.taken();
        let of_network = network.and_then(|network| taken.of_network.get(&network));
        let of_network = of_network.map_or(0, |party| party.connections);
        if self.per_address.is_some_and(|most| of_network >= most) {
            // If all of them are being answered, none is held in vain.
            let _all_busy = taken.make_room(|occupant| occupant.network == network);
        }
        if taken.occupants.len() >= self.most {
            taken.make_room(|_| true)?;
        }
        let number = taken.accepted;
        taken.accepted += 1;
        let party = network.map(|network| taken.of_network.entry(network).or_default());
        let turn = party.map(|party| {
            party.connections += 1;
            Arc::clone(&party.turn)
        });
        let occupant = Arc::new(Occupant {
            network,
            turn,
            watch: OnceLock::new(),
            is_behind: AtomicBool::new(false),
            makes_room: Notify::new(),
        });
        taken.occupants.insert(number, Arc::clone(&occupant));
        drop(taken);
        Some(Slot { slots: Arc::clone(self), number, occupant, _open: open })
    }

    /// Waits until all connections have ended. No further one may be accepted.
    pub(super) async fn all_ended(&self) {
        let all = u32::try_from(self.most + MAKING_ROOM).unwrap_or(u32::MAX);
        let _never_closed = self.open.acquire_many(all).await;
    }

    fn taken(&self) -> MutexGuard<'_, TakenSlots> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TakenSlots {
    /// Tells a silent connection to end, and frees its slot. It is the oldest without an accepted
    /// request, else the one that waits for its peer for the longest time.
    fn make_room(&mut self, may_end: impl Fn(&Occupant) -> bool) -> Option<()> {
        let mut longest_idle = None;
        for (&number, occupant) in self.occupants.iter().filter(|(_, occupant)| may_end(occupant)) {
            match occupant.standing() {
                Standing::Unknown => {
                    longest_idle = Some((None, number));
                    break;
                }
                Standing::Idle(since)
                    if longest_idle.is_none_or(|longest| (Some(since), number) < longest) =>
                {
                    longest_idle = Some((Some(since), number));
                }
                Standing::Idle(_) | Standing::Busy => {}
            }
        }
        let (_, number) = longest_idle?;
        self.free(number)?.makes_room.notify_one();
        Some(())
    }

    /// Counts a connection that has reached a stage. If too many have stayed there, one of them has
    /// to end: the oldest that does not take its answers, else the oldest.
    fn reach(&mut self, stage: Stage, number: u64) {
        let (reached, most) = match stage {
            Stage::Greeted => (&mut self.greeted, MAX_GREETED),
            Stage::Asking => (&mut self.asking, MAX_ASKING),
            Stage::Behind => (&mut self.behind, MAX_BEHIND),
        };
        reached.push_back(number);
        if reached.len() > most {
            reached.retain(|number| self.occupants.get(number).is_some_and(|occupant| occupant.is_at(stage)));
        }
        if reached.len() <= most {
            return;
        }
        // `Greeted` has no answers, and at `Behind` no peer reads them.
        let is_unread = |number: &u64| {
            let occupant = self.occupants.get(number);
            matches!(stage, Stage::Asking) && occupant.is_some_and(|other| other.leaves_answers_unread())
        };
        let position = reached.iter().position(is_unread).unwrap_or(0);
        if let Some(number) = reached.remove(position)
            && let Some(occupant) = self.free(number)
        {
            occupant.makes_room.notify_one();
        }
    }

    fn free(&mut self, number: u64) -> Option<Arc<Occupant>> {
        let occupant = self.occupants.remove(&number)?;
        if let Some(network) = occupant.network
            && let Some(party) = self.of_network.get_mut(&network)
        {
            party.connections -= 1;
            if party.connections == 0 {
                self.of_network.remove(&network);
            }
        }
        Some(occupant)
    }
}

/// The connections of one network.
struct Party {
    connections: usize,
    /// The turn of one of them to wait for a handshake.
    turn: Arc<Semaphore>,
}

impl Default for Party {
    fn default() -> Self {
        Self { connections: 0, turn: Arc::new(Semaphore::new(1)) }
    }
}

/// The slot of one connection, free again when it is dropped.
pub(super) struct Slot {
    slots: Arc<Slots>,
    number: u64,
    occupant: Arc<Occupant>,
    _open: OwnedSemaphorePermit,
}

impl Slot {
    /// Returns when this connection has to make room.
    pub(super) async fn is_needed(&self) {
        self.occupant.makes_room.notified().await;
    }

    /// Waits for a turn to compute a handshake. Each network has one place in the queue.
    pub(super) async fn turn_for_handshake(&self) -> Turn<'_> {
        let of_network = match &self.occupant.turn {
            Some(turn) => turn.acquire().await.ok(),
            None => None,
        };
        Turn { _turn: self.slots.handshakes.acquire().await.ok(), _of_network: of_network }
    }

    /// Tells that the handshake is done.
    pub(super) fn greeted(&self) {
        self.slots.taken().reach(Stage::Greeted, self.number);
    }

    /// Tells that a request has begun, and names the state of the connection.
    pub(super) fn asks(&self, watch: &Arc<Watch>) {
        let _only_once = self.occupant.watch.set(Arc::clone(watch));
        self.slots.taken().reach(Stage::Asking, self.number);
    }

    /// Notes whether written bytes wait for the peer.
    pub(super) fn note_behind(&self, is_behind: bool) {
        if self.occupant.is_behind.swap(is_behind, Relaxed) == is_behind {
            return;
        }
        let mut taken = self.slots.taken();
        if is_behind {
            taken.reach(Stage::Behind, self.number);
        } else {
            taken.behind.retain(|number| *number != self.number);
        }
    }
}

/// A turn to compute a handshake, until it is dropped.
pub(super) struct Turn<'a> {
    _turn: Option<SemaphorePermit<'a>>,
    _of_network: Option<SemaphorePermit<'a>>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken().free(self.number);
    }
}

struct Occupant {
    /// `None` for a socket file, which has no addresses.
    network: Option<IpAddr>,
    /// See [`Party::turn`].
    turn: Option<Arc<Semaphore>>,
    /// `None` until the first bytes of a request were read.
    watch: OnceLock<Arc<Watch>>,
    is_behind: AtomicBool,
    makes_room: Notify,
}

/// How far a connection has come. Each stage holds more memory.
#[derive(Clone, Copy)]
enum Stage {
    /// Its TLS handshake is done. No request was accepted.
    Greeted,
    /// It has begun a request. No request was accepted.
    Asking,
    /// Its peer reads no answers, so that the buffers of the connection are full.
    Behind,
}

impl Occupant {
    fn is_at(&self, stage: Stage) -> bool {
        match (stage, self.watch.get()) {
            (Stage::Greeted, watch) => watch.is_none(),
            (Stage::Asking, watch) => watch.is_some_and(|watch| !watch.is_trusted()),
            (Stage::Behind, _) => self.is_behind.load(Relaxed),
        }
    }

    fn leaves_answers_unread(&self) -> bool {
        self.watch.get().is_some_and(|watch| watch.sending().since().is_some())
    }

    fn standing(&self) -> Standing {
        let Some(watch) = self.watch.get() else { return Standing::Unknown };
        match watch.quiet_since() {
            None => Standing::Busy,
            Some(since) if watch.is_trusted() => Standing::Idle(since),
            Some(_) => Standing::Unknown,
        }
    }
}

enum Standing {
    /// No request was accepted on the connection.
    Unknown,
    /// It waits for its peer since this time.
    Idle(Instant),
    Busy,
}

#[cfg(test)]
mod tests {
    use tokio::{
        task::{JoinSet, yield_now},
        time::sleep,
    };

    use super::*;
    use crate::{bounds::STALLED, watch::ActiveRequest};

    #[tokio::test]
    async fn the_oldest_silent_connection_makes_room() {
        let slots = Slots::new(3, None);
        let (first, second) = (take(&slots, 1).await.unwrap(), take(&slots, 1).await.unwrap());
        let watch = Watch::begin(Instant::now());
        first.asks(&watch);
        watch.trust();
        let third = take(&slots, 1).await.unwrap();
        let fourth = take(&slots, 1).await.unwrap();
        second.is_needed().await;
        let _fifth = take(&slots, 1).await.unwrap();
        third.is_needed().await;
        drop((second, third));
        let request = answering(&watch);
        let more: Vec<Slot> = [take(&slots, 1).await.unwrap(), take(&slots, 1).await.unwrap()].into();
        fourth.is_needed().await;
        for slot in &more {
            let watch = Watch::begin(Instant::now());
            slot.asks(&watch);
            watch.trust();
            std::mem::forget(answering(&watch));
        }
        assert!(take(&slots, 1).await.is_none(), "requests of all connections are being answered");
        drop(request);
        let _last = take(&slots, 1).await.unwrap();
        first.is_needed().await;
    }

    #[tokio::test]
    async fn a_connection_makes_room_while_the_body_of_its_only_request_stalls() {
        let slots = Slots::new(10, Some(3));
        let mut own = Vec::new();
        for _ in 0..3 {
            let (slot, watch) = (take(&slots, 1).await.unwrap(), Watch::begin(Instant::now()));
            slot.asks(&watch);
            watch.trust();
            own.push((slot, watch.request(), watch));
        }
        own[0].1.was_read(false);
        let _beside_a_stalled_one = own[1].2.request();
        sleep(STALLED).await;
        let _next = take(&slots, 1).await.unwrap();
        own[2].0.is_needed().await;
        assert_eq!(slots.taken().occupants.len(), 3);
    }

    #[tokio::test]
    async fn an_address_over_its_bound_ends_its_own_connections() {
        let slots = Slots::new(10, Some(2));
        let other = take(&slots, 2).await.unwrap();
        let own: Vec<Slot> = [take(&slots, 1).await.unwrap(), take(&slots, 1).await.unwrap()].into();
        let _third = take(&slots, 1).await.unwrap();
        own[0].is_needed().await;
        drop(own);
        assert_eq!(slots.taken().of_network.values().map(|party| party.connections).sum::<usize>(), 2);
        drop(other);
        assert_eq!(slots.taken().of_network.len(), 1);
    }

    #[tokio::test]
    async fn only_few_connections_without_an_accepted_request_go_on() {
        let slots = Slots::new(2000, None);
        let mut trusted = Vec::new();
        let mut unknown = Vec::new();
        for number in 0..2 * MAX_ASKING {
            let watch = Watch::begin(Instant::now());
            let slot = take(&slots, 1).await.unwrap();
            slot.greeted();
            slot.asks(&watch);
            if number % 2 == 0 {
                watch.trust();
                trusted.push(slot);
            } else {
                unknown.push(slot);
            }
        }
        let open = |slots: &Arc<Slots>| slots.taken().occupants.len();
        assert_eq!(
            open(&slots),
            2 * MAX_ASKING,
            "all that are trusted, and as many others as the bound allows"
        );
        let next = take(&slots, 1).await.unwrap();
        next.asks(&Watch::begin(Instant::now()));
        unknown[0].is_needed().await;
        drop(unknown);
        assert_eq!(open(&slots), trusted.len() + 1);

        let silent = take(&slots, 1).await.unwrap();
        silent.greeted();
        let mut greeted = Vec::new();
        for _ in 0..MAX_GREETED {
            greeted.push(take(&slots, 1).await.unwrap());
            greeted.last().unwrap().greeted();
        }
        silent.is_needed().await;
    }

    #[tokio::test]
    async fn a_connection_that_takes_its_answers_stays_longer() {
        let slots = Slots::new(2000, None);
        let checks_health = take(&slots, 1).await.unwrap();
        checks_health.asks(&Watch::begin(Instant::now()));
        let mut floods = Vec::new();
        for _ in 0..2 * MAX_ASKING {
            let (slot, watch) = (take(&slots, 2).await.unwrap(), Watch::begin(Instant::now()));
            slot.asks(&watch);
            let unsent = watch.sending().begin();
            floods.push((slot, unsent));
        }
        assert!(slots.taken().occupants.contains_key(&checks_health.number));
        assert_eq!(slots.taken().occupants.len(), MAX_ASKING);
    }

    #[tokio::test]
    async fn only_few_connections_hold_full_buffers() {
        let slots = Slots::new(2000, None);
        let mut behind = Vec::new();
        for _ in 0..MAX_BEHIND {
            behind.push(take(&slots, 1).await.unwrap());
            behind.last().unwrap().note_behind(true);
        }
        // It catches up, and falls behind again.
        for is_behind in [false, true] {
            behind[0].note_behind(is_behind);
            assert_eq!(slots.taken().occupants.len(), MAX_BEHIND);
        }
        let next = take(&slots, 1).await.unwrap();
        next.note_behind(true);
        behind[1].is_needed().await;
        assert_eq!(slots.taken().occupants.len(), MAX_BEHIND);
    }

    #[tokio::test]
    async fn a_handshake_waits_for_at_most_one_of_each_other_network() {
        let (slots, done) = (Slots::new(2000, None), Arc::new(Mutex::new(Vec::new())));
        let mut handshakes = JoinSet::new();
        for number in 0..=300 {
            let network = if number < 300 { 1 + number % 3 } else { HONEST };
            let slot = take(&slots, u8::try_from(network).unwrap()).await.unwrap();
            let done = Arc::clone(&done);
            handshakes.spawn(async move {
                let _turn = slot.turn_for_handshake().await;
                yield_now().await;
                done.lock().unwrap().push(network);
            });
        }
        handshakes.join_all().await;
        let done = done.lock().unwrap();
        let before = done.iter().position(|network| *network == HONEST).unwrap();
        assert_eq!(done.len(), 301);
        assert!(before <= 4, "{before} handshakes of three networks were done before");
    }

    const HONEST: usize = 9;

    #[tokio::test]
    async fn connections_that_were_told_to_end_are_bounded_too() {
        let slots = Slots::new(1, None);
        let mut told = Vec::new();
        for _ in 0..=MAKING_ROOM {
            told.push(take(&slots, 1).await.unwrap());
        }
        let short = std::time::Duration::from_millis(50);
        assert!(tokio::time::timeout(short, slots.permit()).await.is_err());
        told.remove(0);
        assert!(slots.permit().await.is_some());
    }

    #[test]
    fn a_network_is_an_address_of_ipv4_or_64_bits_of_ipv6() {
        let of =
            |address: &str| PeerAddress::Network((address.parse::<IpAddr>().unwrap(), 1).into()).network();
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:0:0:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    }

    /// A request that was read to its end.
    fn answering(watch: &Arc<Watch>) -> ActiveRequest {
        let request = watch.request();
        request.was_read(false);
        request
    }

    async fn take(slots: &Arc<Slots>, last: u8) -> Option<Slot> {
        slots.take(slots.permit().await?, Some(PeerAddress::Network(([192, 0, 2, last], 1).into())))
    }
}
