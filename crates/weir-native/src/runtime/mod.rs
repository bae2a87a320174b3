//! Run-time support for machine code: the context that it works on, and the functions that it
//! calls.
//!
//! Machine code reaches memory only through its [`Context`]. The caller of machine code guarantees
//! that the pointers in the context are valid until it returns; the functions in this module rely
//! on that. A context with this property is called *valid* in their safety sections.
//!
//! No panic can unwind through machine code. Functions that call the environment catch its panics
//! (`environment`); the others do not panic. An `extern "C"` function that panics in spite of that
//! aborts the process.

mod bits;
mod context;
mod environment;
mod externs;
mod lookups;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use bits::{
    OPERATORS, binary, clear_listed, clear_words, copy_words, grow, push_bits, push_varbit, read_bits,
    read_varbit, same_varbit,
};
pub(crate) use context::{Context, HostState};
pub(crate) use environment::{has_deferred_work, parser_finished};
pub(crate) use externs::{call_extern, call_frame, call_words};
pub(crate) use lookups::{in_value_set, look_up, look_up_words, refuse_action};
pub(crate) use state::{clear_state, save_headers};
