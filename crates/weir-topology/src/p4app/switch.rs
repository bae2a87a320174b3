//! A switch.

use weir_json::{Mistakes, Node};

use super::settings;
use crate::named_file::{file, program_file};
use crate::{Files, Switch};

/// The settings of a switch that only the numbering needs.
pub(super) struct Settings {
    pub(super) has_cpu_port: bool,
    /// The switch's number, if the file sets it.
    pub(super) device_id: Option<u32>,
}

/// Reads a switch's settings.
pub(super) fn read(
    name: &str,
    node: Node<'_>,
    root: Node<'_>,
    files: &Files<'_>,
    notes: &mut Vec<String>,
) -> Result<(Switch, Settings), Mistakes> {
    let mut object = settings::open_switch(name, node, notes);
    let named = [node.get("p4_src"), node.get("program"), root.get("p4_src"), root.get("program")];
    let source = named.into_iter().flatten().next();
    let program = source.and_then(|named| object.collect_result(program_file(named, files)));
    let cli_input = object.optional("cli_input", |named| file(named, files, "the name of a file"));
    let queues = |given: Node<'_>| given.integer("a number of queues", 1, 8);
    let priorities = object.optional("priority_queues_num", queues).map(|queues| queues as u8);
    let has_cpu_port = object.optional_or("cpu_port", false, Node::flag);
    let number = |given: Node<'_>| given.integer("the switch's number", 1, 65535);
    let device_id = object.optional("device_id", number).map(|id| id as u32);
    object.finish(|| {
        let switch = Switch { name: name.to_owned(), program, cli_input, priorities, ..Switch::default() };
        Some((switch, Settings { has_cpu_port: has_cpu_port?, device_id }))
    })
}
