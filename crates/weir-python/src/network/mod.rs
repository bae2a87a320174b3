//! Bindings for virtual networks.

mod computer;
mod controller;
mod hosts;
mod impairments;
mod links;
mod mailbox;
mod observation;
mod p4runtime;
mod qdisc;
mod release;
mod settings;
mod slices;
mod sockets;
mod traffic;

use std::fs::File;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use weir_sim::{
    CaptureId, Filter, HostConfig, Impairments, InterfaceConfig, LinkConfig, LinkEnd, LinkId, Loss,
    MacAddress, NeighbourEntry, Route, StopCondition, StopReason, WatchConfig,
};
use weir_switch::{Switch as Core, SwitchConfig};
use weir_topology::Mac;
use weir_topology::show::{self, KnownNeighbour};

pub use self::hosts::Host;
pub use self::links::Link;
pub use self::mailbox::Mailbox;
pub use self::observation::{
    Account, Drop, InFlight, Loop, LossCounts, Misses, RepeatingDevice, Repeats, Sampler, Waiting, Watch,
};
pub use self::p4runtime::P4RuntimeServer;
pub use self::qdisc::{Interface, Qdisc};
use self::release::Dropped;
pub use self::sockets::{SocketEvent, Sockets};
pub use self::traffic::{Exchange, NO_ROUTE, PingReply, Traffic, icmp_error, trace_kinds};
use crate::program::Program;
use crate::switch::{Switch, SwitchHolder};
use crate::topology::HostSpec;
use crate::{errors, own_externs};

/// A network of hosts, switches and links on a virtual clock. Nodes are identified by name, links
/// by number from 0.
#[pyclass(frozen)]
pub struct Network {
    state: Mutex<State>,
    /// Applications whose Python objects were deleted.
    dropped: Dropped,
}

struct State {
    world: weir_sim::Network,
    links: Vec<LinkId>,
    captures: Vec<(CaptureId, String)>,
}

#[pymethods]
impl Network {
    /// `threads` is the maximum number of threads that simulate the network.
    #[new]
    #[pyo3(signature = (seed, threads = 1))]
    fn new(seed: u64, threads: usize) -> Self {
        let mut world = weir_sim::Network::new(seed);
        world.stop_at_loops(true);
        world.set_threads(threads, slices::run_in_threads);
        let state = State { world, links: Vec::new(), captures: Vec::new() };
        Network { state: Mutex::new(state), dropped: Dropped::default() }
    }

    /// Adds a switch. `timing` contains the pass latency in nanoseconds and the passes per second;
    /// `priorities` is the number of queues per port.
    fn add_switch(
        &self,
        name: &str,
        program: &Program,
        timing: (u64, u64),
        ports: Vec<u32>,
        priorities: usize,
        seed: u64,
    ) -> PyResult<()> {
        let (pass_latency, capacity) = timing;
        let own_externs = program.own_externs.clone();
        let config =
            SwitchConfig { pass_latency, capacity, priorities, own_externs, ..SwitchConfig::default() };
        let config = config.with_ports(ports).with_seed(seed);
        let switch = Core::new(program.executor.clone(), config).map_err(errors::network_error)?;
        self.state()?.world.add_device(name, Box::new(switch)).map_err(errors::network_error)?;
        Ok(())
    }

