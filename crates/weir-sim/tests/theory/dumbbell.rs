//! A dumbbell: pairs of hosts at two relays, and the link between the relays that all flows share.

use weir_sim::tcp::{Algorithm, Config, Info};
use weir_sim::{
    AppId, Direction, DirectionCounters, HostConfig, Impairments, LinkConfig, LinkEnd, LinkId, Loss, Nanos,
    Network, QdiscConfig, TcpFlow, TcpFlowConfig, TcpReport,
};

use crate::world::{MS, Relay, SECOND, address, check, host_with_neighbours};

/// The payload of a full segment with timestamps, and the length of its frame.
pub const MSS: u64 = 1448;
pub const FRAME: u64 = 1514;

/// The link between the relays, from senders to receivers; the other direction has no loss.
#[derive(Clone)]
pub struct Path {
    /// The rate in bits per second; `None` for unlimited.
    pub rate: Option<u64>,
    /// The round-trip time of an empty path, without transmission times.
    pub rtt: Nanos,
    /// The queue limit in frames.
    pub buffer: usize,
    pub loss: Loss,
    /// The maximum of the hosts' processing jitter.
    pub processing: Nanos,
}

impl Path {
    /// Returns a bottleneck with a buffer of `buffer` BDPs.
    pub fn bottleneck(rate: u64, rtt: Nanos, buffer: f64) -> Self {
        let mut path = Path { rate: Some(rate), ..Path::unlimited(rtt, Loss::None) };
        path.buffer = (path.bdp_frames() * buffer) as usize;
        path
    }

    pub fn unlimited(rtt: Nanos, loss: Loss) -> Self {
        Path { rate: None, rtt, buffer: 1_000_000, loss, processing: 0 }
    }

    /// Returns the bandwidth-delay product in full frames.
    pub fn bdp_frames(&self) -> f64 {
        self.rate.unwrap_or(0) as f64 / 8.0 * self.rtt as f64 / 1e9 / FRAME as f64
    }
}

/// Creates a TCP configuration with buffers that are never the limit.
pub fn config(congestion: &Algorithm) -> Config {
    Config {
        congestion: congestion.clone(),
        mss: u16::MAX,
        send_buffer: 64 << 20,
        receive_buffer: 64 << 20,
        ..Config::default()
    }
}

pub struct Dumbbell {
    pub network: Network,
    pub path: Path,
    trunk: LinkId,
    pairs: u8,
    flows: Vec<AppId>,
}

impl Dumbbell {
    /// Creates a network with hosts 1 to `pairs` at s1 and as many at s2, with unlimited links.
    pub fn new(seed: u64, pairs: u8, path: Path, tcp: &Config) -> Self {
        let mut network = Network::new(seed);
        let ports = u32::from(pairs) + 1;
        for relay in ["s1", "s2"] {
            network.add_device(relay, Box::new(Relay::new(ports, 1000))).unwrap();
        }
        for n in 1..=2 * pairs {
            let tcp = tcp.clone();
            let processing_jitter = path.processing;
            let config = HostConfig { tcp, processing_jitter, ..host_with_neighbours(n, 2 * pairs) };
            network.add_host(config).unwrap();
            let (relay, port) = if n <= pairs { ("s1", n) } else { ("s2", n - pairs) };
            let far = LinkEnd::new(relay, u32::from(port));
            network.connect(LinkEnd::new(format!("h{n}"), 0), far, LinkConfig::default()).unwrap();
        }
        let delay = path.rtt / 2;
        let queue = QdiscConfig::packets(path.buffer);
        let back = LinkConfig { rate: path.rate, delay, queue, ..LinkConfig::default() };
        let impairments = Impairments { loss: path.loss.clone(), ..Impairments::default() };
        let trunk = network.connect(LinkEnd::new("s1", 0), LinkEnd::new("s2", 0), back.clone()).unwrap();
        network.set_link(trunk, Direction::Forward, LinkConfig { impairments, ..back }).unwrap();
        Dumbbell { network, path, trunk, pairs, flows: Vec::new() }
    }

    /// Returns a network with one pair of hosts whose flow begins at once.
    pub fn single_flow(path: Path, tcp: &Config) -> Self {
        let mut world = Dumbbell::new(1, 1, path, tcp);
        world.start(0);
        world
    }

    /// Starts the endless flow of the next pair at `time`, which is in the future.
    pub fn start(&mut self, time: Nanos) {
        self.network.run_until(time);
        let (from, to) = (self.flows.len() as u8 + 1, self.flows.len() as u8 + 1 + self.pairs);
        let config = TcpFlowConfig::new((address(to), 5201), 1_000_000 * SECOND);
        let config = TcpFlowConfig { interval: None, ..config };
        let app = self.network.start_tcp_flow(&format!("h{from}"), &format!("h{to}"), config).unwrap();
        self.flows.push(app);
    }

