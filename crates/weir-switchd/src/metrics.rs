//! Metrics for Prometheus.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::time::timeout;

use weir_accept::{Gate, Limits, Listener, Reason};
use weir_device::Port;
use weir_ir::TableId;
use weir_p4runtime::{ClientState, RoleName, Server};
use weir_ports::offload::WireSize;
use weir_switch::control::TableState;
use weir_switch::stats::{PortStats, Stats};

use crate::plane::Plane;

/// The content type of the page.
const PAGE_CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Listens at the address where `/metrics` is to be served.
///
/// # Errors
/// The program cannot listen on the address; the error says why, and what may help.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| {
        let why = weir_p4runtime::why_not_listen(&error);
        format!("metrics cannot be served at {address}: {why}; choose another address with --metrics")
    })
}

/// Serves `/metrics` on the current runtime.
pub fn serve(
    listener: TcpListener,
    planes: Vec<Arc<Plane>>,
    times: Arc<[AtomicU64]>,
    servers: &[Arc<Server>],
) {
    let mut registry = Registry::with_prefix("weir");
    let gate = Gate::new("metrics", LIMITS);
    let servers = servers.iter().map(Arc::downgrade).collect();
    registry.register_collector(Box::new(Counts { planes, times }));
    registry.register_collector(Box::new(Connections { servers, metrics: Arc::clone(&gate) }));
    let (registry, one_at_a_time) = (Arc::new(registry), Arc::<tokio::sync::Mutex<()>>::default());
    let page = move || {
        let (registry, one_at_a_time) = (Arc::clone(&registry), Arc::clone(&one_at_a_time));
        async move {
            let turn = one_at_a_time.lock_owned().await;
            // Reading the counts waits while another thread uses a switch.
            let text = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                let mut text = String::new();
                // Writing to a string does not fail.
                let _ = prometheus_client::encoding::text::encode(&mut text, &registry);
                text
            });
            let text = text.await.unwrap_or_default();
            ([(CONTENT_TYPE, PAGE_CONTENT_TYPE)], text)
        }
    };
    let router = Router::new().route("/metrics", get(page));
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "serving metrics");
    }
    tokio::spawn(accept(Listener::Tcp(listener), gate, router));
}

/// The limits on connections.
const LIMITS: Limits = Limits { newcomers: 64, opening: Duration::from_secs(10), places: 64 };
/// The maximum time until another whole request on a connection has arrived.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time for which a client keeps a connection. After that, the client must open another
/// one.
const MAX_CONNECTION_TIME: Duration = Duration::from_secs(60);
/// The maximum time for the answer to the last request on a connection that must close.
const LAST_ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Answers requests.
async fn accept(listener: Listener, gate: Arc<Gate>, router: Router) {
    loop {
        let accepted = weir_accept::accept(&listener, &gate).await;
        let (place, router) = (accepted.socket.place().clone(), TowerToHyperService::new(router.clone()));
        let service = service_fn(move |request| {
            place.ask();
            router.call(request)
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT);
        tokio::spawn(async move {
            let mut connection = pin!(http.serve_connection(TokioIo::new(accepted.socket), service));
            if timeout(MAX_CONNECTION_TIME, &mut connection).await.is_err() {
                connection.as_mut().graceful_shutdown();
                // A client that neither reads nor writes is disconnected.
                let _ = timeout(LAST_ANSWER_TIMEOUT, connection).await;
            }
        });
    }
}

/// The counts of switches and threads, read when a client asks for them.
struct Counts {
    planes: Vec<Arc<Plane>>,
    times: Arc<[AtomicU64]>,
}

impl std::fmt::Debug for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Counts")
    }
}

