//! What network cards and the kernel do to frames that leave, as pure functions.

mod checksum;
mod inferred;
mod network;
mod segment;
mod tunnel;
mod wire;

pub use checksum::{Malformed, complete, internet_sum};
pub use inferred::inferred;
use network::header_end;
pub use network::{network_before, network_start};
pub use segment::Segments;
pub use wire::{WireSize, for_interface, wire_size};

/// Sets the length of an IP header, and IPv4's identification and checksum. The identification
/// counts up, as for packets that were sent one by one.
fn write_ip_lengths(number: usize, start: usize, end: usize, segment: &mut [u8]) {
    let length = segment.len() - start;
    let header = &mut segment[start..end];
    if header[0] >> 4 == 6 {
        put(header, 4, (length - 40) as u16);
        return;
    }
    let identification = half(header, 4).wrapping_add(number as u16);
    put(header, 2, length as u16);
    put(header, 4, identification);
    put(header, 10, 0);
    let sum = !internet_sum(0, header);
    put(header, 10, sum);
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