    /// Adds a host. An interface consists of a MAC address, addresses with prefix lengths, and the
    /// MTU in bytes. A route consists of a network, a gateway and an interface. A neighbour
    /// consists of an interface, an IP address and a MAC address.
    fn add_host(
        &self,
        name: &str,
        interfaces: Vec<(String, Vec<String>, usize)>,
        routes: Vec<(String, Option<String>, u32)>,
        neighbours: Vec<(u32, String, String)>,
        processing_ns: u64,
        processing_jitter_ns: u64,
    ) -> PyResult<()> {
        let mut config = HostConfig {
            processing_delay: processing_ns,
            processing_jitter: processing_jitter_ns,
            ..HostConfig::without_interfaces(name)
        };
        for (mac, addresses, mtu) in interfaces {
            config.interfaces.push(interface_config(&mac, &addresses, mtu)?);
        }
        for (network, gateway, interface) in routes {
            config.routes.push(Route {
                destination: network.parse().map_err(errors::network_error)?,
                gateway: gateway.map(|g| g.parse()).transpose().map_err(errors::network_error)?,
                interface,
            });
        }
        for (interface, address, mac) in neighbours {
            let address = address.parse().map_err(errors::network_error)?;
            let mac: MacAddress = mac.parse().map_err(errors::network_error)?;
            config.neighbours.push((interface, address, mac));
        }
        self.state()?.world.add_host(config).map_err(errors::network_error)?;
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "two ends and how the link behaves, as Python gives them")]
    fn connect(
        &self,
        a: &str,
        a_port: u32,
        b: &str,
        b_port: u32,
        rate_bps: Option<u64>,
        delay_ns: u64,
        loss: f64,
    ) -> PyResult<usize> {
        let impairments = Impairments { loss: Loss::Random(loss), ..Impairments::default() };
        let config = LinkConfig { rate: rate_bps, delay: delay_ns, impairments, ..LinkConfig::default() };
        let mut state = self.state()?;
        let link = state.world.connect(LinkEnd::new(a, a_port), LinkEnd::new(b, b_port), config);
        state.links.push(link.map_err(errors::network_error)?);
        Ok(state.links.len() - 1)
    }

    /// Returns the link with this number.
    fn link(this: Py<Self>, number: usize) -> PyResult<Link> {
        this.get().state()?.find_link(number)?;
        Ok(Link::new(this, number))
    }

    /// Returns the sending side of a node's port. The port must have a link.
    fn interface(this: Py<Self>, node: &str, port: u32) -> PyResult<Interface> {
        Interface::new(this, LinkEnd::new(node, port))
    }

    /// Adds or removes a route of a host. Returns whether it existed.
    fn change_route(
        &self,
        host: &str,
        network: &str,
        gateway: Option<&str>,
        interface: u32,
        add: bool,
    ) -> PyResult<bool> {
        let route = Route {
            destination: network.parse().map_err(errors::network_error)?,
            gateway: gateway.map(str::parse).transpose().map_err(errors::network_error)?,
            interface,
        };
        let mut state = self.state()?;
        let host = state.world.host_mut(host).map_err(errors::network_error)?;
        if !add {
            return Ok(host.remove_route(&route));
        }
        host.add_route(route).map_err(errors::network_error)?;
        Ok(true)
    }

    /// Changes the MAC address, addresses with prefix lengths, and MTU in bytes of a host's
    /// interface.
    fn change_interface(
        &self,
        host: &str,
        interface: u32,
        mac: &str,
        addresses: Vec<String>,
        mtu: usize,
    ) -> PyResult<()> {
        let config = interface_config(mac, &addresses, mtu)?;
        self.state()?.world.set_interface(host, interface, config).map_err(errors::network_error)
    }

    /// Returns the output of a host's command such as `ip addr`, or `None` for other commands.
    fn ip_show(&self, command: &str, host: HostSpec<'_>) -> PyResult<Option<String>> {
        let state = self.state()?;
        let host = host.read()?;
        let known = |entry: NeighbourEntry| KnownNeighbour {
            address: entry.address,
            mac: entry.mac.map(|mac| Mac(mac.0)),
            permanent: entry.fixed,
        };
        show::ip(command, &host, |interface| {
            let entries =
                state.world.host(&host.name).map_err(errors::network_error)?.neighbours(interface as u32);
            Ok(entries.into_iter().map(known).collect())
        })
    }

    /// Sets or deletes a neighbour entry of a host. Returns whether it existed.
    fn change_neighbour(
        &self,
        host: &str,
        interface: u32,
        address: &str,
        mac: Option<&str>,
    ) -> PyResult<bool> {
        let address: IpAddr = address.parse().map_err(errors::network_error)?;
        let mut state = self.state()?;
        let Some(mac) = mac else {
            return state.world.remove_neighbour(host, interface, address).map_err(errors::network_error);
        };
        let mac: MacAddress = mac.parse().map_err(errors::network_error)?;
        state.world.set_neighbour(host, interface, address, mac).map_err(errors::network_error)?;
        Ok(true)
    }

    /// Applies `sysctl -w name=value` to a host.
    fn set_sysctl(&self, host: &str, name: &str, value: &str) -> PyResult<()> {
        let mut state = self.state()?;
        let host = state.world.host_mut(host).map_err(errors::network_error)?;
        host.set_sysctl(name, value).map_err(errors::network_error)
    }

    /// Executes a `tc` command at a node and returns its output.
    fn tc(&self, node: &str, line: &str) -> PyResult<String> {
        self.state()?.world.tc(node, line).map_err(errors::network_error)
    }

    /// Returns the host with this name.
    fn host(this: Py<Self>, name: String) -> PyResult<Host> {
        this.get().state()?.world.host(&name).map_err(errors::network_error)?;
        Ok(Host::new(this, name))
    }

    /// Returns the name of the host that has an address.
    fn owner(&self, address: &str) -> PyResult<Option<String>> {
        let address = address.parse().map_err(errors::network_error)?;
        Ok(self.state()?.world.address_owner(address).map(str::to_owned))
    }

    /// Ends all captures; raises the first error.
    fn finish_captures(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut state = self.state()?;
            let mut result = Ok(());
            for (capture, path) in std::mem::take(&mut state.captures) {
                let finished =
                    state.world.finish_capture(capture).map_err(|error| errors::file(&path, error));
                result = result.and(finished.map(drop));
            }
            result
        })
    }

    /// Returns the current time in nanoseconds.
    fn now(&self) -> PyResult<u64> {
        Ok(self.state()?.world.now())
    }

    /// Returns the number of frames that all links have delivered.
    fn hops(&self) -> PyResult<u64> {
        Ok(self.state()?.world.hops())
    }

    /// Returns the resource usage of the network, by name.
    fn resource_usage(&self) -> PyResult<Vec<(&'static str, usize)>> {
        Ok(release::counts(self.state()?.world.resource_usage()))
    }

    /// Returns the number of events that were handled since the start.
    fn events(&self) -> PyResult<u64> {
        Ok(self.state()?.world.events_handled())
    }

    /// Runs until a time or until some traffic has finished, whichever comes first, but for at most
    /// `events` events. Returns why the run stopped: `reached` (the time, or the end of the
    /// traffic), `time_limit` (the time, before the traffic has finished), `no_events` (there are
    /// no more events), `event_limit` (the maximum number of events), `requested` (an application
    /// or a watch requested it), `sample_limit` (a sampler takes no more samples), or `loop`
    /// (packets seem to stay in the network forever, see `take_loop`). After a signal, calls
    /// `interrupted`, and stops if that returns `True`.
    fn run(
        &self,
        py: Python<'_>,
        time_ns: u64,
        traffic: Option<&Traffic>,
        events: u64,
        interrupted: &Bound<'_, PyAny>,
    ) -> PyResult<&'static str> {
        let goal = match traffic.map(|traffic| traffic.app) {
            None => StopCondition::Time(time_ns),
            Some(app) => StopCondition::AppFinished { app, limit: time_ns },
        };
        let run = |goal, events| Ok(self.state()?.world.run_slice(goal, events));
        Ok(match slices::run(py, goal, events, interrupted, run)? {
            StopReason::Reached => "reached",
            StopReason::EventLimit => "event_limit",
            StopReason::TimeLimit => "time_limit",
            StopReason::NothingLeft => "no_events",
            StopReason::Requested => "requested",
            StopReason::SampleLimit => "sample_limit",
            StopReason::Loop => "loop",
        })
    }

    /// Takes the loop that stopped `run`.
    fn take_loop(&self) -> PyResult<Option<Loop>> {
        Ok(self.state()?.world.take_loop().map(Loop::from))
    }

    /// Counts all packets since the start, by outcome.
    fn audit(&self, py: Python<'_>) -> PyResult<Account> {
        py.detach(|| Ok(self.state()?.world.audit().into()))
    }

    /// Returns the packets that were dropped since the start, by place and reason, and other
    /// reasons why packets are missing.
    fn losses(&self, py: Python<'_>) -> PyResult<LossCounts> {
        py.detach(|| Ok(self.state()?.world.losses().into()))
    }

    /// Starts to sample link ends (node and port) at regular times.
    fn sample(this: Py<Self>, ends: Vec<(String, u32)>, every_ns: u64) -> PyResult<Sampler> {
        let ends: Vec<LinkEnd> = ends.into_iter().map(|(node, port)| LinkEnd::new(node, port)).collect();
        let id = this.get().state()?.world.sample(&ends, every_ns).map_err(errors::network_error)?;
        Ok(Sampler { network: this, id })
    }

    /// Captures the frames that pass link ends (node and port) and match a filter into a new file,
    /// until `finish_capture` or `finish_captures`.
    fn capture(&self, ends: Vec<(String, u32)>, filter: &str, path: &str) -> PyResult<()> {
        let ends: Vec<LinkEnd> = ends.into_iter().map(|(node, port)| LinkEnd::new(node, port)).collect();
        let filter = Filter::parse(filter).map_err(errors::network_error)?;
        let file = Box::new(File::create(path).map_err(|error| errors::file(path, error))?);
        let mut state = self.state()?;
        let capture = state.world.capture_matching(&ends, filter, file).map_err(errors::network_error)?;
        state.captures.push((capture, path.to_owned()));
        Ok(())
    }

    /// Ends the capture into this file.
    fn finish_capture(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        py.detach(|| {
            let mut state = self.state()?;
            let place = state.captures.iter().position(|(_, other)| other == path);
            let place =
                place.ok_or_else(|| errors::network_error(format!("nothing is captured into {path}")))?;
            let (capture, path) = state.captures.remove(place);
            state.world.finish_capture(capture).map(drop).map_err(|error| errors::file(&path, error))
        })
    }

    /// Starts to store the frames that pass link ends (node and port) and match a filter. `stops`
    /// says whether each frame stops the run.
    fn watch(
        this: Py<Self>,
        ends: Vec<(String, u32)>,
        filter: &str,
        inbound: bool,
        outbound: bool,
        stops: bool,
    ) -> PyResult<Watch> {
        let filter = Some(Filter::parse(filter).map_err(errors::network_error)?);
        let config = WatchConfig { filter, inbound, outbound, stops };
        let ends: Vec<LinkEnd> = ends.into_iter().map(|(node, port)| LinkEnd::new(node, port)).collect();
        let id = this.get().state()?.world.watch(&ends, config).map_err(errors::network_error)?;
        Ok(Watch { network: this, id })
    }

    /// Returns whether a switch's program can detect how long packets wait in queues.
    fn sees_queues(&self, switch: &str) -> PyResult<bool> {
        Ok(self.state()?.switch(switch)?.sees_queues())
    }

    /// Returns the control interface of a switch.
    fn switch(this: Py<Self>, name: String) -> PyResult<Switch> {
        this.get().state()?.switch(&name)?;
        Ok(Switch(Box::new(NetworkSwitch { network: this, name })))
    }
}

