//! What can be wrong in a call.

use weir_device::Port;

/// A call that cannot be carried out. The world is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two nodes may not share a name.
    #[error("there is already a node called `{0}`")]
    DuplicateNode(String),
    /// A name is empty or holds white space or control characters.
    #[error("`{0}` cannot be a node's name: expected printable characters without spaces")]
    BadName(String),
    /// No node has this name.
    #[error("there is no node called `{name}`; the nodes are: {}", known.join(", "))]
    UnknownNode {
        /// The name asked for.
        name: String,
        /// The names there are, in the order of their making.
        known: Vec<String>,
    },
    /// The node is there, but is not a host.
    #[error("`{0}` is not a host")]
    NotAHost(String),
    /// The node is there, but is not a device, or is one of another type.
    #[error("`{0}` is not a device of the type asked for")]
    NotADevice(String),
    /// A host has no interface of this number.
    #[error("host `{host}` has no interface {port}; it has {interfaces}, counted from 0")]
    UnknownInterface {
        /// The host.
        host: String,
        /// The number asked for.
        port: Port,
        /// How many interfaces the host has.
        interfaces: usize,
    },
    /// A port takes one link.
    #[error("port {port} of `{node}` is already connected")]
    PortInUse {
        /// The node.
        node: String,
        /// The port's number.
        port: Port,
    },
    /// Nothing is connected to this port.
    #[error("port {port} of `{node}` is not connected")]
    NotConnected {
        /// The node.
        node: String,
        /// The port's number.
        port: Port,
    },
    /// A node has no connected port that is called so.
    #[error("`{node}` has no interface `{device}` with a link; it has {}", known.join(", "))]
    UnknownDevice {
        /// The node.
        node: String,
        /// The name asked for.
        device: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A `tc` command that is not understood or does not fit.
    #[error(transparent)]
    Tc(#[from] TcError),
    /// A link's two ends are the same port.
    #[error("a link cannot connect port {port} of `{node}` with itself")]
    SelfLink {
        /// The node.
        node: String,
        /// The port's number.
        port: Port,
    },
    /// A link's setting is out of its range.
    #[error("link setting {setting}: {value} is out of range; expected {expected}")]
    BadLink {
        /// Which setting.
        setting: &'static str,
        /// What was given.
        value: String,
        /// The range.
        expected: &'static str,
    },
    /// A host's setting is out of its range.
    #[error("host `{host}`: {reason}")]
    BadHost {
        /// The host.
        host: String,
        /// What is wrong and what was expected.
        reason: String,
    },
    /// An application's setting is out of its range.
    #[error("{app}: {reason}")]
    BadApp {
        /// The application, such as `ping`.
        app: &'static str,
        /// What is wrong and what was expected.
        reason: String,
    },
    /// An identifier of another world, or of something that is gone.
    #[error("there is no {what} with the number {number} in this network")]
    UnknownId {
        /// `link`, `app` or `capture`.
        what: &'static str,
        /// The number.
        number: usize,
    },
    /// A capture could not be written.
    #[error("the capture could not be written: {0}")]
    Capture(String),
}

/// A `tc` command that is not understood or does not fit what came before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{line}`: {message}{}", suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
pub struct TcError {
    /// The whole command.
    pub line: String,
    /// What is wrong and what was expected.
    pub message: String,
    /// The nearest right word.
    pub suggestion: Option<String>,
}
