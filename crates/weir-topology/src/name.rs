//! Names of nodes.
//!
//! They become parts of other names, so they are short and consist only of letters, digits, `_` and
//! `.`: names of hosts and interfaces in Linux, of files with captures and logs, and of sockets.

use weir_json::Value;

use crate::Error;
use crate::text::{show_text, string};

/// The maximum length of a name in characters: that of a label of a host's name (RFC 1035, section
/// 2.3.4).
pub const MAX_NAME: usize = 63;

/// Whether a node is a host or a switch, with the properties that links need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A host.
    Host {
        /// The number of its interfaces.
        interfaces: usize,
    },
    /// A switch.
    Switch,
}

/// The nodes of a topology that is being built.
pub trait Nodes {
    /// Returns the node of this name.
    fn node(&self, name: &str) -> Option<Node>;

    /// Returns the names of all nodes, for messages: hosts, then switches, in their order.
    fn names(&self) -> Vec<String>;
}

/// Reads the name of a new node.
///
/// # Errors
/// The name is in use, looks like a port or a command, or is longer than [`MAX_NAME`].
pub fn check_new<'v>(value: &'v Value, nodes: &dyn Nodes) -> Result<&'v str, Error> {
    let name = string(value, "a node's name (a string)")?;
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_rest = |c: char| is_start(c) || c.is_ascii_digit() || c == '.';
    if !name.starts_with(is_start) || !name.chars().all(is_rest) {
        return Err(Error::new(format!(
            "'{}' is not a name for a node: use letters, digits, _ and ., a letter first",
            show_text(name)
        )));
    }
    if name.len() > MAX_NAME {
        return Err(Error::new(format!(
            "'{}…' is too long for the name of a node: it has {} characters, expected {MAX_NAME} or fewer",
            &name[..20],
            name.len()
        )));
    }
    if nodes.node(name).is_some() {
        return Err(Error::new(format!("there already is a node \"{name}\"")));
    }
    Ok(name)
}
