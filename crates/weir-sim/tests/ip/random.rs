//! Random fragments and random frames.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Fragments of both families arrive in any order, some of them twice.
    #[test]
    fn fragments_are_reassembled_in_any_order(
        of_v6 in any::<bool>(),
        payload_bytes in 1473usize..12_000,
        order in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let mut network = host_pair();
        let to = if of_v6 { v6(2).into() } else { address(2) };
        // The test captures what h1 sends to h2 over a lossy link and sends it again.
        let link = network.links()[0].id;
        run_ping(&mut network, "h1", PingConfig::new(to, 1));
        network.set_link(link, Direction::Forward, lossy_link()).unwrap();
        let config = PingConfig { payload_bytes, ident: Some(5), timeout: SECOND, ..PingConfig::new(to, 1) };
        let mut frames = capture_during(&mut network, |network| {
            network.start_ping("h1", config.clone()).unwrap();
            network.run_for(1);
        });
        network.set_link(link, Direction::Forward, LinkConfig::default()).unwrap();
        let twice = frames[order.index(frames.len())].clone();
        frames.push(twice);
        let mut random = weir_sim::Random::new(seed, "order");
        for place in (1..frames.len()).rev() {
            frames.swap(place, random.up_to(place as u64) as usize);
        }
        let before = network.host("h2").unwrap().counters().sent_packets;
        let whole = frames.len() as u64 - 1;
        for frame in frames {
            network.send_frame("h1", 0, frame).unwrap();
        }
        network.run_for(SECOND);
        let after = network.host("h2").unwrap().counters().sent_packets;
        prop_assert_eq!(after - before, whole, "as many fragments of the reply");
        check(&mut network);
        let host = network.host("h2").unwrap();
        // A late duplicate starts a new packet that is never completed.
        prop_assert!(host.discards().all(|(reason, _)| reason.starts_with("fragments missing")));
    }
}

/// Accepts connections and reads from them.
struct Listener;

impl App for Listener {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Tcp(80)).unwrap();
        host.bind(Binding::Udp(80)).unwrap();
    }
    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let AppEvent::Tcp { socket, .. } = *arrival {
            host.tcp_discard(socket);
        }
    }
    fn finished(&self) -> bool {
        true
    }
}

/// Corrects a checksum with a pseudo header, whose field is at offset `place` of the payload.
fn correct_checksum(source: &[u8], destination: &[u8], protocol: u8, payload: &mut [u8], place: usize) {
    if payload.len() < place + 2 {
        return;
    }
    payload[place..place + 2].fill(0);
    let length = (payload.len() as u32).to_be_bytes();
    // ICMP for IPv4 has no pseudo header.
    let pseudo = [source, destination, &length[..], &[0, 0, 0, protocol]].concat();
    let whole = [if protocol == 1 { &[] } else { &pseudo[..] }, payload].concat();
    let sum: u32 =
        whole.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
    payload[place..place + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// Returns a nearly valid frame of either family from h2 to h1, with any extension headers,
/// options, fragments, types and flags.
fn nearly_valid_frame() -> impl Strategy<Value = Vec<u8>> {
    let headers =
        prop::collection::vec((prop::sample::select(vec![0u8, 43, 44, 60]), any::<[u8; 8]>()), 0..3);
    let protocol = prop::sample::select(vec![6u8, 6, 6, 17, 58, 58, 1, 59, 200]);
    let payload = prop::collection::vec(any::<u8>(), 0..80);
    let small = (any::<bool>(), any::<u16>(), 0u8..3, prop::sample::select(vec![128u8, 129, 1, 2, 135, 136]));
    (any::<bool>(), headers, protocol, payload, small).prop_map(
        |(v6_family, headers, protocol, mut payload, small)| {
            let (to_port, fragment, offset, kind) = small;
            if to_port && payload.len() >= 14 {
                payload[2..4].copy_from_slice(&80u16.to_be_bytes());
                if protocol == 6 {
                    payload[12] = 0x50 | payload[12] & 0x20;
                }
                if protocol == 17 {
                    let length = payload.len() as u16;
                    payload[4..6].copy_from_slice(&length.to_be_bytes());
                }
            }
            if matches!(protocol, 1 | 58) && !payload.is_empty() {
                payload[0] = kind;
            }
            let place = match protocol {
                6 => 16,
                17 => 6,
                _ => 2,
            };
            if v6_family {
                let (source, destination) = (v6(2).octets(), v6(1).octets());
                correct_checksum(&source, &destination, protocol, &mut payload, place);
                let mut frame =
                    [&H1[..], &H2, &[0x86, 0xdd, 0x60, 0, 0, 0, 0, 0, 0, 255], &source, &destination]
                        .concat();
                let mut next = 20;
                for (header, mut bytes) in headers {
                    frame[next] = header;
                    next = frame.len();
                    bytes[1] = 0;
                    if header == 44 {
                        (bytes[2], bytes[3]) = (0, (offset * 8) | (bytes[3] & 1));
                    }
                    frame.extend(bytes);
                }
                frame[next] = protocol;
                frame.extend(payload);
                let length = (frame.len() - 54) as u16;
                frame[18..20].copy_from_slice(&length.to_be_bytes());
                frame
            } else {
                let protocol = if protocol == 58 { 1 } else { protocol };
                correct_checksum(&[10, 0, 0, 2], &[10, 0, 0, 1], protocol, &mut payload, place);
                let mut ip = etherparse::Ipv4Header::new(
                    payload.len() as u16,
                    64,
                    protocol.into(),
                    [10, 0, 0, 2],
                    [10, 0, 0, 1],
                )
                .unwrap();
                ip.dont_fragment = false;
                ip.more_fragments = fragment.is_multiple_of(5);
                ip.fragment_offset = u16::from(offset / 2).try_into().unwrap();
                ip.identification = fragment % 3;
                ip.header_checksum = ip.calc_header_checksum();
                let mut frame = [&H1[..], &H2, &[8, 0]].concat();
                ip.write(&mut frame).unwrap();
                frame.extend(payload);
                frame
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn hosts_survive_all_packets(frames in prop::collection::vec(nearly_valid_frame(), 1..60)) {
        let mut network = host_pair();
        network.start_app("h1", 0, Box::new(Listener)).unwrap();
        for frame in frames {
            network.send_frame("h2", 0, frame).unwrap();
            network.run_for(MS);
        }
        check(&mut network);
        let rows = run_ping(&mut network, "h1", PingConfig::new(v6(2), 1));
        prop_assert_eq!(rtt(&rows[0]), 0);
        check(&mut network);
        prop_assert_eq!(network.host("h1").unwrap().tcp_usage(), (0, 0, 0));
    }
}
