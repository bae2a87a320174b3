//! Match kinds in P4Info.

use weir_switch::control::MatchKind;

use crate::config::match_field::{Match, MatchType};

/// The match kinds of the protocol and of the switch.
const KINDS: [(MatchType, MatchKind); 5] = [
    (MatchType::Exact, MatchKind::Exact),
    (MatchType::Lpm, MatchKind::Lpm),
    (MatchType::Ternary, MatchKind::Ternary),
    (MatchType::Range, MatchKind::Range),
    (MatchType::Optional, MatchKind::Optional),
];

/// Returns the switch's match kind; `None` if the switch does not have this kind.
pub fn read(given: Option<&Match>) -> Option<MatchKind> {
    match given? {
        Match::MatchType(number) => Some(KINDS.iter().find(|(known, _)| *known as i32 == *number)?.1),
        Match::OtherMatchType(name) => MatchKind::from_name(name),
    }
}

/// Returns the P4Info match kind with this name.
pub fn write(name: &str) -> Match {
    match KINDS.iter().find(|(_, known)| known.name() == name) {
        Some((known, _)) => Match::MatchType(*known as i32),
        None => Match::OtherMatchType(name.to_owned()),
    }
}
