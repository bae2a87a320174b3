//! The simulator: switches, hosts and links on a virtual clock.
//!
//! - **Input:** a seed, nodes ([`HostConfig`], any [`weir_device::Device`]), links between their
//!   ports ([`LinkConfig`]), applications to run on hosts ([`App`], [`Ping`], [`UdpSender`]), and
//!   how far to run.
//! - **Output:** the results of the applications, counters, captures (pcapng), and an [`Audit`]
//!   that accounts for every packet.
//!
//! Time is virtual: unsigned 64-bit nanoseconds from the start of the simulation. Equal seeds and
//! equal calls give equal bytes on any machine. Each consumer of randomness has its own random
//! stream, so adding a consumer never changes what another one draws. A network can run in
//! several threads of its caller, with the same results.
//!
//! - **Independent of:** P4, tables, executors (a switch is a [`weir_device::Device`], nothing
//!   more); the wall clock, files, the environment, the network of the machine it runs on.

mod apps;
mod audit;
mod capture;
mod computer;
mod error;
mod event_queue;
mod frames;
mod host;
mod link;
mod network;
mod resource_usage;
mod sample;
mod time;

pub use apps::exchange::{Arrivals, ExchangeRow, Sizes};
pub use apps::flow::{DelayStats, FlowInterval, FlowReport, FlowRow, Pattern, UdpFlow, UdpFlowConfig};
pub use apps::mailbox::{Mailbox, Message};
pub use apps::ping::{Ping, PingConfig, PingOutcome, PingRow, PingSummary};
pub use apps::replay::Replay;
pub use apps::sockets::{SocketEvent, SocketMessage, Sockets};
pub use apps::tcp::{
    TcpExchanges, TcpExchangesConfig, TcpFlow, TcpFlowConfig, TcpInterval, TcpOptions, TcpReport, TcpServer,
    WriteSchedule,
};
pub use apps::udp::{UdpReceiver, UdpSender, UdpSenderConfig};
pub use apps::udp_exchanges::{UdpExchanges, UdpExchangesConfig};
pub use audit::{Audit, DropCount, InFlight, Losses};
pub use capture::{CaptureId, WatchConfig, WatchedFrame};
pub use computer::{ComputerConfig, Cost};
pub use error::Error;
pub use host::app::{App, HostContext};
pub use host::ids::{AppId, SocketId};
pub use host::route::Route;
pub use host::socket::{AppEvent, BindError, Binding, Data, IcmpError, SendError, SocketError, TcpEvent};
pub use host::{Host, HostConfig, HostCounters, InterfaceConfig, NeighbourEntry};
pub use link::{Direction, DirectionCounters, LinkConfig};
pub use network::{
    EndlessLoop, Link, LinkEnd, LinkId, MAX_THREADS, Network, Node, NodeId, ParallelWork, RunResult,
    RunTasks, ServerHosts, StopCondition, StopReason, Task,
};
pub use resource_usage::ResourceUsage;
pub use sample::{MAX_SAMPLES, Sample, SamplerId};
pub use weir_device::{Device, Nanos, Packet, PacketAccount, Port, ReceiveOutcome};
pub use weir_filter::{Filter, FilterError, IpPrefix, MacAddress, ParseAddressError};
pub use weir_impair::{Correlations, Impairments, Jitter, Loss, Random};
pub use weir_qdisc::{
    CodelConfig, DualPi2Config, FqCodelConfig, FqConfig, Framing, HtbClass, HtbConfig, HtbFilter,
    NetemConfig, PeakRate, QdiscConfig, RedConfig, Slot, TbfConfig, TcCommand, TcError, TcInterface,
};
/// TCP endpoints: their settings, metrics and events.
pub use weir_tcp as tcp;
