//! BfRt, the control protocol of Tofino's switches: the tables of a program as `bf-rt.json`, and a
//! server through which controllers control switches over gRPC.
//!
//! - **Input:** requests of clients; digests and notices of switches.
//! - **Output:** answers and messages to clients; requests with ids to a switch's control
//!   interface.
//! - **Independent of:** networks, Python, the command line. A switch belongs to another part of
//!   the program, which lends it through [`SwitchOwner`].

mod device;
mod entities;
mod explain;
pub mod info;
mod matches;
mod notes;
mod outbox;
mod owner;
mod server;
mod service;
mod sessions;
mod shared;
mod stream;
mod values;

pub use owner::{SwitchOwner, Unavailable};
pub use server::{Limits, Server, ServerConfig, StartError};
pub use weir_grpc::{KeepAlive, Listen, SharedThreads, TlsConfig};
