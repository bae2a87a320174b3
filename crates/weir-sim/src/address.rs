//! Addresses as people write them.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

/// An IEEE 802 address of 48 bits, first byte on the wire first; written `08:00:00:00:01:11`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// `ff:ff:ff:ff:ff:ff`.
    pub const BROADCAST: MacAddress = MacAddress([0xff; 6]);

    /// Whether this addresses one station: the group bit (lowest bit of the first byte) is clear and not all bits are zero.
    pub fn is_unicast(self) -> bool {
        self.0[0] & 1 == 0 && self.0 != [0; 6]
    }

    /// Whether the group bit is set: multicast or broadcast.
    pub fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// The group address that carries an IPv4 multicast address (RFC 1112, section 6.4).
    pub(crate) fn of_multicast(address: Ipv4Addr) -> Self {
        let [_, b, c, d] = address.octets();
        MacAddress([0x01, 0x00, 0x5e, b & 0x7f, c, d])
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// An address that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct ParseAddressError {
    /// What was given.
    pub text: String,
    /// What was expected, with an example.
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

/// An IPv4 address with the length of its network's prefix, written `10.0.1.1/24`. As a route's destination the bits
/// after the prefix do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ipv4Prefix {
    address: Ipv4Addr,
    length: u8,
}

impl Ipv4Prefix {
    /// `0.0.0.0/0`: the destination of a default route.
    pub const DEFAULT: Ipv4Prefix = Ipv4Prefix { address: Ipv4Addr::UNSPECIFIED, length: 0 };

    /// An address and a prefix length of 0 to 32 bits.
    ///
    /// # Errors
    /// The length is above 32.
    pub fn new(address: Ipv4Addr, length: u8) -> Result<Self, ParseAddressError> {
        if length > 32 {
            return Err(ParseAddressError {
                text: format!("{address}/{length}"),
                expected: "an IPv4 prefix: its length is between 0 and 32",
            });
        }
        Ok(Ipv4Prefix { address, length })
    }

    /// The address, with all its bits.
    pub fn address(self) -> Ipv4Addr {
        self.address
    }

    /// Bits in the network's prefix, 0 to 32.
    pub fn length(self) -> u8 {
        self.length
    }

    fn mask(self) -> u32 {
        u32::MAX.checked_shl(32 - u32::from(self.length)).unwrap_or(0)
    }

    /// Whether `address` is in this network.
    pub fn contains(self, address: Ipv4Addr) -> bool {
        (self.address.to_bits() ^ address.to_bits()) & self.mask() == 0
    }

    /// The network's broadcast address: all host bits one. None for /31 (RFC 3021) and /32.
    pub fn broadcast(self) -> Option<Ipv4Addr> {
        (self.length < 31).then(|| Ipv4Addr::from_bits(self.address.to_bits() | !self.mask()))
    }
}

impl fmt::Display for Ipv4Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

impl FromStr for Ipv4Prefix {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseAddressError {
            text: text.to_owned(),
            expected: "an IPv4 address with its prefix length such as 10.0.1.1/24",
        };
        let (address, length) = text.split_once('/').ok_or_else(error)?;
        if length.is_empty() || !length.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error());
        }
        Self::new(address.parse().map_err(|_| error())?, length.parse().map_err(|_| error())?)
            .map_err(|_| error())
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
        let prefix: Ipv4Prefix = "10.0.1.1/24".parse().unwrap();
        assert!(prefix.contains(Ipv4Addr::new(10, 0, 1, 254)));
        assert!(!prefix.contains(Ipv4Addr::new(10, 0, 2, 1)));
        assert_eq!(prefix.broadcast(), Some(Ipv4Addr::new(10, 0, 1, 255)));
        assert!(Ipv4Prefix::DEFAULT.contains(Ipv4Addr::new(192, 0, 2, 1)));
        let host: Ipv4Prefix = "10.0.1.1/32".parse().unwrap();
        assert!(host.contains(host.address()) && !host.contains(Ipv4Addr::new(10, 0, 1, 0)));
        assert_eq!(host.broadcast(), None);
        for bad in ["10.0.1.1", "10.0.1.1/33", "10.0.1/24", "10.0.1.1/", "10.0.1.1/+4", "10.0.1.1/-1"] {
            assert!(bad.parse::<Ipv4Prefix>().is_err(), "{bad}");
        }
    }
}
