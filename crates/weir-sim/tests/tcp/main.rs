//! TCP between hosts: transfers with losses, refused handshakes, path MTUs, removal of connections.

#[path = "../network/world/mod.rs"]
mod world;

mod apps;
mod connections;
mod shaping;

use std::collections::BTreeMap;
use std::net::IpAddr;

use etherparse::{Icmpv4Type, PacketBuilder, SlicedPacket, TcpHeader, icmpv4};
use weir_sim::tcp::{Algorithm, Closed, Config, Event, Info, Keep};
use weir_sim::{
    App, AppEvent, AppId, Data, Direction, FqConfig, HostConfig, HostContext, HtbClass, HtbConfig,
    Impairments, InterfaceConfig, LinkConfig, LinkEnd, Loss, MacAddress, NetemConfig, Network, QdiscConfig,
    SendError, SocketId, TbfConfig, TcpEvent,
};
use world::*;

use apps::*;
