//! Memory use stays constant: finished objects are removed and their memory is reused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::world::*;
use weir_sim::{
    App, AppEvent, AppId, Arrivals, Binding, HostContext, LinkConfig, LinkEnd, Network, PingConfig,
    QdiscConfig, ResourceUsage, Sizes, StopCondition, StopReason, TcpExchanges, TcpExchangesConfig,
    TcpFlowConfig, TcpServer, UdpFlowConfig, UdpReceiver,
};

const MINUTE: u64 = 60 * SECOND;

/// Returns the usage that must be zero at the end; capacities are the maximum of simultaneous
/// objects.
fn without_capacities(load: ResourceUsage) -> ResourceUsage {
    ResourceUsage {
        frame_capacity: 0,
        event_capacity: 0,
        wake_capacity: 0,
        app_capacity: 0,
        connection_capacity: 0,
        ..load
    }
}

fn udp_flow() -> UdpFlowConfig {
    UdpFlowConfig {
        datagrams: Some(10),
        linger: 500 * MS,
        ..UdpFlowConfig::new((address(4), 5001), 1_000_000, SECOND)
    }
}

#[test]
fn short_flows_do_not_grow_memory() {
    let link = LinkConfig {
        rate: Some(20_000_000),
        delay: 3 * MS,
        queue: QdiscConfig::packets(30),
        ..LinkConfig::default()
    };
    let (mut network, _) = star_network(3, 4, Relay::new(4, 1000), &link);
    network.track_packet_ids(false);
    let mut loads = Vec::new();
    for second in 0..3600 {
        let transfer = TcpFlowConfig {
            bytes: Some(20_000),
            duration: None,
            ..TcpFlowConfig::new((address(2), 5201), 0)
        };
        let apps = [
            network.start_tcp_flow("h1", "h2", transfer).unwrap(),
            network.start_udp_flow("h3", "h4", udp_flow()).unwrap(),
            network.start_ping("h4", PingConfig::new(address(1), 1)).unwrap(),
        ];
        // Flows are released whether they have finished or not.
        network.run_for(100 * MS * (second % 3));
        apps.into_iter().for_each(|app| network.release_app(app));
        network.run_until((second + 1) * SECOND);
        loads.push(network.resource_usage());
    }
    // Connections stay in TIME-WAIT for a minute, and neighbours are probed each minute: after
    // three minutes all states have occurred.
    let capacity = |load: &ResourceUsage| {
        [
            load.frame_capacity,
            load.event_capacity,
            load.wake_capacity,
            load.app_capacity,
            load.connection_capacity,
        ]
    };
    let (early, late) = (&loads[180], &loads[3599]);
    assert_eq!(capacity(early), capacity(late));
    let most = |part: fn(&ResourceUsage) -> usize| loads[..180].iter().map(part).max().unwrap();
    for load in &loads[180..] {
        assert!(load.events <= most(|load| load.events), "{load:?}");
        assert!(load.timers <= most(|load| load.timers), "{load:?}");
        assert!(load.waiting <= 61 && load.connections == 0, "{load:?}");
        // Two servers remain.
        assert_eq!((load.apps, load.bindings, load.packets_held, load.frames), (2, 2, 0, 0));
    }
    assert!(late.app_capacity <= 6, "{late:?}");
    let receiver = network.bound_app("h4", Binding::Udp(5001)).unwrap().unwrap();
    let receiver = network.app::<UdpReceiver>(receiver).unwrap();
    assert_eq!((receiver.packets(), receiver.reordered_datagrams()), (36_000, 0));
    assert!(receiver.flows() <= 16);
    check(&mut network);
    assert_eq!(
        without_capacities(network.resource_usage()),
        ResourceUsage { apps: 2, bindings: 2, ..ResourceUsage::default() }
    );
}

/// Runs ten thousand transfers over their own connections, or exchanges of 500 bytes for 2000.
fn exchanges(response: u64) -> TcpExchangesConfig {
    TcpExchangesConfig {
        destination: (address(2), 5201),
        arrivals: Arrivals::Poisson { mean: 2e6 },
        count: 5000,
        request: Sizes::Exponential { mean: 4000.0 },
        response: Sizes::Fixed(response),
        keep_connection: false,
        options: weir_sim::TcpOptions::default(),
    }
}