    fn report(&self, flow: usize) -> TcpReport {
        self.network.app::<TcpFlow>(self.flows[flow]).unwrap().report()
    }

    /// Returns the sender's metrics.
    pub fn sender(&mut self, flow: usize) -> Info {
        let app = self.flows[flow];
        self.network.tcp_report(app).unwrap().info.expect("it has begun")
    }

    /// Returns the number of bytes that the receiving application has read.
    pub fn received(&self, flow: usize) -> u64 {
        self.report(flow).received
    }

    /// Returns the goodput of each flow until `until`, in bits per second.
    pub fn rates(&mut self, until: Nanos) -> Vec<f64> {
        let before: Vec<u64> = (0..self.flows.len()).map(|flow| self.received(flow)).collect();
        let from = self.network.now();
        self.network.run_until(until);
        let span = (until - from) as f64 / 1e9;
        let received = before.iter().enumerate().map(|(flow, before)| self.received(flow) - before);
        received.map(|bytes| bytes as f64 * 8.0 / span).collect()
    }

    /// Returns the goodput of all flows as a fraction of the bottleneck's capacity.
    pub fn goodput_fraction(&mut self, until: Nanos) -> f64 {
        self.rates(until).iter().sum::<f64>() / self.max_goodput()
    }

    /// Returns the goodput that the bottleneck can carry, in bits per second.
    pub fn max_goodput(&self) -> f64 {
        self.path.rate.unwrap() as f64 * MSS as f64 / FRAME as f64
    }

    /// Changes the rate of the link between the relays.
    pub fn set_rate(&mut self, rate: u64) {
        self.path.rate = Some(rate);
        for direction in Direction::BOTH {
            let config = self.network.link(self.trunk).unwrap().config[direction as usize].clone();
            self.network.set_link(self.trunk, direction, LinkConfig { rate: Some(rate), ..config }).unwrap();
        }
    }

    /// Returns the counters of the bottleneck.
    pub fn bottleneck(&self) -> DirectionCounters {
        self.network.link_counters(self.trunk, Direction::Forward).unwrap()
    }

    /// Returns the utilization of the bottleneck until `until`.
    pub fn bottleneck_utilization(&mut self, until: Nanos) -> f64 {
        let (from, before) = (self.network.now(), self.bottleneck().busy);
        self.network.run_until(until);
        (self.bottleneck().busy - before) as f64 / (until - from) as f64
    }

    /// Returns the mean queue length until `until`, sampled every millisecond, in BDPs.
    pub fn mean_queue(&mut self, until: Nanos) -> f64 {
        let sampler = self.network.sample(&[LinkEnd::new("s1", 0)], MS).unwrap();
        self.network.run_until(until);
        let samples = self.network.samples(sampler, 0).unwrap();
        let sum: u64 = samples.iter().map(|sample| sample.queue_packets).sum();
        sum as f64 / samples.len() as f64 / self.path.bdp_frames()
    }

    /// Returns the mean waiting time until `until` of frames that the bottleneck sent, in seconds:
    /// its mean queue length by Little's law. The interval of samples is not a multiple of a
    /// frame's time.
    pub fn mean_wait(&mut self, until: Nanos) -> f64 {
        let from = self.network.now();
        let sampler = self.network.sample(&[LinkEnd::new("s1", 0)], MS * 97 / 100).unwrap();
        self.network.run_until(until);
        let samples = self.network.samples(sampler, 0).unwrap();
        let sum: u64 = samples.iter().map(|sample| sample.queue_packets).sum();
        let sent = samples[samples.len() - 1].sent_packets - samples[0].sent_packets;
        sum as f64 / samples.len() as f64 / sent as f64 * (until - from) as f64 / 1e9
    }

    /// Checks that all flows end, and that every packet is accounted for.
    pub fn end(mut self) {
        for app in self.flows.clone() {
            self.network.stop_app(app);
        }
        self.network.run_for(200 * SECOND);
        check(&mut self.network);
        for app in &self.flows {
            assert!(self.network.app_finished(*app));
        }
        for n in 1..=2 * self.pairs {
            assert_eq!(self.network.host(&format!("h{n}")).unwrap().tcp_usage(), (0, 0, 0), "h{n}");
        }
    }
}

#[track_caller]
pub fn assert_close(measured: f64, theory: f64, share: f64) {
    let off = measured / theory - 1.0;
    assert!(off.abs() <= share, "{measured:.2} is {:+.1} % off {theory:.2}", off * 100.0);
}
