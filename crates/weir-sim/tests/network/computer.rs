//! Nodes that share a computer.

use weir_sim::{
    Audit, ComputerConfig, Cost, Error, LinkConfig, LinkEnd, Nanos, Network, Pattern, PingConfig, UdpFlow,
    UdpFlowConfig,
};

use crate::world::{FOREVER, MS, Relay, SECOND, address, check, host_with_neighbours, rtt, run_ping};

const US: Nanos = 1000;

fn cost(packet: Nanos) -> Cost {
    Cost { packet, byte: 0 }
}

/// Returns two processors; each cost is another power of ten, so that sums show which costs were
/// counted.
fn computer() -> ComputerConfig {
    ComputerConfig {
        processors: 2,
        wake_up: 50 * US,
        receive: cost(1),
        ingress: cost(10),
        egress: cost(100),
        send: cost(1000),
        link: cost(10_000),
        stack: cost(100_000),
        app: cost(1_000_000),
        ..ComputerConfig::default()
    }
}

/// Creates h1 – s1 – … – h2 over links that take no time.
pub fn chain(seed: u64, switches: u32, computer: Option<ComputerConfig>) -> Network {
    let mut network = Network::new(seed);
    if let Some(computer) = computer {
        network.share_computer(computer).unwrap();
    }
    network.track_packet_ids(true);
    let link = LinkConfig { rate: None, ..LinkConfig::default() };
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let mut before = LinkEnd::new("h1", 0);
    for number in 1..=switches {
        let name = format!("s{number}");
        network.add_device(&name, Box::new(Relay::new(2, 0))).unwrap();
        network.connect(before, LinkEnd::new(&name, 0), link.clone()).unwrap();
        before = LinkEnd::new(&name, 1);
    }
    network.connect(before, LinkEnd::new("h2", 0), link).unwrap();
    network
}

#[test]
fn a_ping_takes_the_work_of_its_path() {
    for switches in 1..4 {
        let mut network = chain(1, switches, Some(computer()));
        let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 3));
        // Each way takes the work of the switches, with four threads to wake in each. The
        // application sends the request, and the kernels do the rest.
        let switch = 11_111 + 4 * 50 * US;
        let ends = (1_000_000 + 110_000) + 100_000 + 110_000 + 100_000;
        for row in &rows {
            assert_eq!(rtt(row), 2 * Nanos::from(switches) * switch + ends);
        }
        check(&mut network);
    }
}

#[test]
fn one_thread_is_woken_once() {
    let config = ComputerConfig { pipelined: false, ..computer() };
    let mut network = chain(1, 1, Some(config));
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 1));
    assert_eq!(rtt(&rows[0]), 2 * (11_111 + 50 * US) + 1_420_000);
}

/// Sends a random flow of datagrams of 1000 bytes for a quarter of a second. Returns how many
/// arrived, their mean delay in nanoseconds, and the account.
fn flow(seed: u64, switches: u32, computer: ComputerConfig, per_second: u64) -> (u64, u64, Audit) {
    let mut network = chain(seed, switches, Some(computer));
    let config = UdpFlowConfig {
        payload_bytes: 1000,
        pattern: Pattern::Poisson { bits_per_second: per_second * 8000 },
        ..UdpFlowConfig::new((address(2), 5001), 0, SECOND / 4)
    };
    let app = network.start_udp_flow("h1", "h2", config).unwrap();
    network.run_until_finished(FOREVER);
    let audit = check(&mut network);
    let report = network.app::<UdpFlow>(app).unwrap().report();
    (report.received, report.delays.mean() as u64, audit)
}

/// Returns a computer on which a packet takes 100 us at each switch, and little time at hosts.
fn slow_computer(processors: usize) -> ComputerConfig {
    ComputerConfig {
        processors,
        wake_up: 10 * US,
        wake_up_jitter: 5 * US,
        receive: cost(20 * US),
        ingress: cost(40 * US),
        egress: cost(20 * US),
        send: cost(20 * US),
        stack: cost(US),
        app: cost(US),
        buffer: 64,
        ..ComputerConfig::default()
    }
}

#[test]
fn switches_of_one_computer_share_its_processors() {
    // 2 processors have time for 20 000 times 100 us per second, so each of n switches forwards
    // 20 000 / n packets.
    for (switches, fits) in [(1, 20_000), (2, 10_000), (5, 4000)] {
        let (received, _, audit) = flow(1, switches, slow_computer(2), 16_000);
        let expected = f64::from(fits.min(16_000)) / 4.0;
        // Up to 64 packets wait at each switch when the flow ends.
        assert!(
            (0.85..1.03 + 64.0 * f64::from(switches) / expected).contains(&(received as f64 / expected)),
            "{switches}: {received}"
        );
        let busy = audit.drops.iter().filter(|drop| drop.reason == "the computer is too busy");
        assert_eq!(busy.map(|drop| drop.packets).sum::<u64>() > 0, fits < 16_000, "{audit:?}");
    }
}

#[test]
fn delay_grows_with_the_load_of_others() {
    // This computer has no wake-up times, because they take longer if threads sleep between
    // packets.
    let computer = ComputerConfig { wake_up: 0, wake_up_jitter: 0, ..slow_computer(2) };
    let (_, alone, _) = flow(1, 5, computer.clone(), 100);
    let (_, loaded, _) = flow(1, 5, computer, 3900);
    assert!(loaded > alone + 100 * US, "{alone} {loaded}");
}

#[test]
fn equal_seeds_give_equal_runs() {
    let interrupted = ComputerConfig { interrupted_every: 10 * MS, interrupted_for: MS, ..slow_computer(2) };
    let run = |seed| flow(seed, 3, interrupted.clone(), 5000);
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).1, run(2).1);
}

#[test]
fn a_computer_without_costs_changes_nothing() {
    let run = |computer: Option<ComputerConfig>| {
        let mut network = chain(1, 3, computer);
        let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 3));
        (rows, check(&mut network))
    };
    let free = ComputerConfig { processors: 4, ..ComputerConfig::default() };
    assert_eq!(run(None), run(Some(free)));
}

#[test]
fn settings_are_checked() {
    let refused = |config| Network::new(1).share_computer(config).unwrap_err().to_string();
    let text = refused(ComputerConfig { processors: 0, ..ComputerConfig::default() });
    assert_eq!(text, "computer setting processors: 0 is out of range; expected 1 to 1024");
    let text =
        refused(ComputerConfig { interrupted_every: 1, interrupted_for: 1, ..ComputerConfig::default() });
    assert!(text.contains("less than interrupted_every"), "{text}");
    let mut network = chain(1, 1, None);
    assert_eq!(network.share_computer(ComputerConfig::default()), Err(Error::ComputerTooLate));
}
