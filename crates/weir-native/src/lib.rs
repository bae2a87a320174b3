//! The fast executor: machine code of the IR, made at run time by Cranelift.
//!
//! - **Input:** a valid program; then packets, their [`State`](weir_ir::State), and an
//!   [`Environment`](weir_exec::Environment) for tables and externs.
//! - **Output:** the same results as those of the interpreter: the changed state, parser results,
//!   emitted bytes. A differential fuzzer compares both executors.
//! - **Independent of:** P4 syntax, architectures, what a table holds, what an extern does, time.
//!
//! Machine code of a block works on the same words as the interpreter, so a packet can change
//! executors between blocks. Machine code of a pipeline keeps variables in registers, and writes
//! the state only where the pipeline is left early. It reports no events: a packet whose
//! environment traces runs in another executor ([`NativeWithTracer`]).
//!
//! The crate uses `unsafe` where machine code is entered (`code`, `native`, `pipeline`,
//! `lookahead`) and in `runtime`, which machine code calls. The use of `unsafe` is sound for these
//! reasons:
//!
//! - The program is valid, so every variable, header and table that code names exists.
//! - Each variable has a fixed place in the state, and the state's size is checked before a run and
//!   after each call that gets the state.
//! - Each extract compares its length with the rest of the packet before it reads. Headers are
//!   written within the parsed bytes and the room before the packet.
//! - Machine code computes addresses only from numbers that it checked or made itself. Callers and
//!   environments provide the state's words, rows, results and inputs, which may be any bits. Wrong
//!   bits can make results wrong, but cannot lead to accesses of other memory. `tests/contract.rs`
//!   and `tests/hostile.rs` test this.
//! - The injected bugs of `options` exist only in this crate's own tests.

mod abi;
mod analysis;
mod block_code;
#[allow(unsafe_code, reason = "owns and enters machine code")]
mod code;
mod compile;
mod emit;
#[allow(unsafe_code, reason = "enters machine code")]
mod lookahead;
mod lookup_cache;
#[allow(unsafe_code, reason = "enters machine code")]
mod native;
mod options;
#[allow(unsafe_code, reason = "enters machine code")]
mod pipeline;
#[allow(unsafe_code, reason = "machine code passes raw addresses to the functions that it calls")]
mod runtime;
#[cfg(test)]
mod tests;
mod with_tracer;

pub use compile::{NativeError, host_features};
pub use native::Native;
pub use with_tracer::NativeWithTracer;
