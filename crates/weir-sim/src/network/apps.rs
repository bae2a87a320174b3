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

impl Network {
    /// Starts an application on a host, at a time or now if that has passed.
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

    /// Starts a [`crate::Ping`] on a host now. Any number of them run at once; run the network until they have finished.
    ///
    /// # Errors
    /// There is no such host, or a setting is out of its range.
    pub fn start_ping(&mut self, host: &str, config: PingConfig) -> Result<AppId, Error> {
        let ping = crate::Ping::new(config)?;
        self.start_app(host, self.now, Box::new(ping))
    }

    /// Starts a measured flow of datagrams now, from one host to another that receives them, or to several that may; see [`UdpFlow`]. The
    /// receiving hosts listen on the flow's port from now on, together with earlier flows to it. Their addresses may differ from the flow's
    /// destination: a data plane may rewrite that. In reverse the one sends that is asked first.
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
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
        // A flow that has finished keeps its port for what may still come back to it, but not against another.
        if let Some(port) = config.source_port
            && let Some(other) = self.bound_app(host, Binding::Udp(port))?
        {
            self.call_app(other, |other: &mut UdpFlow, context| other.release(context));
        }
        let record = SharedRecord::default();
        {
            let report = &mut record.lock().report;
            report.started = self.now;
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
        self.start_app(host, self.now, Box::new(flow))
    }

    /// Starts exchanges of requests and responses in datagrams now, with a host that answers them from now on, or several that may; see
    /// [`UdpExchanges`].
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
    pub fn start_udp_exchanges(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: UdpExchangesConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let port = config.destination.1;
        config.check()?;
        let (receivers, number) = self.udp_receivers(&to.into(), port)?;
        let exchanges = UdpExchanges::new(config, number, random);
        self.announce(&receivers, number, &AnnouncedFlow::Requests(exchanges.shared()));
        self.start_app(host, self.now, Box::new(exchanges))
    }

