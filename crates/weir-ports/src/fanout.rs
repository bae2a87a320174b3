//! Sockets that share the frames of an interface (`PACKET_FANOUT`).

use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::sys::{Filter, PacketSocket};

/// The sockets that share the frames of an interface, one for each worker: clones of one value
/// stand for the same group.
///
/// The kernel gives all frames of a flow to one socket, in their order: those with the same
/// addresses, protocol and ports, in either direction. Fragments have no ports but the first, so
/// all fragments between two addresses come to one socket, as they came: nobody puts them together.
#[derive(Clone, Debug, Default)]
pub struct Fanout(Arc<Mutex<Group>>);

/// What a fanout group is in the kernel.
#[derive(Debug, Default)]
struct Group {
    /// Its number in the network namespace, which the kernel chose.
    number: u16,
    /// The index of its interface.
    interface: u32,
    members: Weak<()>,
}

/// A socket's membership in a group. The socket leaves when it closes, so this must be dropped
/// before: as long as there are members, nobody else has the group's number.
#[derive(Debug)]
pub(crate) struct Member(#[expect(dead_code, reason = "it counts")] Arc<()>);

impl Fanout {
    /// Binds a socket to an interface as a member of the group. It gets no frames before it is one:
    /// other members have got them.
    pub(crate) fn bind(&self, socket: &PacketSocket, interface: u32) -> io::Result<Member> {
        socket.filter(Filter::Nothing)?;
        socket.bind(interface)?;
        let member = self.join(socket, interface)?;
        // The group's flag says the same, to kernels that know it.
        socket.filter(Filter::Arriving)?;
        Ok(member)
    }

    fn join(&self, socket: &PacketSocket, interface: u32) -> io::Result<Member> {
        let mut group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What this computer sends comes to no member. That is a flag of the group: the kernel
        // ignores the one of a socket in a group. Kernels that do not know the group's flag ignore
        // it.
        let kind = libc::PACKET_FANOUT_HASH | libc::PACKET_FANOUT_FLAG_IGNORE_OUTGOING;
        let join = |number: u16, flags: u32| {
            let value = u32::from(number) | (kind | flags) << 16;
            socket.set(libc::SOL_PACKET, libc::PACKET_FANOUT, value as i32)
        };
        if let Some(others) = group.members.upgrade().filter(|_| group.interface == interface) {
            match join(group.number, 0) {
                Ok(()) => return Ok(Member(others)),
                // The interface was away, and the other members do not know yet.
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
                Err(error) => return Err(error),
            }
        }
        join(0, libc::PACKET_FANOUT_FLAG_UNIQUEID)?;
        let member = Arc::new(());
        *group = Group { number: socket.fanout_group()?, interface, members: Arc::downgrade(&member) };
        Ok(Member(member))
    }
}
