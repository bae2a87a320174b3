//! The nodes of a `p4app.json`, and the order in which p4-utils numbers them.

use std::collections::{BTreeMap, BTreeSet};

use weir_json::{Diagnostic, Kind, Node as Json, Object, Value};

use crate::{Node, Nodes, name};

/// The names of a p4app file's hosts and switches, in the order of the file.
pub(super) struct Names<'d> {
    pub(super) hosts: Vec<&'d str>,
    pub(super) switches: Vec<&'d str>,
    nodes: BTreeMap<&'d str, Node>,
    /// The names that no node can have.
    wrong: BTreeSet<&'d str>,
    /// Whether the document has valid objects of hosts and switches.
    are_known: bool,
}

impl Default for Names<'_> {
    fn default() -> Self {
        let (hosts, switches) = (Vec::new(), Vec::new());
        Self { hosts, switches, nodes: BTreeMap::new(), wrong: BTreeSet::new(), are_known: true }
    }
}

impl<'d> Names<'d> {
    /// Reads the names of the hosts and switches.
    pub(super) fn read(topology: &mut Object<'d>) -> Self {
        let mut names = Self::default();
        for (key, node) in [("hosts", Node::Host { interfaces: 1 }), ("switches", Node::Switch)] {
            let members = |node: Json<'d>| Ok::<_, Diagnostic>(node.members()?.collect::<Vec<_>>());
            let Some(members) = topology.required(key, members) else {
                names.are_known = false;
                continue;
            };
            topology.read_each(members, |(own, at)| {
                let text = Value::from(Kind::Text(own.to_owned()));
                if let Err(error) = name::check_new(&text, &names) {
                    names.wrong.insert(own);
                    return Err(error.at(at));
                }
                names.nodes.insert(own, node);
                match node {
                    Node::Host { .. } => names.hosts.push(own),
                    Node::Switch => names.switches.push(own),
                }
                Ok(())
            });
        }
        names
    }

    /// Returns whether a link that names these nodes can be checked: if the nodes have mistakes,
    /// these are already reported.
    pub(super) fn can_check(&self, link: Json<'_>) -> bool {
        let ends = link.items().into_iter().flatten().take(2);
        let is_unknown = |name: &str| !self.wrong.is_empty() && !self.nodes.contains_key(name);
        let is_wrong =
            |end: Json<'_>| end.text("").is_ok_and(|name| self.wrong.contains(name) || is_unknown(name));
        self.are_known && !ends.into_iter().any(is_wrong)
    }
}

impl Nodes for Names<'_> {
    fn node(&self, name: &str) -> Option<Node> {
        self.nodes.get(name).copied()
    }

    fn names(&self) -> Vec<String> {
        self.hosts.iter().chain(&self.switches).map(|&name| name.to_owned()).collect()
    }
}

/// Returns a key that sorts names naturally: `s2` before `s10`. Texts and numbers alternate,
/// beginning with a text, which can be empty.
pub(super) fn natural_sort_key(name: &str) -> Vec<(String, u128)> {
    let mut parts = vec![(String::new(), 0_u128)];
    let mut in_number = false;
    for c in name.chars() {
        let last = parts.last_mut().expect("starts with one part");
        match c.to_digit(10) {
            Some(digit) => {
                last.1 = last.1.saturating_mul(10).saturating_add(digit.into());
                in_number = true;
            }
            None if in_number => {
                parts.push((c.to_string(), 0));
                in_number = false;
            }
            None => last.0.push(c),
        }
    }
    parts
}

/// Returns the number in a host's name, which is `h` and a number.
pub(super) fn host_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('h')?;
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_their_numbers() {
        let mut names = ["s10", "sw-cpu", "s2", "h11", "h2", "s2a1", "s"];
        names.sort_by_key(|name| natural_sort_key(name));
        assert_eq!(names, ["h2", "h11", "s", "s2", "s2a1", "s10", "sw-cpu"]);
        assert_eq!(
            [host_number("h12"), host_number("h"), host_number("hx"), host_number("s1")]
                .map(|n| n.unwrap_or(0)),
            [12, 0, 0, 0]
        );
    }
}
