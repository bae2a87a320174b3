//! The applications of a network.

use std::any::Any;

use weir_device::Nanos;

use super::{Event, Network, NodeKind, ServerHosts};
use crate::AppId;
use crate::apps::flow::{MAX_FLOWS, SharedRecord};
use crate::apps::shared::Shared;
use crate::apps::tcp::{
    Sender, ServerRegistry, TcpExchanges, TcpExchangesConfig, TcpFlow, TcpFlowConfig, TcpReport, TcpServer,
};
use crate::apps::udp::AnnouncedFlow;
use crate::apps::udp_exchanges::{UdpExchanges, UdpExchangesConfig};
use crate::host::app::{App, HostContext};
use crate::host::socket::Binding;
use crate::{Error, PingConfig, Random, UdpFlow, UdpFlowConfig, UdpReceiver};
use weir_impair::MAX_DURATION;

impl Network {
    /// Starts an application on a host at a time, or now if that is in the past.
    ///
    /// # Errors
    /// There is no such host.
    pub fn start_app(&mut self, host: &str, at: Nanos, app: Box<dyn App>) -> Result<AppId, Error> {
        let node = self.index(host)?;
        let key = self.host_mut(host)?.add_app(app);
        self.count_running(node);
        let wake = self.app_wakes.add(key, 0);
        self.events.push(at.max(self.now), Event::AppStart { node: node as u32, wake });
        Ok(AppId { node, key })
    }

    /// Starts a [`crate::Ping`] on a host now. Any number of them can run at once.
    ///
    /// # Errors
    /// There is no such host, or a setting is out of range.
    pub fn start_ping(&mut self, host: &str, config: PingConfig) -> Result<AppId, Error> {
        let ping = crate::Ping::new(config)?;
        self.start_traffic(host, Box::new(ping))
    }

    /// Starts a measured UDP flow now, from a host to another host, or to one of several; see
    /// [`UdpFlow`]. The receiving hosts listen on the flow's port from now on, shared with earlier
    /// flows to it. Their addresses may differ from the flow's destination, if a data plane
    /// rewrites it. In a reverse flow the server that is contacted first sends.
    ///
    /// # Errors
    /// There is no such host, a setting is out of range, or another application has the port.
    pub fn start_udp_flow(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: UdpFlowConfig,
    ) -> Result<AppId, Error> {
        let (to, port) = (to.into(), config.destination.1);
        let random = self.app_random(host)?;
        config.check()?;
        let (receivers, number) = self.udp_receivers(&to, port)?;
        self.share_data(host, &receivers)?;
        // A finished flow keeps its port for late packets, but gives it up for a new flow.
        if let Some(port) = config.source_port
            && let Some(other) = self.bound_app(host, Binding::Udp(port))?
        {
            self.call_app(other, |other: &mut UdpFlow, context| other.release(context));
        }
        let (record, start) = (SharedRecord::default(), self.start_time(host)?);
        {
            let report = &mut record.lock().report;
            report.started = start;
            if receivers.len() > 1 && !config.reverse {
                report.by_server = vec![0; receivers.len()];
            }
        }
        let (flow, answer) = UdpFlow::new(config, record.clone(), number, random);
        let announced = match answer {
            None => AnnouncedFlow::Flow(record),
            Some(sending) => AnnouncedFlow::Reverse { sending: Shared::new(sending), to: None },
        };
        self.announce(&receivers, number, &announced);
        self.start_traffic(host, Box::new(flow))
    }

    /// Starts request-response exchanges over UDP now, with a host that answers them from now on,
    /// or with several; see [`UdpExchanges`].
    ///
    /// # Errors
    /// There is no such host, a setting is out of range, or another application has the port.
    pub fn start_udp_exchanges(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: UdpExchangesConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (port, class) = (config.destination.1, config.class);
        config.check()?;
        let (receivers, number) = self.udp_receivers(&to.into(), port)?;
        self.share_data(host, &receivers)?;
        let exchanges = UdpExchanges::new(config, number, random);
        self.announce(&receivers, number, &AnnouncedFlow::Requests(exchanges.shared(), class));
        self.start_traffic(host, Box::new(exchanges))
    }

