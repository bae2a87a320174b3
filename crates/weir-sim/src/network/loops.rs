//! Detects packets that stay in a network forever: a device that repeats or copies them endlessly,
//! or devices that pass a packet around in a circle. Only events are counted, so the result is
//! deterministic.

use std::collections::BTreeSet;
use std::mem;

use weir_device::{Buffer, Nanos, PacketAccount};

use super::{Network, NodeKind};

/// The number of events between two checks of the devices' accounts. One packet's arrivals at
/// devices are counted during the same number of events.
const EVENTS_PER_CHECK: u64 = 50_000;

/// If a device makes more passes than this for each packet that enters or leaves it between two
/// checks, it counts as a device that mostly repeats packets.
const MAX_PASSES_PER_PACKET: u64 = 20_000;

/// The number of consecutive checks in which a device must mostly repeat packets before it counts
/// as repeating them forever. These are at least 200 000 passes. Programs that hold packets back by
/// recirculating them need fewer passes.
const CHECKS_UNTIL_ENDLESS: u32 = 10;

/// If a device makes more copies than this of each packet that enters it, it counts as multiplying
/// packets. Multicast groups are smaller.
const MAX_COPIES_PER_PACKET: u64 = 1000;

/// The number of arrivals at devices after which a packet counts as going around in a circle. A
/// packet that leaves the network in the end hardly ever arrives this often, even with all its
/// copies.
const MAX_ARRIVALS_PER_PACKET: u64 = 1000;

/// The number of checks in a row in which a device may multiply packets before the run is not worth
/// continuing.
const MAX_FLOODED_CHECKS: u32 = 4;

/// If [`EVENTS_PER_CHECK`] events take less virtual time than this, a virtual second takes minutes
/// of real time.
const MIN_TIME_PER_CHECK: Nanos = 500_000;

/// The number of bytes of a frame that a report shows.
const MAX_SHOWN_BYTES: usize = 128;

/// Packets that seem to stay in the network forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndlessLoop {
    /// A device repeats packets, or copies of them.
    Device {
        /// The name of the device.
        device: String,
        /// The time for which the device was watched.
        span: Nanos,
        /// The counts of the device in that time; `in_flight` is the current number of packets in
        /// the device.
        account: PacketAccount,
        /// The beginning of a packet inside the device.
        frame: Option<Vec<u8>>,
        /// Whether the packets multiply, and so fast that the run is not worth continuing.
        is_hopeless: bool,
    },
    /// Devices pass a packet around in a circle.
    Devices {
        /// The names of the devices.
        devices: Vec<String>,
        /// The time for which the packet was watched.
        span: Nanos,
        /// The number of times that the packet, or a copy of it, arrived at a device in that time.
        arrivals: u64,
        /// The beginning of the packet.
        frame: Vec<u8>,
    },
}

/// The state of the search for loops.
#[derive(Debug, Default)]
pub(super) struct LoopWatch {
    /// Whether loops stop runs.
    is_on: bool,
    /// The number of handled events at which to check next.
    next: u64,
    /// The time of the last check.
    since: Nanos,
    devices: Vec<WatchedDevice>,
    pub packet: WatchedPacket,
    /// Whether a packet that goes around in a circle has been reported.
    has_reported: bool,
    /// The loop that was found, until the caller takes it.
    found: Option<EndlessLoop>,
}

/// The state of a device at the last check.
#[derive(Clone, Debug, Default)]
struct WatchedDevice {
    account: PacketAccount,
    /// The number of consecutive times that the device multiplied packets.
    in_a_row: u32,
    /// The number of consecutive times that the device mostly repeated packets.
    repeated_in_a_row: u32,
    has_reported: bool,
}

/// A packet whose arrivals at devices are counted: the first that arrives.
#[derive(Debug, Default)]
pub(super) struct WatchedPacket {
    /// The packet's id; none until a packet arrives.
    id: Option<u64>,
    since: Nanos,
    arrivals: u64,
    devices: BTreeSet<usize>,
    /// The packet's beginning at its first arrival.
    frame: Vec<u8>,
}

impl WatchedPacket {
    /// Counts the arrival of a packet at a device.
    #[inline]
    pub(super) fn count_arrival(&mut self, now: Nanos, node: usize, packet: &Buffer<'_>) {
        match self.id {
            Some(watched) if watched != packet.metadata.id => {}
            Some(_) => {
                self.arrivals += 1;
                self.devices.insert(node);
            }
            None => {
                let (devices, frame) = (BTreeSet::from([node]), first_bytes(packet.bytes()));
                *self = Self { id: Some(packet.metadata.id), since: now, arrivals: 1, devices, frame };
            }
        }
    }

