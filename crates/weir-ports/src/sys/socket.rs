//! Packet sockets, and queries about interfaces.

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::c_int;

use super::checked;

/// A packet socket (packet(7)). All threads may use it at once: each operation is a system call.
#[derive(Debug)]
pub(crate) struct PacketSocket(OwnedFd);

/// The state of an interface, as the kernel reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    pub index: u32,
    /// Whether the interface and its other end are switched on (`IFF_UP`, `IFF_RUNNING`).
    pub up: bool,
    pub mtu: usize,
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl PacketSocket {
    /// Opens a socket that does not block, and that gets no frames before it is bound.
    pub(crate) fn open() -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: the call takes no pointers.
        let descriptor = checked(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
        // SAFETY: the descriptor is new, so nobody else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Receives all frames of an interface from now on.
    pub(crate) fn bind(&self, index: u32) -> io::Result<()> {
        self.bind_for(index, (libc::ETH_P_ALL as u16).to_be())
    }

    /// Sends through an interface from now on, and receives none of its frames.
    pub(crate) fn bind_to_send(&self, index: u32) -> io::Result<()> {
        self.bind_for(index, 0)
    }

    fn bind_for(&self, index: u32, protocol: u16) -> io::Result<()> {
        // SAFETY: all-zero bytes are a valid `sockaddr_ll`.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = index as c_int;
        let (pointer, length) = ((&raw const address).cast(), size_of_val(&address));
        // SAFETY: pointer and length are those of a live value, which the kernel reads only.
        checked(unsafe { libc::bind(self.0.as_raw_fd(), pointer, length as u32) })?;
        Ok(())
    }

    /// Sets an option that is an integer. No such option makes the kernel read or write other
    /// memory of this process: four bytes can't hold an address.
    pub(crate) fn set(&self, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
        let (pointer, length) = ((&raw const value).cast(), size_of::<c_int>());
        // SAFETY: pointer and length are those of a live value, which the kernel reads only.
        let result = unsafe { libc::setsockopt(self.0.as_raw_fd(), level, option, pointer, length as u32) };
        checked(result).map(|_| ())
    }

    /// Sets the size of the kernel's memory for each direction, in bytes.
    pub(crate) fn set_memory(&self, bytes: c_int) -> io::Result<()> {
        for (force, usual) in
            [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF)]
        {
            let sized = self.set(libc::SOL_SOCKET, force, bytes);
            sized.or_else(|_| self.set(libc::SOL_SOCKET, usual, bytes))?;
        }
        Ok(())
    }

    /// Makes the socket also receive frames for other hosts.
    pub(crate) fn be_promiscuous(&self, index: u32) -> io::Result<()> {
        let membership = libc::packet_mreq {
            mr_ifindex: index as c_int,
            mr_type: libc::PACKET_MR_PROMISC as u16,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        let (option, descriptor) = (libc::PACKET_ADD_MEMBERSHIP, self.0.as_raw_fd());
        let (pointer, length) = ((&raw const membership).cast(), size_of_val(&membership));
        // SAFETY: pointer and length are those of a live value, which the kernel reads only.
        let result =
            unsafe { libc::setsockopt(descriptor, libc::SOL_PACKET, option, pointer, length as u32) };
        checked(result).map(|_| ())
    }

    /// Returns the number of the fanout group that the socket is in.
    pub(crate) fn fanout_group(&self) -> io::Result<u16> {
        let (mut group, mut length) = (0_u32, size_of::<u32>() as u32);
        let (option, pointer) = (libc::PACKET_FANOUT, (&raw mut group).cast());
        // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
        checked(unsafe {
            libc::getsockopt(self.0.as_raw_fd(), libc::SOL_PACKET, option, pointer, &raw mut length)
        })?;
        Ok(group as u16)
    }

    /// Returns the number of frames that arrived when the socket's memory was full, since the last
    /// call.
    pub(crate) fn take_missed(&self) -> io::Result<u64> {
        let mut statistics = libc::tpacket_stats_v3 { tp_packets: 0, tp_drops: 0, tp_freeze_q_cnt: 0 };
        let mut length = size_of_val(&statistics) as u32;
        let (option, pointer) = (libc::PACKET_STATISTICS, (&raw mut statistics).cast());
        // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
        checked(unsafe {
            libc::getsockopt(self.0.as_raw_fd(), libc::SOL_PACKET, option, pointer, &raw mut length)
        })?;
        Ok(u64::from(statistics.tp_drops))
    }

    /// Reads and clears the socket's pending error, for example that the link went down. While an
    /// error is pending, `poll` returns at once.
    pub(crate) fn take_error(&self) -> io::Result<Option<io::Error>> {
        let (mut error, mut length): (c_int, _) = (0, size_of::<c_int>() as u32);
        let (option, pointer) = (libc::SO_ERROR, (&raw mut error).cast());
        // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
        checked(unsafe {
            libc::getsockopt(self.0.as_raw_fd(), libc::SOL_SOCKET, option, pointer, &raw mut length)
        })?;
        Ok((error != 0).then(|| io::Error::from_raw_os_error(error)))
    }

    /// Returns the index of the interface that this socket is bound to; `None` if the interface has
    /// left the socket's namespace in the meantime, even if it has come back.
    fn bound_to(&self) -> io::Result<Option<u32>> {
        // SAFETY: all-zero bytes are a valid `sockaddr_ll`.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        let mut length = size_of_val(&address) as u32;
        let pointer = (&raw mut address).cast();
        // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
        checked(unsafe { libc::getsockname(self.0.as_raw_fd(), pointer, &raw mut length) })?;
        Ok(u32::try_from(address.sll_ifindex).ok().filter(|index| *index > 0))
    }

    /// Returns whether the interface to which this socket was bound is the one that `here` now
    /// finds under the interface's name. Returns false if the interface has left the socket's
    /// namespace in the meantime, even if it has come back.
    pub(crate) fn still_has(
        &self,
        index: u32,
        here: BorrowedFd<'_>,
        found: Option<Interface>,
    ) -> io::Result<bool> {
        Ok(self.bound_to()? == Some(index)
            && namespace(here) == namespace(self.as_fd())
            && found.is_some_and(|interface| interface.index == index))
    }

    /// Replaces this socket by another one, for all its users.
    pub(crate) fn replace_by(&self, other: &PacketSocket) -> io::Result<()> {
        // SAFETY: the call takes no pointers. It closes the file that the descriptor stood for,
        // which only this value owns, and the number stays in use, so no borrowed descriptor
        // dangles.
        checked(unsafe { libc::dup3(other.0.as_raw_fd(), self.0.as_raw_fd(), libc::O_CLOEXEC) })?;
        Ok(())
    }
}

/// Returns the network namespace of a socket, as a number that is unique until the computer
/// restarts; 0 if the kernel does not report it (before 5.14).
fn namespace(socket: BorrowedFd<'_>) -> u64 {
    let (mut cookie, mut length) = (0_u64, size_of::<u64>() as u32);
    let (option, pointer) = (libc::SO_NETNS_COOKIE, (&raw mut cookie).cast());
    // SAFETY: the kernel writes at most `length` bytes, which is the size of the value.
    let asked = checked(unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, pointer, &raw mut length)
    });
    asked.map_or(0, |_| cookie)
}

