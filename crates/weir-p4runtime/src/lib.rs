//! P4Runtime (specification 1.5): what controllers know of a program, and a server that lets them
//! control switches over gRPC.
//!
//! - **Comes in:** requests of controllers; packets, digests and notices of switches.
//! - **Goes out:** answers and messages to controllers; requests in ids to a switch's control
//!   interface.
//! - **Must never know:** networks, Python, the command line. A switch belongs to somebody else,
//!   who lends it through [`SwitchOwner`].

pub mod format;
mod owner;
pub mod p4info;
pub mod proto;

pub use owner::{SwitchOwner, Unavailable};
