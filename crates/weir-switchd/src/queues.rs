//! The rates and disciplines of queues on the command line.

use std::sync::Arc;

use weir_control::{Error, Names, commands};
use weir_switch::Switch;
use weir_switch::control::Update;

use crate::args::Args;

/// Sets the queues of a switch as the command line says.
///
/// # Errors
/// A port or queue does not exist, or a discipline is wrong or has no effect.
pub fn set_queues(args: &Args, switch: &mut Switch) -> Result<(), String> {
    for rate_of in &args.queue_rate {
        let (port, priority, rate) = (rate_of.port, rate_of.priority, rate_of.value);
        change(switch, &Update::SetQueueRate { port, priority, rate })
            .map_err(|error| format!("--queue-rate: {error}"))?;
    }
    let mut queues: Vec<_> = args.qdisc.iter().map(|qdisc| (qdisc.port, qdisc.priority)).collect();
    // The discipline of a port replaces that of all ports, and the discipline of a queue replaces
    // that of its port.
    queues.sort_unstable();
    queues.dedup();
    for (port, priority) in queues {
        let settings_of_queue =
            args.qdisc.iter().filter(|qdisc| (qdisc.port, qdisc.priority) == (port, priority));
        commands::read_queue_discipline(settings_of_queue.map(|qdisc| qdisc.value.as_str()))
            .and_then(|discipline| {
                let discipline = Some(Arc::new(discipline));
                change(switch, &Update::SetQueueDiscipline { port, priority, discipline })
            })
            .map_err(|error| format!("--qdisc: {error}"))?;
    }
    Ok(())
}

fn change(switch: &mut Switch, update: &Update) -> Result<(), Error> {
    let changed = switch.control().change(update).map(drop);
    changed.map_err(|error| Names::new(switch.schema()).explain(error))
}
