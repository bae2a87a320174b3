//! Addresses that must be unique in a topology.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use crate::{Error, Host, Interface, Mac};

/// Refuses a host with an address that itself or another host already has; `others` are the
/// interfaces of the other hosts, each with its host's name.
///
/// # Errors
/// An address is not unique.
pub fn check_addresses<N: AsRef<str>, I: Borrow<Interface>>(
    host: &Host,
    others: impl IntoIterator<Item = (N, I)>,
) -> Result<(), Error> {
    for (name, other) in others {
        for own in &host.interfaces {
            check_pair(own, name.as_ref(), other.borrow())?;
        }
    }
    for (number, own) in host.interfaces.iter().enumerate() {
        for other in &host.interfaces[..number] {
            check_pair(own, &host.name, other)?;
        }
    }
    Ok(())
}

fn check_pair(own: &Interface, name: &str, other: &Interface) -> Result<(), Error> {
    let has = |address| other.addresses.iter().any(|known| known.address == address);
    let shared = own.addresses.iter().map(|known| known.address).filter(|address| has(*address)).min();
    if let Some(address) = shared {
        return Err(Error::new(format!("{name} already has the address {address}")));
    }
    if own.mac == other.mac {
        return Err(Error::new(format!("{name} already has the MAC address {}", own.mac)));
    }
    Ok(())
}

/// The first Ethernet address from `08:00:00:00:00:01` on that is not taken.
pub fn next_mac(taken: impl IntoIterator<Item = Mac>) -> Mac {
    let taken: BTreeSet<_> = taken.into_iter().collect();
    let candidate = |number: u32| {
        let [_, a, b, c] = number.to_be_bytes();
        Mac([8, 0, 0, a, b, c])
    };
    let mut number = 1;
    while taken.contains(&candidate(number)) {
        number += 1;
    }
    candidate(number)
}
