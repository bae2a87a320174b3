//! Numbers of members and groups. In the control interface they count from 0; in the protocol, 0
//! stands for all of them.

use weir_control::Error;
use weir_switch::control::{Target, Update};

/// The id that stands for number 0.
const ID_OF_ZERO: u32 = u32::MAX;

/// Returns the protocol's id for a number.
pub(super) fn id_of(number: u32) -> u32 {
    if number == 0 { ID_OF_ZERO } else { number }
}

/// Returns the number that an id stands for.
pub(super) fn number_of(id: u32) -> u32 {
    if id == ID_OF_ZERO { 0 } else { id }
}

/// Returns one more than the largest number in use, and at least `first`.
///
/// # Errors
///
/// No larger number is left.
pub(super) fn next_free_number(first: u32, taken: impl Iterator<Item = u32>) -> Result<u32, Error> {
    let next = taken.map(number_of).fold(first, |next, taken| next.max(taken.saturating_add(1)));
    if next == ID_OF_ZERO {
        return Err(Error::new(format!("number {} is taken, and none is larger", ID_OF_ZERO - 1)));
    }
    Ok(next)
}

/// Refuses a change with the number whose id stands for 0.
///
/// # Errors
///
/// The change names a member or group with this number.
pub(super) fn check_number(change: &Update) -> Result<(), Error> {
    let (mut members, mut groups) = (Vec::new(), Vec::new());
    let mut point = |target: &Target| match target {
        Target::Member(member) => members.push(*member),
        Target::Group(group) => groups.push(*group),
        Target::Action(_) | Target::OneOf(_) => {}
    };
    match change {
        Update::Insert { entry, .. } => point(&entry.action),
        Update::Modify { action, .. } | Update::SetDefault { action, .. } => point(action),
        Update::InsertMember { member, .. } => members.extend(*member),
        Update::ModifyMember { member, .. } | Update::DeleteMember { member, .. } => members.push(*member),
        Update::InsertGroup { group, members: all, .. } => {
            groups.extend(*group);
            members.extend(all.iter().map(|one| one.member));
        }
        Update::ModifyGroup { group, members: all, .. } => {
            groups.push(*group);
            members.extend(all.iter().map(|one| one.member));
        }
        Update::DeleteGroup { group, .. } => groups.push(*group),
        _ => {}
    }
    for (what, numbers) in [("member", members), ("group", groups)] {
        if numbers.contains(&ID_OF_ZERO) {
            return Err(Error::new(format!(
                "{what} {ID_OF_ZERO}: over P4Runtime this number stands for {what} 0; the largest is {}",
                ID_OF_ZERO - 1
            )));
        }
    }
    Ok(())
}
