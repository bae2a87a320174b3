//! Changes of host interfaces at run time.

use crate::world::*;
use weir_sim::{
    Direction, Error, Impairments, InterfaceConfig, LinkConfig, LinkEnd, Loss, MacAddress, Network,
    PingConfig, PingOutcome, TcpFlow, TcpFlowConfig,
};

fn host_pair() -> Network {
    let mut network = Network::new(1);
    network.add_host(host(1)).unwrap();
    network.add_host(host(2)).unwrap();
    let link = LinkConfig { rate: Some(100_000_000), delay: MS, ..LinkConfig::default() };
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    network
}

fn change(network: &mut Network, host: &str, change: impl FnOnce(&mut InterfaceConfig)) -> Result<(), Error> {
    let mut config = network.host(host).unwrap().config().interfaces[0].clone();
    change(&mut config);
    network.set_interface(host, 0, config)
}

fn is_answered(network: &mut Network, from: &str, to: &str) -> bool {
    let config =
        PingConfig { timeout: 5 * SECOND, ..PingConfig::new(to.parse::<std::net::IpAddr>().unwrap(), 1) };
    matches!(run_ping(network, from, config)[0].outcome, PingOutcome::Reply { .. })
}

#[test]
fn addresses_come_and_go() {
    let mut network = host_pair();
    assert!(is_answered(&mut network, "h1", "10.0.0.2"));
    change(&mut network, "h2", |eth0| eth0.addresses.push("10.0.9.2/24".parse().unwrap())).unwrap();
    change(&mut network, "h1", |eth0| eth0.addresses = vec!["10.0.9.1/24".parse().unwrap()]).unwrap();
    assert!(is_answered(&mut network, "h1", "10.0.9.2") && is_answered(&mut network, "h2", "10.0.9.1"));
    // The old address is no longer accepted, and there is no route to its network.
    assert!(!is_answered(&mut network, "h2", "10.0.0.1") && !is_answered(&mut network, "h1", "10.0.0.2"));
    assert_eq!(network.host("h1").unwrap().routes().len(), 1);
    // An IPv6 address comes with a link-local one, which is removed with it.
    change(&mut network, "h1", |eth0| eth0.addresses.push("2001:db8::1/64".parse().unwrap())).unwrap();
    change(&mut network, "h2", |eth0| eth0.addresses.push("2001:db8::2/64".parse().unwrap())).unwrap();
    let local = MacAddress([8, 0, 0, 0, 0, 2]).link_local().to_string();
    assert!(is_answered(&mut network, "h1", "2001:db8::2") && is_answered(&mut network, "h1", &local));
    change(&mut network, "h2", |eth0| eth0.addresses.truncate(2)).unwrap();
    assert!(!is_answered(&mut network, "h1", &local));
    check(&mut network);
}

#[test]
fn last_address_removes_routes() {
    let mut network = host_pair();
    network.host_mut("h1").unwrap().add_route(default_route("10.0.0.2")).unwrap();
    network.set_neighbour("h1", 0, address(2), MacAddress([8, 0, 0, 0, 0, 2])).unwrap();
    let routes = |network: &Network| network.host("h1").unwrap().routes().len();
    change(&mut network, "h1", |eth0| eth0.addresses.push("10.0.9.1/24".parse().unwrap())).unwrap();
    change(&mut network, "h1", |eth0| eth0.addresses = eth0.addresses.split_off(1)).unwrap();
    assert_eq!(routes(&network), 2);
    change(&mut network, "h1", |eth0| eth0.addresses.clear()).unwrap();
    assert_eq!(routes(&network), 0);
    assert!(network.start_ping("h1", PingConfig::new(address(2), 1)).is_ok());
    check(&mut network);
}

