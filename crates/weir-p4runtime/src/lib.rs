//! P4Runtime (specification 1.5): the P4Info of a program, and a server through which controllers
//! control switches over gRPC.
//!
//! - **Input:** requests of controllers; packets, digests and notices of switches.
//! - **Output:** answers and messages to controllers; requests with ids to a switch's control
//!   interface.
//! - **Independent of:** networks, Python, the command line. A switch belongs to another part of
//!   the program, which lends it through [`SwitchOwner`].

mod confined;
mod device;
mod device_config;
mod digest_lists;
pub mod entities;
pub mod format;
mod outcomes;
mod owner;
pub mod p4info;
mod permissions;
mod pipeline;
mod reconcile;
mod reload;
mod requester;
mod server;
mod service;
mod sessions;
mod shared;
mod stream;
mod texts;

pub use device::MakeExecutor;
pub use device_config::{Folders, ProgramFiles, compile as compile_program};
pub use owner::{SwitchOwner, Unavailable};
pub use permissions::Permissions;
pub use pipeline::{Pipeline, PipelineError, SpecialPorts, Translations};
pub use reconcile::{Carried, LostEntities};
pub use reload::{Files, Reload, Reloaded};
pub use server::{Limits, Server, ServerConfig, StartError};
pub use sessions::{ClientState, MessageCounts, RoleName};
pub use texts::Texts;
pub use weir_grpc::{Code, KeepAlive, Listen, Problem, SharedThreads, TlsConfig, why_not_listen};
pub use weir_p4runtime_proto as proto;

use weir_p4runtime_proto::{match_kinds, translated, wire};
