//! The connections of a host by number and by addresses, and their timers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::mem::offset_of;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use weir_device::Nanos;
use weir_tcp::{Connection, Pacing, TimeWait};

use super::{Endpoints, Listeners};
use crate::Random;
use crate::host::ids::AppKey;
use crate::host::ids::SocketId;

/// The state of a slot.
pub(super) enum SlotState {
    Free,
    /// The connection is being processed, out of its slot.
    Busy,
    Open(Box<Connection>),
    TimeWait(Box<TimeWait>),
}

/// A place in the table for one connection.
#[repr(C)]
pub(super) struct Slot {
    pub(super) state: SlotState,
    /// The times of the timer in the queue: the next one, and possibly a later one. A time-out that
    /// moves to a later time, as with each acknowledgement, changes neither.
    armed: [Nanos; 2],
    pub(super) ends: Endpoints,
    /// The application that the connection belongs to.
    pub(super) app: AppKey,
    generation: u32,
    /// Whether the connection is in [`Tcp::ready`].
    queued: bool,
    /// Whether a listener accepted the connection and the handshake is incomplete.
    pub(super) half_open: bool,
    /// The type of service of the connection's packets, without the bits of ECN.
    pub(super) class: u8,
    /// The IPv4 options of packets with a SYN.
    pub(super) ip_options: Vec<u8>,
    /// The requested pacing, and how early segments may be passed to the queue.
    pub(super) requested_pacing: (Pacing, Nanos),
}

/// The bits of a token that hold the number; the others hold the low bits of the generation.
const TOKEN_BITS: u32 = 20;
const TOKEN_NUMBERS: u32 = (1 << TOKEN_BITS) - 1;
/// A time that never comes.
const NEVER: Nanos = Nanos::MAX;

/// Connections that are ready, in order; usually one.
#[derive(Default)]
struct Ready {
    numbers: SmallVec<[u32; 4]>,
    /// The number of these connections that have been taken.
    taken: usize,
}

impl Ready {
    /// Adds the number of a connection that is ready.
    fn push(&mut self, number: u32) {
        self.numbers.push(number);
    }

    /// Takes the next number.
    fn pop(&mut self) -> Option<u32> {
        let number = self.numbers.get(self.taken).copied();
        self.taken += 1;
        if number.is_none() {
            self.numbers.clear();
            self.taken = 0;
        }
        number
    }
}

/// The number of bytes that most calls use.
pub(in crate::host) const HOT_BYTES: usize = offset_of!(Tcp, slots) + size_of::<SmallVec<[Slot; 1]>>();

/// The TCP state of a host. The fields that each call uses come first.
#[repr(C)]
pub(in crate::host) struct Tcp {
    ready: Ready,
    /// The time of the earliest timer in [`Tcp::timers`].
    earliest: Nanos,
    /// The slots for connections. One slot is stored inline, because most hosts of large networks
    /// have one connection.
    slots: SmallVec<[Slot; 1]>,
    free: Vec<u32>,
    /// The slot numbers by addresses and ports. The map is never iterated, so its order does not
    /// matter.
    by_ends: FxHashMap<Endpoints, u32>,
    pub(super) listeners: Listeners,
    /// The number of open connections by application. The map is never iterated.
    open: FxHashMap<AppKey, u32>,
    /// The ephemeral port that was tried last.
    pub(super) port: u16,
    pub(super) random: Random,
    timers: BinaryHeap<Reverse<(Nanos, u32, u32)>>,
}

impl Tcp {
    pub(in crate::host) fn new(mut random: Random) -> Self {
        let ports = u64::from(super::EPHEMERAL_PORTS.end() - super::EPHEMERAL_PORTS.start());
        Tcp {
            ready: Ready::default(),
            earliest: NEVER,
            slots: SmallVec::new(),
            free: Vec::new(),
            by_ends: FxHashMap::default(),
            listeners: Listeners::default(),
            open: FxHashMap::default(),
            port: super::EPHEMERAL_PORTS.start() + random.up_to(ports) as u16,
            random,
            timers: BinaryHeap::new(),
        }
    }

    /// Returns the only connection and its application, if there has never been more than one at a
    /// time.
    pub(in crate::host) fn only_connection(&self) -> Option<(&Connection, AppKey)> {
        let [Slot { state: SlotState::Open(connection), app, .. }] = &self.slots[..] else { return None };
        Some((connection, *app))
    }

    /// Returns the numbers of open connections and of connections in TIME-WAIT, and the capacity
    /// for both.
    pub(in crate::host) fn sockets(&self) -> (usize, usize, usize) {
        let waiting = self.slots.iter().filter(|slot| matches!(slot.state, SlotState::TimeWait(_))).count();
        (self.by_ends.len() - waiting, waiting, self.slots.len())
    }

