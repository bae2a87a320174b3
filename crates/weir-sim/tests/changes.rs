//! Hosts whose interfaces change while the network runs.

mod world;

use weir_sim::{
    End, Error, InterfaceConfig, LinkConfig, MacAddress, Network, PingConfig, PingOutcome, TcpFlow,
    TcpFlowConfig,
};
use world::*;

fn pair() -> Network {
    let mut network = Network::new(1);
    network.add_host(host(1)).unwrap();
    network.add_host(host(2)).unwrap();
    let link = LinkConfig { rate: Some(100_000_000), delay: MS, ..LinkConfig::default() };
    network.connect(End::new("h1", 0), End::new("h2", 0), link).unwrap();
    network
}

fn change(network: &mut Network, host: &str, change: impl FnOnce(&mut InterfaceConfig)) -> Result<(), Error> {
    let mut config = network.host(host).unwrap().config().interfaces[0].clone();
    change(&mut config);
    network.set_interface(host, 0, config)
}

fn answered(network: &mut Network, from: &str, to: &str) -> bool {
    let config =
        PingConfig { timeout: 5 * SECOND, ..PingConfig::new(to.parse::<std::net::IpAddr>().unwrap(), 1) };
    matches!(pings(network, from, config)[0].outcome, PingOutcome::Reply { .. })
}

#[test]
fn addresses_come_and_go() {
    let mut network = pair();
    assert!(answered(&mut network, "h1", "10.0.0.2"));
    change(&mut network, "h2", |eth0| eth0.addresses.push("10.0.9.2/24".parse().unwrap())).unwrap();
    change(&mut network, "h1", |eth0| eth0.addresses = vec!["10.0.9.1/24".parse().unwrap()]).unwrap();
    assert!(answered(&mut network, "h1", "10.0.9.2") && answered(&mut network, "h2", "10.0.9.1"));
    // The old address is nobody's, and nothing leads to its network any more.
    assert!(!answered(&mut network, "h2", "10.0.0.1") && !answered(&mut network, "h1", "10.0.0.2"));
    assert_eq!(network.host("h1").unwrap().routes().len(), 1);
    // An IPv6 address brings a link-local one; without it that goes, too.
    change(&mut network, "h1", |eth0| eth0.addresses.push("2001:db8::1/64".parse().unwrap())).unwrap();
    change(&mut network, "h2", |eth0| eth0.addresses.push("2001:db8::2/64".parse().unwrap())).unwrap();
    let local = MacAddress([8, 0, 0, 0, 0, 2]).link_local().to_string();
    assert!(answered(&mut network, "h1", "2001:db8::2") && answered(&mut network, "h1", &local));
    change(&mut network, "h2", |eth0| eth0.addresses.truncate(2)).unwrap();
    assert!(!answered(&mut network, "h1", &local));
    check(&mut network);
}

#[test]
fn the_last_address_of_a_family_takes_its_routes_along() {
    let mut network = pair();
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

#[test]
fn connections_cut_their_segments_to_a_smaller_mtu() {
    let mut network = pair();
    let config = TcpFlowConfig {
        bytes: Some(2_000_000),
        duration: None,
        ..TcpFlowConfig::new((address(2), 5001), SECOND)
    };
    let flow = network.start_tcp_flow("h1", "h2", config).unwrap();
    let capture = network.capture_to_memory(&[End::new("h1", 0)]).unwrap();
    network.run_until(50 * MS);
    change(&mut network, "h1", |eth0| eth0.mtu = 700).unwrap();
    network.run_until_finished(FOREVER);
    let whole = network.app::<TcpFlow>(flow).unwrap().report().received;
    assert_eq!(whole, 2_000_000);
    let bytes = network.finish_capture(capture).unwrap();
    let mut lengths = Vec::new();
    let mut place = 0;
    while place + 8 <= bytes.len() {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if word(place) == 6 {
            lengths.push(word(place + 20));
        }
        place += word(place + 4);
    }
    assert!(lengths.contains(&1514));
    let last_large = lengths.iter().rposition(|length| *length > 714).unwrap();
    assert!(last_large < lengths.len() / 2 && lengths.contains(&714));
    check(&mut network);
}

#[test]
fn what_no_interface_can_have_is_refused_and_changes_nothing() {
    let mut network = pair();
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
    assert!(answered(&mut network, "h1", "10.0.0.2"));
}