/// Labels of a metric with their values.
type Labels = Vec<(&'static str, String)>;

/// The counts of one switch.
struct Switch {
    /// The name, if it has one.
    labels: Labels,
    stats: Stats,
    tables: Vec<(String, TableState)>,
    port_drops: BTreeMap<(Port, &'static str, &'static str), u64>,
    /// The frames sent by each port, as on a wire.
    sent: BTreeMap<Port, WireSize>,
    /// The frames and bytes that received GSO frames take on a wire, in addition to those that the
    /// switch counts.
    more_received: BTreeMap<Port, WireSize>,
    /// The P4Runtime controllers of the switch.
    controllers: Vec<ClientState>,
}

impl Switch {
    fn read(plane: &Plane) -> Self {
        let counted = plane.try_with_switch(|switch, _| {
            let control = switch.control();
            let tables = control.schema().tables.iter().enumerate().filter_map(|(index, table)| {
                Some((table.name.clone(), control.table_state(TableId::new(index)).ok()?))
            });
            let tables = tables.collect();
            (switch.stats().clone(), tables)
        });
        let (stats, tables) = counted.unwrap_or_default();
        let labels = plane.name.iter().map(|name| ("switch", name.clone())).collect();
        let (sent, more_received) = (plane.counts.sent(), plane.counts.more_received());
        let controllers = plane.with_server(|server| server.clients(plane.device_id)).unwrap_or_default();
        Self { labels, stats, tables, port_drops: plane.counts.drops(), sent, more_received, controllers }
    }

    /// Returns the primaries of roles: the value is the number of the role's controllers.
    fn primaries(&self) -> Vec<(Labels, u64)> {
        let primary = |primary: &ClientState| {
            let of_role = self.controllers.iter().filter(|client| client.role == primary.role);
            let role = match &primary.role {
                RoleName::Default => String::new(),
                RoleName::Named(name) => name.clone(),
                RoleName::Numbered(number) => format!("number {number}"),
            };
            let labels = [
                ("role", role),
                ("address", primary.peer.clone()),
                ("certificate", primary.names.join(" ")),
                ("election_id", primary.election_id.map_or_else(String::new, |id| id.to_string())),
            ];
            (self.labels(labels), of_role.count() as u64)
        };
        self.controllers.iter().filter(|client| client.is_primary).map(primary).collect()
    }

    /// Returns the labels of the switch, and `more`.
    fn labels<const N: usize>(&self, more: [(&'static str, String); N]) -> Labels {
        self.labels.iter().cloned().chain(more).collect()
    }

    /// Returns counts by port. GSO frames count as the frames that they become on a wire.
    fn ports(&self, of: fn(&PortStats) -> u64) -> Vec<(Labels, u64)> {
        let port = |(port, counts): (Port, &PortStats)| {
            let more = self.more_received.get(&port).copied().unwrap_or_default();
            let sent = self.sent.get(&port).copied().unwrap_or_default();
            let mut counts = *counts;
            counts.packets_in += more.frames;
            counts.bytes_in += more.bytes;
            // The frames that the switch sent, without those dropped between the switch and the
            // interface.
            (counts.packets_out, counts.bytes_out) = (sent.frames, sent.bytes);
            (self.labels([("port", port.to_string())]), of(&counts))
        };
        self.stats.ports.iter().map(port).collect()
    }

    fn tables(&self, of: fn(&TableState) -> u64) -> Vec<(Labels, u64)> {
        let table = |(name, state): &(String, _)| (self.labels([("table", name.clone())]), of(state));
        self.tables.iter().map(table).collect()
    }

    /// Returns the numbers of dropped packets, with their places and reasons as labels.
    fn drops(&self) -> Vec<(Labels, u64)> {
        let drop = |((place, reason), count): (&(_, _), &u64)| {
            let labels = [("place", ToString::to_string(place)), ("reason", ToString::to_string(reason))];
            (self.labels(labels), *count)
        };
        self.stats.drops.iter().map(drop).collect()
    }

    fn port_drops(&self) -> Vec<(Labels, u64)> {
        let drop = |((port, direction, reason), count): (&(Port, &str, &str), &u64)| {
            let (port, direction, reason) = (port.to_string(), (*direction).to_owned(), (*reason).to_owned());
            (self.labels([("port", port), ("direction", direction), ("reason", reason)]), *count)
        };
        self.port_drops.iter().map(drop).collect()
    }

    fn single_count(&self, of: fn(&Stats) -> u64) -> Vec<(Labels, u64)> {
        vec![(self.labels([]), of(&self.stats))]
    }
}

impl Collector for Counts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let switches: Vec<Switch> = self.planes.iter().map(|plane| Switch::read(plane)).collect();
        let mut count = |name, help, of: &dyn Fn(&Switch) -> Vec<(Labels, u64)>| {
            let values =
                switches.iter().flat_map(of).map(|(labels, count)| (labels, ConstCounter::new(count)));
            family(&mut encoder, name, help, MetricType::Counter, values)
        };
        count("port_received_packets", "Packets received by a port, as a wire has them", &|s| {
            s.ports(|port| port.packets_in)
        })?;
        count("port_received_bytes", "Bytes received by a port", &|s| s.ports(|port| port.bytes_in))?;
        count("port_sent_packets", "Packets sent by a port, as a wire has them", &|s| {
            s.ports(|port| port.packets_out)
        })?;
        count("port_sent_bytes", "Bytes sent by a port", &|s| s.ports(|port| port.bytes_out))?;
        count(
            "port_dropped_frames",
            "Frames dropped between the switch and an interface: an outgoing GSO frame counts as its \
             segments; an incoming one, and one with wrong metadata, counts as one frame",
            &Switch::port_drops,
        )?;
        count("dropped_packets", "Packets dropped by the switch; a GSO frame counts as one", &Switch::drops)?;
        count("copied_packets", "Copies made by clones and multicast", &|s| {
            s.single_count(|stats| stats.copied)
        })?;
        count("passes", "Trips of packets through the program", &|s| s.single_count(|stats| stats.passes))?;
        count("recirculated_packets", "Packets recirculated", &|s| {
            s.single_count(|stats| stats.recirculated)
        })?;
        count("resubmitted_packets", "Packets resubmitted", &|s| s.single_count(|stats| stats.resubmitted))?;
        count("table_hits", "Lookups that found an entry", &|s| s.tables(|table| table.hits))?;
        count("table_misses", "Lookups that found none", &|s| s.tables(|table| table.misses))?;
        let mut gauge = |name, help, of: &dyn Fn(&Switch) -> Vec<(Labels, u64)>| {
            let value = |count| ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            let values = switches.iter().flat_map(of).map(|(labels, count)| (labels, value(count)));
            family(&mut encoder, name, help, MetricType::Gauge, values)
        };
        gauge("table_entries", "Entries of a table", &|s| s.tables(|table| table.entries as u64))?;
        gauge(
            "p4runtime_primaries",
            "Controllers of a role that has a primary, and who that is",
            &Switch::primaries,
        )?;
        gauge("packets_inside", "Packets inside the switch", &|s| s.single_count(|stats| stats.in_flight))?;
        let seconds = self.times.iter().enumerate().map(|(thread, time)| {
            let seconds = time.load(Ordering::Relaxed) as f64 / 1e9;
            (vec![("worker", thread.to_string())], ConstCounter::new(seconds))
        });
        let help = "Processor time of a thread that forwards";
        family(&mut encoder, "worker_cpu_seconds", help, MetricType::Counter, seconds)
    }
}

/// The counts of connections to the services, read when a client asks for them.
struct Connections {
    servers: Vec<Weak<Server>>,
    metrics: Arc<Gate>,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connections")
    }
}

