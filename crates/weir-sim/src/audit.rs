//! The accounting of every packet.
//!
//! Created by hosts + created by devices + created by links = delivered to hosts + dropped + in
//! flight. The same balance holds for each link and each device.

use std::net::IpAddr;

use weir_device::FailedLookups;

/// The number of packets dropped at one place for one reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DropCount {
    /// The place: a host's interface (`h1-eth0`), one direction of a link (`h1-eth0->s1-p1`), or a
    /// place in a device (`s1 ingress`).
    pub place: String,
    /// The reason for the drops.
    pub reason: String,
    /// The number of packets.
    pub packets: u64,
}

/// The number of packets in flight, by place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// The number of packets in hosts that wait for a neighbour's hardware address or for the
    /// computer.
    pub hosts: u64,
    /// The number of packets in the queues at the ends of links.
    pub queues: u64,
    /// The number of packets that are being sent, that propagate on links, or that have arrived at
    /// a node that has not processed them yet.
    pub wires: u64,
    /// The number of packets in devices.
    pub devices: u64,
}

impl InFlight {
    /// Returns the sum of all packets in flight.
    pub fn total(&self) -> u64 {
        self.hosts + self.queues + self.wires + self.devices
    }
}

/// Where packets were dropped so far, and what may explain the drops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// The dropped packets by place and reason, as in [`Audit::drops`], in no particular order.
    /// Packets that a host discarded after its interface had accepted them are included, with the
    /// host's name as the place.
    pub drops: Vec<DropCount>,
    /// The beginnings of dropped frames by place and reason; see
    /// [`Device::dropped_frames`](weir_device::Device::dropped_frames).
    pub frames: Vec<(String, String, Vec<u8>)>,
    /// The devices, and their table lookups that found nothing; see
    /// [`Device::failed_lookups`](weir_device::Device::failed_lookups).
    pub failed_lookups: Vec<(String, FailedLookups)>,
    /// The hosts, the neighbours that have not answered their ARP or NDP requests yet, and how many
    /// packets wait for each.
    pub waiting: Vec<(String, IpAddr, u64)>,
    /// The devices that made copies, and the number of their copies.
    pub copies: Vec<(String, u64)>,
    /// The devices that processed packets inside them again, how many packets are inside now, and
    /// how often packets were processed again; see
    /// [`PacketAccount::repeated`](weir_device::PacketAccount).
    pub repeats: Vec<(String, u64, u64)>,
}

/// An account of every packet so far. A packet is a frame on a link, or one that a host tries to
/// send; each fragment, each ARP request and each copy counts as one. Packets that a host sends to
/// its own address do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// The number of packets that hosts created.
    pub created: u64,
    /// The number of packets created by devices: copies and their own packets.
    pub created_by_devices: u64,
    /// The number of packets that links created as duplicates.
    pub created_by_links: u64,
    /// The number of packets delivered to the host that they were addressed to. A frame with a
    /// group address counts once for each host.
    pub delivered: u64,
    /// The dropped packets, by place and reason.
    pub drops: Vec<DropCount>,
    /// The packets in flight.
    pub in_flight: InFlight,
    /// The balances that do not hold: an error in a device or in the simulator. Empty in a correct
    /// run.
    pub violations: Vec<String>,
}

impl Audit {
    /// Returns the number of all dropped packets.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().map(|drop| drop.packets).sum()
    }

    pub(crate) fn add_drops(&mut self, place: String, reason: &str, packets: u64) {
        add_drops(&mut self.drops, || place, reason, packets);
    }

    /// Records a violation if the two counts differ.
    pub(crate) fn balance(&mut self, what: &str, came: u64, went: u64) {
        if came != went {
            self.violations.push(format!("{what}: {came} packets arrived and {went} are accounted for"));
        }
    }
}

/// Adds packets that were dropped at one place for one reason, if there are any.
pub(crate) fn add_drops(
    drops: &mut Vec<DropCount>,
    place: impl FnOnce() -> String,
    reason: &str,
    packets: u64,
) {
    if packets > 0 {
        drops.push(DropCount { place: place(), reason: reason.to_owned(), packets });
    }
}
