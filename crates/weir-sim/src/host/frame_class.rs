//! The part of a real host that processes a frame: the kernel, or an application.

use super::ethernet::{ETHERNET_HEADER, ETHERTYPE_ARP, ETHERTYPE_IPV4, ETHERTYPE_IPV6};
use super::ip::{self, ICMP, ICMPV6, TCP};

/// Who processes a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameClass {
    /// The kernel alone processes the frame: ARP, ICMP, fragments, TCP without data.
    Kernel,
    /// The kernel processes the frame, and an application reads or writes the data: TCP.
    Stream,
    /// An application waits for each frame: UDP, and protocols that only programs know.
    Application,
}

impl FrameClass {
    /// Says who processes a frame that arrives.
    pub(crate) fn of_frame(frame: &[u8]) -> FrameClass {
        let Some(packet) = frame.get(ETHERNET_HEADER..) else { return FrameClass::Application };
        let (protocol, transport) = match ip::be_u16(frame, 12) {
            ETHERTYPE_ARP => return FrameClass::Kernel,
            ETHERTYPE_IPV4 => match packet {
                [first, _, high, low, _, _, flags, offset, _, protocol, ..] => {
                    if (flags & 0x3f) | offset != 0 {
                        return FrameClass::Kernel;
                    }
                    let length = usize::from(u16::from_be_bytes([*high, *low]));
                    (*protocol, packet.get(usize::from(first & 15) * 4..length))
                }
                _ => return FrameClass::Application,
            },
            ETHERTYPE_IPV6 => (packet.get(6).copied().unwrap_or_default(), packet.get(40..)),
            _ => return FrameClass::Application,
        };
        match (protocol, transport) {
            (ICMP | ICMPV6, _) => FrameClass::Kernel,
            (TCP, Some(segment)) => {
                let header = segment.get(12).map_or(usize::MAX, |offset| usize::from(offset >> 4) * 4);
                if segment.len() > header { FrameClass::Stream } else { FrameClass::Kernel }
            }
            (TCP, None) => FrameClass::Kernel,
            _ => FrameClass::Application,
        }
    }
}
