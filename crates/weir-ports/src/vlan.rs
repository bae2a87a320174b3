//! VLAN tags that the kernel removed from a frame.

use crate::Metadata;

/// Puts a tag (TPID and TCI) back in front of the EtherType of the frame that begins at `start`,
/// and returns where the frame begins now. Places in the metadata are then counted from the new
/// start.
///
/// # Panics
/// There are fewer than four free bytes in front of the frame, or it is shorter than its addresses.
pub(crate) fn insert_tag(memory: &mut [u8], start: usize, tag: [u16; 2], metadata: &mut Metadata) -> usize {
    let tagged = start - 4;
    memory.copy_within(start..start + 12, tagged);
    let [protocol, control] = tag.map(u16::to_be_bytes);
    memory[tagged + 12..tagged + 14].copy_from_slice(&protocol);
    memory[tagged + 14..tagged + 16].copy_from_slice(&control);
    metadata.shift_positions(4);
    tagged
}