impl Collector for Connections {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let servers = self.servers.iter().filter_map(Weak::upgrade).map(|server| {
            let address = server.addresses().first().map(ToString::to_string).unwrap_or_default();
            let labels = vec![("service", "p4runtime".to_owned()), ("address", address)];
            (labels, server.connections())
        });
        let metrics = (vec![("service", "metrics".to_owned())], self.metrics.counts());
        let services: Vec<(Labels, weir_accept::Counts)> = servers.chain([metrics]).collect();
        let with_label = |labels: &Labels, name, value: &str| -> Labels {
            labels.iter().cloned().chain([(name, value.to_owned())]).collect()
        };
        let accepted =
            services.iter().map(|(labels, counts)| (labels.clone(), ConstCounter::new(counts.accepted)));
        let help = "Connections accepted by a service";
        family(&mut encoder, "accepted_connections", help, MetricType::Counter, accepted)?;
        let closed = services.iter().flat_map(|(labels, counts)| {
            Reason::ALL.map(|reason| {
                (with_label(labels, "reason", reason.name()), ConstCounter::new(counts.closed(reason)))
            })
        });
        let help = "Connections closed by a service to protect others";
        family(&mut encoder, "closed_connections", help, MetricType::Counter, closed)?;
        let open = services.iter().flat_map(|(labels, counts)| {
            [("new", counts.newcomers), ("placed", counts.placed)].map(|(state, count)| {
                (
                    with_label(labels, "state", state),
                    ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX)),
                )
            })
        });
        family(&mut encoder, "open_connections", "Open connections of a service", MetricType::Gauge, open)
    }
}