    /// Tells all servers of a flow of datagrams.
    fn announce(&mut self, receivers: &[AppId], number: u64, announced: &AnnouncedFlow) {
        for (place, receiver) in receivers.iter().enumerate() {
            let expect = |receiver: &mut UdpReceiver, _: &mut HostContext<'_>| {
                receiver.expect(number, announced.clone(), place, receivers.len());
            };
            self.call_app(*receiver, expect);
        }
    }

    /// The applications that receive flows of datagrams at a port of hosts, started where there are none, and a number that all of them give
    /// to the next.
    fn udp_receivers(&mut self, to: &ServerHosts, port: u16) -> Result<(Vec<AppId>, u64), Error> {
        let bad = |reason: String| Error::BadApp { app: "udp flow", reason };
        let serving = |network: &Self, app| network.app::<UdpReceiver>(app).is_some();
        if let Some(name) = self.taken(to, Binding::Udp(port), serving)? {
            return Err(bad(format!("UDP port {port} of {name} is taken")));
        }
        let start = || Box::new(UdpReceiver::new(port)) as Box<dyn App>;
        let receivers = to.names().map(|name| self.listener(name, Binding::Udp(port), start));
        let receivers = receivers.collect::<Result<Vec<_>, _>>()?;
        let number = self.free_number(&receivers);
        let number = number.ok_or_else(|| bad(format!("UDP port {port} of {to} has too many flows")))?;
        Ok((receivers, number))
    }

    /// The next number of a flow that is free at all of some receivers. Numbers come again as late as can be, for late datagrams' sake.
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

    /// The first of some hosts where a binding is held by an application that does not serve.
    fn taken<'a>(
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

    /// The application that holds a binding on a host; a new one, which listens at once so that the next flow finds it, if there is none.
    fn listener(
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

    /// Starts a flow over TCP now: one host connects to another, which serves it, or to several of which one does; see [`TcpFlow`]. They
    /// listen on the flow's port from now on. Their addresses may differ from the flow's destination, where a data plane rewrites that.
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
    pub fn start_tcp_flow(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: TcpFlowConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (servers, registry) = self.tcp_servers(&to.into(), config.destination.1)?;
        let flow = TcpFlow::new(config, registry, servers, random)?;
        flow.record().lock().started = self.now;
        self.start_app(host, self.now, Box::new(flow))
    }

    /// What is known of a flow over TCP now; none if the application is none.
    pub fn tcp_report(&mut self, id: AppId) -> Option<TcpReport> {
        self.call_app(id, |flow: &mut TcpFlow, host| flow.look(host))?;
        self.call_sender(id, |sender, host| sender.look(host));
        self.app::<TcpFlow>(id).map(TcpFlow::report)
    }

    /// Paces what a flow over TCP sends from now on, in bits of IP packets per second; none leaves it to the congestion control.
    ///
    /// # Errors
    /// A rate of 0, or the application is no flow over TCP.
    pub fn pace_tcp_flow(&mut self, id: AppId, rate: Option<u64>) -> Result<(), Error> {
        let bad = |reason: &str| Error::BadApp { app: "tcp flow", reason: reason.to_owned() };
        if rate == Some(0) {
            return Err(bad("pacing at 0 bit/s: nothing would ever leave"));
        }
        let paced = self.call_app(id, |flow: &mut TcpFlow, host| flow.pace(rate, host));
        self.call_sender(id, |sender, host| sender.pace(rate, host));
        paced.ok_or_else(|| bad("there is no such flow"))
    }

    /// Calls the sending end of a flow in reverse, if the server has taken its connection.
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

    /// The random numbers of a host's next application.
    fn app_random(&self, host: &str) -> Result<Random, Error> {
        let started = self.host(host)?.apps_started();
        Ok(Random::new(self.seed, &format!("app {host}/{started}")))
    }

    /// Starts exchanges of requests and responses over TCP now; see [`Exchanges`] and [`Network::start_tcp_flow`].
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
    pub fn start_tcp_exchanges(
        &mut self,
        host: &str,
        to: impl Into<ServerHosts>,
        config: TcpExchangesConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (_, registry) = self.tcp_servers(&to.into(), config.destination.1)?;
        let exchanges = TcpExchanges::new(config, registry, random)?;
        self.start_app(host, self.now, Box::new(exchanges))
    }

    /// The servers at a port of hosts, started where there are none, and what they are to expect.
    fn tcp_servers(&mut self, to: &ServerHosts, port: u16) -> Result<(Vec<AppId>, ServerRegistry), Error> {
        let serving = |network: &Self, app| network.app::<TcpServer>(app).is_some();
        if let Some(name) = self.taken(to, Binding::Tcp(port), serving)? {
            let reason = format!("TCP port {port} of {name} is taken");
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

    /// The application that takes connections at a port of a host: a new [`TcpServer`], if nothing listens there.
    ///
    /// # Errors
    /// There is no such host.
    pub fn serve_tcp(&mut self, to: &str, port: u16) -> Result<AppId, Error> {
        self.listener(to, Binding::Tcp(port), || Box::new(TcpServer::new(port)))
    }

    /// An application, as what it is; none if it is of another type or not of this network.
    pub fn app<A: App>(&self, id: AppId) -> Option<&A> {
        let NodeKind::Host(host) = &self.nodes.get(id.node)?.kind else { return None };
        let app: &dyn Any = host.app(id.key)?;
        app.downcast_ref()
    }

    /// An application to change, as what it is; none if it is of another type or not of this network.
    pub fn app_mut<A: App>(&mut self, id: AppId) -> Option<&mut A> {
        self.touched.insert(id.node);
        let NodeKind::Host(host) = &mut self.nodes.get_mut(id.node)?.kind else { return None };
        let app: &mut dyn Any = host.app_mut(id.key)?.as_mut();
        app.downcast_mut()
    }

    /// Calls an application with its host, now, from outside the run: it may send, bind, and ask for wake-ups. None if it is of another type
    /// or not of this network.
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

    /// The application that holds a binding on a host.
    ///
    /// # Errors
    /// There is no such host.
    pub fn bound_app(&self, host: &str, binding: Binding) -> Result<Option<AppId>, Error> {
        let node = self.index(host)?;
        Ok(self.host(host)?.bound(binding).map(|key| AppId { node, key }))
    }

    /// Ends an application early: it begins nothing more ([`App::stop`]). Of one that is not of this network nothing becomes.
    pub fn stop_app(&mut self, id: AppId) {
        let now = self.now;
        self.with_host(id.node, |host| host.with_app(now, id.key, |app, context| app.stop(context)));
    }

    /// Whether an application has finished; true for one that is not of this network.
    pub fn app_finished(&self, id: AppId) -> bool {
        match self.nodes.get(id.node).map(|node| &node.kind) {
            Some(NodeKind::Host(host)) => host.app(id.key).is_none_or(|app| app.finished()),
            _ => true,
        }
    }

    /// Lets go of an application: its place is used again for others when it has finished, which may be now. Then its id, and all that it asked for,
    /// mean nothing any more; what it listened for goes to nobody, and connections that it left open are closed. Of one that is not of this network
    /// nothing becomes.
    pub fn release_app(&mut self, id: AppId) {
        self.refresh_touched();
        let now = self.now;
        self.with_host(id.node, |host| host.release_app(now, id.key));
    }

    /// Applications that have not finished.
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
