//! The memory through which machine code reaches everything else.

use std::mem::offset_of;

use weir_exec::PacketView;

/// The memory that machine code works on. Functions of machine code get a pointer to it.
///
/// Code uses fields by their offsets, the constants below. A pointer is valid in the cases that its
/// description names, and otherwise null.
#[repr(C)]
pub(crate) struct Registers {
    /// The state's words, as many as the layout has.
    pub words: *mut u64,
    /// The packet's first byte. Code reads at most `packet_bytes` bytes from here.
    pub packet: *const u8,
    pub packet_bytes: u64,
    /// The number of bits of the packet that are consumed, at most as many as the packet has.
    pub position: u64,
    /// Iterations of all loops so far.
    pub iterations: u64,
    /// The address of the output's memory.
    pub out: *mut u8,
    /// The number of bits that were written to the output.
    pub out_bits: u64,
    /// The number of bits that fit into the output.
    pub out_capacity: u64,
    /// The packet of the batch that is running; only in a pipeline.
    pub packet_view: *const PacketView<'static>,
    /// The packet before which the code returns, or the end of the batch.
    pub last_view: *const PacketView<'static>,
    /// The values of the packet's inputs, as many as the pipeline has.
    pub inputs: *const u64,
    /// In a pipeline, the address for the packet's outputs. In a key predictor, the address for the
    /// next key.
    pub outputs: *mut u64,
    /// In a pipeline, the address for the packet's end. In a key predictor, the address for the
    /// selector of the packet's key.
    pub ends: *mut u64,
    /// The packet's selector: the value for the word at `selector_target` while the packet runs.
    pub selectors: *const u64,
    pub selector_target: *mut u64,
    /// The number of bytes of the packet that the parser consumed.
    pub consumed: u64,
    /// Only in a pipeline that restarts: the offset of the packet's first byte in its memory, and
    /// the number of restarts so far for this packet.
    pub packet_start: u64,
    pub restarts: u64,
    /// The memory of the [`LookupCache`](crate::lookup_cache::LookupCache).
    pub lookup_cache: *mut u64,
    /// Only in a key predictor: the table whose keys are wanted (its position plus 1), the bytes
    /// from one key to the next, and the number that is subtracted from a key's address to get its
    /// selector.
    pub wanted_table: u64,
    pub slot_bytes: u64,
    pub slot_bias: u64,
}

impl Registers {
    /// Returns registers that point to no memory.
    pub(crate) const fn empty() -> Self {
        Self {
            words: std::ptr::null_mut(),
            packet: std::ptr::null(),
            packet_bytes: 0,
            position: 0,
            iterations: 0,
            out: std::ptr::null_mut(),
            out_bits: 0,
            out_capacity: 0,
            packet_view: std::ptr::null(),
            last_view: std::ptr::null(),
            inputs: std::ptr::null(),
            outputs: std::ptr::null_mut(),
            ends: std::ptr::null_mut(),
            selectors: std::ptr::null(),
            selector_target: std::ptr::null_mut(),
            consumed: 0,
            packet_start: 0,
            restarts: 0,
            lookup_cache: std::ptr::null_mut(),
            wanted_table: 0,
            slot_bytes: 0,
            slot_bias: 0,
        }
    }

    /// The offset of `words`.
    pub const WORDS: i32 = offset_of!(Self, words) as i32;
    /// The offset of `packet`.
    pub const PACKET: i32 = offset_of!(Self, packet) as i32;
    pub const PACKET_BYTES: i32 = offset_of!(Self, packet_bytes) as i32;
    /// The offset of `position`.
    pub const POSITION: i32 = offset_of!(Self, position) as i32;
    /// The offset of `iterations`.
    pub const ITERATIONS: i32 = offset_of!(Self, iterations) as i32;
    /// The offset of `out`.
    pub const OUT: i32 = offset_of!(Self, out) as i32;
    pub const OUT_BITS: i32 = offset_of!(Self, out_bits) as i32;
    pub const OUT_CAPACITY: i32 = offset_of!(Self, out_capacity) as i32;
    pub const PACKET_VIEW: i32 = offset_of!(Self, packet_view) as i32;
    pub const LAST_VIEW: i32 = offset_of!(Self, last_view) as i32;
    /// The offset of `inputs`.
    pub const INPUTS: i32 = offset_of!(Self, inputs) as i32;
    /// The offset of `outputs`.
    pub const OUTPUTS: i32 = offset_of!(Self, outputs) as i32;
    /// The offset of `ends`.
    pub const ENDS: i32 = offset_of!(Self, ends) as i32;
    /// The offset of `selectors`.
    pub const SELECTORS: i32 = offset_of!(Self, selectors) as i32;
    pub const SELECTOR_TARGET: i32 = offset_of!(Self, selector_target) as i32;
    /// The offset of `consumed`.
    pub const CONSUMED: i32 = offset_of!(Self, consumed) as i32;
    pub const PACKET_START: i32 = offset_of!(Self, packet_start) as i32;
    pub const RESTARTS: i32 = offset_of!(Self, restarts) as i32;
    pub const LOOKUP_CACHE: i32 = offset_of!(Self, lookup_cache) as i32;
    pub const WANTED_TABLE: i32 = offset_of!(Self, wanted_table) as i32;
    pub const SLOT_BYTES: i32 = offset_of!(Self, slot_bytes) as i32;
    pub const SLOT_BIAS: i32 = offset_of!(Self, slot_bias) as i32;
}
