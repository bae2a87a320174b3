//! Addresses and networks of IPv4 and IPv6.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_json::Value;

use crate::Error;
use crate::text::{is_number, show_text, string};

/// A host's address, and the length of its network's prefix in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostAddress {
    /// The address of the host's interface.
    pub address: IpAddr,
    /// The number of bits of the network's prefix.
    pub prefix: u8,
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl HostAddress {
    /// Returns whether an address is in this host's network.
    pub fn contains_address(&self, other: IpAddr) -> bool {
        match (self.address, other) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()) & mask4(self.prefix) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()) & mask6(self.prefix) == 0
            }
            _ => false,
        }
    }

    /// Returns whether the host's network contains no other address.
    pub fn is_only_host(&self) -> bool {
        self.prefix == if self.address.is_ipv4() { 32 } else { 128 }
    }

    /// Returns the network that the host is attached to.
    pub fn network(&self) -> Network {
        let address = match self.address {
            IpAddr::V4(own) => Ipv4Addr::from_bits(own.to_bits() & mask4(self.prefix)).into(),
            IpAddr::V6(own) => Ipv6Addr::from_bits(own.to_bits() & mask6(self.prefix)).into(),
        };
        Network { address, prefix: self.prefix }
    }
}

/// A destination of routes: an address whose bits past the prefix are zero. Its text is
/// `10.0.0.0/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// The first address.
    pub address: IpAddr,
    /// The number of bits of the prefix.
    pub prefix: u8,
}

impl Network {
    /// The network of all addresses of IPv4: `0.0.0.0/0`.
    pub const ALL_V4: Self = Self { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 };
    /// The network of all addresses of IPv6: `::/0`.
    pub const ALL_V6: Self = Self { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), prefix: 0 };

    /// Returns the network of one address of IPv4.
    pub fn of_host(address: Ipv4Addr) -> Self {
        Self { address: address.into(), prefix: 32 }
    }

    /// Returns whether an address is in this network.
    pub fn contains(&self, address: IpAddr) -> bool {
        HostAddress { address: self.address, prefix: self.prefix }.contains_address(address)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

/// Reads `10.0.1.1/24`.
///
/// # Errors
/// The value is not an IPv4 address, has no prefix length, or is not allowed for a host.
pub fn host_v4(value: &Value) -> Result<HostAddress, Error> {
    parse_host_v4(string(value, "an address such as \"10.0.1.1/24\"")?)
}

/// Reads `2001:db8::1/64`.
///
/// # Errors
/// The value is not an IPv6 address, has no prefix length, or is not allowed for a host.
pub fn host_v6(value: &Value) -> Result<HostAddress, Error> {
    parse_host_v6(string(value, "an address such as \"2001:db8::1/64\"")?)
}

/// Reads `10.0.1.1`.
///
/// # Errors
/// The value is not an IPv4 address.
pub fn v4(value: &Value) -> Result<Ipv4Addr, Error> {
    parse_v4(string(value, "an IPv4 address such as \"10.0.1.1\"")?)
}

/// Reads `2001:db8::1`.
///
/// # Errors
/// The value is not an IPv6 address.
pub fn v6(value: &Value) -> Result<Ipv6Addr, Error> {
    parse_v6(string(value, "an IPv6 address such as \"2001:db8::1\"")?)
}

/// Reads an address of IPv4 or, with colons in it, of IPv6.
///
/// # Errors
/// The value is neither.
pub fn read_address(value: &Value) -> Result<IpAddr, Error> {
    parse_any(string(value, "an IPv4 address such as \"10.0.1.1\"")?)
}

/// Reads the text of an address; see [`read_address`].
///
/// # Errors
/// The text is not an address.
pub fn parse_any(text: &str) -> Result<IpAddr, Error> {
    Ok(if text.contains(':') { parse_v6(text)?.into() } else { parse_v4(text)?.into() })
}

pub(crate) fn parse_v4(text: &str) -> Result<Ipv4Addr, Error> {
    text.parse().map_err(|_| {
        let quoted = show_text(text);
        if text.contains(':') {
            return Error::new(format!(
                "\"{quoted}\" is an IPv6 address, expected an IPv4 address such as \"10.0.1.1\""
            ));
        }
        Error::new(format!("\"{quoted}\" is not an IPv4 address ({})", explain_v4(text)))
    })
}

/// Returns the reason why a text is not an IPv4 address.
fn explain_v4(text: &str) -> String {
    let octets: Vec<_> = text.split('.').collect();
    if octets.len() != 4 {
        return "expected 4 octets".to_owned();
    }
    for octet in octets {
        let quoted = show_text(octet);
        if octet.is_empty() {
            return "empty octet not permitted".to_owned();
        }
        if !is_number(octet) {
            return format!("only decimal digits permitted in '{quoted}'");
        }
        if octet.len() > 3 {
            return format!("at most 3 digits permitted in '{quoted}'");
        }
        if octet.len() > 1 && octet.starts_with('0') {
            return format!("leading zeros are not permitted in '{quoted}'");
        }
        if octet.parse::<u8>().is_err() {
            return format!("octet {quoted} (> 255) not permitted");
        }
    }
    "expected 4 octets".to_owned()
}

fn parse_v6(text: &str) -> Result<Ipv6Addr, Error> {
    text.parse().map_err(|_| {
        Error::new(format!("\"{}\" is not an IPv6 address ({})", show_text(text), explain_v6(text)))
    })
}

/// Returns the reason why a text is not an IPv6 address.
fn explain_v6(text: &str) -> String {
    if text.matches("::").count() > 1 || text.contains(":::") {
        return "at most one '::' permitted".to_owned();
    }
    for group in text.split(':').filter(|group| !group.contains('.')) {
        let quoted = show_text(group);
        if !group.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return format!("only hex digits permitted in '{quoted}'");
        }
        if group.len() > 4 {
            return format!("at most 4 digits permitted in '{quoted}'");
        }
    }
    "expected 8 groups of hex digits, or '::' for some of them".to_owned()
}

