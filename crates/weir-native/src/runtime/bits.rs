//! Operations on bits for machine code: operators of wide values, and packets bit by bit.

use weir_ir::{BinaryOp, Bits};

use super::context::Context;

/// The operators of [`binary`]; machine code passes their position in this list.
pub(crate) const OPERATORS: [BinaryOp; 7] = [
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::SatAdd,
    BinaryOp::SatSub,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

/// Computes an operator of wide values; the result has the left operand's width. `spec` is the
/// operator's position in [`OPERATORS`]; bit 8 says whether the left operand is signed; the widths
/// are at bits 16 and 32.
///
/// # Safety
/// `a` and `b` point to as many words as their widths need, and `to` points to room for as many
/// words as `a` has.
pub(crate) unsafe extern "C" fn binary(to: *mut u64, a: *const u64, b: *const u64, spec: u64) {
    let (a_width, b_width) = (spec as u32 >> 16, (spec >> 32) as u32);
    let count = |width: u32| width.div_ceil(64) as usize;
    // SAFETY: by this function's contract. All operands are copied before the result is written.
    let (a, b) = unsafe {
        (
            Bits::from_words(a_width, std::slice::from_raw_parts(a, count(a_width))),
            Bits::from_words(b_width, std::slice::from_raw_parts(b, count(b_width))),
        )
    };
    let result = OPERATORS[spec as usize & 0xff].apply(&a, &b, spec >> 8 & 1 == 1);
    // SAFETY: by this function's contract; nothing else refers to these words.
    result.write_words(unsafe { std::slice::from_raw_parts_mut(to, count(a_width)) });
}

/// Reads at most 64 bits that begin at any bit. Bits after the packet are 0.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn read_bits(context: *const Context<'_>, offset: u64, width: u64) -> u64 {
    // SAFETY: the packet's pointer and length in a valid context belong together.
    let packet = unsafe {
        let registers = &(*context).registers;
        std::slice::from_raw_parts(registers.packet, registers.packet_bytes as usize)
    };
    (0..width.div_ceil(32)).fold(0, |value, part| {
        // The first part takes the bits that do not fill 32.
        let head = (width - 1) % 32 + 1;
        let (at, bits) = if part == 0 { (offset, head) } else { (offset + head + 32 * (part - 1), 32) };
        let window = packet.iter().skip((at / 8) as usize).take(5);
        let count = window.len() as u64;
        let window = window.fold(0u64, |window, byte| window << 8 | u64::from(*byte));
        let window = window << (8 * (5 - count));
        value << (bits % 64) | (window >> (40 - at % 8 - bits)) & ((1 << bits) - 1)
    })
}

/// Reads `bits` bits from bit `offset` on into a varbit of at most `max` bits.
///
/// # Safety
/// The context is valid, `to` points to a length and the words of a varbit of `max` bits.
pub(crate) unsafe extern "C" fn read_varbit(
    context: *const Context<'_>,
    to: *mut u64,
    offset: u64,
    bits: u64,
    max: u64,
) {
    // SAFETY: by this function's contract.
    let words = unsafe { std::slice::from_raw_parts_mut(to, 1 + max.div_ceil(64) as usize) };
    words.fill(0);
    let bits = bits.min(max);
    words[0] = bits;
    for (i, word) in words[1..].iter_mut().take(bits.div_ceil(64) as usize).enumerate() {
        let end = bits - 64 * i as u64;
        let width = end.min(64);
        // SAFETY: the context is valid by this function's contract.
        *word = unsafe { read_bits(context, offset + end - width, width) };
    }
}

/// Reserves memory for `bits` more bits of output, and for one more word.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn grow(context: *mut Context<'_>, bits: u64) {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    let registers = &mut context.registers;
    let written = registers.out_bits.div_ceil(8) as usize;
    let Some(out) = &mut context.host.out else { return };
    // SAFETY: machine code and `push_bits` have written all bytes up to `out_bits`, within the
    // capacity.
    unsafe { out.set_len(written) };
    out.reserve(bits.div_ceil(8) as usize + 8);
    registers.out = out.as_mut_ptr();
    registers.out_capacity = out.capacity() as u64 * 8;
}

/// Appends at most 64 bits to the output.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn push_bits(context: *mut Context<'_>, value: u64, width: u64) {
    // SAFETY: the context is valid.
    let (at, capacity) = unsafe { ((*context).registers.out_bits, (*context).registers.out_capacity) };
    if at + width + 8 > capacity {
        // SAFETY: the context is valid.
        unsafe { grow(context, width + 8) };
    }
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut (*context).registers };
    let mut left = width;
    while left > 0 {
        let taken = context.out_bits % 8;
        let put = left.min(8 - taken);
        let bits = (value >> (left - put)) as u8 & ((1u16 << put) - 1) as u8;
        let shifted = bits << (8 - taken - put);
        // SAFETY: there is room for `width` bits; a byte that is partly written has been
        // initialised.
        unsafe {
            let byte = context.out.add((context.out_bits / 8) as usize);
            *byte = if taken == 0 { shifted } else { *byte | shifted };
        }
        context.out_bits += put;
        left -= put;
    }
}

/// Appends a varbit of at most `max` bits to the output.
///
/// # Safety
/// The context is valid, `value` points to a length, which may be any, and the words of a varbit of
/// `max` bits.
pub(crate) unsafe extern "C" fn push_varbit(context: *mut Context<'_>, value: *const u64, max: u64) {
    // SAFETY: by this function's contract.
    let bits = unsafe { *value }.min(max);
    for i in (0..bits.div_ceil(64)).rev() {
        // SAFETY: by this function's contract.
        unsafe { push_bits(context, *value.add(1 + i as usize), (bits - 64 * i).min(64)) };
    }
}

/// Copies words. The memory may overlap.
///
/// # Safety
/// Both point to `count` words.
pub(crate) unsafe extern "C" fn copy_words(to: *mut u64, from: *const u64, count: u64) {
    // SAFETY: by this function's contract.
    unsafe { std::ptr::copy(from, to, count as usize) };
}

/// Sets words to 0.
///
/// # Safety
/// The address is that of `count` words.
pub(crate) unsafe extern "C" fn clear_words(words: *mut u64, count: u64) {
    // SAFETY: by this function's contract.
    unsafe { std::ptr::write_bytes(words, 0, count as usize) };
}

/// Sets the words at these positions to 0.
///
/// # Safety
/// `positions` points to `count` positions, and `words` to words at each of them.
pub(crate) unsafe extern "C" fn clear_listed(words: *mut u64, positions: *const u64, count: u64) {
    // SAFETY: by this function's contract; nothing writes to the list.
    let positions = unsafe { std::slice::from_raw_parts(positions, count as usize) };
    for position in positions {
        // SAFETY: by this function's contract.
        unsafe { *words.add(*position as usize) = 0 };
    }
}

/// Returns whether two varbits of at most `max` bits have one length and the same bits.
///
/// # Safety
/// Both point to a length, which may be any, and the words of a varbit of `max` bits.
pub(crate) unsafe extern "C" fn same_varbit(a: *const u64, b: *const u64, max: u64) -> u64 {
    // SAFETY: by this function's contract.
    u64::from(unsafe {
        *a == *b && {
            let count = 1 + (*a).min(max).div_ceil(64) as usize;
            std::slice::from_raw_parts(a, count) == std::slice::from_raw_parts(b, count)
        }
    })
}
