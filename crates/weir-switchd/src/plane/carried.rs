//! The offloads still to be done for a frame, carried through the switch in the packet's id, which
//! all copies of a packet keep.

use weir_ports::offload::{Malformed, for_interface};
use weir_ports::{Checksum, Frame, Gso, GsoKind, Metadata, Offloads};
use weir_switch::whole_frames::{FrameLayout, Offload};

/// The offloads and the length of a frame on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    layout: FrameLayout,
    /// Bytes.
    length: usize,
    gso: Option<CarriedGso>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CarriedGso {
    size: u16,
    ecn: bool,
}

/// Packets that carry something have this bit in their id.
const CARRIES: u64 = 1 << 63;

impl Carried {
    /// The offloads of a frame with a partial checksum, with or without GSO, and with a layout in
    /// which the metadata fits the bytes; none for other frames.
    pub fn of(frame: &Frame<'_>) -> Option<Self> {
        let Metadata { checksum: Checksum::Partial { start, offset }, gso, .. } = frame.metadata else {
            return None;
        };
        let layout = FrameLayout::of_frame(frame.bytes())?;
        let is_there = usize::from(start) == layout.transport()
            && usize::from(offset) == layout.checksum_offset()
            && gso.is_none_or(|gso| {
                let fits = match gso.kind {
                    GsoKind::TcpV4 => !layout.udp && !layout.v6,
                    GsoKind::TcpV6 => !layout.udp && layout.v6,
                    GsoKind::Udp => layout.udp,
                };
                fits && !gso.in_tunnel && usize::from(gso.network) == layout.network() && gso.size > 0
            });
        let gso = gso.map(|gso| CarriedGso { size: gso.size, ecn: gso.ecn });
        let carried = Self { layout, length: frame.len(), gso };
        (is_there && layout.fits(frame.bytes()) && frame.len() < 1 << 17).then_some(carried)
    }

    /// The frame's layout, and the offload still to be done.
    pub fn offload(self) -> (FrameLayout, Offload) {
        (self.layout, if self.gso.is_some() { Offload::Whole } else { Offload::Checksum })
    }

    /// The id of a packet that carries these offloads.
    pub fn id(self) -> u64 {
        let gso = self.gso.map_or(0, |gso| 1 << 38 | u64::from(gso.ecn) << 37 | u64::from(gso.size));
        CARRIES | (self.layout.index() as u64) << 33 | (self.length as u64) << 16 | gso
    }

    /// The offloads that a packet with this id carries.
    pub fn in_id(id: u64) -> Option<Self> {
        (id & CARRIES != 0).then(|| Self {
            layout: FrameLayout::of_index(id as usize >> 33 & 15),
            length: id as usize >> 16 & 0x1_ffff,
            gso: (id >> 38 & 1 == 1).then_some(CarriedGso { size: id as u16, ecn: id >> 37 & 1 == 1 }),
        })
    }

    /// The metadata for the packet that the program made from the frame. All headers that programs
    /// add or remove precede the IP header.
    ///
    /// # Errors
    /// The packet's bytes show that headers changed elsewhere.
    pub fn metadata(self, packet: &[u8]) -> Result<Metadata, Malformed> {
        let moved = |place: usize| {
            let place = (place + packet.len()).checked_sub(self.length)?;
            u16::try_from(place).ok().filter(|place| usize::from(*place) < packet.len())
        };
        let places = moved(self.layout.network()).zip(moved(self.layout.transport()));
        let (network, start) = places.ok_or(Malformed("the program removed its IP header"))?;
        let ip = &packet[usize::from(network)..];
        let half = |at: usize| ip.get(at..at + 2).map(|half| u16::from_be_bytes([half[0], half[1]]));
        let length = |at: usize, before: usize| half(at).map(|length| usize::from(length) + before);
        let is_there = if self.layout.v6 {
            ip[0] >> 4 == 6 && length(4, 40) == Some(ip.len())
        } else {
            ip[0] == 0x45 && length(2, 0) == Some(ip.len())
        };
        if !is_there {
            return Err(Malformed("the program moved or changed its IP header"));
        }
        let kind = match (self.layout.udp, self.layout.v6) {
            (true, _) => GsoKind::Udp,
            (false, false) => GsoKind::TcpV4,
            (false, true) => GsoKind::TcpV6,
        };
        // Headers of tunnels that the program added stay as it wrote them.
        let gso = self.gso.map(|gso| Gso { kind, size: gso.size, network, in_tunnel: false, ecn: gso.ecn });
        let checksum = Checksum::Partial { start, offset: self.layout.checksum_offset() as u16 };
        Ok(Metadata { checksum, gso, time: None })
    }
}

/// Whether the kernel finds the IP header of a frame at the place in the frame's metadata. If not,
/// the kernel can neither cut the frame nor complete its checksum.
pub fn kernel_can_parse(frame: &Frame<'_>) -> bool {
    let Checksum::Partial { start, .. } = frame.metadata.checksum else { return true };
    let layout = FrameLayout::of_frame(frame.bytes());
    layout.is_some_and(|layout| layout.transport() == usize::from(start))
}

/// Passes on the frames that a wire would carry.
///
/// # Errors
/// The frame's metadata contradicts its bytes.
pub fn on_wire(frame: &Frame<'_>, mut pass_on: impl FnMut(&[u8])) -> Result<(), Malformed> {
    for_interface(frame, Offloads::default(), |frame| {
        pass_on(frame.bytes());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_carry_all_of_it() {
        for layout in FrameLayout::all() {
            for length in [60, 65_535, (1 << 17) - 1] {
                let gso =
                    [(1, true), (1448, false), (u16::MAX, true)].map(|(size, ecn)| CarriedGso { size, ecn });
                for gso in gso.map(Some).into_iter().chain([None]) {
                    let carried = Carried { layout, length, gso };
                    assert_eq!(Carried::in_id(carried.id()), Some(carried));
                }
            }
        }
        assert_eq!(Carried::in_id(0), None);
    }
}
