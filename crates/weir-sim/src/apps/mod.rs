//! The applications of hosts: traffic, `ping`, and sockets of programs outside the simulation. Each
//! one is an [`App`](crate::App).

pub(crate) mod exchange;
pub(crate) mod flow;
pub(crate) mod mailbox;
pub(crate) mod ping;
pub(crate) mod replay;
pub(crate) mod shared;
pub(crate) mod sockets;
pub(crate) mod tcp;
pub(crate) mod udp;
pub(crate) mod udp_exchanges;
