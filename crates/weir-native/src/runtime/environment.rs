//! The runtime's calls of the environment.

use std::panic::{AssertUnwindSafe, catch_unwind};

use weir_ir::Bits;

use super::context::{Context, HostState};
use crate::abi::ValueForm;
use crate::abi::status::FAILED;

/// Runs a function that calls the environment for the running packet. If it panics, keeps the
/// panic and returns `failed`.
pub(super) fn call_environment<'a>(
    context: &mut Context<'a>,
    failed: u64,
    run: impl FnOnce(&mut HostState<'a>) -> u64,
) -> u64 {
    keep_panics(context, failed, |context| {
        context.announce_last_packet();
        run(&mut context.host)
    })
}

/// Runs a function. If it panics, keeps the panic and returns `failed`.
pub(super) fn keep_panics<'a>(
    context: &mut Context<'a>,
    failed: u64,
    run: impl FnOnce(&mut Context<'a>) -> u64,
) -> u64 {
    catch_unwind(AssertUnwindSafe(|| run(context))).unwrap_or_else(|panic| {
        context.host.keep_panic(panic);
        failed
    })
}

/// Like [`call_environment`], for a function that may replace the state's words.
pub(super) fn call_with_state<'a>(
    context: &mut Context<'a>,
    failed: u64,
    run: impl FnOnce(&mut HostState<'a>) -> u64,
) -> u64 {
    let end = call_environment(context, failed, run);
    // If there are too few words now, `end` is `failed`, with which machine code leaves.
    context.registers.words = context.host.state.words_mut().as_mut_ptr();
    end
}

/// Panics on behalf of machine code: the panic continues in the caller of the machine code.
#[cold]
pub(super) fn raise_panic(host: &mut HostState<'_>, message: &str) {
    let Err(panic) = catch_unwind(|| panic!("{message}"));
    host.keep_panic(panic);
}

/// Reads values that machine code passes.
///
/// # Safety
/// `words` points to values of these forms.
pub(super) unsafe fn read_values(forms: &[ValueForm], words: *const u64, values: &mut Vec<Bits>) {
    values.clear();
    let mut offset = 0;
    for form in forms {
        let value = match form {
            ValueForm::Words(width) => {
                let count = width.div_ceil(64) as usize;
                // SAFETY: by this function's contract, the words are there.
                let slice = unsafe { std::slice::from_raw_parts(words.add(offset), count) };
                offset += count;
                Bits::from_words(*width, slice)
            }
            ValueForm::Varbit(max) => {
                // SAFETY: machine code passes the address of a variable or constant: a length, and
                // the words of the longest value. The length is a number in the state, into which
                // any code can write any number.
                let value = unsafe {
                    let start = *words.add(offset) as *const u64;
                    let width = (*start).min(u64::from(*max)) as u32;
                    let count = width.div_ceil(64) as usize;
                    Bits::from_words(width, std::slice::from_raw_parts(start.add(1), count))
                };
                offset += 1;
                value
            }
        };
        values.push(value);
    }
}

/// Notifies the environment how many bytes were parsed. Returns 1 if it panicked.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn parser_finished(context: *mut Context<'_>) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    let consumed = context.registers.consumed as usize;
    call_environment(context, 1, |host| {
        host.env.parser_finished(consumed);
        0
    })
}

/// Returns whether an extern has put off work until after the block.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn has_deferred_work(context: *mut Context<'_>) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    call_environment(context, FAILED, |host| u64::from(host.env.has_deferred_work()))
}