/// Reads the text of a host's address of either version.
pub(crate) fn parse_host(text: &str) -> Result<HostAddress, Error> {
    if text.contains(':') { parse_host_v6(text) } else { parse_host_v4(text) }
}

pub(crate) fn parse_host_v4(text: &str) -> Result<HostAddress, Error> {
    let (address, prefix) = split_prefix(text);
    let address = parse_v4(address)?;
    let prefix = host_prefix(text, prefix, 32, 24)?;
    check_host(address.into())?;
    // Networks of one or two addresses have no broadcast address (RFC 3021).
    if prefix < 31 && address.to_bits() | mask4(prefix) == u32::MAX {
        return Err(Error::new(format!("{address} is its network's broadcast address, not a host's")));
    }
    Ok(HostAddress { address: address.into(), prefix })
}

fn parse_host_v6(text: &str) -> Result<HostAddress, Error> {
    let (address, prefix) = split_prefix(text);
    let address = parse_v6(address)?;
    let prefix = host_prefix(text, prefix, 128, 64)?;
    check_host(address.into())?;
    Ok(HostAddress { address: address.into(), prefix })
}

/// Refuses an address that no host on a network can have (RFC 6890, section 2.2).
///
/// # Errors
/// No host can have the address; the error says why.
pub fn check_host(address: IpAddr) -> Result<(), Error> {
    let reason = match address {
        IpAddr::V4(v4) if v4.is_multicast() => "224.0.0.0/4 is for multicast",
        IpAddr::V4(v4) => match v4.octets()[0] {
            0 => "0.0.0.0/8 means this network",
            127 => "127.0.0.0/8 is for loopback",
            240.. => "240.0.0.0/4 is reserved",
            _ => return Ok(()),
        },
        IpAddr::V6(v6) if v6.is_unspecified() => ":: means no address",
        IpAddr::V6(v6) if v6.is_loopback() => "::1 is for loopback",
        IpAddr::V6(v6) if v6.is_multicast() => "ff00::/8 is for multicast",
        IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some() => "::ffff:0:0/96 stands for addresses of IPv4",
        IpAddr::V6(_) => return Ok(()),
    };
    Err(Error::new(format!("{address} cannot be the address of a host: {reason}")))
}

fn split_prefix(text: &str) -> (&str, Option<&str>) {
    text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)))
}

/// Returns the prefix length in the text of a host's address.
fn host_prefix(text: &str, prefix: Option<&str>, bits: u8, usual: u8) -> Result<u8, Error> {
    let Some(prefix) = prefix else {
        let error = Error::new(format!("\"{}\" has no prefix length", show_text(text)));
        return Err(error.suggesting(Some(format!("{text}/{usual}"))));
    };
    read_prefix(prefix, bits).ok_or_else(|| {
        let prefix = show_text(prefix);
        Error::new(format!("\"{prefix}\" is not a prefix length: expected 0 to {bits}"))
    })
}

fn read_prefix(text: &str, bits: u8) -> Option<u8> {
    text.parse().ok().filter(|prefix| is_number(text) && *prefix <= bits)
}

/// Reads `10.0.0.0/24`, `10.0.0.0/255.255.255.0` or `2001:db8::/32`; an address alone is a network
/// with this address only.
///
/// # Errors
/// The text is not a network, or has bits set past its prefix.
pub fn parse_network(text: &str) -> Result<Network, Error> {
    let (address, prefix) = split_prefix(text);
    let is_v6 = text.contains(':');
    let network = if is_v6 {
        address.parse::<Ipv6Addr>().ok().and_then(|address| {
            let prefix = prefix.map_or(Some(128), |prefix| read_prefix(prefix, 128))?;
            let first = Ipv6Addr::from_bits(address.to_bits() & mask6(prefix));
            Some((address.into(), Network { address: first.into(), prefix }))
        })
    } else {
        address.parse::<Ipv4Addr>().ok().and_then(|address| {
            let prefix = prefix.map_or(Some(32), |prefix| {
                read_prefix(prefix, 32).or_else(|| mask_length(prefix.parse().ok()?))
            })?;
            let first = Ipv4Addr::from_bits(address.to_bits() & mask4(prefix));
            Some((IpAddr::from(address), Network { address: first.into(), prefix }))
        })
    };
    let quoted = show_text(text);
    match network {
        None => {
            let (version, example) = if is_v6 { ("IPv6", "2001:db8::/32") } else { ("IPv4", "10.0.0.0/24") };
            Err(Error::new(format!("\"{quoted}\" is not an {version} network such as {example}")))
        }
        Some((address, network)) if network.address != address => {
            let error = Error::new(format!("\"{quoted}\" has bits set past its prefix"));
            Err(error.suggesting(Some(network.to_string())))
        }
        Some((_, network)) => Ok(network),
    }
}

/// Returns the prefix length of a network mask such as `255.255.255.0`.
pub(crate) fn mask_length(mask: Ipv4Addr) -> Option<u8> {
    let prefix = mask.to_bits().leading_ones() as u8;
    (mask.to_bits() == mask4(prefix)).then_some(prefix)
}

fn mask4(prefix: u8) -> u32 {
    u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0)
}

fn mask6(prefix: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0)
}
