//! Applications: traffic, `ping`, and programs outside the network, each an [`App`](crate::App) on a host.

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
