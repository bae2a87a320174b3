//! The watch over the interface of a port: it observes the link, and opens the interface again when
//! it comes back.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use crate::port_claim::PortClaim;
use crate::sys::{PacketSocket, interface};
use crate::{AlreadyClaimed, Link, LinkState, PortError};

/// The resources of the halves of a port for an interface, in addition to the packet socket.
pub(crate) trait HalfResources: Send {
    /// Binds a new socket to the interface of this name, and gives the halves the resources for it.
    /// Returns the interface's index.
    fn connect(&mut self, socket: &PacketSocket, name: &str) -> Result<u32, PortError>;

    /// Takes the port's resources for the interface from its halves.
    fn disconnect(&mut self);

    /// Returns whether the halves must drop their resources before the interface is opened again.
    fn must_drop_first(&self) -> bool;

    /// Returns whether the queues of the interface of this name have changed since it was opened.
    fn has_other_queues(&self, _here: BorrowedFd<'_>, _name: &str) -> bool {
        false
    }
}

/// The watch over an interface, which reports when the link changes.
pub(crate) struct Watch<U> {
    name: String,
    socket: Arc<PacketSocket>,
    uses: U,
    mtu: Arc<AtomicUsize>,
    is_down: Arc<AtomicBool>,
    /// The index of the interface that the socket is bound to.
    bound: Option<u32>,
    reopened: u64,
    /// The claim on the interface; it cannot be upgraded if the receiving half is gone.
    claim: Weak<PortClaim>,
    /// The notice that the interface was already claimed, if it was not taken yet.
    already_claimed: Option<AlreadyClaimed>,
}

/// The parts of a port that its watch shares with the halves.
pub(crate) struct Shared {
    pub socket: Arc<PacketSocket>,
    /// The interface's MTU, as the halves know it.
    pub mtu: Arc<AtomicUsize>,
    /// Whether the link was down at the watch's last check.
    pub is_down: Arc<AtomicBool>,
    pub claim: Arc<PortClaim>,
}

impl<U> Watch<U> {
    /// Claims the interface of this name and index, to which the socket is bound.
    pub(crate) fn new(name: &str, index: u32, shared: &Shared, uses: U) -> Self {
        let Shared { socket, mtu, is_down, claim } = shared;
        Self {
            name: name.to_owned(),
            socket: Arc::clone(socket),
            uses,
            mtu: Arc::clone(mtu),
            is_down: Arc::clone(is_down),
            bound: Some(index),
            reopened: 0,
            claim: Arc::downgrade(claim),
            already_claimed: claim.renew(),
        }
    }
}

impl<U: HalfResources> Link for Watch<U> {
    fn check(&mut self) -> Result<LinkState, PortError> {
        let name = self.name.clone();
        let failed = |step| {
            let port = name.clone();
            move |source| PortError::System { port, step, source }
        };
        // A new socket sees the network namespace of this thread; the old socket could belong to
        // another namespace.
        let looking = |source| PortError::check_failed(&name, source);
        let here = UnixDatagram::unbound().map_err(looking)?;
        let state = interface(here.as_fd(), &self.name).map_err(looking)?;
        if let Some(index) = self.bound {
            let still = self.socket.still_has(index, here.as_fd(), state);
            let still = still.map_err(failed("look at the packet socket"))?;
            if !still || self.uses.has_other_queues(here.as_fd(), &self.name) {
                self.close()?;
                if self.uses.must_drop_first() {
                    return Ok(LinkState::Gone);
                }
            }
        }
        let Some(interface) = state else { return Ok(LinkState::Gone) };
        if self.bound.is_none() {
            // A socket in a fanout group can't be bound again, so this is a new one. The old one
            // has already left the group, whose sockets are all bound to the same interface.
            let socket = PacketSocket::open().map_err(failed("open a packet socket"))?;
            self.socket.replace_by(&socket).map_err(failed("replace the packet socket"))?;
            drop(socket);
            self.bound = Some(self.uses.connect(&self.socket, &self.name)?);
            self.reopened += 1;
            self.already_claimed = self.claim.upgrade().and_then(|claim| claim.renew());
        }
        self.mtu.store(interface.mtu, Ordering::Relaxed);
        self.is_down.store(!interface.up, Ordering::Relaxed);
        Ok(LinkState::Present { up: interface.up, mtu: interface.mtu })
    }

    fn reopened(&self) -> u64 {
        self.reopened
    }

    fn take_already_claimed(&mut self) -> Option<AlreadyClaimed> {
        self.already_claimed.take()
    }

    /// Replaces the socket by one that is not bound, and releases the claim. Otherwise, both would
    /// keep the namespace and all interfaces in it alive.
    fn close(&mut self) -> Result<(), PortError> {
        if self.bound.take().is_none() {
            return Ok(());
        }
        self.claim.upgrade().iter().for_each(|claim| claim.release());
        self.uses.disconnect();
        let replaced = PacketSocket::open().and_then(|socket| self.socket.replace_by(&socket));
        let port = self.name.clone();
        replaced.map_err(|source| PortError::System { port, step: "close the packet socket", source })
    }
}
