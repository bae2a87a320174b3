//! The applications of a network.

use std::any::Any;

use weir_switch::Nanos;

use super::{AppId, Event, Kind, Network};
use crate::app::flow::Shared;
use crate::app::tcp::{
    Exchanges, ExchangesConfig, Register, Sender, TcpFlow, TcpFlowConfig, TcpReport, TcpServer,
};
use crate::app::udp::Announced;
use crate::app::udp_exchanges::{UdpExchanges, UdpExchangesConfig};
use crate::app::{App, Binding, HostContext};
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

    /// Starts a measured flow of datagrams now, from one host to another that receives them; see [`UdpFlow`]. The receiving host listens on
    /// the flow's port from now on, together with earlier flows to it. Its address may differ from the flow's destination: a data plane may
    /// rewrite that.
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
    pub fn start_udp_flow(&mut self, host: &str, to: &str, config: UdpFlowConfig) -> Result<AppId, Error> {
        let port = config.destination.1;
        let random = self.app_random(host)?;
        config.check()?;
        let (receiver, number) = self.udp_receiver(to, port)?;
        // A flow that has finished keeps its port for what may still come back to it, but not against another.
        if let Some(port) = config.source_port
            && let Some(other) = self.bound_app(host, Binding::Udp(port))?
        {
            self.call_app(other, |other: &mut UdpFlow, context| other.release(context));
        }
        let record = Shared::default();
        record.lock().report.started = self.now;
        let (flow, answer) = UdpFlow::new(config, record.clone(), number, random);
        let announced = match answer {
            None => Announced::Flow(record),
            Some(sending) => Announced::Reverse { sending: Box::new(sending), to: None },
        };
        self.call_app(receiver, |receiver: &mut UdpReceiver, _| receiver.expect(number, announced));
        self.start_app(host, self.now, Box::new(flow))
    }

    /// Starts exchanges of requests and responses in datagrams now, with a host that answers them from now on; see [`UdpExchanges`].
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
    pub fn start_udp_exchanges(
        &mut self,
        host: &str,
        to: &str,
        config: UdpExchangesConfig,
    ) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let port = config.destination.1;
        config.check()?;
        let (receiver, number) = self.udp_receiver(to, port)?;
        let exchanges = UdpExchanges::new(config, number, random);
        let announced = Announced::Requests(exchanges.shared());
        self.call_app(receiver, |receiver: &mut UdpReceiver, _| receiver.expect(number, announced));
        self.start_app(host, self.now, Box::new(exchanges))
    }

    /// The application that receives flows of datagrams at a port of a host, and the number that it gives to the next; it is started if there
    /// is none.
    fn udp_receiver(&mut self, to: &str, port: u16) -> Result<(AppId, u64), Error> {
        let bad = |reason: String| Error::BadApp { app: "udp flow", reason };
        let receiver = match self.bound_app(to, Binding::Udp(port))? {
            Some(receiver) => receiver,
            None => {
                // It listens at once, so that the next flow finds it.
                let (node, now) = (self.index(to)?, self.now);
                let key = self.host_mut(to)?.add_app(Box::new(UdpReceiver::new(port)));
                self.with_host(node, |host| host.start_app(now, key));
                AppId { node, key }
            }
        };
        let number = self.call_app(receiver, |receiver: &mut UdpReceiver, _| receiver.next_number());
        let number = number.ok_or_else(|| bad(format!("UDP port {port} of {to} is taken")))?;
        let number = number.ok_or_else(|| bad(format!("UDP port {port} of {to} has too many flows")))?;
        Ok((receiver, number))
    }

    /// Starts a flow over TCP now: one host connects to another, which serves it; see [`TcpFlow`]. The server listens on the flow's port
    /// from now on. Its address may differ from the flow's destination, where a data plane rewrites that.
    ///
    /// # Errors
    /// There is no such host, a setting is out of its range, or something else listens on the port.
    pub fn start_tcp_flow(&mut self, host: &str, to: &str, config: TcpFlowConfig) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (server, register) = self.tcp_server(to, config.destination.1)?;
        let flow = TcpFlow::new(config, register, server, random)?;
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
        let (server, record) = (flow.server(), flow.record().clone());
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
    pub fn start_exchanges(&mut self, host: &str, to: &str, config: ExchangesConfig) -> Result<AppId, Error> {
        let random = self.app_random(host)?;
        let (_, register) = self.tcp_server(to, config.destination.1)?;
        let exchanges = Exchanges::new(config, register, random)?;
        self.start_app(host, self.now, Box::new(exchanges))
    }

    /// What the server at a port of a host is to expect; it is started if there is none.
    fn tcp_server(&mut self, to: &str, port: u16) -> Result<(AppId, Register), Error> {
        let server = self.serve_tcp(to, port)?;
        let register = self.call_app(server, |server: &mut TcpServer, _| server.register());
        let taken = || format!("TCP port {port} of {to} is taken");
        Ok((server, register.ok_or_else(|| Error::BadApp { app: "tcp flow", reason: taken() })?))
    }

    /// The application that takes connections at a port of a host: a new [`TcpServer`], if nothing listens there.
    ///
    /// # Errors
    /// There is no such host.
    pub fn serve_tcp(&mut self, to: &str, port: u16) -> Result<AppId, Error> {
        let server = match self.bound_app(to, Binding::Tcp(port))? {
            Some(server) => server,
            None => {
                // It listens at once, so that the next flow finds it.
                let (node, now) = (self.index(to)?, self.now);
                let key = self.host_mut(to)?.add_app(Box::new(TcpServer::new(port)));
                self.with_host(node, |host| host.start_app(now, key));
                AppId { node, key }
            }
        };
        Ok(server)
    }

    /// An application, as what it is; none if it is of another type or not of this network.
    pub fn app<A: App>(&self, id: AppId) -> Option<&A> {
        let Kind::Host(host) = &self.nodes.get(id.node)?.kind else { return None };
        let app: &dyn Any = host.app(id.key)?;
        app.downcast_ref()
    }

    /// An application to change, as what it is; none if it is of another type or not of this network.
    pub fn app_mut<A: App>(&mut self, id: AppId) -> Option<&mut A> {
        self.touched.insert(id.node);
        let Kind::Host(host) = &mut self.nodes.get_mut(id.node)?.kind else { return None };
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
            Some(Kind::Host(host)) => host.app(id.key).is_none_or(|app| app.finished()),
            _ => true,
        }
    }

    /// Lets go of an application: its place is used again for others when it has finished, which may be now. Then its id, and all that it asked for,
    /// mean nothing any more; what it listened for goes to nobody, and connections that it left open are closed. Of one that is not of this network
    /// nothing becomes.
    pub fn release_app(&mut self, id: AppId) {
        self.look_after_touched();
        let now = self.now;
        self.with_host(id.node, |host| host.release_app(now, id.key));
    }

    /// Applications that have not finished.
    pub fn apps_running(&mut self) -> usize {
        self.look_after_touched();
        self.running
    }

    fn count_running(&mut self, node: usize) {
        let state = &mut self.nodes[node];
        if let Kind::Host(host) = &state.kind {
            let running = host.apps_running();
            self.running = self.running + running - state.running;
            state.running = running;
        }
    }
}
