//! The account of every packet.
//!
//! created by hosts + made by devices + made by links = delivered to hosts + dropped + in flight, and the same for each link and device by itself.

/// Packets dropped at one place for one reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DropCount {
    /// Where: a host's interface (`h1-eth0`), one direction of a link (`h1-eth0->s1-p1`), or a place in a device (`s1 ingress`).
    pub place: String,
    /// Why.
    pub reason: String,
    /// How many.
    pub packets: u64,
}

/// Packets that are under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// In hosts: waiting for a neighbour's hardware address.
    pub hosts: u64,
    /// Waiting at the ends of links.
    pub queues: u64,
    /// Being sent or travelling on links, or arrived at a host that has not noticed yet.
    pub wires: u64,
    /// In devices.
    pub devices: u64,
}

impl InFlight {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.hosts + self.queues + self.wires + self.devices
    }
}

/// What became of every packet so far. A packet here is a frame on a link or a packet that a host means to put on one; a fragment counts
/// as one, an ARP request as one, each copy as one. What a host sends to its own address never counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Made by hosts.
    pub created: u64,
    /// Made by devices: copies, or packets of their own.
    pub created_by_devices: u64,
    /// Made by links: the second ones of those that arrive twice.
    pub created_by_links: u64,
    /// Arrived at the host they were for. A frame with a group address counts at each host.
    pub delivered: u64,
    /// Dropped, by place and reason.
    pub drops: Vec<DropCount>,
    /// Under way.
    pub in_flight: InFlight,
    /// Where the account does not balance: a fault in a device or in the world itself. Empty when all is well.
    pub violations: Vec<String>,
}

impl Audit {
    /// All drops.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().map(|drop| drop.packets).sum()
    }

    pub(crate) fn add_drops(&mut self, place: String, reason: &str, packets: u64) {
        if packets > 0 {
            self.drops.push(DropCount { place, reason: reason.to_owned(), packets });
        }
    }

    /// Checks a balance.
    pub(crate) fn balance(&mut self, what: &str, came: u64, went: u64) {
        if came != went {
            self.violations.push(format!("{what}: {came} packets came and {went} are accounted for"));
        }
    }
}
