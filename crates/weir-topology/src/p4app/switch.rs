//! A switch.

use weir_json::{Diagnostic, Node};

use super::settings;
use crate::named_file::{file, program_file};
use crate::{Files, Switch};

/// What only the numbering needs.
pub(super) struct Settings {
    pub(super) has_cpu_port: bool,
    /// The switch's number, if the file sets it.
    pub(super) device_id: Option<u32>,
}

pub(super) fn read(
    name: &str,
    node: Node<'_>,
    root: Node<'_>,
    files: &Files<'_>,
    notes: &mut Vec<String>,
) -> Result<(Switch, Settings), Diagnostic> {
    settings::switch(name, node, notes)?;
    let named = [node.get("p4_src"), node.get("program"), root.get("p4_src"), root.get("program")];
    let source = named.into_iter().flatten().next();
    let number = |key, what, most| node.get(key).map(|given| given.integer(what, 1, most)).transpose();
    let switch = Switch {
        name: name.to_owned(),
        program: source.map(|named| program_file(named, files)).transpose()?,
        cli_input: (node.get("cli_input"))
            .map(|named| file(named, files, "the name of a file"))
            .transpose()?,
        priorities: number("priority_queues_num", "a number of queues", 8)?.map(|queues| queues as u8),
        ..Switch::default()
    };
    let own = Settings {
        has_cpu_port: node.get("cpu_port").map_or(Ok(false), Node::flag)?,
        device_id: number("device_id", "the switch's number", 65535)?.map(|id| id as u32),
    };
    Ok((switch, own))
}
