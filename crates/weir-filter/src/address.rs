//! MAC addresses and IP prefixes, with their text forms.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// An IEEE 802 address of 48 bits, in the order of the bytes on the wire; written
/// `08:00:00:00:01:11`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// The broadcast address `ff:ff:ff:ff:ff:ff`.
    pub const BROADCAST: MacAddress = MacAddress([0xff; 6]);

    /// Returns whether this is the address of a single station: the group bit (lowest bit of the
    /// first byte) is clear and not all bits are zero.
    pub fn is_unicast(self) -> bool {
        self.0[0] & 1 == 0 && self.0 != [0; 6]
    }

    /// Returns whether the group bit is set, so that this is a multicast or broadcast address.
    pub fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// Returns the MAC group address for an IP multicast address (RFC 1112, section 6.4; RFC 2464,
    /// section 7).
    pub fn of_multicast(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => {
                let [_, b, c, d] = address.octets();
                MacAddress([0x01, 0x00, 0x5e, b & 0x7f, c, d])
            }
            IpAddr::V6(address) => {
                let [.., a, b, c, d] = address.octets();
                MacAddress([0x33, 0x33, a, b, c, d])
            }
        }
    }

    /// Returns the address that every interface with IPv6 has on its own link (RFC 4291, appendix
    /// A; RFC 2464, section 5).
    pub fn link_local(self) -> Ipv6Addr {
        let [a, b, c, d, e, f] = self.0;
        let mut octets = [0; 16];
        octets[..2].copy_from_slice(&[0xfe, 0x80]);
        octets[8..].copy_from_slice(&[a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
        Ipv6Addr::from(octets)
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// The error for a text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct ParseAddressError {
    /// The text that is not an address.
    pub text: String,
    /// The expected form, with an example.
    pub expected: &'static str,
}

impl FromStr for MacAddress {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseAddressError {
            text: text.to_owned(),
            expected: "a MAC address: six pairs of hexadecimal digits such as 08:00:00:00:01:11",
        };
        let mut bytes = [0; 6];
        let mut parts = text.split([':', '-']);
        for byte in &mut bytes {
            let part = parts.next().ok_or_else(error)?;
            if part.is_empty() || part.len() > 2 || !part.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(error());
            }
            *byte = u8::from_str_radix(part, 16).map_err(|_| error())?;
        }
        if parts.next().is_some() { Err(error()) } else { Ok(MacAddress(bytes)) }
    }
}

/// An IP address with the length of its network's prefix, written `10.0.1.1/24` or
/// `2001:db8::1/64`. In a route's destination, the bits after the prefix are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IpPrefix {
    address: IpAddr,
    length: u8,
}

