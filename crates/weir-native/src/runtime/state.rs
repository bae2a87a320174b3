//! The state as a whole, and the headers that were parsed.

use super::context::{Context, SAVED_BYTES};

/// Sets the state to 0.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn clear_state(context: *mut Context<'_>) {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    context.host.state.clear();
    context.registers.words = context.host.state.words_mut().as_mut_ptr();
}

/// Copies the bytes that were parsed, and returns the address of the copy.
///
/// # Safety
/// The context is valid, and no more bytes were parsed than the packet has.
pub(crate) unsafe extern "C" fn save_headers(context: *mut Context<'_>) -> *const u8 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let Context { registers, host } = unsafe { &mut *context };
    // SAFETY: by this function's contract. Nothing writes to the packet meanwhile.
    let parsed = unsafe { std::slice::from_raw_parts(registers.packet, registers.consumed as usize) };
    if parsed.len() <= SAVED_BYTES {
        let copy = host.saved.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for that many bytes, in memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(parsed.as_ptr(), copy, parsed.len()) };
        return copy;
    }
    let copy = &mut host.rare_state().saved;
    copy.clear();
    copy.extend_from_slice(parsed);
    copy.as_ptr()
}
