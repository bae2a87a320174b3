//! The public P4 tutorials' runtime JSON (`sN-runtime.json`): table entries, multicast groups,
//! clone sessions, and what P4Runtime has besides.

mod cells;
mod profiles;
mod replication;
mod tables;

use weir_json::{Diagnostic, Document, Node};
use weir_switch::control::Update;

use crate::{Controlled, Error, Names};

/// A change, and the place in the document that asks for it.
#[derive(Clone, Debug)]
pub struct Change<'d> {
    /// The element of the document.
    pub node: Node<'d>,
    /// The change.
    pub update: Update,
}

/// A section of a document with elements of one kind.
type Section = (&'static str, fn(Names<'_>, Node<'_>) -> Result<Update, Diagnostic>);

/// In the order in which they are applied: members before the groups and entries that use them.
const SECTIONS: [Section; 8] = [
    ("action_profile_members", profiles::member),
    ("action_profile_groups", profiles::group),
    ("table_entries", tables::entry),
    ("counter_entries", cells::counter),
    ("direct_counter_entries", cells::direct_counter),
    ("meter_entries", cells::meter),
    ("direct_meter_entries", cells::direct_meter),
    ("register_entries", cells::register),
];

/// Applies a document to a switch, all of it or nothing. Returns the number of changes.
///
/// # Errors
/// Something in it does not fit the program, or the switch refuses it.
pub fn apply(
    control: &mut dyn Controlled,
    names: Names<'_>,
    document: &Document,
) -> Result<usize, Diagnostic> {
    let changes = read(names, document)?;
    let (nodes, updates): (Vec<_>, Vec<_>) =
        changes.into_iter().map(|change| (change.node, change.update)).unzip();
    match control.write(&updates) {
        Ok(_) => Ok(updates.len()),
        Err(failed) => Err(failed.error.at(nodes[failed.index])),
    }
}

/// The changes that a document asks for.
///
/// # Errors
/// Something in it does not fit the program.
pub fn read<'d>(names: Names<'_>, document: &'d Document) -> Result<Vec<Change<'d>>, Diagnostic> {
    let root = document.root();
    let mut known = vec![
        "target",
        "p4info",
        "bmv2_json",
        "multicast_group_entries",
        "clone_session_entries",
        "value_set_entries",
    ];
    known.extend(SECTIONS.map(|(name, _)| name));
    root.only(&known)?;
    if let Some(target) = root.get("target") {
        let name = target.text("a target's name")?;
        if name != "bmv2" {
            return Err(target.fail_near(format!("unknown target \"{name}\""), Some("bmv2".to_owned())));
        }
    }
    // Both name what p4c made of the program; Weir has the program itself and knows its names and
    // widths.
    for name in ["p4info", "bmv2_json"] {
        if let Some(made) = root.get(name) {
            made.text("a file's name")?;
        }
    }
    let mut changes = Vec::new();
    if let Some(section) = root.get("multicast_group_entries") {
        for node in section.items()? {
            changes.push(Change { node, update: replication::group(node)? });
        }
    }
    if let Some(section) = root.get("clone_session_entries") {
        for node in section.items()? {
            changes.push(Change { node, update: replication::session(node)? });
        }
    }
    if let Some(section) = root.get("value_set_entries") {
        for node in section.items()? {
            changes.push(Change { node, update: tables::value_set(names, node)? });
        }
    }
    for (name, read) in SECTIONS {
        if let Some(section) = root.get(name) {
            for node in section.items()? {
                changes.push(Change { node, update: read(names, node)? });
            }
        }
    }
    Ok(changes)
}

/// The object that the member `key` names, by `find`.
fn named<'n, T>(
    node: Node<'_>,
    key: &str,
    find: impl FnOnce(&str) -> Result<T, Error> + 'n,
) -> Result<T, Diagnostic> {
    let name = node.require(key)?;
    let what = key.replace('_', " ");
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    find(name.text(&format!("{article} {what}'s name"))?).map_err(|error| error.at(name))
}

/// The member `key` as a whole number between bounds, if it is there.
fn optional_number(
    node: Node<'_>,
    key: &str,
    what: &str,
    least: u64,
    most: u64,
) -> Result<Option<u64>, Diagnostic> {
    node.get(key).map(|member| member.integer(what, least, most)).transpose()
}

/// A number of 32 bits.
/// `watch_port`: the port that must be up for a member or an action to take part.
fn watch_port(node: Node<'_>) -> Result<Option<u32>, Diagnostic> {
    node.get("watch_port").map(|port| number32(port, "a port", 0)).transpose()
}

fn number32(node: Node<'_>, what: &str, least: u32) -> Result<u32, Diagnostic> {
    Ok(node.integer(what, u64::from(least), u64::from(u32::MAX))? as u32)
}