/// Writes a metric with its values.
fn family(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    kind: MetricType,
    values: impl Iterator<Item = (Labels, impl EncodeMetric)>,
) -> std::fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, kind)?;
    for (labels, value) in values {
        value.encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::time::sleep;

    use super::*;

    #[test]
    fn a_port_in_use_is_explained() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let used = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = used.local_addr().unwrap();
        let error = runtime.block_on(listen(address)).unwrap_err();
        assert_eq!(
            error,
            format!(
                "metrics cannot be served at {address}: another program listens there (`ss -lnp` shows which); \
                 choose another address with --metrics"
            )
        );
        let elsewhere = runtime.block_on(listen(([192, 0, 2, 1], 0).into())).unwrap_err();
        assert!(elsewhere.contains("no interface has this IP address"), "{elsewhere}");
    }

    /// Returns an endpoint with a page, and the counts of its connections.
    async fn endpoint() -> (SocketAddr, Arc<Gate>) {
        let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
        let (address, gate) = (listener.local_addr().unwrap(), Gate::new("metrics", LIMITS));
        let router = Router::new().route("/", get(async || "page"));
        tokio::spawn(accept(Listener::Tcp(listener), Arc::clone(&gate), router));
        (address, gate)
    }

    async fn page(address: SocketAddr) -> String {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test(start_paused = true)]
    async fn half_sent_requests_keep_nobody_out() {
        let (address, gate) = endpoint().await;
        let mut half = Vec::new();
        for _ in 0..100 {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").await.unwrap();
            half.push(client);
        }
        assert!(page(address).await.ends_with("page"));
        // Drops of bytes do not prolong their time.
        for _ in 0..3 {
            sleep(LIMITS.opening / 3).await;
            for client in &mut half {
                let _closed = client.write_all(b"a: b\r\n").await;
            }
        }
        sleep(LIMITS.opening).await;
        let counts = gate.counts();
        assert_eq!((counts.accepted, counts.newcomers), (101, 0));
        assert_eq!(counts.closed(Reason::Displaced) + counts.closed(Reason::Late), 100, "{counts:?}");
        for mut client in half {
            let mut end = Vec::new();
            let _reset = client.read_to_end(&mut end).await;
            assert!(end.is_empty(), "{end:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_are_kept_make_room() {
        let (address, gate) = endpoint().await;
        let mut connections = Vec::new();
        for _ in 0..100 {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
            let read = client.read(&mut [0; 1024]).await.unwrap();
            assert!(read > 0, "every request is answered");
            connections.push(client);
        }
        assert!(page(address).await.ends_with("page"));
        let counts = gate.counts();
        assert!(counts.placed <= 36 && counts.closed(Reason::Idle) >= 64, "{counts:?}");
        // The second request does not come.
        sleep(REQUEST_TIMEOUT * 2).await;
        assert_eq!(gate.counts().placed, 0);
    }
}
