//! A switch of the document.

use weir_json::{Mistakes, Node};

use crate::named_file::{file as find, program_file};
use crate::{Files, NetworkRules, QueueRate, Switch, end};

/// The keys that a switch's settings may have.
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

/// Reads the settings of a switch.
pub(super) fn read(
    name: &str,
    node: Node<'_>,
    files: &Files<'_>,
    rules: &dyn NetworkRules,
) -> Result<Switch, Mistakes> {
    let mut object = node.object(&KEYS);
    let own = object.optional("program", |named| program_file(named, files));
    if let (Some(_), Some(second)) = (object.get("program"), object.get("p4")) {
        object.add(second.error("\"program\" and \"p4\" both name the switch's program: give one"));
    }
    let p4 = object.optional("p4", |named| find(named, files, "the file name of a P4 program"));
    let profile = object.optional("profile", |named| {
        let profile = named.text("the name of a timing profile")?;
        rules.profile(profile).map(|()| profile).map_err(|error| error.at(named))
    });
    let cpu_port =
        object.optional("cpu_port", |port| end::read_port(port.value()).map_err(|error| error.at(port)));
    let queue_rate =
        object.optional("queue_rate", |rate| QueueRate::read(rate.value()).map_err(|error| error.at(rate)));
    let packets = |depth: Node<'_>| depth.integer("a number of packets", 1, (1 << 31) - 1);
    let queue_depth = object.optional("queue_depth", packets);
    let queues = |given: Node<'_>| given.integer("a number of queues", 1, 8);
    let priorities = object.optional("priorities", queues);
    let mut file = |key| object.optional(key, |named| find(named, files, "the name of a file"));
    let (cli_input, runtime_json) = (file("cli_input"), file("runtime_json"));
    object.finish(|| {
        Some(Switch {
            name: name.to_owned(),
            cli_input,
            runtime_json,
            program: own.or(p4),
            profile: profile.map(str::to_owned),
            cpu_port,
            queue_rate: queue_rate.unwrap_or_default(),
            queue_depth: queue_depth.map(|packets| packets as u32),
            priorities: priorities.map(|queues| queues as u8),
        })
    })
}
