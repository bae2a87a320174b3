//! Identifiers of applications and connections.

/// The slot of an application on its host. Slots are reused with another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AppKey {
    pub(crate) number: u32,
    pub(crate) generation: u32,
}

/// An application on a host of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppId {
    pub(crate) node: usize,
    pub(crate) key: AppKey,
}

/// A connection of a host, possibly in TIME-WAIT. Numbers are reused with another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId {
    pub(super) number: u32,
    pub(super) generation: u32,
}
