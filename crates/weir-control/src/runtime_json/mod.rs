//! The public P4 tutorials' runtime JSON (`sN-runtime.json`): table entries, multicast groups,
//! clone sessions, and the other entities of P4Runtime.

mod cells;
mod duplicates;
mod profiles;
mod replication;
mod tables;

use weir_json::{Collector, Diagnostic, Document, Mistakes, Node, Object};
use weir_switch::control::Update;

use crate::{Controlled, Error, Names};

/// A change, and the place in the document that requests it.
#[derive(Clone, Debug)]
pub struct Change<'d> {
    /// The element of the document that requests the change.
    pub node: Node<'d>,
    /// The change that is requested.
    pub update: Update,
}

/// A section of a document with elements of one kind.
type Section = (&'static str, fn(Names<'_>, Node<'_>) -> Result<Update, Mistakes>);

/// The sections in the order in which they are applied: members come before the groups and entries
/// that use them.
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
/// Parts of the document do not fit the program (the error lists all of them), or the switch
/// refuses a change (the error is the first refusal).
pub fn apply(control: &mut dyn Controlled, names: Names<'_>, document: &Document) -> Result<usize, Mistakes> {
    let changes = read(names, document)?;
    let (nodes, updates): (Vec<_>, Vec<_>) =
        changes.into_iter().map(|change| (change.node, change.update)).unzip();
    match control.write(&updates) {
        Ok(_) => Ok(updates.len()),
        Err(failed) => Err(failed.error.at_node(nodes[failed.index]).into()),
    }
}

/// Returns the changes that a document requests.
///
/// # Errors
/// Parts of the document do not fit the program (the error lists all mistakes, except consequences
/// of others), or two parts set the same object.
pub fn read<'d>(names: Names<'_>, document: &'d Document) -> Result<Vec<Change<'d>>, Mistakes> {
    let mut keys = vec![
        "target",
        "p4info",
        "bmv2_json",
        "multicast_group_entries",
        "clone_session_entries",
        "value_set_entries",
    ];
    keys.extend(SECTIONS.map(|(name, _)| name));
    let mut root = document.root().object(&keys);
    root.optional("target", |target| match target.text("a target's name")? {
        "bmv2" => Ok(()),
        name => {
            Err(target.error_with_suggestion(format!("unknown target \"{name}\""), Some("bmv2".to_owned())))
        }
    });
    // Both members name files that p4c made from the program. Weir has the program itself and knows
    // its names and widths.
    for name in ["p4info", "bmv2_json"] {
        root.optional(name, |made| made.text("a file's name"));
    }
    let mut changes = Vec::new();
    let mut read = |name: &str, of: &dyn Fn(Node<'d>) -> Result<Update, Mistakes>| {
        let items = root.optional(name, |section| Ok::<_, Diagnostic>(section.items()?.collect::<Vec<_>>()));
        changes.extend(
            root.read_each(items.into_iter().flatten(), |node| {
                of(node).map(|update| Change { node, update })
            }),
        );
    };
    read("multicast_group_entries", &|node| replication::group(names, node));
    read("clone_session_entries", &|node| replication::session(names, node));
    read("value_set_entries", &|node| tables::value_set(names, node));
    for (name, of) in SECTIONS {
        read(name, &|node| of(names, node));
    }
    root.finish(|| Some(()))?;
    let mut mistakes = Collector::default();
    duplicates::report_duplicates(names, &changes, &mut mistakes);
    mistakes.finish(changes)
}

/// Finds the object of the program that the member `key` names, with the function `find`.
fn find_object<'n, T>(
    object: &mut Object<'_>,
    key: &str,
    find: impl FnOnce(&str) -> Result<T, Error> + 'n,
) -> Option<T> {
    let description = key.replace('_', " ");
    let article = if description.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    object.required(key, |name| {
        find(name.text(&format!("{article} {description}'s name"))?).map_err(|error| error.at_node(name))
    })
}

/// Returns the member `key`, unless it is null, which means the same as no member.
fn non_null<'d>(object: &Object<'d>, key: &str) -> Option<Node<'d>> {
    object.get(key).filter(|member| !member.is_null())
}

/// Reads `watch_port`, the port that must be up for a member or an action to be used.
fn watch_port(object: &mut Object<'_>) -> Option<u32> {
    object.optional("watch_port", |port| number32(port, "a port", 0))
}

/// Reads `weight`, the relative frequency with which a member or an action is chosen. The default
/// is 1.
fn weight(object: &mut Object<'_>) -> Option<u32> {
    object.optional_or("weight", 1, |weight| number32(weight, "a weight", 1))
}

/// Reads a number of 32 bits.
fn number32(node: Node<'_>, what: &str, least: u32) -> Result<u32, Diagnostic> {
    Ok(node.integer(what, u64::from(least), u64::from(u32::MAX))? as u32)
}
