//! The syntax tree of a filter and its evaluation on a frame.

use std::net::IpAddr;

use super::view::{ARP, IPV4, IPV6, View};
use crate::MacAddress;

/// The addresses or ports that a primitive compares: the source, the destination, or either of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Destination,
    Either,
    Both,
}

impl Side {
    /// Returns whether a test holds for this side; `of_source` tests the source if its argument is
    /// true, otherwise the destination.
    fn holds(self, of_source: impl Fn(bool) -> bool) -> bool {
        match self {
            Side::Source => of_source(true),
            Side::Destination => of_source(false),
            Side::Either => of_source(true) || of_source(false),
            Side::Both => of_source(true) && of_source(false),
        }
    }
}

/// The protocol whose addresses a primitive compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// The addresses of IPv4, IPv6 and ARP.
    Any,
    Ipv4,
    Ipv6,
    Arp,
}

/// The header from which an offset is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Ethernet,
    Arp,
    Ipv4,
    Ipv6,
    /// The header after the IP header, in packets of this IP protocol.
    Transport(u8),
}

/// An operator on numbers in a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    And,
    Or,
    Left,
    Right,
}

/// A comparison of two numbers in a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A 32-bit number that wraps, as in BPF. A number that refers to bytes outside the frame has no
/// value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    Constant(u32),
    /// The length of the frame in bytes.
    Length,
    /// 1, 2 or 4 bytes, most significant first.
    Bytes {
        base: Base,
        at: Box<Number>,
        count: usize,
    },
    Of(Operator, Box<Number>, Box<Number>),
}

impl Number {
    /// Returns the number's value for a frame; `None` if the frame does not have it.
    fn value(&self, view: &View<'_>) -> Option<u32> {
        match self {
            Number::Constant(value) => Some(*value),
            Number::Length => u32::try_from(view.frame.len()).ok(),
            Number::Bytes { base, at, count } => {
                let start = base.start(view)?.checked_add(at.value(view)? as usize)?;
                let bytes = view.frame.get(start..start.checked_add(*count)?)?;
                Some(bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte)))
            }
            Number::Of(operator, left, right) => {
                let (left, right) = (left.value(view)?, right.value(view)?);
                Some(match operator {
                    Operator::Add => left.wrapping_add(right),
                    Operator::Subtract => left.wrapping_sub(right),
                    Operator::Multiply => left.wrapping_mul(right),
                    Operator::Divide => left.checked_div(right)?,
                    Operator::And => left & right,
                    Operator::Or => left | right,
                    Operator::Left => left.checked_shl(right).unwrap_or(0),
                    Operator::Right => left.checked_shr(right).unwrap_or(0),
                })
            }
        }
    }
}

impl Base {
    /// Returns where the header begins in a frame; `None` if the frame does not have it.
    fn start(self, view: &View<'_>) -> Option<usize> {
        let network = |of: u16| (view.ether_type == Some(of)).then_some(view.network);
        match self {
            Base::Ethernet => Some(0),
            Base::Arp => network(ARP),
            Base::Ipv4 => network(IPV4),
            Base::Ipv6 => network(IPV6),
            Base::Transport(protocol) => view.transport.filter(|_| view.protocol == Some(protocol)),
        }
    }
}

/// A test of a frame, with the tests that it consists of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// Matches every frame.
    All,
    Not(Box<Test>),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    EtherType(u16),
    Hardware(Side, MacAddress),
    /// A broadcast frame if `all`, otherwise a frame with any group address.
    Group {
        all: bool,
    },
    /// A network and its prefix length. For a host, the prefix covers all bits.
    Net(Family, Side, IpAddr, u8),
    /// An IP multicast address or the limited broadcast address.
    IpGroup(Family),
    Protocol(Family, u8),
    /// A protocol, or `None` for all protocols with ports; the side; and the first and last port.
    Port(Option<u8>, Side, u16, u16),
    /// A VLAN tag, or a VLAN tag with this identifier.
    Vlan(Option<u16>),
    Compare(Number, Relation, Number),
}

impl Test {
    /// Returns whether a frame passes the test.
    pub(super) fn matches(&self, view: &View<'_>) -> bool {
        match self {
            Test::All => true,
            Test::Not(test) => !test.matches(view),
            Test::And(left, right) => left.matches(view) && right.matches(view),
            Test::Or(left, right) => left.matches(view) || right.matches(view),
            Test::EtherType(wanted) => view.ether_type == Some(*wanted),
            Test::Hardware(side, wanted) => side.holds(|source| view.mac_address(source) == Some(wanted.0)),
            Test::Group { all } => view.mac_address(false).is_some_and(|mac| {
                if *all { MacAddress(mac) == MacAddress::BROADCAST } else { MacAddress(mac).is_group() }
            }),
            Test::Net(family, side, network, bits) => {
                let within = |address: Option<IpAddr>| {
                    address.is_some_and(|address| {
                        family.admits(address) && same_prefix(address, *network, *bits)
                    })
                };
                let ip = *family != Family::Arp && side.holds(|source| within(view.address(source)));
                let arp = matches!(family, Family::Any | Family::Arp);
                ip || (arp && side.holds(|source| within(view.arp_address(source))))
            }
            Test::IpGroup(family) => view.address(false).is_some_and(|address| {
                let broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
                family.admits(address) && (address.is_multicast() || broadcast)
            }),
            Test::Protocol(family, wanted) => {
                let of_family = match family {
                    Family::Ipv4 => view.ether_type == Some(IPV4),
                    Family::Ipv6 => view.ether_type == Some(IPV6),
                    Family::Any | Family::Arp => true,
                };
                of_family && view.protocol == Some(*wanted)
            }
            Test::Port(protocol, side, first, last) => {
                protocol.is_none_or(|wanted| view.protocol == Some(wanted))
                    && side.holds(|source| {
                        view.port(source).is_some_and(|port| (*first..=*last).contains(&port))
                    })
            }
            Test::Vlan(wanted) => view.vlan.is_some_and(|vlan| wanted.is_none_or(|wanted| wanted == vlan)),
            Test::Compare(left, relation, right) => {
                let (Some(left), Some(right)) = (left.value(view), right.value(view)) else { return false };
                match relation {
                    Relation::Equal => left == right,
                    Relation::NotEqual => left != right,
                    Relation::Less => left < right,
                    Relation::LessOrEqual => left <= right,
                    Relation::Greater => left > right,
                    Relation::GreaterOrEqual => left >= right,
                }
            }
        }
    }
}

impl Family {
    /// Returns whether an address belongs to the family.
    fn admits(self, address: IpAddr) -> bool {
        match self {
            Family::Any => true,
            Family::Ipv4 | Family::Arp => address.is_ipv4(),
            Family::Ipv6 => address.is_ipv6(),
        }
    }
}

/// Returns whether two addresses of the same family have the same prefix.
fn same_prefix(a: IpAddr, b: IpAddr, bits: u8) -> bool {
    match (a, b) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let different = a.to_bits() ^ b.to_bits();
            different.leading_zeros() >= u32::from(bits)
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let different = a.to_bits() ^ b.to_bits();
            different.leading_zeros() >= u32::from(bits)
        }
        _ => false,
    }
}
