//! Carries a frame's offloads that are not done yet through the switch.

use weir_device::{CarriedGso, CarriedOffload};
use weir_ports::offload::{Malformed, for_interface};
use weir_ports::{Checksum, Frame, Gso, GsoKind, Metadata, Offloads};
use weir_switch::whole_frames::FrameLayout;

/// The length of an IPv4 header without options, in bytes.
const IPV4: usize = 20;
const IPV6: usize = 40;

/// Returns the layout and the offloads of a frame with a partial checksum, with or without GSO.
/// Returns `None` for other frames, and for frames whose bytes contradict the metadata.
pub fn carried_offload(frame: &Frame<'_>) -> Option<(FrameLayout, CarriedOffload)> {
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
    if !is_there || !layout.fits(frame.bytes()) {
        return None;
    }
    let transport_bytes = u16::try_from(frame.len() - layout.transport()).ok()?;
    let gso = gso.map(|gso| CarriedGso { size: gso.size, ecn: gso.ecn });
    Some((layout, CarriedOffload { transport_bytes, v6: layout.v6, udp: layout.udp, gso }))
}

/// Returns the metadata for the packet that the program made from a frame with these offloads.
/// Programs may add and remove headers only before the IP header.
///
/// # Errors
/// The packet's bytes show that headers after the IP header changed.
pub fn metadata(offload: CarriedOffload, packet: &[u8]) -> Result<Metadata, Malformed> {
    let CarriedOffload { transport_bytes, v6, udp, gso } = offload;
    let start = packet.len().checked_sub(usize::from(transport_bytes));
    let network = start.and_then(|start| start.checked_sub(if v6 { IPV6 } else { IPV4 }));
    let place = |place: Option<usize>| u16::try_from(place?).ok();
    let (network, start) =
        place(network).zip(place(start)).ok_or(Malformed("the program removed its IP header"))?;
    let ip = &packet[usize::from(network)..];
    let half = |at: usize| ip.get(at..at + 2).map(|half| u16::from_be_bytes([half[0], half[1]]));
    let length = |at: usize, before: usize| half(at).map(|length| usize::from(length) + before);
    let is_there = if v6 {
        ip[0] >> 4 == 6 && length(4, IPV6) == Some(ip.len())
    } else {
        ip[0] == 0x45 && length(2, 0) == Some(ip.len())
    };
    if !is_there {
        return Err(Malformed("the program moved or changed its IP header"));
    }
    let kind = match (udp, v6) {
        (true, _) => GsoKind::Udp,
        (false, false) => GsoKind::TcpV4,
        (false, true) => GsoKind::TcpV6,
    };
    // Tunnel headers that the program added are not changed.
    let gso = gso.map(|gso| Gso { kind, size: gso.size, network, in_tunnel: false, ecn: gso.ecn });
    let checksum = Checksum::Partial { start, offset: if udp { 6 } else { 16 } };
    Ok(Metadata { checksum, gso, time: None })
}

/// Returns whether the kernel would find the IP header of a frame at the offset that the frame's
/// metadata gives. If not, the kernel can neither cut the frame nor complete its checksum.
pub fn kernel_can_parse(frame: &Frame<'_>) -> bool {
    let Checksum::Partial { start, .. } = frame.metadata.checksum else { return true };
    let layout = FrameLayout::of_frame(frame.bytes());
    layout.is_some_and(|layout| layout.transport() == usize::from(start))
}

/// Calls `pass_on` with each frame that this frame becomes on a wire.
///
/// # Errors
/// The frame's metadata contradicts its bytes.
pub fn for_each_wire_frame(frame: &Frame<'_>, mut pass_on: impl FnMut(&[u8])) -> Result<(), Malformed> {
    for_interface(frame, Offloads::default(), |frame| {
        pass_on(frame.bytes());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use weir_ports::offload::internet_sum;

    use super::*;

    /// Returns a frame with a VLAN tag if `tagged`, and `payload` bytes after its TCP or UDP
    /// header.
    fn bytes(tagged: bool, v6: bool, udp: bool, payload: usize) -> Vec<u8> {
        let mut bytes = vec![2; 12];
        bytes.extend_from_slice(if tagged { &[0x81, 0, 0, 7] } else { &[] });
        bytes.extend_from_slice(if v6 { &[0x86, 0xdd] } else { &[0x08, 0] });
        let mut ip = vec![0; if v6 { IPV6 } else { IPV4 }];
        let rest = payload + if udp { 8 } else { 20 };
        let length = (rest + if v6 { 0 } else { IPV4 }) as u16;
        let (at, protocol) = if v6 { (4, 6) } else { (2, 9) };
        ip[0] = if v6 { 0x60 } else { 0x45 };
        ip[at..at + 2].copy_from_slice(&length.to_be_bytes());
        ip[protocol] = if udp { 17 } else { 6 };
        if !v6 {
            let sum = !internet_sum(0, &ip);
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        bytes.extend(ip);
        bytes.resize(bytes.len() + rest, 0x50);
        bytes
    }

    #[test]
    fn the_metadata_follows_moved_headers() {
        for number in 0..16 {
            let [tagged, v6, udp, is_short] = [0, 1, 2, 3].map(|bit| number >> bit & 1 == 1);
            let longest = if v6 { 65_535 } else { 65_515 };
            let bytes = bytes(tagged, v6, udp, if is_short { 0 } else { longest - if udp { 8 } else { 20 } });
            let network = 14 + if tagged { 4 } else { 0 };
            let start = network + if v6 { 40 } else { 20 };
            let checksum = Checksum::Partial { start, offset: if udp { 6 } else { 16 } };
            let kind = match (udp, v6) {
                (true, _) => GsoKind::Udp,
                (false, false) => GsoKind::TcpV4,
                (false, true) => GsoKind::TcpV6,
            };
            let gso = |size, ecn| Gso { kind, size, network, in_tunnel: false, ecn };
            for gso in [None, Some(gso(1, true)), Some(gso(1448, false)), Some(gso(u16::MAX, true))] {
                let arrived = Metadata { time: None, checksum, gso };
                let (_, offload) = carried_offload(&Frame::copy_of(&bytes, arrived)).unwrap();
                assert_eq!(metadata(offload, &bytes), Ok(arrived), "{offload:?}");
                let longer = [&[7; 4], &bytes[..]].concat();
                let gso = gso.map(|gso| Gso { network: network + 4, ..gso });
                let Checksum::Partial { start, offset } = checksum else { unreachable!() };
                let checksum = Checksum::Partial { start: start + 4, offset };
                assert_eq!(metadata(offload, &longer), Ok(Metadata { time: None, checksum, gso }));
                let removed = metadata(offload, &bytes[usize::from(network) + 1..]);
                assert_eq!(removed, Err(Malformed("the program removed its IP header")));
            }
        }
    }
}
