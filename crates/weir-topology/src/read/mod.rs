//! Topology files: the public P4 tutorials' `topology.json` with additional keys. [`crate::p4app`]
//! reads p4-utils' `p4app.json`. The JSON Schema `topology.schema.json` of the Python package
//! describes the same; a test compares them.

mod host;
mod link;
mod program;
mod switch;

use std::collections::BTreeSet;

use weir_json::{Diagnostic, Document, Kind, Mistakes, Node, Value};

use crate::{Files, Index, NetworkRules, Nodes, Topology, name, p4app};

/// Reads a topology.
///
/// # Errors
/// The contents have mistakes; the error lists all except consequences of other mistakes.
pub fn read(document: &Document, files: &Files<'_>, rules: &dyn NetworkRules) -> Result<Topology, Mistakes> {
    let root = document.root();
    if p4app::is_p4app(root) {
        return p4app::read(root, files, rules);
    }
    let mut object = root.object(&["hosts", "switches", "links", "computer", "$schema"]);
    let hosts = object.required("hosts", members);
    let switches = object.required("switches", members);
    let links = object.required("links", |links| Ok::<_, Diagnostic>(links.items()?.collect::<Vec<_>>()));
    let computer = object.optional("computer", |named| named.text("the name of a computer"));
    let mut topology = Topology { computer: computer.map(str::to_owned), ..Topology::default() };
    let mut index = Index::default();
    // A mistake in one of these nodes is already reported, and would cause further mistakes in
    // links of the node. If a node's name is not allowed, links of unknown nodes may mean that
    // node.
    let mut unsure = BTreeSet::new();
    let mut has_wrong_name = false;
    let has_nodes = hosts.is_some() && switches.is_some();
    topology.hosts = object.read_each(hosts.into_iter().flatten(), |(name, node)| {
        let is_new = check_new(name, node, &index);
        has_wrong_name |= is_new.is_err();
        let read = is_new.and_then(|()| host::read(name, node, &mut index, rules));
        if read.is_err() && index.node(name).is_none() {
            unsure.insert(name);
        }
        read
    });
    topology.switches = object.read_each(switches.into_iter().flatten(), |(name, node)| {
        if let Err(error) = check_new(name, node, &index) {
            unsure.insert(name);
            has_wrong_name = true;
            return Err(error);
        }
        index.add_switch(name);
        switch::read(name, node, files, rules)
    });
    let links = links.into_iter().flatten().filter(|_| has_nodes);
    let read = object.read_each(links, |node| {
        let ends = link::names(node);
        let is_unsure = |end: &&str| {
            possible_node_names(end).any(|name| unsure.contains(name))
                || has_wrong_name && possible_node_names(end).all(|name| index.node(name).is_none())
        };
        match ends.iter().any(is_unsure) {
            true => Ok(None),
            false => link::read(node, &mut index, &topology.hosts, rules).map(Some),
        }
    });
    topology.links = read.into_iter().flatten().collect();
    let overtaking = topology.links.iter().filter(|link| link.overtake && link.jitter_ns.is_none());
    topology.notes = overtaking
        .map(|link| format!("link {} <-> {}: overtake has no effect without jitter", link.a, link.b))
        .collect();
    object.finish(|| Some(topology))
}

/// Returns the members of an object with their names.
fn members(node: Node<'_>) -> Result<Vec<(&str, Node<'_>)>, Diagnostic> {
    Ok(node.members()?.collect())
}

/// Refuses the name of an existing node, and a text that is not a name.
fn check_new(name: &str, node: Node<'_>, index: &Index) -> Result<(), Mistakes> {
    let text = Value::from(Kind::Text(name.to_owned()));
    name::check_new(&text, index).map_err(|error| error.at(node))?;
    Ok(())
}

/// Returns the names of nodes that a text such as `s1-p1` may be an end of: `s1` and `s1-p1`.
fn possible_node_names(end: &str) -> impl Iterator<Item = &str> {
    end.match_indices('-').map(|(at, _)| &end[..at]).chain([end])
}
