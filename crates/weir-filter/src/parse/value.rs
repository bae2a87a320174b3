//! Parses the value after the qualifiers: an address, a network, a port, or a protocol.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::{Kind, Parser, Qualifiers, Subject, number, subject};
use crate::FilterError;
use crate::MacAddress;
use crate::eval::{Family, Side, Test};
use crate::lex::Token;
use crate::view::{ARP, IPV4, IPV6};

impl Parser<'_> {
    /// Parses the value of qualifiers, such as an address after `host`.
    pub(super) fn value(&mut self, qualifiers: Qualifiers) -> Result<Test, FilterError> {
        let Qualifiers { subject, side, kind } = qualifiers;
        let side_or_either = side.unwrap_or(Side::Either);
        let family = match subject {
            None => Some(Family::Any),
            Some(Subject::Ipv4) => Some(Family::Ipv4),
            Some(Subject::Ipv6) => Some(Family::Ipv6),
            Some(Subject::Arp) => Some(Family::Arp),
            Some(Subject::Ether | Subject::Protocol(_)) => None,
        };
        match (kind.unwrap_or(Kind::Host), subject, family) {
            (Kind::Host, Some(Subject::Ether), _) => {
                let mac = self.parse_token::<MacAddress>("a MAC address such as 08:00:00:00:01:11")?;
                self.next += 1;
                Ok(Test::Hardware(side_or_either, mac))
            }
            (Kind::Host, _, Some(family)) => {
                let address = self.parse_token::<IpAddr>("an IP address (names are not resolved)")?;
                self.check_family(family, address)?;
                self.next += 1;
                Ok(Test::Net(family, side_or_either, address, if address.is_ipv4() { 32 } else { 128 }))
            }
            (Kind::Net, _, Some(family)) => self.network(family, side_or_either),
            (Kind::Port | Kind::PortRange, None | Some(Subject::Protocol(6 | 17 | 132)), _) => {
                let protocol = match subject {
                    Some(Subject::Protocol(number)) => Some(number),
                    _ => None,
                };
                self.ports(kind == Some(Kind::PortRange), protocol, side_or_either)
            }
            (Kind::Proto, Some(Subject::Ether), _) if side.is_none() => self.ether_type(),
            (Kind::Proto, None | Some(Subject::Ipv4 | Subject::Ipv6), Some(family)) if side.is_none() => {
                self.protocol(family)
            }
            _ => {
                self.next -= 1;
                Err(self.error_here("these qualifiers cannot be combined"))
            }
        }
    }

    /// Parses the current token as an address, without consuming it.
    fn parse_token<T: FromStr>(&self, what: &str) -> Result<T, FilterError> {
        self.peek_word().and_then(|word| word.parse().ok()).ok_or_else(|| self.expected_error(what, &[]))
    }

    fn check_family(&self, family: Family, address: IpAddr) -> Result<(), FilterError> {
        let is_other_family = match family {
            Family::Any => false,
            Family::Ipv4 | Family::Arp => address.is_ipv6(),
            Family::Ipv6 => address.is_ipv4(),
        };
        if is_other_family {
            Err(self.error_here(format!("`{address}` is an address of the other IP version")))
        } else {
            Ok(())
        }
    }

    /// Parses a network, such as `10.0.0.0/8` or `10.0.0.0 mask 255.0.0.0`.
    fn network(&mut self, family: Family, side: Side) -> Result<Test, FilterError> {
        /// The part that is expected at this place, for messages.
        const EXPECTED: &str = "a network such as 10.0.0.0/8 or 2001:db8::/32";
        let Some(word) = self.peek_word() else { return Err(self.expected_error(EXPECTED, &[])) };
        let (address, length) = word.split_once('/').map_or((word, None), |(a, l)| (a, Some(l)));
        let Ok(address) = address.parse::<IpAddr>() else { return Err(self.expected_error(EXPECTED, &[])) };
        self.check_family(family, address)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match length {
            Some(length) => length
                .parse::<u8>()
                .ok()
                .filter(|bits| *bits <= most)
                .ok_or_else(|| self.expected_error(EXPECTED, &[]))?,
            None if matches!(self.tokens.get(self.next + 1), Some((_, Token::Word("mask")))) => {
                self.next += 2;
                let mask = self.parse_token::<Ipv4Addr>("a mask such as 255.0.0.0")?.to_bits();
                if mask.leading_ones() + mask.trailing_zeros() < 32 || most != 32 {
                    return Err(self.error_here("expected a contiguous IPv4 mask"));
                }
                mask.leading_ones() as u8
            }
            None => {
                return Err(
                    self.error(format!("`{word}` has no prefix length"), Some(format!("host {word}")))
                );
            }
        };
        let network = match address {
            IpAddr::V4(address) => IpAddr::from(Ipv4Addr::from_bits(
                address.to_bits() & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0),
            )),
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
                IpAddr::from(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        };
        if network != address {
            let suggestion = format!("{network}/{bits}");
            return Err(self.error(format!("`{word}` has host bits set"), Some(suggestion)));
        }
        self.next += 1;
        Ok(Test::Net(family, side, network, bits))
    }

    /// Parses a port or a range of ports.
    fn ports(&mut self, range: bool, protocol: Option<u8>, side: Side) -> Result<Test, FilterError> {
        if !range {
            let port = self.number_within(65_535, "a port number")? as u16;
            return Ok(Test::Port(protocol, side, port, port));
        }
        let ends = self.peek_word().and_then(|word| word.split_once('-'));
        let ends = ends.and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let Some((first, last)) = ends.filter(|(first, last)| first <= last && *last <= 65_535) else {
            return Err(self.expected_error("two port numbers such as 5000-5010, the lower first", &[]));
        };
        self.next += 1;
        Ok(Test::Port(protocol, side, first as u16, last as u16))
    }

    fn ether_type(&mut self) -> Result<Test, FilterError> {
        let named = match self.peek_word() {
            Some("ip") => Some(IPV4),
            Some("ip6") => Some(IPV6),
            Some("arp") => Some(ARP),
            _ => None,
        };
        if let Some(named) = named {
            self.next += 1;
            return Ok(Test::EtherType(named));
        }
        let number = self.number_within(0xffff, "an EtherType such as 0x0800, ip, ip6 or arp")?;
        Ok(Test::EtherType(number as u16))
    }

    /// Parses the name or number of a protocol after `proto`.
    fn protocol(&mut self, family: Family) -> Result<Test, FilterError> {
        if let Some(Subject::Protocol(named)) = self.peek_word().and_then(subject) {
            self.next += 1;
            return Ok(Test::Protocol(family, named));
        }
        let number = self.number_within(255, "a protocol number, tcp, udp, sctp, icmp or icmp6")?;
        Ok(Test::Protocol(family, number as u8))
    }
}
