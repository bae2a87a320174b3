//! A switch of the document.

use weir_json::{Diagnostic, Node};

use crate::named_file::{file as find, program_file};
use crate::{Files, QueueRate, Switch, end};

const KEYS: [&str; 9] = [
    "runtime_json",
    "program",
    "p4",
    "profile",
    "cpu_port",
    "cli_input",
    "queue_rate",
    "queue_depth",
    "priorities",
];

pub(super) fn read(name: &str, node: Node<'_>, files: &Files<'_>) -> Result<Switch, Diagnostic> {
    node.only(&KEYS)?;
    let file = |key, what| node.get(key).map(|named| find(named, files, what)).transpose();
    let own = node.get("program").map(|named| program_file(named, files)).transpose()?;
    if let (Some(_), Some(second)) = (&own, node.get("p4")) {
        return Err(second.fail("\"program\" and \"p4\" both name the switch's program: give one"));
    }
    let p4 = file("p4", "the file name of a P4 program")?;
    let profile = node.get("profile").map(|named| named.text("the name of a timing profile")).transpose()?;
    let port = |port: Node<'_>| end::read_port(port.value()).map_err(|error| error.at(port));
    let rate = |rate: Node<'_>| QueueRate::read(rate.value()).map_err(|error| error.at(rate));
    let number = |key, what, most| node.get(key).map(|given| given.integer(what, 1, most)).transpose();
    let queue_depth = number("queue_depth", "a number of packets", (1 << 31) - 1)?;
    let priorities = number("priorities", "a number of queues", 8)?;
    Ok(Switch {
        name: name.to_owned(),
        cli_input: file("cli_input", "the name of a file")?,
        runtime_json: file("runtime_json", "the name of a file")?,
        program: own.or(p4),
        profile: profile.map(str::to_owned),
        cpu_port: node.get("cpu_port").map(port).transpose()?,
        queue_rate: node.get("queue_rate").map(rate).transpose()?.unwrap_or_default(),
        queue_depth: queue_depth.map(|packets| packets as u32),
        priorities: priorities.map(|queues| queues as u8),
    })
}
