//! Topology files: the public P4 tutorials' `topology.json`, and more keys; p4-utils' `p4app.json`
//! is read by [`crate::p4app`]. The JSON Schema
//! `topology.schema.json` of the Python package describes the same; a test compares them.

mod host;
mod link;
mod program;
mod switch;

use weir_json::{Diagnostic, Document, Kind, Value};

use crate::{CheckTc, Files, Index, Topology, name, p4app};

/// Reads a topology.
///
/// # Errors
/// The text is not JSON, or its contents are wrong.
pub fn read(document: &Document, files: &Files<'_>, check_tc: CheckTc<'_>) -> Result<Topology, Diagnostic> {
    let root = document.root();
    if p4app::is_p4app(root) {
        return p4app::read(root, files);
    }
    root.only(&["hosts", "switches", "links", "$schema"])?;
    let mut topology = Topology::default();
    let mut index = Index::default();
    for (key, node) in root.require("hosts")?.members()? {
        let text = Value::from(Kind::Text(key.to_owned()));
        name::check_new(&text, &index).map_err(|error| error.at(node))?;
        let host = host::read(key, node, &mut index, check_tc)?;
        topology.hosts.push(host);
    }
    for (key, node) in root.require("switches")?.members()? {
        let text = Value::from(Kind::Text(key.to_owned()));
        name::check_new(&text, &index).map_err(|error| error.at(node))?;
        topology.switches.push(switch::read(key, node, files)?);
        index.add_switch(key);
    }
    for node in root.require("links")?.items()? {
        topology.links.push(link::read(node, &mut index, check_tc)?);
    }
    Ok(topology)
}