/// Returns the kernel's view of the interface with this name; `None` if there is no such interface.
/// Any socket can query it.
pub(crate) fn interface(socket: BorrowedFd<'_>, name: &str) -> io::Result<Option<Interface>> {
    let Some(mut request) = interface_request(name) else { return Ok(None) };
    let mut answers = [0; 3];
    let questions = [libc::SIOCGIFINDEX, libc::SIOCGIFFLAGS, libc::SIOCGIFMTU];
    for (answer, what) in answers.iter_mut().zip(questions) {
        // SAFETY: these requests read the name in the `ifreq` and write its union.
        match checked(unsafe { libc::ioctl(socket.as_raw_fd(), what, &raw mut request) }) {
            Ok(_) => *answer = number(&request, what),
            Err(error) if error.raw_os_error() == Some(libc::ENODEV) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let [index, flags, mtu] = answers;
    let wanted = libc::IFF_UP | libc::IFF_RUNNING;
    Ok(Some(Interface { index: index as u32, up: flags & wanted == wanted, mtu: mtu as usize }))
}

/// Returns the number of receive queues that an interface has: one if its driver does not report
/// them.
pub(crate) fn receive_queues(socket: BorrowedFd<'_>, name: &str) -> u32 {
    const GET_CHANNELS: u32 = 0x3c;
    // The command, four limits, and the numbers of queues for receiving, for sending, for neither,
    // and for both.
    let mut channels = [GET_CHANNELS, 0, 0, 0, 0, 0, 0, 0, 0];
    let Some(mut request) = interface_request(name) else { return 1 };
    request.ifr_ifru.ifru_data = channels.as_mut_ptr().cast();
    // SAFETY: the request points to a live structure of the size that this command writes.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut request) };
    if result < 0 { 1 } else { (channels[5] + channels[8]).max(1) }
}

/// Returns a request for an interface; `None` if no interface can have this name.
pub(super) fn interface_request(name: &str) -> Option<libc::ifreq> {
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { zeroed() };
    if name.is_empty() || name.len() >= request.ifr_name.len() {
        return None;
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    Some(request)
}

/// Returns the kernel's answer to one of the three requests.
fn number(request: &libc::ifreq, what: libc::Ioctl) -> c_int {
    // SAFETY: every bit pattern is a valid integer, and the union was zero before the kernel wrote.
    unsafe {
        match what {
            libc::SIOCGIFFLAGS => c_int::from(request.ifr_ifru.ifru_flags),
            libc::SIOCGIFMTU => request.ifr_ifru.ifru_mtu,
            _ => request.ifr_ifru.ifru_ifindex,
        }
    }
}
