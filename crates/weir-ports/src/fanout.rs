//! Sockets that share the frames of an interface (`PACKET_FANOUT`).

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::AlreadyClaimed;
use crate::claim::Claim;
use crate::sys::{Filter, PacketSocket};

/// The group of sockets that share the frames of an interface, one socket for each worker. Clones
/// of one value belong to the same group.
///
/// The kernel gives all frames of a flow (the same addresses, protocol and ports, in either
/// direction) to one socket, in order. Only the first fragment of a packet has ports, so all
/// fragments between two addresses go to one socket. They are not reassembled.
#[derive(Clone, Debug, Default)]
pub struct Fanout(Arc<Mutex<Group>>);

/// A fanout group in the kernel.
#[derive(Debug, Default)]
struct Group {
    /// The number in the network namespace, which the kernel chose.
    number: u16,
    /// The index of its interface.
    interface: u32,
    members: Weak<()>,
    /// The claim on the interface, which the members share.
    claim: Weak<Claim>,
}

/// A socket's membership in a group. A socket leaves the group when it closes, so drop this value
/// before the socket: as long as the group has members, no other group gets its number.
#[derive(Debug)]
pub(crate) struct Member(#[expect(dead_code, reason = "it counts")] Arc<()>);

impl Fanout {
    /// Binds a socket to an interface as a member of the group. The socket gets no frames before it
    /// is a member, because other members have received those frames.
    pub(crate) fn bind(&self, socket: &PacketSocket, interface: u32) -> io::Result<Member> {
        socket.filter(Filter::Nothing)?;
        socket.bind(interface)?;
        let member = self.add_socket(socket, interface)?;
        // In kernels that know the group's flag, that flag has the same effect.
        socket.filter(Filter::Arriving)?;
        Ok(member)
    }

    /// Returns the claim of the other members, or a new claim if there is none. The first call also
    /// returns the error if another program has claimed the interface.
    pub(crate) fn get_or_claim(
        &self,
        new: impl FnOnce() -> (Claim, Option<AlreadyClaimed>),
    ) -> (Arc<Claim>, Option<AlreadyClaimed>) {
        let mut group = self.group();
        if let Some(claim) = group.claim.upgrade() {
            return (claim, None);
        }
        let (claim, already) = new();
        let claim = Arc::new(claim);
        group.claim = Arc::downgrade(&claim);
        (claim, already)
    }

    /// Locks the group's state.
    fn group(&self) -> MutexGuard<'_, Group> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_socket(&self, socket: &PacketSocket, interface: u32) -> io::Result<Member> {
        let mut group = self.group();
        // Members do not receive what this computer sends. This needs a flag of the group: the
        // kernel ignores the socket's own flag while it is in a group. Kernels that do not know the
        // group's flag ignore it.
        let kind = libc::PACKET_FANOUT_HASH | libc::PACKET_FANOUT_FLAG_IGNORE_OUTGOING;
        let join = |number: u16, flags: u32| {
            let value = u32::from(number) | (kind | flags) << 16;
            socket.set(libc::SOL_PACKET, libc::PACKET_FANOUT, value as i32)
        };
        if let Some(others) = group.members.upgrade().filter(|_| group.interface == interface) {
            match join(group.number, 0) {
                Ok(()) => return Ok(Member(others)),
                // The interface had disappeared for a while, and the other members have not noticed
                // yet.
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
                Err(error) => return Err(error),
            }
        }
        join(0, libc::PACKET_FANOUT_FLAG_UNIQUEID)?;
        let member = Arc::new(());
        let (number, members) = (socket.fanout_group()?, Arc::downgrade(&member));
        (group.number, group.interface, group.members) = (number, interface, members);
        Ok(Member(member))
    }
}
