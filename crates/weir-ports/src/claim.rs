//! Detects that two processes use the same interface as a port, so that both get its frames.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// A claim tells other switches and links, until it is dropped, that an interface is already a
/// port.
///
/// The claim is an abstract address of a Unix socket, and each network namespace has its own
/// addresses. A claim does not prevent other programs from using the interface.
#[derive(Debug)]
pub(crate) struct Claim {
    /// The claimed address; `None` if the process is not permitted to claim it, or another process
    /// has claimed it.
    _address: Option<UnixDatagram>,
}

/// The error that an interface is already a port of another switch or link.
#[derive(Debug, thiserror::Error)]
#[error(
    "{interface} is also a port of another Weir switch or link: both receive its frames, so whatever they \
     forward goes out twice; stop one of them, or give it another interface"
)]
pub struct AlreadyClaimed {
    interface: String,
}

impl Claim {
    /// Claims an interface in the thread's network namespace, and says if another program has
    /// claimed it. A process without permission for Unix sockets does not notice other claims.
    pub(crate) fn new(interface: &str) -> (Self, Option<AlreadyClaimed>) {
        let address = SocketAddr::from_abstract_name(format!("weir/port/{interface}"));
        match address.and_then(|address| UnixDatagram::bind_addr(&address)) {
            Ok(socket) => (Self { _address: Some(socket) }, None),
            Err(error) => {
                let is_used = error.kind() == ErrorKind::AddrInUse;
                let already = is_used.then(|| AlreadyClaimed { interface: interface.to_owned() });
                (Self { _address: None }, already)
            }
        }
    }
}
