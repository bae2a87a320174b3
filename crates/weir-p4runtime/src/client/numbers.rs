//! Numbers of members and groups. Those of the control interface count from 0; in the protocol, 0
//! stands for all of them.

use weir_control::Error;

/// What stands for number 0.
const ZERO: u32 = u32::MAX;

/// A number as the protocol has it.
pub(super) fn id_of(number: u32) -> u32 {
    if number == 0 { ZERO } else { number }
}

/// The number that an id stands for.
pub(super) fn number_of(id: u32) -> u32 {
    if id == ZERO { 0 } else { id }
}

/// One more than the largest number that is taken, and at least `first`.
///
/// # Errors
///
/// No larger number is left.
pub(super) fn free(first: u32, taken: impl Iterator<Item = u32>) -> Result<u32, Error> {
    let next = taken.map(number_of).fold(first, |next, taken| next.max(taken.saturating_add(1)));
    if next == ZERO {
        return Err(Error::new(format!("number {} is taken, and none is larger", ZERO - 1)));
    }
    Ok(next)
}
