//! The client side of P4Runtime: gives a remote switch the same control interface as a local one.

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

pub use crate::wire::shortest;
pub use connection::{ClientConfig, ClientTls, Connection, Waiting};
pub use inbox::Inbox;
pub use outcome::Refused;
pub use program::{Metadata, Program};
pub use remote::Remote;
