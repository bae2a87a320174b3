//! The watch over the interface of a port: it observes the link, and opens the interface again when
//! it comes back.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::sys::{PacketSocket, interface};
use crate::{Link, LinkState, PortError};

/// The resources of the halves of a port for an interface, in addition to the packet socket.
pub(crate) trait Uses: Send {
    /// Binds a new socket to the interface of this name, and gives the halves the resources for it.
    /// Returns the interface's index.
    fn connect(&mut self, socket: &PacketSocket, name: &str) -> Result<u32, PortError>;

    /// Takes these resources from the halves.
    fn disconnect(&mut self);

    /// Whether the halves must drop their resources before the interface is opened again.
    fn must_go_first(&self) -> bool;

    /// Whether the queues of the interface of this name have changed since it was opened.
    fn has_other_queues(&self, _here: BorrowedFd<'_>, _name: &str) -> bool {
        false
    }
}

/// The watch over an interface.
pub(crate) struct Watch<U> {
    pub name: String,
    pub socket: Arc<PacketSocket>,
    pub uses: U,
    /// The interface's MTU, as the halves know it.
    pub mtu: Arc<AtomicUsize>,
    /// Whether the link was down when the watch last looked.
    pub is_down: Arc<AtomicBool>,
    /// The index of the interface that the socket is bound to.
    pub bound: Option<u32>,
    pub reopened: u64,
}

impl<U: Uses> Link for Watch<U> {
    fn check(&mut self) -> Result<LinkState, PortError> {
        let name = self.name.clone();
        let failed = |step| {
            let port = name.clone();
            move |source| PortError::System { port, step, source }
        };
        // A new socket sees the namespace that this thread is in; the old one could be from
        // another.
        let looking = |source| PortError::looking(&name, source);
        let here = UnixDatagram::unbound().map_err(looking)?;
        let found = interface(here.as_fd(), &self.name).map_err(looking)?;
        if let Some(index) = self.bound {
            let still = self.socket.still_has(index, here.as_fd(), found);
            let still = still.map_err(failed("look at the packet socket"))?;
            if !still || self.uses.has_other_queues(here.as_fd(), &self.name) {
                self.close()?;
                if self.uses.must_go_first() {
                    return Ok(LinkState::Gone);
                }
            }
        }
        let Some(interface) = found else { return Ok(LinkState::Gone) };
        if self.bound.is_none() {
            // A socket in a fanout group can't be bound again, so this is a new one. The old one
            // has already left the group, whose sockets are all bound to the same interface.
            let socket = PacketSocket::open().map_err(failed("open a packet socket"))?;
            self.socket.replace_by(&socket).map_err(failed("replace the packet socket"))?;
            drop(socket);
            self.bound = Some(self.uses.connect(&self.socket, &self.name)?);
            self.reopened += 1;
        }
        self.mtu.store(interface.mtu, Ordering::Relaxed);
        self.is_down.store(!interface.up, Ordering::Relaxed);
        Ok(LinkState::Present { up: interface.up, mtu: interface.mtu })
    }

    fn reopened(&self) -> u64 {
        self.reopened
    }

    /// Replaces the socket by one that is not bound: the old socket would keep its namespace and
    /// all interfaces in it alive.
    fn close(&mut self) -> Result<(), PortError> {
        if self.bound.take().is_none() {
            return Ok(());
        }
        self.uses.disconnect();
        let replaced = PacketSocket::open().and_then(|socket| self.socket.replace_by(&socket));
        let port = self.name.clone();
        replaced.map_err(|source| PortError::System { port, step: "close the packet socket", source })
    }
}