/// Returns the lengths of the IPv4 frames in a capture, and how many of them are fragments.
fn ipv4_lengths(capture: &[u8]) -> (Vec<usize>, usize) {
    let (mut lengths, mut fragments, mut place) = (Vec::new(), 0, 0);
    while place + 8 <= capture.len() {
        let word = |at: usize| u32::from_le_bytes(capture[at..at + 4].try_into().unwrap()) as usize;
        // The flags and offset of IPv4, without DF, come after the block's header.
        let ip = place + 28 + 14;
        if word(place) == 6 && capture[ip] == 0x45 {
            lengths.push(word(place + 20));
            fragments += usize::from(u16::from_be_bytes([capture[ip + 6], capture[ip + 7]]) & 0x3fff != 0);
        }
        place += word(place + 4);
    }
    (lengths, fragments)
}

fn two_megabytes() -> TcpFlowConfig {
    TcpFlowConfig { bytes: Some(2_000_000), duration: None, ..TcpFlowConfig::new((address(2), 5001), SECOND) }
}

#[test]
fn connections_follow_a_smaller_mtu() {
    let mut network = host_pair();
    let link = network.links()[0].clone();
    let impairments = Impairments { loss: Loss::Every(40), ..Impairments::default() };
    let config = LinkConfig { impairments, ..link.config[0].clone() };
    network.set_link(link.id, Direction::Forward, config).unwrap();
    let flow = network.start_tcp_flow("h1", "h2", two_megabytes()).unwrap();
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    network.run_until(50 * MS);
    change(&mut network, "h1", |eth0| eth0.mtu = 700).unwrap();
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<TcpFlow>(flow).unwrap().report().received, 2_000_000);
    let (lengths, fragments) = ipv4_lengths(&network.finish_capture(capture).unwrap());
    let last_large = lengths.iter().rposition(|length| *length > 714).unwrap();
    assert!(lengths.contains(&1514) && lengths.contains(&714) && last_large < lengths.len() / 2);
    // Retransmissions of longer segments are also cut to the new size.
    assert_eq!(fragments, 0);
    check(&mut network);
}

#[test]
fn smaller_mtu_applies_to_opening_connections() {
    let mut network = host_pair();
    let link = network.links()[0].id;
    network.set_link_up(link, false).unwrap();
    let flow = network.start_tcp_flow("h1", "h2", two_megabytes()).unwrap();
    network.run_until(MS);
    change(&mut network, "h1", |eth0| eth0.mtu = 700).unwrap();
    network.set_link_up(link, true).unwrap();
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<TcpFlow>(flow).unwrap().report().received, 2_000_000);
    let (lengths, fragments) = ipv4_lengths(&network.finish_capture(capture).unwrap());
    assert_eq!((lengths.iter().max(), fragments), (Some(&714), 0));
    check(&mut network);
}

#[test]
fn invalid_interface_settings_are_refused() {
    let mut network = host_pair();
    let refused = |network: &mut Network, change_it: &dyn Fn(&mut InterfaceConfig)| {
        change(network, "h1", change_it).unwrap_err().to_string()
    };
    assert!(refused(&mut network, &|eth0| eth0.mtu = 67).contains("expected 68 to 65535"));
    assert!(refused(&mut network, &|eth0| eth0.mac = MacAddress::BROADCAST).contains("unicast"));
    let broadcast = |eth0: &mut InterfaceConfig| eth0.addresses = vec!["10.0.0.255/24".parse().unwrap()];
    assert!(refused(&mut network, &broadcast).contains("expected a unicast address"));
    let v6 = |eth0: &mut InterfaceConfig| {
        eth0.mtu = 1000;
        eth0.addresses.push("2001:db8::1/64".parse().unwrap());
    };
    assert!(refused(&mut network, &v6).contains("1280"));
    let config = network.host("h1").unwrap().config().interfaces[0].clone();
    assert!(matches!(network.set_interface("h1", 1, config), Err(Error::UnknownInterface { .. })));
    assert!(is_answered(&mut network, "h1", "10.0.0.2"));
}
