//! Valid names of interfaces, and the existing interfaces.

use std::fmt::Write as _;

/// The longest name of an interface, in bytes (`IFNAMSIZ` without its zero).
const LONGEST_NAME: usize = 15;

/// Returns whether an interface can have this name.
pub fn is_interface_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(['/', '\0'])
}

/// Returns the names of the interfaces in the thread's network namespace, in order; empty if the
/// system does not list them.
pub(crate) fn names() -> Vec<String> {
    let listed = std::fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    // After two lines of headings, each line has a name, a colon and counts.
    let names = listed.lines().skip(2).filter_map(|line| line.rsplit_once(':'));
    let mut names: Vec<_> = names.map(|(name, _)| name.trim().to_owned()).collect();
    names.sort();
    names
}

/// The number of names that a message lists.
const MAX_LISTED: usize = 8;

/// Says that there is no such interface, and suggests the most similar name.
pub(crate) fn no_interface_message(name: &str, existing: &[String]) -> String {
    let mut text = format!("there is no interface \"{name}\"");
    let near = weir_suggest::nearest(name, existing.iter().map(String::as_str));
    // Writing to a string does not fail.
    let _ = match (near, existing) {
        (Some(near), _) => write!(text, "; did you mean \"{near}\"? `ip link` lists the interfaces"),
        (None, []) => write!(text, "; `ip link` lists the interfaces"),
        (None, [one]) => write!(text, "; {one} is the only one (`ip link`)"),
        (None, _) if existing.len() <= MAX_LISTED => {
            write!(text, "; there are {} (`ip link`)", existing.join(", "))
        }
        (None, _) => {
            let (first, more) = (existing[..MAX_LISTED].join(", "), existing.len() - MAX_LISTED);
            write!(text, "; there are {first} and {more} more (`ip link`)")
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_interface_is_explained() {
        let explain = |name: &str, there: &[&str]| {
            no_interface_message(name, &there.iter().copied().map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(explain("x", &[]), "there is no interface \"x\"; `ip link` lists the interfaces");
        assert_eq!(explain("x", &["lo"]), "there is no interface \"x\"; lo is the only one (`ip link`)");
        assert_eq!(
            explain("x", &["eth0", "lo"]),
            "there is no interface \"x\"; there are eth0, lo (`ip link`)"
        );
        assert_eq!(
            explain("vteh1", &["lo", "veth1"]),
            "there is no interface \"vteh1\"; did you mean \"veth1\"? `ip link` lists the interfaces"
        );
        let many: Vec<_> = (0..10).map(|number| format!("eth{number}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert!(
            explain("zzz", &many).ends_with(
                "; there are eth0, eth1, eth2, eth3, eth4, eth5, eth6, eth7 and 2 more (`ip link`)"
            )
        );
    }

    #[test]
    fn names_are_those_of_interfaces() {
        assert!(names().iter().any(|name| name == "lo"), "{:?}", names());
    }
}
