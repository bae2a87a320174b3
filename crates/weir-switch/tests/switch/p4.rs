//! Programs in P4, compiled, bound and run.

use crate::bench::{call, compile, entry, exact, run, start, table_schema};
use crate::by_name::{ByName, CloneSession, CounterValue, EntryRef, Match, Replica, Update};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::{Switch, SwitchConfig};

fn ipv4(ttl: u8, to: [u8; 4]) -> Vec<u8> {
    let builder = etherparse::PacketBuilder::ethernet2([2, 0, 0, 0, 0, 9], [2, 0, 0, 0, 0, 1])
        .ipv4([10, 0, 1, 1], to, ttl)
        .udp(1000, 2000);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, b"to be routed").unwrap();
    bytes
}

fn delay_router(rounds: &str, config: SwitchConfig) -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/delay.p4"), &[("DELAY", rounds)]);
    let mut switch = start(&program, config);
    let route = |to: u128, len, port| {
        let prefix = Match::Lpm(Bits::new(32, to), len);
        entry(&[("hdr.ipv4.dst", prefix)], call("forward", &[("gateway", 0x0800_0000_0002), ("port", port)]))
    };
    let mut control = switch.by_name();
    control.insert("RouterIngress.route", route(0x0a00_0000, 8, 1)).unwrap();
    control.insert("route", route(0x0a00_0202, 32, 2)).unwrap();
    switch
}

#[test]
fn a_router_that_delays() {
    let config = SwitchConfig::profile("bmv2-vm").unwrap().with_ports(1..=2);
    for rounds in [0u8, 1, 3, 7, 15] {
        let mut switch = delay_router(&rounds.to_string(), config.clone());
        switch.receive(1_000_000, 1, Packet::new(5, ipv4(64, [10, 0, 2, 2])));
        let output = run(&mut switch);
        assert_eq!((output.len(), output[0].port, output[0].packet.id), (1, 2, 5));
        assert_eq!(output[0].time, 1_000_000 + 312_500 * (u64::from(rounds) + 1));
        let packet = etherparse::SlicedPacket::from_ethernet(&output[0].packet.bytes).unwrap();
        let Some(etherparse::NetSlice::Ipv4(ip)) = packet.net else { panic!("no IPv4") };
        let header = ip.header().to_header();
        assert_eq!((header.time_to_live, header.header_checksum), (63, header.calc_header_checksum()));
        assert_eq!(header.identification, u16::from(rounds), "the field outside the list is forgotten");
        let hits = switch.by_name().direct_counter("route", &EntryRef::Handle(1)).unwrap();
        assert_eq!(
            hits,
            CounterValue { packets: u64::from(rounds) + 1, bytes: 54 * (u64::from(rounds) + 1) }
        );
    }
}

#[test]
fn a_router_drops_packets_without_a_route() {
    let mut switch = delay_router("0", SwitchConfig::default().with_ports(1..=2));
    let mut broken = ipv4(64, [10, 0, 2, 2]);
    broken[24] ^= 1;
    let truncated = ipv4(64, [10, 0, 2, 2])[..30].to_vec();
    for (id, bytes) in [ipv4(64, [11, 0, 0, 1]), broken, truncated, vec![]].into_iter().enumerate() {
        switch.receive(0, 1, Packet::new(id as u64, bytes));
    }
    assert!(run(&mut switch).is_empty());
    assert_eq!(switch.stats().dropped(), 4);
}

fn send_request(switch: &mut Switch, port: u16, wish: u8, index: u8) -> Vec<(u32, u32, usize)> {
    let [high, low] = port.to_be_bytes();
    let bytes = [&[high, low, wish, index, 0, 0, 0, 0][..], b"all more"].concat();
    switch.receive(0, 3, Packet::new(1, bytes));
    let answer = |bytes: &[u8]| u32::from_be_bytes(bytes[4..8].try_into().unwrap());
    run(switch).iter().map(|t| (t.port, answer(&t.packet.bytes), t.packet.bytes.len())).collect()
}

#[test]
fn every_extern_works() {
    let program = compile(include_str!("../../../../testdata/switch/externs.p4"), &[]);
    let mut switch = start(&program, SwitchConfig::default().with_ports(1..=4));
    let mut control = switch.by_name();
    control.set_clone_session(7, Some(CloneSession { port: Some(4), ..CloneSession::default() })).unwrap();
    control.set_multicast_group(9, Some(vec![Replica::new(1, 11), Replica::new(2, 12)])).unwrap();
    control.write(&[Update::SetValueSet { set: "tunnels".into(), members: vec![vec![exact(2)]] }]).unwrap();

    // The result is CRC-32 of 00 01 2a.
    assert_eq!(send_request(&mut switch, 1, 1, 0x2a), [(1, 0x3de1_2185, 16)]);
    assert_eq!([0, 1, 2].map(|_| send_request(&mut switch, 1, 2, 5)[0].1), [0, 1, 2]);
    assert_eq!(send_request(&mut switch, 1, 2, 200)[0].1, 0);
    assert_eq!(switch.by_name().register("memory", 5), Ok(Bits::new(32, 3)));
    assert_eq!(send_request(&mut switch, 1, 3, 0), [(1, 0, 16)]);
    assert_eq!(send_request(&mut switch, 1, 4, 0), [(1, 5, 16)]);
    assert_eq!(send_request(&mut switch, 1, 5, 0), [(4, 5 << 16 | 3, 16), (1, 0, 16)]);
    assert_eq!(send_request(&mut switch, 1, 6, 9), [(1, 11, 16), (2, 12, 16)]);
    assert_eq!(send_request(&mut switch, 1, 7, 0), [(1, 2, 16)]);
    assert_eq!(send_request(&mut switch, 1, 8, 0).len(), 1);
    assert_eq!(switch.by_name().take_digests()[0].values, [Bits::new(8, 8), Bits::new(9, 3)]);
    assert_eq!(send_request(&mut switch, 1, 9, 0), [(1, 0, 8)]);
    assert_eq!(
        (send_request(&mut switch, 1, 10, 1).len(), send_request(&mut switch, 1, 10, 0).len()),
        (1, 0)
    );
    send_request(&mut switch, 1, 11, 42);
    assert_eq!(switch.by_name().take_log()[0].text, "index 42");
    assert_eq!(send_request(&mut switch, 1, 12, 0), []);
    // Through the value set: the tag is the packet's second eight bytes, "all more".
    assert_eq!(send_request(&mut switch, 2, 13, 0), [(2, u32::from_be_bytes(*b"more"), 8)]);
    assert_eq!(switch.by_name().counter("wishes", 2), Ok(CounterValue { packets: 4, bytes: 64 }));

    let answers =
        [(100, 5), (100, 50), (101, 5)].map(|(what, index)| send_request(&mut switch, 1, what, index)[0].1);
    assert_eq!(answers, [1, 2, 0]);
    let schema = table_schema(switch.schema(), "choose").unwrap();
    let keys: Vec<_> = schema.keys.iter().map(|key| (key.name.as_str(), key.kind.name())).collect();
    assert_eq!(keys, [("hdr.tag.wish", "ternary"), ("hdr.tag.index", "range"), ("from", "optional")]);
    assert!(schema.const_entries && schema.const_default && schema.actions[1].default_only);
}
