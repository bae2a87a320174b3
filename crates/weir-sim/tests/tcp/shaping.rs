//! TCP through queueing disciplines at the host itself.

use super::*;

#[test]
fn a_connection_does_not_fill_its_own_queue() {
    // The host's own link is the slowest, so the whole window would be queued there.
    let slow = LinkConfig { rate: Some(5_000_000), delay: 10 * MS, ..LinkConfig::default() };
    for small_queue in [true, false] {
        let config = Config { small_queue, mss: u16::MAX, ..Config::default() };
        let client = Client { config: Some(config), ..Client::new(address(2), 5_000_000) };
        let (mut network, _, server) = world(&slow, client, Server::default());
        let link = network.link_at(&LinkEnd::new("h1", 0)).unwrap();
        network.run_until(6 * SECOND);
        let counters = network.link_counters(link, Direction::Forward).unwrap();
        // A queue of three frames keeps the link as busy as one of a thousand.
        assert!(counters.busy >= 5 * SECOND + 900 * MS, "{}", counters.busy);
        assert!(network.app::<Server>(server).unwrap().received > 3_000_000);
        let most = counters.queue_max;
        assert!(if small_queue { most <= 3 } else { most > 100 }, "{most}");
        network.run_until_finished(FOREVER);
        check_no_leftovers(&mut network);
    }
}

/// Like [`Client`], and changes its interface to fair queueing at a time.
struct Shaped(Client, u64);

impl App for Shaped {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.wake_at(self.1, 1);
        self.0.start(host);
        let none = host.set_qdisc(1, QdiscConfig::Fq(FqConfig::default()));
        assert!(matches!(none, Err(weir_sim::Error::UnknownInterface { .. })));
        let endless = FqConfig { quantum: 0, ..FqConfig::default() };
        assert!(host.set_qdisc(0, QdiscConfig::Fq(endless)).is_err());
    }
    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        if token == 1 {
            let config = FqConfig { maxrate: Some(2_000_000), ..FqConfig::default() };
            host.set_qdisc(0, QdiscConfig::Fq(config)).unwrap();
        }
    }
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        self.0.receive(arrival, host);
    }
    fn finished(&self) -> bool {
        self.0.finished()
    }
}

#[test]
fn programs_set_queues_and_pacing() {
    let link = LinkConfig { rate: Some(10_000_000), delay: 5 * MS, ..LinkConfig::default() };
    let (mut network, _) = star_network(1, 2, Relay::new(2, 1000), &link);
    let server = network.start_app("h2", 0, Box::new(Server::default())).unwrap();
    network.start_app("h1", 0, Box::new(Shaped(Client::new(address(2), 10_000_000), 2 * SECOND))).unwrap();
    let at = |network: &mut Network, time| {
        network.run_until(time);
        network.app::<Server>(server).unwrap().received
    };
    let before = [at(&mut network, SECOND), at(&mut network, 2 * SECOND)];
    let after = [at(&mut network, 3 * SECOND), at(&mut network, 5 * SECOND)];
    let rate = |bytes: u64, seconds: u64| bytes * 8 * 1514 / 1448 / seconds;
    assert!((9_800_000..=10_000_000).contains(&rate(before[1] - before[0], 1)), "{before:?}");
    let shaped = rate(after[1] - after[0], 2);
    assert!((1_980_000..=2_020_000).contains(&shaped), "{shaped}");
    // Segments are passed to the queue when they are due, so the queue stays short for any window.
    let link = network.link_at(&LinkEnd::new("h1", 0)).unwrap();
    let waiting = network.link_counters(link, Direction::Forward).unwrap().queue_now;
    assert!(waiting <= 3, "{waiting}");
}

/// Returns the bytes that a server receives in the ten seconds after the second one, with this
/// queue at the client's side.
fn received_with_queue(queue: QdiscConfig, rate: u64, delay: u64, client: Client) -> f64 {
    let link = LinkConfig { rate: Some(rate), delay, ..LinkConfig::default() };
    let (mut network, _, server) = world(&link, client, Server::default());
    network.set_queue(&LinkEnd::new("h1", 0), queue).unwrap();
    let received = |network: &Network| network.app::<Server>(server).unwrap().received;
    network.run_until(2 * SECOND);
    let before = received(&network);
    network.run_until(12 * SECOND);
    let bytes = received(&network) - before;
    assert_eq!(network.audit().violations, Vec::<String>::new());
    bytes as f64
}

#[test]
fn shaped_hosts_hold_their_rates_under_tcp() {
    let much = || Client::new(address(2), 1_000_000_000);
    // 1448 of the 1514 bytes of each frame are data.
    let goodput = |rate: f64| rate * 10.0 / 8.0 * 1448.0 / 1514.0;
    let near = |received: f64, expected: f64| (received - expected).abs() < 0.01 * expected;
    for rate in [1_000_000, 20_000_000] {
        let class = HtbClass::new(1, rate);
        let htb = HtbConfig { default: Some(1), classes: vec![class], filters: Vec::new() };
        let received = received_with_queue(QdiscConfig::Htb(htb), 100_000_000, MS, much());
        assert!(near(received, goodput(rate as f64)), "htb at {rate}: {received}");
        let fq = FqConfig { maxrate: Some(rate), ..FqConfig::default() };
        let received = received_with_queue(QdiscConfig::Fq(fq), 100_000_000, MS, much());
        assert!(near(received, goodput(rate as f64)), "fq at {rate}: {received}");
        let tbf = TbfConfig { rate, burst: 3028, peak: None, limit: 100_000, queue: None };
        let received = received_with_queue(QdiscConfig::Tbf(tbf), 100_000_000, MS, much());
        assert!(near(received, goodput(rate as f64)), "tbf at {rate}: {received}");
    }
}

#[test]
fn fq_holds_frames_until_departure() {
    let pacing = weir_sim::tcp::Pacing::Rate(10_000_000);
    let config = Config { pacing, paced_ahead: 10 * MS, mss: u16::MAX, ..Config::default() };
    let client = Client { config: Some(config), ..Client::new(address(2), 1_000_000_000) };
    let received = received_with_queue(QdiscConfig::Fq(FqConfig::default()), 100_000_000, MS, client);
    // 10 Mbit/s of IP packets: 1500 bytes for 1448.
    let expected = 10_000_000.0 * 10.0 / 8.0 * 1448.0 / 1500.0;
    assert!((received - expected).abs() < 0.01 * expected, "{received} of {expected}");
}

#[test]
fn host_delay_equals_link_delay() {
    let much = || Client::new(address(2), 1_000_000_000);
    let netem = NetemConfig { delay: 20 * MS, limit: 10_000, ..NetemConfig::default() };
    let received = received_with_queue(QdiscConfig::Netem(netem), 20_000_000, 0, much());
    // 20 Mbit/s.
    let expected = 2.5e7 * 1448.0 / 1514.0;
    assert!(received > 0.95 * expected, "{received} of {expected}");
}
