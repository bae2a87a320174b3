//! The virtual world: switches, hosts and links on a virtual clock.
//!
//! Comes in: a seed, nodes ([`HostConfig`], any [`weir_device::Device`]), links between their ports ([`LinkConfig`]), applications to run on
//! hosts ([`App`], [`Ping`], [`UdpSender`]), and how far to run.
//! Goes out: the applications' results, counters, captures (pcapng), and an [`Audit`] that accounts for every packet.
//!
//! Time is virtual: unsigned 64-bit nanoseconds from the start of the world. Equal seeds and equal calls give equal
//! bytes, on any machine. Every consumer of randomness has a stream of its own, so adding one never changes another.
//!
//! What this room must never know: P4, tables, executors (a switch is a [`weir_device::Device`], nothing more); the wall
//! clock, files, the environment, the network of the machine it runs on, threads.

mod address;
mod app;
mod audit;
mod capture;
mod error;
mod events;
mod filter;
mod frames;
mod host;
mod link;
mod math;
mod network;
mod qdisc;
mod random;
mod sample;

pub use address::{IpPrefix, MacAddress, ParseAddressError};
pub use app::exchange::{Arrivals, ExchangeRow, Sizes};
pub use app::flow::{Delays, FlowInterval, FlowReport, FlowRow, Pattern, UdpFlow, UdpFlowConfig};
pub use app::mailbox::{Letter, Mailbox};
pub use app::ping::{Ping, PingConfig, PingOutcome, PingRow, PingSummary};
pub use app::replay::Replay;
pub use app::sockets::{SocketEvent, SocketLetter, Sockets};
pub use app::tcp::{
    Exchanges, ExchangesConfig, Offer, TcpFlow, TcpFlowConfig, TcpInterval, TcpOptions, TcpReport, TcpServer,
};
pub use app::udp::{UdpReceiver, UdpSender, UdpSenderConfig};
pub use app::udp_exchanges::{UdpExchanges, UdpExchangesConfig};
pub use app::{
    App, Arrival, BindError, Binding, Data, HostContext, IcmpError, SendError, SocketError, TcpEvent,
};
pub use audit::{Audit, DropCount, InFlight};
pub use capture::{CaptureId, Seen, WatchConfig};
pub use error::Error;
pub use filter::{Filter, FilterError};
pub use host::route::Route;
pub use host::tcp::SocketId;
pub use host::{Host, HostConfig, HostCounters, InterfaceConfig, NeighbourEntry};
pub use link::{Correlations, Direction, DirectionCounters, Impairments, Jitter, LinkConfig, Loss};
pub use network::{AppId, End, Goal, Link, LinkId, Load, Network, Node, NodeId, Progress, Servers, Stop};
pub use qdisc::{
    CodelConfig, FqCodelConfig, FqConfig, Framing, HtbClass, HtbConfig, HtbFilter, NetemConfig, Peak,
    QdiscConfig, RedConfig, Slot, TbfConfig, Tc, TcCommand, TcError,
};
pub use random::Random;
pub use sample::{Sample, SamplerId};
pub use weir_device::{Device, Nanos, Packet, PacketAccount, Port, ReceiveOutcome};
/// End points of TCP: their settings, figures and events.
pub use weir_tcp as tcp;
