//! Commands on the switch as a whole, and commands of BMv2 that Weir does not support.

use weir_switch::control::Update;

use super::nodes::Nodes;
use super::queues::rate_text;
use super::registry::{Command, Output, Session};

/// The heading of these commands in help.
const GROUP: &str = "Switch";

/// Commands of `simple_switch_CLI` that are not supported, and why.
pub const UNSUPPORTED: [(&str, &str); 8] = [
    (
        "load_new_config_file",
        "a switch cannot change its program: set another `p4` file in the topology and restart the network",
    ),
    (
        "swap_configs",
        "a switch cannot change its program: set another `p4` file in the topology and restart the network",
    ),
    ("write_config_to_file", "Weir has no JSON configuration: `weir ir FILE.p4` shows the compiled program"),
    (
        "serialize_state",
        "the state cannot be saved: table_dump, act_prof_dump, mc_dump, register_read and counter_read show it",
    ),
    ("port_add", "the links of the topology define the ports"),
    ("port_remove", "the links of the topology define the ports"),
    ("set_toeplitz_hash_key", "the key of the Toeplitz hash is fixed"),
    ("shell", "this prompt cannot run shell commands"),
];

/// The commands on the switch as a whole.
pub(super) const COMMANDS: [Command; 5] = [
    Command::new(
        GROUP,
        "switch_info",
        "",
        "show the switch's name, program and ports",
        "switch_info",
        switch_info,
    ),
    Command::new(
        GROUP,
        "show_ports",
        "",
        "show the switch's ports with their queues",
        "show_ports",
        show_ports,
    ),
    Command::new(
        GROUP,
        "reset_state",
        "",
        "reset tables and cells to those of a new switch, but keep clone sessions",
        "reset_state",
        reset_state,
    )
    .details(
        "Resets entries, action profiles, value sets, counters, registers, rates of meters, and multicast groups.\n\
         Keeps clone sessions, settings of queues, and CRC parameters.",
    ),
    Command::new(
        GROUP,
        "get_time_elapsed",
        "",
        "show the microseconds since the start of the switch",
        "get_time_elapsed",
        get_time_elapsed,
    ),
    Command::new(
        GROUP,
        "get_time_since_epoch",
        "",
        "show the microseconds since the start of the clock",
        "get_time_since_epoch",
        get_time_elapsed,
    )
    .details("In a virtual network, the clock starts with the network, so this is the same as get_time_elapsed."),
];

fn switch_info(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    let ports: Vec<_> = session.control.ports()?.iter().map(ToString::to_string).collect();
    let ports = if ports.is_empty() { "none".to_owned() } else { ports.join(" ") };
    let (name, program) = (session.switch, session.program);
    Ok(vec![format!("name: {name}"), format!("program: {program}"), format!("ports: {ports}")])
}

fn show_ports(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    let mut lines = Vec::new();
    for port in session.control.ports()? {
        let queues = session.control.queues(port)?;
        let waiting: usize = queues.iter().map(|queue| queue.waiting).sum();
        let depths = || queues.iter().filter(|queue| queue.discipline.is_none()).map(|queue| queue.depth);
        let depth = depths().min().zip(depths().max()).map(|(least, most)| match least == most {
            true => format!("depth {least}"),
            false => format!("depth {least} to {most}"),
        });
        let managed = match queues.len() - depths().count() {
            0 => None,
            1 => Some("1 queue with a discipline".to_owned()),
            several => Some(format!("{several} queues with a discipline")),
        };
        let room: Vec<_> = depth.into_iter().chain(managed).collect();
        let rate = rate_text(queues.first().and_then(|queue| queue.port_rate));
        lines.push(format!("port {port}: {waiting} packets waiting, {}, rate {rate}", room.join(", ")));
    }
    Ok(lines)
}

fn reset_state(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    session.change(&Update::Reset)?;
    *session.nodes = Nodes::default();
    Ok(Vec::new())
}

fn get_time_elapsed(session: &mut Session<'_, '_>, _: &[&str]) -> Output {
    Ok(vec![(session.control.now()? / 1000).to_string()])
}