    /// Returns a count of the same packet's arrivals that begins with 0.
    pub(super) fn of_same_packet(&self) -> Self {
        WatchedPacket { id: self.id, since: self.since, ..WatchedPacket::default() }
    }

    /// Adds the arrivals that were counted elsewhere.
    pub(super) fn add_arrivals(&mut self, other: &Self) {
        if self.id.is_some() {
            self.arrivals += other.arrivals;
            self.devices.extend(&other.devices);
        }
    }
}

impl LoopWatch {
    /// Returns the number of events until the next check; `None` if there are no checks.
    pub(super) fn events_until_check(&self, handled: u64) -> Option<u64> {
        self.is_on.then(|| self.next.saturating_sub(handled))
    }

    /// Returns whether the packet whose arrivals are counted is known, or does not matter.
    pub(super) fn knows_packet(&self) -> bool {
        !self.is_on || self.packet.id.is_some()
    }

    /// Returns whether to check for loops after `handled` events.
    #[inline]
    pub(super) fn is_due(&self, handled: u64) -> bool {
        self.is_on && handled >= self.next
    }
}

impl Network {
    /// Sets whether runs stop when a loop is found ([`super::StopReason::Loop`]); false by default.
    pub fn stop_at_loops(&mut self, on: bool) {
        self.loops.is_on = on;
    }

    /// Returns the loop that stopped the last run.
    pub fn take_loop(&mut self) -> Option<EndlessLoop> {
        self.loops.found.take()
    }

    /// Looks for a loop after `handled` events. Returns whether there is one to report.
    pub(super) fn look_for_loops(&mut self, handled: u64) -> bool {
        let is_first = self.loops.next == 0;
        self.loops.next = handled + EVENTS_PER_CHECK;
        let packet = mem::take(&mut self.loops.packet);
        let endless = self.loop_of_devices(packet).or_else(|| self.loop_in_a_device(is_first));
        let is_found = endless.is_some();
        if is_found {
            self.loops.found = endless;
        }
        is_found
    }

    /// Returns the watched packet if it goes around in a circle, and no such packet has been
    /// reported.
    fn loop_of_devices(&mut self, packet: WatchedPacket) -> Option<EndlessLoop> {
        let WatchedPacket { since, arrivals, devices, frame, .. } = packet;
        // A packet that is flooded once crosses each link at most once in each direction.
        if self.loops.has_reported || arrivals < MAX_ARRIVALS_PER_PACKET.max(4 * self.links.len() as u64) {
            return None;
        }
        self.loops.has_reported = true;
        let devices = devices.into_iter().map(|node| self.nodes[node].name.clone()).collect();
        Some(EndlessLoop::Devices { devices, span: self.now - since, arrivals, frame })
    }

    /// Finds a device that repeats packets. Each device is reported once, and again when the run is
    /// not worth continuing.
    fn loop_in_a_device(&mut self, is_first: bool) -> Option<EndlessLoop> {
        let span = self.now - mem::replace(&mut self.loops.since, self.now);
        self.loops.devices.resize(self.nodes.len(), WatchedDevice::default());
        let mut endless = None;
        for (node, watched) in self.nodes.iter().zip(&mut self.loops.devices) {
            let NodeKind::Device(state) = &node.kind else { continue };
            let account = state.device.account().since(watched.account);
            watched.account = state.device.account();
            if is_first {
                continue;
            }
            let came = account.received + 1;
            let multiplies = account.created > MAX_COPIES_PER_PACKET * came && account.repeated > 0;
            let repeats =
                account.repeated > MAX_PASSES_PER_PACKET * (came + account.transmitted + account.dropped);
            watched.repeated_in_a_row = if repeats { watched.repeated_in_a_row + 1 } else { 0 };
            let repeats = watched.repeated_in_a_row >= CHECKS_UNTIL_ENDLESS;
            // A generator's copies leave the device, so none of them are dropped.
            let is_flooded = multiplies && account.dropped > MAX_COPIES_PER_PACKET * came;
            watched.in_a_row = if is_flooded && span < MIN_TIME_PER_CHECK { watched.in_a_row + 1 } else { 0 };
            let is_hopeless = watched.in_a_row >= MAX_FLOODED_CHECKS;
            if endless.is_some() || !is_hopeless && (watched.has_reported || !(multiplies || repeats)) {
                continue;
            }
            (watched.has_reported, watched.in_a_row) = (true, if is_hopeless { 0 } else { watched.in_a_row });
            let frame = state.device.waiting_frame().map(first_bytes);
            endless =
                Some(EndlessLoop::Device { device: node.name.clone(), span, account, frame, is_hopeless });
        }
        endless
    }
}

fn first_bytes(frame: &[u8]) -> Vec<u8> {
    frame[..frame.len().min(MAX_SHOWN_BYTES)].to_vec()
}
