//! A setting of queues on the command line.

use weir_control::commands;
use weir_device::Port;
use weir_switch::Rate;

/// A setting of all queues, of the queues of a port, or of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfQueue<T> {
    /// The port; `None` for all ports.
    pub port: Option<Port>,
    /// The priority of the queue; `None` for all queues, or for the port itself.
    pub priority: Option<usize>,
    /// The setting.
    pub value: T,
}

/// Reads a setting of queues from `VALUE`, `PORT=VALUE` or `PORT:PRIORITY=VALUE`.
///
/// # Errors
/// The port or priority is not a number, or too large.
pub fn text(given: &str) -> Result<OfQueue<String>, String> {
    let is_queue = |queue: &&str| queue.chars().all(|c| c.is_ascii_digit() || c == ':') && !queue.is_empty();
    let (queue, value) = match given.split_once('=').filter(|(queue, _)| is_queue(queue)) {
        Some((queue, value)) => (Some(queue), value),
        None => (None, given),
    };
    let read = |queue| commands::read_port_queue(queue).map_err(|error| error.to_string());
    let (port, priority) = queue.map(read).transpose()?.unwrap_or_default();
    Ok(OfQueue { port, priority, value: value.trim().to_owned() })
}

/// Reads the rate of queues from `RATE`, `PORT=RATE` or `PORT:PRIORITY=RATE`. `None` stands for no
/// limit.
///
/// # Errors
/// The text is not of this form.
pub fn rate(given: &str) -> Result<OfQueue<Option<Rate>>, String> {
    let OfQueue { port, priority, value } = text(given)?;
    let value = commands::read_queue_rate(&value).map_err(|error| error.to_string())?;
    Ok(OfQueue { port, priority, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_have_ports_and_priorities() {
        let of_queue = |port, priority, value| OfQueue { port, priority, value };
        let bits = Some(Rate::BitsPerSecond(10_000_000));
        assert_eq!(rate("10Mbit"), Ok(of_queue(None, None, bits)));
        assert_eq!(rate("1:7=5pps"), Ok(of_queue(Some(1), Some(7), Some(Rate::PacketsPerSecond(5)))));
        assert_eq!(rate("2=0"), Ok(of_queue(Some(2), None, None)));
        let setting = text("2=handle 1: htb").unwrap();
        assert_eq!((setting.port, setting.value.as_str()), (Some(2), "handle 1: htb"));
        let setting = text("codel target 5ms").unwrap();
        assert_eq!((setting.port, setting.value.as_str()), (None, "codel target 5ms"));
        for (given, expected) in [
            ("1=fast", "a rate in packets per second"),
            ("1:9=5pps", "a priority 9 is out of range: expected 0 to 7"),
            (":=5pps", "expected a port"),
        ] {
            let setting = rate(given).unwrap_err();
            assert!(setting.contains(expected), "{setting}");
        }
    }
}
