//! The frame layouts that the analysis covers: their headers, and the known bits of the headers.

use std::fmt;

/// The TPIDs of customers' and providers' VLAN tags (IEEE 802.1Q).
const CUSTOMER: u16 = 0x8100;
const PROVIDER: u16 = 0x88a8;

/// The VLAN tags of the layouts, outermost first.
const TAGS: [&[u16]; 4] = [&[], &[CUSTOMER], &[PROVIDER, CUSTOMER], &[CUSTOMER, CUSTOMER]];

/// The offset of the checksum in the IPv4 header, in bytes.
const IPV4_CHECKSUM: usize = 10;

/// The headers of a frame: Ethernet, VLAN tags, IPv4 without options or IPv6 without extension
/// headers, then TCP or UDP. Frames with other headers are always completed and cut before they
/// reach the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameLayout {
    tags: u8,
    /// Whether the frame is IPv6; otherwise it is IPv4.
    pub v6: bool,
    /// Whether the frame is UDP; otherwise it is TCP.
    pub udp: bool,
}

impl FrameLayout {
    /// The number of layouts.
    pub const COUNT: usize = TAGS.len() * 4;

    /// Returns the layout with this number, which is below [`FrameLayout::COUNT`].
    pub const fn of_index(index: usize) -> Self {
        Self { tags: (index / 4) as u8, v6: index & 2 != 0, udp: index & 1 != 0 }
    }

    /// Returns the number of this layout.
    pub const fn index(self) -> usize {
        self.tags as usize * 4 + self.v6 as usize * 2 + self.udp as usize
    }

    /// Returns all layouts.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self::of_index)
    }

    /// Determines the layout of a frame from its types and protocols. [`FrameLayout::fits`] checks
    /// the remaining fields.
    pub fn of_frame(frame: &[u8]) -> Option<Self> {
        let half = |at: usize| Some(u16::from_be_bytes([*frame.get(at)?, *frame.get(at + 1)?]));
        let tags = TAGS.iter().rposition(|tags| {
            tags.iter().enumerate().all(|(number, tag)| half(12 + 4 * number) == Some(*tag))
        })?;
        let network = 14 + 4 * TAGS[tags].len();
        let (v6, protocol) = match half(network - 2)? {
            0x0800 => (false, *frame.get(network + 9)?),
            0x86dd => (true, *frame.get(network + 6)?),
            _ => return None,
        };
        let udp = match protocol {
            6 => false,
            17 => true,
            _ => return None,
        };
        Some(Self { tags: tags as u8, v6, udp })
    }

    /// Returns the offset of the IP header, in bytes.
    pub const fn network(self) -> usize {
        14 + 4 * TAGS[self.tags as usize].len()
    }

    /// Returns the offset of the TCP or UDP header, in bytes.
    pub const fn transport(self) -> usize {
        self.network() + if self.v6 { 40 } else { 20 }
    }

    /// Returns the length of the headers that all frames of this layout have, in bytes.
    pub const fn header_bytes(self) -> usize {
        self.transport() + if self.udp { 8 } else { 20 }
    }

    /// Returns the offset of the checksum in the TCP or UDP header, in bytes.
    pub const fn checksum_offset(self) -> usize {
        if self.udp { 6 } else { 16 }
    }

    /// Returns whether a frame has this layout in every bit that the analysis relies on: no IPv4
    /// options, no fragment, lengths that fit the frame, and a correct IPv4 checksum.
    pub fn fits(self, frame: &[u8]) -> bool {
        let (network, transport) = (self.network(), self.transport());
        if frame.len() < self.header_bytes()
            || self.known().any(|(at, mask, value)| frame[at] & mask != value)
        {
            return false;
        }
        let half = |at: usize| usize::from(frame[at]) << 8 | usize::from(frame[at + 1]);
        if self.v6 {
            return half(network + 4) == frame.len() - transport;
        }
        let words = frame[network..transport].chunks_exact(2);
        let sum: usize = words.map(|word| usize::from(word[0]) << 8 | usize::from(word[1])).sum();
        half(network + 2) == frame.len() - network && (sum & 0xffff) + (sum >> 16) == 0xffff
    }

    /// Returns the bytes with known bits. Each has a position, a mask of the known bits, and their
    /// values.
    pub(super) fn known(self) -> impl Iterator<Item = (usize, u8, u8)> {
        let tags = TAGS[self.tags as usize];
        let network = self.network();
        let types = tags.iter().enumerate().map(|(number, tag)| (12 + 4 * number, *tag));
        let last = (network - 2, if self.v6 { 0x86dd_u16 } else { 0x0800 });
        let types = types.chain([last]).flat_map(|(at, kind)| {
            let [high, low] = kind.to_be_bytes();
            [(at, 0xff, high), (at + 1, 0xff, low)]
        });
        let protocol = if self.udp { 17 } else { 6 };
        let ip: &[(usize, u8, u8)] = if self.v6 {
            &[(0, 0xf0, 0x60)]
        } else {
            // The version and header length, the flags except "don't fragment", and the fragment
            // offset.
            &[(0, 0xff, 0x45), (6, 0xbf, 0), (7, 0xff, 0)]
        };
        let protocol = [(network + if self.v6 { 6 } else { 9 }, 0xff, protocol)];
        types.chain(ip.iter().map(move |(at, mask, value)| (network + at, *mask, *value))).chain(protocol)
    }

    /// Returns the ranges of bits that differ between a frame and its segments, or between the
    /// segments: lengths, identification, checksums, and TCP's sequence number, FIN, PSH and CWR.
    pub(super) fn differing(self) -> Vec<std::ops::Range<usize>> {
        let (network, transport) = (self.network() * 8, self.transport() * 8);
        let mut bits = vec![self.checksum_bits()];
        if self.v6 {
            bits.push(network + 32..network + 48);
        } else {
            bits.extend([network + 16..network + 48, self.ipv4_checksum_bits()]);
        }
        if self.udp {
            bits.push(transport + 32..transport + 48);
        } else {
            bits.push(transport + 32..transport + 64);
            bits.extend([104, 108, 111].map(|bit| transport + bit..transport + bit + 1));
        }
        bits
    }

    /// Returns the bits of the checksum of TCP or UDP.
    pub(super) fn checksum_bits(self) -> std::ops::Range<usize> {
        let start = (self.transport() + self.checksum_offset()) * 8;
        start..start + 16
    }

    /// Returns the bits of the IPv4 header's checksum.
    pub(super) fn ipv4_checksum_bits(self) -> std::ops::Range<usize> {
        let start = (self.network() + IPV4_CHECKSUM) * 8;
        start..start + 16
    }
}

