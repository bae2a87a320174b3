//! A device's account of its packets.

/// Packet counts of a device since its start. At any time `received + created = transmitted +
/// dropped + in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketAccount {
    /// Packets that arrived.
    pub received: u64,
    /// Packets that the device created: copies (clones, multicast) and packets of its own.
    pub created: u64,
    /// Packets that left.
    pub transmitted: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Packets inside the device now.
    pub in_flight: u64,
    /// How often a packet inside the device started again as if it had just arrived.
    pub repeated: u64,
}
