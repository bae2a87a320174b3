//! How services accept connections, so that no peer can keep others out: places, deadlines, limits
//! by address.
//!
//! - **Input:** connections, and what a service learns about them: a whole request has arrived, a
//!   stream is held, the peer has proven a right.
//! - **Output:** which connections must close, and why; counts for metrics and the log.
//! - **Independent of:** the protocols of services.

mod counts;
mod gate;
mod guarded;
mod listener;
mod message_timeout;
mod source;
mod table;

pub use counts::{Counts, Reason};
pub use gate::{Gate, HeldStream, Place};
pub use guarded::Guarded;
pub use listener::{Accepted, Listener, Socket, accept};
pub use message_timeout::MessageTimeout;
pub use source::Source;
pub use table::{Limits, Table};