impl IpPrefix {
    /// The prefix `0.0.0.0/0`, the destination of IPv4's default route.
    pub const DEFAULT: IpPrefix = IpPrefix { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), length: 0 };
    /// The prefix `::/0`, the destination of IPv6's default route.
    pub const DEFAULT_V6: IpPrefix = IpPrefix { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), length: 0 };

    /// Creates an address and a prefix length of 0 to 32 bits, or 0 to 128 for IPv6.
    ///
    /// # Errors
    /// The length is above 32 (IPv4) or above 128 (IPv6).
    pub fn new(address: impl Into<IpAddr>, length: u8) -> Result<Self, ParseAddressError> {
        let address = address.into();
        let (max, expected) = match address {
            IpAddr::V4(_) => (32, "an IPv4 prefix: its length is between 0 and 32"),
            IpAddr::V6(_) => (128, "an IPv6 prefix: its length is between 0 and 128"),
        };
        if length > max {
            return Err(ParseAddressError { text: format!("{address}/{length}"), expected });
        }
        Ok(IpPrefix { address, length })
    }

    /// Returns the address, including its host bits.
    pub fn address(self) -> IpAddr {
        self.address
    }

    /// Returns the length of the network's prefix in bits, 0 to 32 or 128.
    pub fn length(self) -> u8 {
        self.length
    }

    fn v4_mask(self) -> u32 {
        u32::MAX.checked_shl(32 - u32::from(self.length)).unwrap_or(0)
    }

    /// Returns whether `address` is in this network; always false for an address of the other
    /// family.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => (own.to_bits() ^ other.to_bits()) & self.v4_mask() == 0,
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.length)).unwrap_or(0);
                (own.to_bits() ^ other.to_bits()) & mask == 0
            }
            _ => false,
        }
    }

    /// Returns the network's broadcast address: all host bits are one. `None` for /31 (RFC 3021)
    /// and /32, and for IPv6, which has no broadcast.
    pub fn broadcast(self) -> Option<Ipv4Addr> {
        match self.address {
            IpAddr::V4(address) if self.length < 31 => {
                Some(Ipv4Addr::from_bits(address.to_bits() | !self.v4_mask()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for IpPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

impl FromStr for IpPrefix {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseAddressError {
            text: text.to_owned(),
            expected: "an IP address with its prefix length such as 10.0.1.1/24 or 2001:db8::1/64",
        };
        let (address, length) = text.split_once('/').ok_or_else(error)?;
        if length.is_empty() || !length.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error());
        }
        let address: IpAddr = address.parse().map_err(|_| error())?;
        Self::new(address, length.parse().map_err(|_| error())?).map_err(|_| error())
    }
}

/// Returns whether the address can belong to a single host, judged by the address alone.
pub fn is_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            !address.is_broadcast() && !address.is_unspecified() && !address.is_multicast()
        }
        IpAddr::V6(address) => !address.is_unspecified() && !address.is_multicast(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mac_addresses_print_and_parse_back() {
        let mac: MacAddress = "08:00:00:00:01:1f".parse().unwrap();
        assert_eq!(mac, MacAddress([8, 0, 0, 0, 1, 0x1f]));
        assert_eq!(mac.to_string(), "08:00:00:00:01:1f");
        for bad in
            ["", "08:00:00:00:01", "08:00:00:00:01:11:22", "08:00:00:00:01:+1", "08:00:00:00:01:111", "x"]
        {
            assert!(bad.parse::<MacAddress>().is_err(), "{bad}");
        }
    }

    #[test]
    fn prefixes_contain_their_network() {
        let v4 = |text: &str| text.parse::<Ipv4Addr>().map(IpAddr::V4).unwrap();
        let prefix: IpPrefix = "10.0.1.1/24".parse().unwrap();
        assert!(prefix.contains(v4("10.0.1.254")) && !prefix.contains(v4("10.0.2.1")));
        assert_eq!(prefix.broadcast(), Some(Ipv4Addr::new(10, 0, 1, 255)));
        assert!(
            IpPrefix::DEFAULT.contains(v4("192.0.2.1")) && !IpPrefix::DEFAULT_V6.contains(v4("192.0.2.1"))
        );
        let host: IpPrefix = "10.0.1.1/32".parse().unwrap();
        assert!(host.contains(host.address()) && !host.contains(v4("10.0.1.0")));
        assert_eq!(host.broadcast(), None);
        let v6: IpPrefix = "2001:db8::1/64".parse().unwrap();
        assert!(
            v6.contains("2001:db8::ffff".parse().unwrap())
                && !v6.contains("2001:db8:0:1::1".parse().unwrap())
        );
        assert!(IpPrefix::DEFAULT_V6.contains(v6.address()) && !IpPrefix::DEFAULT.contains(v6.address()));
        assert_eq!((v6.to_string().as_str(), v6.broadcast()), ("2001:db8::1/64", None));
        for bad in [
            "10.0.1.1",
            "10.0.1.1/33",
            "10.0.1/24",
            "10.0.1.1/",
            "10.0.1.1/+4",
            "10.0.1.1/-1",
            "::1/129",
            "::1",
        ] {
            assert!(bad.parse::<IpPrefix>().is_err(), "{bad}");
        }
    }

    #[test]
    fn derived_addresses_are_correct() {
        let mac = MacAddress([8, 0, 0, 0, 1, 0x11]);
        assert_eq!(mac.link_local().to_string(), "fe80::a00:ff:fe00:111");
        let group = |text: &str| MacAddress::of_multicast(text.parse().unwrap()).to_string();
        assert_eq!(group("224.129.2.3"), "01:00:5e:01:02:03");
        assert_eq!(group("ff02::1:ff00:111"), "33:33:ff:00:01:11");
    }
}
