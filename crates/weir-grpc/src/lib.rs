//! gRPC servers for controllers: sockets, TLS, and bounds on what clients may use.
//!
//! - **Input:** connections of clients, and their messages as bytes.
//! - **Output:** messages with reserved memory for a service; answers and statuses for clients.
//! - **Independent of:** what the messages of a protocol mean, switches, programs.

mod answer;
mod budget;
mod calls;
mod config;
mod connection;
mod listener;
mod metered;
mod outcomes;
mod peer;
mod received;
mod serving;
mod status;
mod threads;
mod tls;

pub use answer::{Answer, AnswerCounts, Failing, Parts};
pub use budget::{Account, Budget, Elected, Held};
pub use calls::Calls;
pub use config::{KeepAlive, Listen, SharedThreads, TlsConfig};
pub use listener::{ListenError, why_not_listen};
pub use metered::AnswerHeld;
pub use outcomes::{ErrorForm, TRAILER_BYTES, status_of_parts};
pub use peer::Peer;
pub use received::{Arriving, Decodable, Decoded, MessageLimits, Messages, Received};
pub use serving::{ServeConfig, Serving};
pub use status::{Code, Problem};
pub use threads::Threads;
pub use tls::Tls;
