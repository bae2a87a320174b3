//! The client sides of P4Runtime, which gives a remote switch the same control interface as a local
//! one, and of BfRt.
//!
//! - **Input:** requests by ids of the remote switch's program; answers and messages of servers.
//! - **Output:** messages to servers; answers, and the schema of the remote switch's program,
//!   which its P4Info describes.
//! - **Independent of:** how servers work, Python, the command line.

mod bfrt;
mod calls;
mod changes;
mod connection;
mod control;
mod data;
mod decode;
mod encode;
mod handles;
mod inbox;
mod numbers;
mod outcome;
mod pending;
mod program;
mod remote;
mod texts;
mod unreachable;

pub use bfrt::{BfrtConfig, BfrtConnection, BfrtProgram, BfrtStream};
pub use calls::{ClientTls, Waiting};
pub use connection::{ClientConfig, Connection};
pub use inbox::Inbox;
pub use outcome::Refusal;
pub use program::{Metadata, Program};
pub use remote::Remote;
pub use weir_p4runtime_proto::wire::shortest;

use weir_p4runtime_proto::{self as proto, match_kinds, translated, wire};