    /// Adds a connection.
    pub(super) fn add(
        &mut self,
        ends: Endpoints,
        app: AppKey,
        requested_pacing: (Pacing, Nanos),
        connection: Connection,
    ) -> SocketId {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                state: SlotState::Free,
                generation: 0,
                ends,
                app,
                half_open: false,
                class: 0,
                ip_options: Vec::new(),
                requested_pacing,
                queued: false,
                armed: [NEVER; 2],
            });
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[number as usize];
        slot.state = SlotState::Open(Box::new(connection));
        (slot.ends, slot.app, slot.half_open, slot.requested_pacing) = (ends, app, false, requested_pacing);
        slot.class = 0;
        let generation = slot.generation;
        *self.open.entry(app).or_default() += 1;
        self.by_ends.insert(ends, number);
        self.mark_ready(number);
        SocketId { number, generation }
    }

    /// Keeps a closed connection in TIME-WAIT.
    pub(super) fn enter_time_wait(&mut self, number: u32, record: TimeWait) {
        self.forget_open(number);
        self.slots[number as usize].state = SlotState::TimeWait(Box::new(record));
    }

    /// Removes a connection from the open connections of its application.
    fn forget_open(&mut self, number: u32) {
        let slot = &self.slots[number as usize];
        if let (SlotState::Open(_) | SlotState::Busy, Entry::Occupied(mut open)) =
            (&slot.state, self.open.entry(slot.app))
        {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }

    /// Closes the connections of an application that was removed.
    pub(in crate::host) fn release(&mut self, now: Nanos, app: AppKey) {
        // Most of the thousands of applications have no open connection.
        if !self.open.contains_key(&app) {
            return;
        }
        for number in 0..self.slots.len() as u32 {
            let slot = &mut self.slots[number as usize];
            if slot.app == app
                && let SlotState::Open(connection) = &mut slot.state
            {
                connection.release(now);
                self.mark_ready(number);
            }
        }
    }

    /// Removes a connection and frees its place.
    pub(super) fn remove(&mut self, number: u32) {
        self.forget_open(number);
        let slot = &mut self.slots[number as usize];
        self.by_ends.remove(&slot.ends);
        slot.state = SlotState::Free;
        slot.generation = slot.generation.wrapping_add(1);
        slot.ip_options = Vec::new();
        slot.armed = [NEVER; 2];
        if slot.half_open
            && let Some(listener) = self.listeners.get_mut(&slot.ends.local.1)
        {
            listener.half_open = listener.half_open.saturating_sub(1);
        }
        self.free.push(number);
    }

    /// Finds the connection between two ends.
    pub(super) fn find(&self, ends: &Endpoints) -> Option<u32> {
        // For two slots, a scan is faster than the hash table.
        if self.slots.len() <= 2 {
            let held = |slot: &Slot| slot.ends == *ends && !matches!(slot.state, SlotState::Free);
            return self.slots.iter().position(held).map(|number| number as u32);
        }
        self.by_ends.get(ends).copied()
    }

    /// Returns the slot with this number.
    pub(super) fn slot(&mut self, number: u32) -> &mut Slot {
        &mut self.slots[number as usize]
    }

    /// Returns the id of the connection in a slot.
    pub(super) fn id(&self, number: u32) -> SocketId {
        SocketId { number, generation: self.slots[number as usize].generation }
    }

    /// Returns the slot of a connection, if the application owns it.
    pub(super) fn slot_of_app(&mut self, id: SocketId, app: AppKey) -> Option<&mut Slot> {
        self.slots
            .get_mut(id.number as usize)
            .filter(|slot| slot.generation == id.generation && slot.app == app)
    }

    /// Returns an open connection, if the application owns it.
    fn connection(&mut self, id: SocketId, app: AppKey) -> Option<&mut Connection> {
        match &mut self.slot_of_app(id, app)?.state {
            SlotState::Open(connection) => Some(connection),
            SlotState::Free | SlotState::Busy | SlotState::TimeWait(_) => None,
        }
    }

    /// Returns a connection for a call of its application, marked as ready.
    pub(super) fn get_for_call(&mut self, id: SocketId, app: AppKey) -> Option<&mut Connection> {
        self.connection(id, app)?;
        self.mark_ready(id.number);
        self.connection(id, app)
    }

    /// Returns the token that identifies the connection when its frames depart; `None` for numbers
    /// beyond a million. A token is never 0.
    pub(super) fn token(&self, number: u32) -> Option<u32> {
        let generation = self.slots[number as usize].generation;
        (number < TOKEN_NUMBERS).then_some((generation << TOKEN_BITS) | (number + 1))
    }

    /// Returns the connection with this token, and the length of its IP headers.
    pub(super) fn by_token(&self, token: u32) -> Option<(u32, usize)> {
        let number = (token & TOKEN_NUMBERS).checked_sub(1)?;
        let slot = self.slots.get(number as usize)?;
        (self.token(number) == Some(token)).then(|| (number, slot.ends.header().len()))
    }

    /// Takes a connection out of its slot.
    pub(super) fn take_connection(&mut self, number: u32) -> Option<Box<Connection>> {
        let slot = &mut self.slots[number as usize];
        match std::mem::replace(&mut slot.state, SlotState::Busy) {
            SlotState::Open(connection) => Some(connection),
            other => {
                slot.state = other;
                None
            }
        }
    }

    /// Returns a connection of an application.
    pub(in crate::host) fn get(&self, id: SocketId, app: AppKey) -> Option<&Connection> {
        let slot = self.slots.get(id.number as usize)?;
        match &slot.state {
            SlotState::Open(connection) if slot.generation == id.generation && slot.app == app => {
                Some(connection)
            }
            _ => None,
        }
    }

    /// Aborts the incomplete handshakes of a listener that was closed.
    pub(in crate::host) fn close_listener(&mut self, port: u16) {
        self.listeners.remove(&port);
        for number in 0..self.slots.len() as u32 {
            let slot = &mut self.slots[number as usize];
            if slot.half_open
                && slot.ends.local.1 == port
                && let SlotState::Open(connection) = &mut slot.state
            {
                connection.abort();
                self.mark_ready(number);
            }
        }
    }

    /// Marks a connection as ready.
    pub(super) fn mark_ready(&mut self, number: u32) {
        let slot = &mut self.slots[number as usize];
        if !slot.queued {
            slot.queued = true;
            self.ready.push(number);
        }
    }

    /// Takes the next ready connection. It cannot become ready again before [`Tcp::clear_ready`].
    pub(super) fn next_ready(&mut self) -> Option<u32> {
        self.ready.pop()
    }

    /// Called when a connection has been processed.
    pub(super) fn clear_ready(&mut self, number: u32) {
        self.slots[number as usize].queued = false;
    }

    /// Returns all open connections by number.
    pub(super) fn open_connections(&mut self) -> impl Iterator<Item = (u32, Endpoints, &mut Connection)> {
        self.slots.iter_mut().zip(0..).filter_map(|(slot, number)| match &mut slot.state {
            SlotState::Open(connection) => Some((number, slot.ends, connection.as_mut())),
            SlotState::Free | SlotState::Busy | SlotState::TimeWait(_) => None,
        })
    }

    /// Returns all open connections and their requested pacing.
    pub(super) fn requested_pacing(&self) -> impl Iterator<Item = (u32, Endpoints, (Pacing, Nanos))> {
        let slots = self.slots.iter().zip(0..);
        slots
            .filter(|(slot, _)| matches!(slot.state, SlotState::Open(_)))
            .map(|(slot, number)| (number, slot.ends, slot.requested_pacing))
    }

    /// Sets the pacing of a connection from now on.
    pub(super) fn pace(&mut self, number: u32, pacing: Pacing, ahead: Nanos) {
        if let SlotState::Open(connection) = &mut self.slots[number as usize].state {
            connection.set_pacing(pacing);
            connection.set_paced_ahead(ahead);
            self.mark_ready(number);
        }
    }

    /// Sets a timer, unless an earlier one is set.
    pub(super) fn arm_timer(&mut self, number: u32, deadline: Option<Nanos>) {
        let slot = &mut self.slots[number as usize];
        let Some(time) = deadline.filter(|time| *time < slot.armed[0]) else { return };
        if slot.armed[1] == NEVER {
            slot.armed[1] = slot.armed[0];
        }
        slot.armed[0] = time;
        self.earliest = self.earliest.min(time);
        self.timers.push(Reverse((time, number, slot.generation)));
    }

    pub(in crate::host) fn next_timer(&self) -> Option<Nanos> {
        (self.earliest < NEVER).then_some(self.earliest)
    }

    /// Takes a connection whose timer is due.
    pub(super) fn next_expired(&mut self, now: Nanos) -> Option<u32> {
        while let Some(&Reverse((time, number, generation))) = self.timers.peek()
            && time <= now
        {
            self.timers.pop();
            self.earliest = self.timers.peek().map_or(NEVER, |Reverse((time, ..))| *time);
            let slot = &mut self.slots[number as usize];
            if slot.generation == generation && slot.armed[0] == time {
                slot.armed = [slot.armed[1], NEVER];
                return Some(number);
            }
        }
        None
    }

    /// Returns the number of timers in the queue: a few for each connection.
    pub(in crate::host) fn timers(&self) -> usize {
        self.timers.len()
    }
}
