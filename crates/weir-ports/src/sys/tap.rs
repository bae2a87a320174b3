//! TAP devices.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use super::checked;
use super::socket::interface_request;
use crate::vnet::VNET_BYTES;

/// Opens a TAP device that does not block, and creates its interface.
pub(crate) fn open_tap(interface: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let device = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    attach_tap(&device, interface)?;
    Ok(device)
}

/// Connects a device with the interface of this name, which is created if there is none. Frames
/// have virtio-net headers and all offloads that the kernel supports.
pub(crate) fn attach_tap(device: &File, interface: &str) -> io::Result<()> {
    let mut request = interface_request(interface).ok_or(io::ErrorKind::InvalidInput)?;
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as libc::c_short;
    // SAFETY: the request reads and writes the live `ifreq`.
    checked(unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) })?;
    // An existing interface keeps the header length that another program has set.
    let length = VNET_BYTES as libc::c_int;
    // SAFETY: the request reads a live integer.
    checked(unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETVNETHDRSZ, &raw const length) })?;
    let usual = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
    // Kernels before 6.2 have no GSO of UDP for TAP devices.
    let all = usual | libc::TUN_F_USO4 | libc::TUN_F_USO6;
    // SAFETY: the argument is a number, not an address, and as wide as the kernel reads it.
    let set = |offloads: libc::c_uint| {
        checked(unsafe {
            libc::ioctl(device.as_raw_fd(), libc::TUNSETOFFLOAD, libc::c_ulong::from(offloads))
        })
    };
    set(all).or_else(|_| set(usual)).map(|_| ())
}
