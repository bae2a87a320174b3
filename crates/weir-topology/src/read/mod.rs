//! The public P4 tutorials' `topology.json`.

mod host;
mod link;
mod switch;

use weir_json::{Diagnostic, Document, Kind, Value};

use crate::{CheckTc, Topology, name};

/// The files that a topology can name.
pub trait Files {
    /// The topology's own name in messages: `topology.json`.
    fn topology(&self) -> &str;

    /// The file that a topology calls `name`, under the name by which the caller opens it; none if
    /// there is none.
    fn find(&self, name: &str) -> Option<String>;

    /// The names of files where `name` would be next to the topology, for suggestions.
    fn siblings(&self, name: &str) -> Vec<String>;
}

/// Reads a topology.
///
/// # Errors
/// The text is not JSON, or its contents are wrong.
pub fn read(document: &Document, files: &dyn Files, check_tc: CheckTc<'_>) -> Result<Topology, Diagnostic> {
    let root = document.root();
    root.only(&["hosts", "switches", "links"])?;
    let mut topology = Topology::default();
    for (key, node) in root.require("hosts")?.members()? {
        let text = Value::from(Kind::Text(key.to_owned()));
        name::check_new(&text, &topology).map_err(|error| error.at(node))?;
        let host = host::read(key, node, &topology.hosts, check_tc)?;
        topology.hosts.push(host);
    }
    for (key, node) in root.require("switches")?.members()? {
        let text = Value::from(Kind::Text(key.to_owned()));
        name::check_new(&text, &topology).map_err(|error| error.at(node))?;
        topology.switches.push(switch::read(key, node, files)?);
    }
    for node in root.require("links")?.items()? {
        let link = link::read(node, &topology)?;
        topology.links.push(link);
    }
    Ok(topology)
}