#[test]
fn short_flows_leave_no_state() {
    let link = LinkConfig {
        rate: Some(100_000_000),
        delay: MS,
        queue: QdiscConfig::packets(60),
        ..LinkConfig::default()
    };
    let (mut network, _) = star_network(3, 4, Relay::new(4, 1000), &link);
    network.track_packet_ids(false);
    let apps =
        [0, 2000].map(|response| network.start_tcp_exchanges("h1", "h2", exchanges(response)).unwrap());
    for app in apps {
        assert_eq!(
            network.run_slice(StopCondition::AppFinished { app, limit: FOREVER }, u64::MAX).stop,
            StopReason::Reached
        );
        let rows = network.app::<TcpExchanges>(app).unwrap().rows();
        assert_eq!(rows.iter().filter(|row| row.finished.is_some() && row.failed.is_none()).count(), 5000);
        network.release_app(app);
        assert!(network.app::<TcpExchanges>(app).is_none());
    }
    network.run_for(3 * MINUTE);
    let server = network.bound_app("h2", Binding::Tcp(5201)).unwrap().unwrap();
    let (accepted, open) =
        network.app::<TcpServer>(server).map(|app| (app.accepted(), app.open_connections())).unwrap();
    assert_eq!((accepted, open), (10_000, 0));
    // One server remains.
    assert_eq!(
        without_capacities(network.resource_usage()),
        ResourceUsage { apps: 1, bindings: 1, ..ResourceUsage::default() }
    );
    network.release_app(server);
    check(&mut network);
    assert_eq!(without_capacities(network.resource_usage()), ResourceUsage::default());
}

/// Binds a port, requests wake-ups, connects, and counts its calls.
struct Busy {
    calls: Arc<AtomicUsize>,
    done: bool,
}

impl App for Busy {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Udp(7)).unwrap();
        host.bind(Binding::Tcp(8)).unwrap();
        host.wake_at(host.now() + SECOND, 1);
        let config = host.tcp_defaults();
        host.tcp_connect((address(2), 5201), config, &[]).unwrap();
    }
    fn wake(&mut self, token: u64, _: &mut HostContext<'_>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.done = token == 1;
    }
    fn receive(&mut self, _: &AppEvent<'_>, _: &mut HostContext<'_>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
    fn finished(&self) -> bool {
        self.done
    }
}

/// Starts such an application; returns its counter of calls.
fn start_busy_app(network: &mut Network, done: bool) -> (AppId, Arc<AtomicUsize>) {
    let calls = Arc::default();
    let app = Busy { calls: Arc::clone(&calls), done };
    (network.start_app("h1", network.now(), Box::new(app)).unwrap(), calls)
}

#[test]
fn late_events_do_not_reach_new_applications() {
    let mut network = Network::new(1);
    network.add_host(host(1)).unwrap();
    network.add_host(host(2)).unwrap();
    network
        .connect(
            LinkEnd::new("h1", 0),
            LinkEnd::new("h2", 0),
            LinkConfig { delay: MS, ..LinkConfig::default() },
        )
        .unwrap();
    network.serve_tcp("h2", 5201).unwrap();
    let (first, calls) = start_busy_app(&mut network, true);
    network.run_until(10 * MS);
    assert_eq!(network.resource_usage().connections, 2);
    network.release_app(first);
    assert!(network.app_finished(first) && network.app::<Busy>(first).is_none());
    // The ports are free for the next application, which uses the same slot.
    let (second, later) = start_busy_app(&mut network, true);
    assert_ne!(first, second);
    network.run_until(11 * MS);
    assert_eq!(network.resource_usage().app_capacity, 2);
    let notified = calls.load(Ordering::Relaxed);
    // Releasing the first application twice, or by its old id, does not affect the second one.
    network.release_app(first);
    assert!(network.app::<Busy>(second).is_some());
    network.run_until(SECOND + 5 * MS);
    // The connection of the first one was opened, and its wake-up was ignored.
    assert_eq!((notified, calls.load(Ordering::Relaxed)), (1, 1));
    assert_eq!(later.load(Ordering::Relaxed), 1);
    network.run_until(MINUTE);
    assert_eq!(later.load(Ordering::Relaxed), 2);
    // An application that has not finished is removed when it has.
    network.release_app(second);
    let (third, _) = start_busy_app(&mut network, false);
    network.release_app(third);
    assert!(network.app::<Busy>(third).is_some());
    network.run_for(2 * SECOND);
    assert!(network.app::<Busy>(third).is_none());
    network.run_for(3 * MINUTE);
    check(&mut network);
    assert_eq!(
        without_capacities(network.resource_usage()),
        ResourceUsage { apps: 1, bindings: 1, ..ResourceUsage::default() }
    );
}
