//! A controller's end of P4Runtime: a switch somewhere else, with the control interface of one
//! here.

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
