//! The ends of links: hosts' interfaces and switches' ports.

use std::fmt;

use weir_json::{Kind, Value};

use crate::text::{is_number, listing, nearest, show_text, string};
use crate::{Error, Node, Nodes};

/// The largest number of a port of any program. The ports of most programs have fewer bits, which
/// networks check once they know the program of a switch.
pub const MAX_PORT: u32 = u32::MAX;

/// One end of a link: an interface of a host, or a port of a switch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// A host's interface.
    Host {
        /// The host's name.
        name: String,
        /// The interface's number.
        interface: usize,
    },
    /// A switch's port.
    Switch {
        /// The switch's name.
        name: String,
        /// The port; `None` if the text names only the switch.
        port: Option<u32>,
    },
}

impl End {
    /// Returns the name of the host or switch.
    pub fn node(&self) -> &str {
        match self {
            End::Host { name, .. } | End::Switch { name, .. } => name,
        }
    }
}

impl fmt::Display for End {
    /// Writes the end as `h1`, `h1-eth1`, `s1-p2` or `s1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Host { name, interface: 0 } | End::Switch { name, port: None } => write!(f, "{name}"),
            End::Host { name, interface } => write!(f, "{name}-eth{interface}"),
            End::Switch { name, port: Some(port) } => write!(f, "{name}-p{port}"),
        }
    }
}

/// Reads a switch's port: a number, or as in the tutorials a number in a string.
///
/// # Errors
/// The value is not a number, or no switch can have such a port.
pub fn read_port(value: &Value) -> Result<u32, Error> {
    let digits = match &value.kind {
        Kind::Number(text) => text.as_str(),
        Kind::Text(text) if is_number(text) => text,
        _ => "",
    };
    if !is_number(digits.strip_prefix('-').unwrap_or(digits)) {
        return Err(Error::new(format!("expected a port number, found {}", value.describe())));
    }
    check_port(digits)
}

/// Reads a port number that a switch can have from its digits.
fn check_port(digits: &str) -> Result<u32, Error> {
    digits.parse().map_err(|_| {
        let port = digits.parse::<i64>().map_or_else(|_| "number".to_owned(), |port| port.to_string());
        Error::new(format!("port {port} is out of range: a switch has ports 0 to {MAX_PORT} at most"))
    })
}

/// Reads `h1`, `h1-eth1`, `s1-p1` or `s1` and finds the node.
///
/// # Errors
/// There is no such node, or the port is out of range.
pub fn read(value: &Value, nodes: &dyn Nodes) -> Result<End, Error> {
    let text = string(value, "a link's end such as \"h1\" or \"s1-p1\"")?;
    match nodes.node(text) {
        Some(Node::Host { .. }) => return Ok(End::Host { name: text.to_owned(), interface: 0 }),
        Some(Node::Switch) => return Ok(End::Switch { name: text.to_owned(), port: None }),
        None => {}
    }
    let port = split_number(text, "-p");
    let port_node = port.and_then(|(name, _)| nodes.node(name));
    if let (Some((name, digits)), Some(Node::Switch)) = (port, port_node) {
        return Ok(End::Switch { name: name.to_owned(), port: Some(check_port(digits)?) });
    }
    if let Some((name, digits)) = split_number(text, "-eth")
        && let Some(Node::Host { interfaces }) = nodes.node(name)
    {
        if let Some(interface) = digits.parse().ok().filter(|number| *number < interfaces) {
            return Ok(End::Host { name: name.to_owned(), interface });
        }
        let error = Error::new(format!("{name} has no interface \"eth{digits}\""));
        return Err(error.suggesting(Some(format!("{name}-eth{}", interfaces.saturating_sub(1)))));
    }
    let quoted = show_text(text);
    if let (Some((name, _)), Some(Node::Host { .. })) = (port, port_node) {
        let error = Error::new(format!("a host has no ports: \"{quoted}\""));
        return Err(error.suggesting(Some(name.to_owned())));
    }
    let first = text.split('-').next().unwrap_or_default();
    if nodes.node(first) == Some(Node::Switch) {
        let error =
            Error::new(format!("cannot read the port in \"{quoted}\": expected a switch and its port"));
        return Err(error.suggesting(Some(format!("{first}-p1"))));
    }
    let names = nodes.names();
    let near = nearest(port.map_or(first, |(name, _)| name), &names);
    let expected = if near.is_some() { String::new() } else { format!(" (known: {})", listing(&names)) };
    let suggestion = near.map(|near| match (port, nodes.node(&near)) {
        (Some((_, digits)), Some(Node::Switch)) => format!("{near}-p{digits}"),
        _ => near,
    });
    let error = Error::new(format!("there is no host or switch \"{quoted}\"{expected}"));
    Err(error.suggesting(suggestion))
}

/// Splits a text into the name before a mark and the number after it.
fn split_number<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    text.rsplit_once(mark).filter(|(name, digits)| !name.is_empty() && is_number(digits))
}

/// Refuses a link whose ends are on the same node.
///
/// # Errors
/// Both ends are on the same node.
pub fn check_two_nodes(a: &End, b: &End) -> Result<(), Error> {
    if a.node() == b.node() {
        return Err(Error::new(format!("a link needs two nodes, both ends are on {}", a.node())));
    }
    Ok(())
}

/// Refuses an end that a link already has; `linked` shows that link: `h1 <-> s1-p1`.
///
/// # Errors
/// A link already has the end.
pub fn check_free(end: &End, linked: Option<&str>) -> Result<(), Error> {
    let Some(link) = linked else { return Ok(()) };
    Err(Error::new(match end {
        End::Switch { name, port: Some(port) } => format!("port {port} of {name} is already linked ({link})"),
        End::Host { name, .. } => format!(
            "host {end} is already linked ({link}); Topology.add_interface gives {name} another interface"
        ),
        End::Switch { name, port: None } => format!("switch {name} is already linked ({link})"),
    }))
}
