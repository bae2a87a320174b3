//! Topology files: the public P4 tutorials' `topology.json`, and more keys; p4-utils' `p4app.json`
//! is read by [`crate::p4app`]. The JSON Schema
//! `topology.schema.json` of the Python package describes the same; a test compares them.

mod host;
mod link;
mod program;
mod switch;

use weir_json::{Collector, Document, Kind, Mistakes, Node, Value};

use crate::{CheckTc, Files, Index, Topology, name, p4app};

/// Reads a topology.
///
/// # Errors
/// What is wrong with its contents: one mistake of each host, switch and link.
pub fn read(document: &Document, files: &Files<'_>, check_tc: CheckTc<'_>) -> Result<Topology, Mistakes> {
    let root = document.root();
    if p4app::is_p4app(root) {
        return p4app::read(root, files);
    }
    root.only(&["hosts", "switches", "links", "$schema"])?;
    let mut mistakes = Collector::default();
    let mut topology = Topology::default();
    let mut index = Index::default();
    // Links of nodes with mistakes would be mistakes for no other reason.
    let mut is_incomplete = false;
    let hosts = mistakes.take(root.require("hosts").and_then(Node::members));
    let switches = mistakes.take(root.require("switches").and_then(Node::members));
    let has_nodes = hosts.is_some() && switches.is_some();
    for (key, node) in hosts.into_iter().flatten() {
        let text = Value::from(Kind::Text(key.to_owned()));
        let is_new = name::check_new(&text, &index).map_err(|error| error.at(node));
        let host = is_new.and_then(|_| host::read(key, node, &mut index, check_tc));
        match mistakes.take(host) {
            Some(host) => topology.hosts.push(host),
            None => is_incomplete = true,
        }
    }
    for (key, node) in switches.into_iter().flatten() {
        let text = Value::from(Kind::Text(key.to_owned()));
        let is_new = name::check_new(&text, &index).map_err(|error| error.at(node));
        match mistakes.take(is_new.and_then(|_| switch::read(key, node, files))) {
            Some(switch) => {
                topology.switches.push(switch);
                index.add_switch(key);
            }
            None => is_incomplete = true,
        }
    }
    let links = mistakes.take(root.require("links").and_then(Node::items));
    for node in links.into_iter().flatten().filter(|_| has_nodes) {
        let is_known = |end: &&str| {
            let switches = topology.switches.iter().map(|switch| switch.name.as_str());
            topology.hosts.iter().map(|host| host.name.as_str()).chain(switches).any(|name| is_of(end, name))
        };
        if is_incomplete && !link::names(node).iter().all(is_known) {
            continue;
        }
        topology.links.extend(mistakes.take(link::read(node, &mut index, check_tc)));
    }
    mistakes.finish(topology)
}

/// Whether an end such as `s1-p1` is one of the node of this name.
fn is_of(end: &str, name: &str) -> bool {
    end.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
