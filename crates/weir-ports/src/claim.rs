//! Notices when two processes make a port of the same interface, so that both get its frames.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Tells other switches and links that an interface is a port already, as long as it lives.
///
/// It is the address of a Unix socket, of which each network namespace has its own. It keeps nobody
/// from using the interface.
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
    /// Somebody has claimed it. A process that may not use Unix sockets never learns so.
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
