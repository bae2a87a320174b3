//! Notices if two processes use the same interface as a port, so that both get its frames.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// A claim tells other switches and links, until it is dropped, that an interface is already a
/// port.
///
/// The claim is an abstract address of a Unix socket, and each network namespace has its own
/// addresses. A claim does not prevent other programs from using the interface.
#[derive(Debug)]
pub struct Claim {
    _address: Option<UnixDatagram>,
}

/// An interface is a port of another switch or link.
#[derive(Debug, thiserror::Error)]
#[error(
    "{interface} is a port of another Weir switch or link too: both receive its frames, so whatever they \
     forward goes out twice; stop one of them, or give it another interface"
)]
pub struct AlreadyClaimed {
    interface: String,
}

impl Claim {
    /// Claims an interface in the thread's network namespace.
    ///
    /// # Errors
    /// Another program has claimed the interface. A process that may not use Unix sockets never
    /// gets this error.
    pub fn new(interface: &str) -> Result<Self, AlreadyClaimed> {
        let address = SocketAddr::from_abstract_name(format!("weir/port/{interface}"));
        match address.and_then(|address| UnixDatagram::bind_addr(&address)) {
            Ok(socket) => Ok(Self { _address: Some(socket) }),
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                Err(AlreadyClaimed { interface: interface.to_owned() })
            }
            Err(_) => Ok(Self { _address: None }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_claimed_once_at_a_time() {
        let name = format!("test{}", std::process::id());
        let first = Claim::new(&name).unwrap();
        let warning = Claim::new(&name).unwrap_err().to_string();
        assert!(warning.starts_with(&format!("{name} is a port of another")), "{warning}");
        let _other = Claim::new(&format!("{name}x")).unwrap();
        drop(first);
        let _again = Claim::new(&name).unwrap();
    }
}
