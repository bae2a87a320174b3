//! Numbers of applications and connections.

/// An application's place on its host. Places are used again, with another generation.
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

/// A connection of a host, or what is left of it. Numbers are used again, with another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId {
    pub(super) number: u32,
    pub(super) generation: u32,
}
