//! The public P4 tutorials' runtime JSON (`sN-runtime.json`): table entries, multicast groups,
//! clone sessions, and what P4Runtime has besides.

mod cells;
mod profiles;
mod replication;
mod tables;

use weir_json::{Collector, Diagnostic, Document, Mistakes, Node};
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
/// What in it does not fit the program, or else the first part of it that the switch refuses.
pub fn apply(control: &mut dyn Controlled, names: Names<'_>, document: &Document) -> Result<usize, Mistakes> {
    let changes = read(names, document)?;
    let (nodes, updates): (Vec<_>, Vec<_>) =
        changes.into_iter().map(|change| (change.node, change.update)).unzip();
    match control.write(&updates) {
        Ok(_) => Ok(updates.len()),
        Err(failed) => Err(failed.error.at(nodes[failed.index]).into()),
    }
}

/// The changes that a document asks for.
///
/// # Errors
/// All that does not fit the program: one mistake of each element.
pub fn read<'d>(names: Names<'_>, document: &'d Document) -> Result<Vec<Change<'d>>, Mistakes> {
    let mut mistakes = Collector::default();
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
    root.members().map(drop)?;
    mistakes.take(root.only(&known));
    if let Some(target) = root.get("target")
        && let Some(name) = mistakes.take(target.text("a target's name"))
        && name != "bmv2"
    {
        mistakes.add(target.fail_near(format!("unknown target \"{name}\""), Some("bmv2".to_owned())));
    }
    // Both name what p4c made of the program; Weir has the program itself and knows its names and
    // widths.
    for name in ["p4info", "bmv2_json"] {
        if let Some(made) = root.get(name) {
            mistakes.take(made.text("a file's name"));
        }
    }
    let mut changes = Vec::new();
    let mut read = |name: &str, of: &dyn Fn(Node<'d>) -> Result<Update, Diagnostic>| {
        let Some(section) = root.get(name) else { return };
        for node in mistakes.take(section.items()).into_iter().flatten() {
            changes.extend(mistakes.take(of(node)).map(|update| Change { node, update }));
        }
    };
    read("multicast_group_entries", &|node| replication::group(names, node));
    read("clone_session_entries", &|node| replication::session(names, node));
    read("value_set_entries", &|node| tables::value_set(names, node));
    for (name, of) in SECTIONS {
        read(name, &|node| of(names, node));
    }
    mistakes.finish(changes)
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
