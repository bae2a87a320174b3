//! The messages of protocols for controllers: P4Runtime (specification 1.5), for its server and its
//! client, and BfRt.
//!
//! - **Input:** `proto/`, from which the build script makes the messages; encoded messages of
//!   clients.
//! - **Output:** messages, their descriptors, and the conversion of their parts: numbers
//!   ([`wire`]), match kinds ([`match_kinds`]), translated types ([`translated`]).
//! - **Contents:** also the computation of the memory of messages before they are decoded.
//! - **Independent of:** connections, programs, entries.

mod codec;
mod error;
pub mod match_kinds;
mod messages;
pub mod translated;
pub mod wire;

pub use codec::{MAX_FIELDS, MAX_PARTS, TooLarge, decoded_bytes, has_few_parts};
pub use error::{FIRST_FAILURE, chain};
pub use messages::{bfrt, config, descriptors, google, p4, v1};
