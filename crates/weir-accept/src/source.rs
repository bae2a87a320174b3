//! The sources of connections, as limits by address count them.

use std::net::{IpAddr, Ipv6Addr};

/// The origin of a connection. Origins that one sender can choose among are the same: all addresses
/// of the loopback interface, and the addresses of an IPv6 network of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Processes of this computer, over IP.
    Loopback,
    /// Processes of this computer, over a Unix socket.
    Unix,
    /// An IPv4 address, or the first address of an IPv6 network of 64 bits.
    Address(IpAddr),
}

impl From<IpAddr> for Source {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() => Self::Loopback,
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                Self::Address(Ipv6Addr::from(network).into())
            }
            address => Self::Address(address),
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Loopback => f.write_str("this computer"),
            Self::Unix => f.write_str("a Unix socket"),
            Self::Address(IpAddr::V6(network)) => write!(f, "{network}/64"),
            Self::Address(address) => address.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_sender_are_one_source() {
        let source = |text: &str| Source::from(text.parse::<IpAddr>().unwrap());
        assert_eq!([source("127.0.0.2"), source("::1"), source("::ffff:127.0.0.1")], [Source::Loopback; 3]);
        assert_eq!(source("2001:db8::1:2"), source("2001:db8::ffff:0:0:1"));
        assert_ne!(source("2001:db8::1"), source("2001:db8:0:1::1"));
        assert_eq!(source("::ffff:192.0.2.1"), source("192.0.2.1"));
        assert_ne!(source("192.0.2.1"), source("192.0.2.2"));
    }
}
