//! Commands on the egress queues.

use std::sync::Arc;

use weir_qdisc::QdiscConfig;
use weir_switch::Rate;
use weir_switch::control::{DisciplineState, QueueState, Update};
use weir_units::{Quantity, WantedQuantity, format_rate};

use super::registry::{Command, Output, Session};
use super::values::{number, number32, read_whole};
use crate::Error;

/// The heading of these commands in help.
const GROUP: &str = "Queues";

/// The commands on the queues of ports.
pub(super) const COMMANDS: [Command; 4] = [
    Command::new(
        GROUP,
        "set_queue_depth",
        "PACKETS [PORT] [PRIORITY]",
        "set the maximum number of packets in a queue",
        "set_queue_depth 64 1",
        set_queue_depth,
    )
    .details("Sets all queues, the queues of one port, or one queue."),
    Command::new(
        GROUP,
        "set_queue_rate",
        "RATE [PORT] [PRIORITY]",
        "set the rate at which packets leave a queue; 0 removes the limit",
        "set_queue_rate 1000 1",
        set_queue_rate,
    )
    .details(
        "RATE is in packets per second, or in bits with a unit (10Mbit). Sets all ports, one port, or one queue of a port.",
    ),
    Command::new(
        GROUP,
        "set_queue_discipline",
        "QUEUE DISCIPLINE…",
        "set the queueing discipline of a queue; none removes it",
        "set_queue_discipline 1 fq_codel target 5ms",
        set_queue_discipline,
    )
    .details(
        "QUEUE is a port (1), a port and a priority (1:0), or all. DISCIPLINE is written as for tc; commands for classes, filters and children follow after ` ; `. It needs a queue with a rate, except for tbf and htb.",
    ),
    Command::new(GROUP, "show_queues", "PORT", "show the queues of a port", "show_queues 1", show_queues),
];

/// Reads a port and the priority of one of its queues.
fn read_queue(args: &[&str]) -> Result<(Option<u32>, Option<usize>), Error> {
    let port = args.first().map(|text| number32(text, "a port")).transpose()?;
    let priority = args.get(1).map(|text| read_whole(text, "a priority", 0, 7)).transpose()?;
    Ok((port, priority.map(|priority| priority as usize)))
}

fn set_queue_depth(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let (port, priority) = read_queue(&args[1..])?;
    let depth = read_whole(args[0], "a depth in packets", 0, i32::MAX as u64)? as usize;
    session.change(&Update::SetQueueDepth { port, priority, depth })?;
    Ok(Vec::new())
}

fn set_queue_rate(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let (port, priority) = read_queue(&args[1..])?;
    session.change(&Update::SetQueueRate { port, priority, rate: read_queue_rate(args[0])? })?;
    Ok(Vec::new())
}

/// Reads the rate of a queue: packets per second, such as `1000` or `1000pps`, or bits per second
/// with a unit, such as `10Mbit`. `None` stands for no limit.
///
/// # Errors
/// The text is not a rate.
pub fn read_queue_rate(text: &str) -> Result<Option<Rate>, Error> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    Ok(if is_digit(text.chars().last()) || !is_digit(text.chars().next()) {
        let packets = number(text, "a rate in packets per second, or one with a unit such as 10Mbit")?;
        Some(Rate::PacketsPerSecond(packets)).filter(|_| packets > 0)
    } else if let Some(packets) = text.strip_suffix("pps").filter(|packets| !packets.is_empty()) {
        Some(Rate::PacketsPerSecond(read_whole(packets, "a rate in packets per second", 1, i64::MAX as u64)?))
    } else {
        let rate = Quantity::read(text, WantedQuantity::rate("rate").unlimited("0"))?;
        Some(Rate::BitsPerSecond(rate.bits_per_second()?))
    })
}

fn set_queue_discipline(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let (port, priority) = match args[0] {
        "all" => (None, None),
        queue => read_port_queue(queue)?,
    };
    let discipline = match &args[1..] {
        ["none"] => None,
        words => Some(Arc::new(read_queue_discipline(words.join(" ").split(" ; "))?)),
    };
    session.change(&Update::SetQueueDiscipline { port, priority, discipline })?;
    Ok(Vec::new())
}

/// Reads a port, or a port and the priority of one of its queues, such as `1` or `1:0`.
///
/// # Errors
/// The text is neither.
pub fn read_port_queue(text: &str) -> Result<(Option<u32>, Option<usize>), Error> {
    read_queue(&text.splitn(2, ':').collect::<Vec<_>>())
}

/// Reads the queueing discipline of a queue from `tc` commands without `tc` and `dev`.
///
/// # Errors
/// A command is wrong.
pub fn read_queue_discipline<'c>(commands: impl IntoIterator<Item = &'c str>) -> Result<QdiscConfig, Error> {
    QdiscConfig::from_commands(commands).map_err(|wrong| {
        let error = Error::new(format!("\"{}\": {}", wrong.line, wrong.message));
        wrong.suggestion.map_or(error.clone(), |suggestion| error.suggesting(suggestion))
    })
}

fn show_queues(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let queues = session.control.queues(number32(args[0], "a port")?)?;
    let line = |(priority, queue): (usize, QueueState)| {
        let room = match &queue.discipline {
            None => format!("depth {}", queue.depth),
            Some(DisciplineState { config, counts }) => {
                format!("{config} (dropped {}, marked {})", counts.dropped, counts.marked)
            }
        };
        format!(
            "priority {priority}: {} packets waiting, {room}, rate {}, of the port {}",
            queue.waiting,
            rate_text(queue.rate),
            rate_text(queue.port_rate)
        )
    };
    Ok(queues.into_iter().enumerate().map(line).collect())
}

/// Formats a queue's rate, such as `1000pps`, `10Mbit` or `unlimited`.
pub(super) fn rate_text(rate: Option<Rate>) -> String {
    match rate {
        None => "unlimited".to_owned(),
        Some(Rate::PacketsPerSecond(rate)) => format!("{rate}pps"),
        Some(Rate::BitsPerSecond(rate)) => format_rate(rate),
    }
}