fn interface_config(mac: &str, addresses: &[String], mtu: usize) -> PyResult<InterfaceConfig> {
    let addresses = addresses.iter().map(|address| address.parse().map_err(errors::network_error));
    Ok(InterfaceConfig {
        mac: mac.parse().map_err(errors::network_error)?,
        addresses: addresses.collect::<PyResult<_>>()?,
        mtu,
    })
}

impl Network {
    /// Locks the network, and releases applications whose Python objects were deleted. Refuses
    /// calls from the code of own externs.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        own_externs::refuse_inside()?;
        let mut state = self.state.lock().map_err(|_| {
            errors::network_error("the network is unusable after an internal error; build it again")
        })?;
        self.dropped.release(&mut state.world);
        Ok(state)
    }
}

impl State {
    fn find_link(&self, number: usize) -> PyResult<LinkId> {
        self.links
            .get(number)
            .copied()
            .ok_or_else(|| errors::network_error(format!("there is no link {number}")))
    }

    /// Returns the switch with this name.
    fn switch(&mut self, name: &str) -> PyResult<&mut Core> {
        self.world.device_mut(name).map_err(errors::network_error)
    }
}

/// A switch of a network.
struct NetworkSwitch {
    network: Py<Network>,
    name: String,
}

impl SwitchHolder for NetworkSwitch {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Core, u64)) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let now = state.world.now();
        act(state.switch(&self.name)?, now);
        Ok(())
    }
}