impl fmt::Display for FrameLayout {
    /// Writes the layout in words, such as `TCP over IPv4` or `UDP over IPv6 with 2 VLAN tags`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = if self.udp { "UDP" } else { "TCP" };
        let version = if self.v6 { 6 } else { 4 };
        write!(f, "{transport} over IPv{version}")?;
        match TAGS[self.tags as usize].len() {
            0 => Ok(()),
            1 => write!(f, " with a VLAN tag"),
            tags => write!(f, " with {tags} VLAN tags"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_numbers_and_places() {
        for (index, layout) in FrameLayout::all().enumerate() {
            assert_eq!((layout.index(), FrameLayout::of_index(index)), (index, layout));
            let mut frame = vec![0; layout.header_bytes()];
            layout.known().for_each(|(at, _, value)| frame[at] = value);
            assert_eq!(FrameLayout::of_frame(&frame), Some(layout), "{layout}");
            let length = (frame.len() - layout.network()) as u8;
            let network = layout.network();
            if layout.v6 {
                frame[network + 5] = length - 40;
            } else {
                frame[network + 3] = length;
                // The other words are 0x4500 and the word with the protocol.
                let sum = 0x4500 + u16::from(length) + u16::from(frame[network + 9]);
                frame[network + 10..network + 12].copy_from_slice(&(!sum).to_be_bytes());
            }
            assert!(layout.fits(&frame), "{layout}");
            for at in network..layout.transport() {
                let mut other = frame.clone();
                other[at] ^= 1;
                let stays = layout.v6 && !(4..7).contains(&(at - network));
                assert_eq!(layout.fits(&other), stays, "{layout}, byte {at}");
            }
            frame.push(0);
            assert!(!layout.fits(&frame));
        }
    }
}