    /// Keeps a client and its servers in one part of the network, because they share data.
    fn share_data(&mut self, client: &str, servers: &[AppId]) -> Result<(), Error> {
        let client = self.index(client)?;
        self.keep_together([client].into_iter().chain(servers.iter().map(|server| server.node)));
        Ok(())
    }

    /// Announces a UDP flow to all its servers.
    fn announce(&mut self, receivers: &[AppId], number: u64, announced: &AnnouncedFlow) {
        for (place, receiver) in receivers.iter().enumerate() {
            let expect = |receiver: &mut UdpReceiver, _: &mut HostContext<'_>| {
                receiver.expect(number, announced.clone(), place, receivers.len());
            };
            self.call_app(*receiver, expect);
        }
    }

    /// Returns the UDP receivers at a port of some hosts, started if necessary, and a number for
    /// the next flow that is unused at all of them.
    fn udp_receivers(&mut self, to: &ServerHosts, port: u16) -> Result<(Vec<AppId>, u64), Error> {
        let refused = |reason: String| Error::BadApp { app: "udp flow", reason };
        let serving = |network: &Self, app| network.app::<UdpReceiver>(app).is_some();
        if let Some(name) = self.host_with_other_app(to, Binding::Udp(port), serving)? {
            return Err(refused(format!("UDP port {port} of {name} is in use")));
        }
        let start = || Box::new(UdpReceiver::new(port)) as Box<dyn App>;
        let receivers = to.names().map(|name| self.app_at(name, Binding::Udp(port), start));
        let receivers = receivers.collect::<Result<Vec<_>, _>>()?;
        let number = self.free_number(&receivers);
        let number = number.ok_or_else(|| refused(format!("UDP port {port} of {to} has too many flows")))?;
        Ok((receivers, number))
    }

    /// Returns a flow number that is unused at all receivers. Numbers are reused as late as
    /// possible, because of late datagrams.
    fn free_number(&mut self, receivers: &[AppId]) -> Option<u64> {
        let mut last = 0;
        for receiver in receivers {
            last =
                last.max(self.call_app(*receiver, |receiver: &mut UdpReceiver, _| receiver.last_number())??);
        }
        let mut numbers = (last..last + MAX_FLOWS).map(|number| number % MAX_FLOWS + 1);
        let free = |id: &AppId, number| self.app::<UdpReceiver>(*id).is_some_and(|app| app.is_free(number));
        numbers.find(|number| receivers.iter().all(|id| free(id, *number))).map(|number| number as u64)
    }

    /// Returns the first host at which another kind of application has the binding.
    fn host_with_other_app<'a>(
        &self,
        to: &'a ServerHosts,
        binding: Binding,
        serving: impl Fn(&Self, AppId) -> bool,
    ) -> Result<Option<&'a str>, Error> {
        to.check()?;
        for name in to.names() {
            if self.bound_app(name, binding)?.is_some_and(|app| !serving(self, app)) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Returns the application that has a binding on a host. If there is none, a new one, which
    /// starts at once so that the next flow finds it.
    fn app_at(
        &mut self,
        host: &str,
        binding: Binding,
        new: impl FnOnce() -> Box<dyn App>,
    ) -> Result<AppId, Error> {
        if let Some(app) = self.bound_app(host, binding)? {
            return Ok(app);
        }
        let (node, now) = (self.index(host)?, self.now);
        let key = self.host_mut(host)?.add_app(new());
        self.with_host(node, |host| host.start_app(now, key));
        Ok(AppId { node, key })
    }

    /// Starts a TCP flow now: a host connects to another host, or to one of several; see
    /// [`TcpFlow`]. The servers listen on the flow's port from now on. Their addresses may differ
    /// from the flow's destination, if a data plane rewrites it.
    ///
    /// # Errors
    /// There is no such host, a setting is out of range, or another application has the port.
    pub fn start_tcp_flow(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: TcpFlowConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (servers, registry) = self.tcp_servers(&to.into(), config.destination.1)?;
        if servers.len() > 1 {
            self.share_data(host, &servers)?;
        }
        let flow = TcpFlow::new(config, registry, servers, random)?;
        flow.record().lock().started = self.start_time(host)?;
        self.start_traffic(host, Box::new(flow))
    }

    /// Returns the current report of a TCP flow; `None` if the application is not one.
    pub fn tcp_report(&mut self, id: AppId) -> Option<TcpReport> {
        self.call_app(id, |flow: &mut TcpFlow, host| flow.update_report(host))?;
        self.call_sender(id, |sender, host| sender.update_report(host));
        self.app::<TcpFlow>(id).map(TcpFlow::report)
    }

    /// Sets the pacing rate of a TCP flow in bits of IP packets per second; `None` leaves pacing to
    /// the congestion control.
    ///
    /// # Errors
    /// The rate is 0, or the application is not a TCP flow.
    pub fn pace_tcp_flow(&mut self, id: AppId, rate: Option<u64>) -> Result<(), Error> {
        let refused = |reason: &str| Error::BadApp { app: "tcp flow", reason: reason.to_owned() };
        if rate == Some(0) {
            return Err(refused("a pacing rate of 0 bit/s; expected 1 or more"));
        }
        let paced = self.call_app(id, |flow: &mut TcpFlow, host| flow.pace(rate, host));
        self.call_sender(id, |sender, host| sender.pace(rate, host));
        paced.ok_or_else(|| refused("there is no such flow"))
    }

    /// Calls the sender of a reverse flow, once the server has accepted its connection.
    fn call_sender(&mut self, id: AppId, call: impl FnOnce(&mut Sender, &mut HostContext<'_>)) {
        let Some(flow) = self.app::<TcpFlow>(id) else { return };
        if !flow.config().reverse {
            return;
        }
        let (Some(server), record) = (flow.server(), flow.record().clone()) else { return };
        self.call_app(server, |server: &mut TcpServer, host| {
            if let Some(sender) = server.sender(&record) {
                call(sender, host);
            }
        });
    }

    /// Delays each start of traffic from now on by a uniform random time from 0 to this many
    /// nanoseconds; 0 at first.
    pub fn set_start_jitter(&mut self, jitter: Nanos) {
        self.start_jitter = jitter.min(MAX_DURATION);
    }

    /// Returns the time at which traffic that a host is asked to start now will start. The result
    /// stays the same until the traffic has started.
    fn start_time(&self, host: &str) -> Result<Nanos, Error> {
        if self.start_jitter == 0 {
            return Ok(self.now);
        }
        let started = self.host(host)?.apps_started();
        let delay = Random::new(self.seed, &format!("start {host}/{started}")).up_to(self.start_jitter);
        Ok(self.now.saturating_add(delay))
    }

    fn start_traffic(&mut self, host: &str, app: Box<dyn App>) -> Result<AppId, Error> {
        let start = self.start_time(host)?;
        self.start_app(host, start, app)
    }

    /// Returns the random stream of the next application on a host.
    fn app_random(&self, host: &str) -> Result<Random, Error> {
        let started = self.host(host)?.apps_started();
        Ok(Random::new(self.seed, &format!("app {host}/{started}")))
    }

    /// Starts request-response exchanges over TCP now; see [`TcpExchanges`] and
    /// [`Network::start_tcp_flow`].
    ///
    /// # Errors
    /// There is no such host, a setting is out of range, or another application has the port.
    pub fn start_tcp_exchanges(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: TcpExchangesConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (servers, registry) = self.tcp_servers(&to.into(), config.destination.1)?;
        self.share_data(host, &servers)?;
        let exchanges = TcpExchanges::new(config, registry, random)?;
        self.start_traffic(host, Box::new(exchanges))
    }

    /// Returns the TCP servers at a port of some hosts, started if necessary, and the registry of
    /// connections that they expect.
    fn tcp_servers(&mut self, to: &ServerHosts, port: u16) -> Result<(Vec<AppId>, ServerRegistry), Error> {
        let serving = |network: &Self, app| network.app::<TcpServer>(app).is_some();
        if let Some(name) = self.host_with_other_app(to, Binding::Tcp(port), serving)? {
            let reason = format!("TCP port {port} of {name} is in use");
            return Err(Error::BadApp { app: "tcp flow", reason });
        }
        let (mut servers, mut registry) = (Vec::new(), Vec::new());
        for name in to.names() {
            let server = self.serve_tcp(name, port)?;
            servers.push(server);
            registry.extend(self.app::<TcpServer>(server).map(TcpServer::register));
        }
        Ok((servers, ServerRegistry::new(registry)))
    }

    /// Returns the application that accepts connections at a port of a host; a new [`TcpServer`] if
    /// there is none.
    ///
    /// # Errors
    /// There is no such host.
    pub fn serve_tcp(&mut self, to: &str, port: u16) -> Result<AppId, Error> {
        self.app_at(to, Binding::Tcp(port), || Box::new(TcpServer::new(port)))
    }

    /// Returns an application by its type; `None` if it has another type or belongs to another
    /// network.
    pub fn app<A: App>(&self, id: AppId) -> Option<&A> {
        let NodeKind::Host(host) = &self.nodes.get(id.node)?.kind else { return None };
        let app: &dyn Any = host.app(id.key)?;
        app.downcast_ref()
    }

    /// Returns an application by its type, mutably; `None` if it has another type or belongs to
    /// another network.
    pub fn app_mut<A: App>(&mut self, id: AppId) -> Option<&mut A> {
        self.changed_nodes.insert(id.node);
        let NodeKind::Host(host) = &mut self.nodes.get_mut(id.node)?.kind else { return None };
        let app: &mut dyn Any = host.app_mut(id.key)?.as_mut();
        app.downcast_mut()
    }

    /// Calls an application with its host now, from outside the run: it may send, bind, and request
    /// wake-ups. Returns `None` if the application has another type or belongs to another network.
    pub fn call_app<A: App, T>(
        &mut self,
        id: AppId,
        call: impl FnOnce(&mut A, &mut HostContext<'_>) -> T,
    ) -> Option<T> {
        let now = self.now;
        let result = self.with_host(id.node, |host| {
            host.with_app(now, id.key, |app, context| {
                let app: &mut dyn Any = app;
                app.downcast_mut::<A>().map(|app| call(app, context))
            })
        });
        result??
    }

    /// Returns the application that has a binding on a host.
    ///
    /// # Errors
    /// There is no such host.
    pub fn bound_app(&self, host: &str, binding: Binding) -> Result<Option<AppId>, Error> {
        let node = self.index(host)?;
        Ok(self.host(host)?.bound(binding).map(|key| AppId { node, key }))
    }

    /// Stops an application early: it starts nothing new ([`App::stop`]). Nothing happens if it
    /// belongs to another network.
    pub fn stop_app(&mut self, id: AppId) {
        let now = self.now;
        self.with_host(id.node, |host| host.with_app(now, id.key, |app, context| app.stop(context)));
    }

    /// Returns whether an application has finished; true if it is not of this network.
    pub fn app_finished(&self, id: AppId) -> bool {
        match self.nodes.get(id.node).map(|node| &node.kind) {
            Some(NodeKind::Host(host)) => host.app(id.key).is_none_or(|app| app.finished()),
            _ => true,
        }
    }

    /// Releases an application: its memory is reused once it has finished, possibly now. After
    /// that, its id and its pending wake-ups are invalid, its bindings are removed, and its open
    /// connections are closed. Nothing happens if it belongs to another network.
    pub fn release_app(&mut self, id: AppId) {
        self.refresh_touched();
        let now = self.now;
        self.with_host(id.node, |host| host.release_app(now, id.key));
    }

    /// Returns the number of applications that have not finished.
    pub fn apps_running(&mut self) -> usize {
        self.refresh_touched();
        self.running
    }

    fn count_running(&mut self, node: usize) {
        let state = &mut self.nodes[node];
        if let NodeKind::Host(host) = &state.kind {
            let running = host.apps_running();
            self.running = self.running + running - state.running;
            state.running = running;
        }
    }
}
