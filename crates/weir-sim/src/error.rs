//! The errors of the simulator's calls.

use weir_device::Port;
use weir_impair::OutOfRange;
use weir_qdisc::TcError;

/// A call that was refused. The network is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A node of this name already exists.
    #[error("there is already a node called `{0}`")]
    DuplicateNode(String),
    /// A name is empty or contains white space or control characters.
    #[error("`{0}` cannot be a node's name: expected printable characters without spaces")]
    BadName(String),
    /// There is no node of this name.
    #[error("there is no node called `{name}`; the nodes are: {}", known.join(", "))]
    UnknownNode {
        /// The name that is unknown.
        name: String,
        /// The names of the existing nodes, in the order in which they were added.
        known: Vec<String>,
    },
    /// The node exists, but is not a host.
    #[error("`{0}` is not a host")]
    NotAHost(String),
    /// The node exists, but is not a device, or is a device of another type.
    #[error("`{0}` is not a device of the requested type")]
    NotADevice(String),
    /// A host has no interface of this number.
    #[error("host `{host}` has no interface {port}; it has {interfaces}, counted from 0")]
    UnknownInterface {
        /// The name of the host.
        host: String,
        /// The number of the interface.
        port: Port,
        /// The number of interfaces that the host has.
        interfaces: usize,
    },
    /// A port is already connected: a port takes one link.
    #[error("port {port} of `{node}` is already connected")]
    PortInUse {
        /// The name of the node.
        node: String,
        /// The port's number.
        port: Port,
    },
    /// Nothing is connected to this port.
    #[error("port {port} of `{node}` is not connected")]
    NotConnected {
        /// The name of the node.
        node: String,
        /// The port's number.
        port: Port,
    },
    /// A node has no connected port of this name.
    #[error("`{node}` has no interface `{device}` with a link; it has {}", known.join(", "))]
    UnknownDevice {
        /// The name of the node.
        node: String,
        /// The name of the interface.
        device: String,
        /// The names of the existing interfaces.
        known: Vec<String>,
    },
    /// A `tc` command that cannot be parsed or does not fit the current configuration.
    #[error(transparent)]
    Tc(#[from] TcError),
    /// Both ends of a link are the same port.
    #[error("a link cannot connect port {port} of `{node}` with itself")]
    SelfLink {
        /// The name of the node.
        node: String,
        /// The port's number.
        port: Port,
    },
    /// A link setting is out of range.
    #[error("link setting {setting}: {value} is out of range; expected {expected}")]
    BadLink {
        /// The name of the setting.
        setting: &'static str,
        /// The value that is not allowed.
        value: String,
        /// The allowed range.
        expected: &'static str,
    },
    /// A setting of a computer is out of range.
    #[error("computer setting {setting}: {value} is out of range; expected {expected}")]
    BadComputer {
        /// The name of the setting.
        setting: &'static str,
        /// The value that is not allowed.
        value: u64,
        /// The allowed range.
        expected: &'static str,
    },
    /// A computer is set although the network already has nodes.
    #[error("a computer is set before the first node is added")]
    ComputerTooLate,
    /// A host setting is out of range.
    #[error("host `{host}`: {reason}")]
    BadHost {
        /// The name of the host.
        host: String,
        /// A description of the mistake and of the expected value.
        reason: String,
    },
    /// An application setting is out of range.
    #[error("{app}: {reason}")]
    BadApp {
        /// The application, such as `ping`.
        app: &'static str,
        /// A description of the mistake and of the expected value.
        reason: String,
    },
    /// An identifier belongs to another network, or to an object that no longer exists.
    #[error("there is no {what} with the number {number} in this network")]
    UnknownId {
        /// The kind of identifier: `link`, `app` or `capture`.
        what: &'static str,
        /// The number.
        number: usize,
    },
    /// A capture file could not be written.
    #[error("the capture could not be written: {0}")]
    Capture(String),
}

impl From<OutOfRange> for Error {
    fn from(OutOfRange { setting, value, expected }: OutOfRange) -> Self {
        Error::BadLink { setting, value, expected }
    }
}
