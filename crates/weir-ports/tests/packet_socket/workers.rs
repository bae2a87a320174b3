//! One, two and four workers share interfaces. Frames of all kinds must pass through them, and no
//! other frames.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use weir_ports::packet_socket::{Settings, open, open_shared};
use weir_ports::{Batch, Checksum, Fanout, Frame, Gso, Metadata, Port, xdp};

use crate::common::{Shape, in_namespace, in_root_namespace, ip, packet, receive, receive_about, veth};
use crate::common::{move_through_namespace, wait_for_link};
use crate::many::remaining_offloads;
use crate::xdp::opened_by_xdp;
use crate::{TCP, open_port, open_shared_ports, plain, send};

/// The sockets of a test's switch, for each worker on two interfaces, and the ports connected to
/// these interfaces.
struct Between {
    generator: Port,
    from: Vec<Port>,
    to: Vec<Port>,
    sink: Port,
}

/// A frame, and the number of its flow: frames of one flow stay in order, at one worker.
type OfFlow = (u32, Frame<'static>);

const KINDS: [(&str, bool, bool); 3] =
    [("socket", false, false), ("ring", true, false), ("direct", true, true)];

#[test]
fn frames_of_all_sorts_cross_any_number_of_workers() {
    in_namespace("workers::frames_of_all_sorts_cross_any_number_of_workers", || {
        for (kind, ring, direct) in KINDS {
            for workers in [1, 2, 4] {
                let settings = Settings { ring, direct, ..Settings::default() };
                let middle = |name: &str| match workers {
                    1 => vec![open_port(name, settings)],
                    _ => open_shared_ports(name, settings, workers),
                };
                let mut between = connect_through(9000, middle);
                let busy = assert_all_cross(
                    &format!("kind={kind}, {workers} workers"),
                    &mut between,
                    &frames_of_all_kinds(),
                );
                assert_eq!(busy.len(), workers, "kind={kind}: each of {workers} workers gets some flows");
                drop(between);
                ip("link del generator");
                ip("link del to");
            }
        }
    });
}

#[test]
fn frames_of_all_sorts_cross_af_xdp() {
    in_root_namespace("workers::frames_of_all_sorts_cross_af_xdp", || {
        let mut between = connect_through(1500, |name| vec![opened_by_xdp(name, xdp::Mode::Native)]);
        let mut sorts = frames_of_all_kinds();
        // The kernel cuts GSO frames before programs get them, and XDP does not accept longer
        // frames.
        sorts.retain(|(sort, _)| !["jumbo frames", "GSO frames"].contains(sort));
        assert_all_cross("kind=xdp", &mut between, &sorts);
    });
}

/// Interfaces with this MTU, with the ports that `middle` opens between them.
fn connect_through(mtu: usize, middle: impl Fn(&str) -> Vec<Port>) -> Between {
    veth("generator", "from");
    veth("to", "sink");
    for end in ["generator", "from", "to", "sink"] {
        ip(&format!("link set {end} mtu {mtu}"));
    }
    let [generator, sink] = ["generator", "sink"].map(|name| open_port(name, Settings::default()));
    Between { generator, from: middle("from"), to: middle("to"), sink }
}

/// Sends frames of all kinds, and frames of the computer itself. Returns the workers that received
/// frames.
fn assert_all_cross(
    case: &str,
    between: &mut Between,
    sorts: &[(&'static str, Vec<OfFlow>)],
) -> BTreeSet<usize> {
    let mut busy = BTreeSet::new();
    let mut sent = 0;
    for (sort, frames) in sorts {
        busy.extend(send_and_wait(&format!("{case}: {sort}"), between, frames));
        sent += frames.len() as u64;
    }
    own_frames_reach_no_worker(case, between);
    let received =
        |ports: &mut [Port]| ports.iter_mut().map(|port| port.receive.counts()).collect::<Vec<_>>();
    let (from, to) = (received(&mut between.from), received(&mut between.to));
    assert_eq!(from.iter().map(|counts| counts.frames).sum::<u64>(), sent, "{case}: {from:?}");
    assert_eq!(to.iter().map(|counts| counts.frames).sum::<u64>(), 0, "{case}: {to:?}");
    busy
}

/// Frames that this computer itself sends from an interface arrive at the other end, but at no
/// worker.
fn own_frames_reach_no_worker(case: &str, between: &mut Between) {
    let frames: Vec<_> = (0..20).map(|number| plain(&[number; 90])).collect();
    for (name, workers, other) in
        [("from", &mut between.from, &mut between.generator), ("to", &mut between.to, &mut between.sink)]
    {
        send(&mut open_port(name, Settings::default()), &frames);
        let seen = receive(other, frames.len());
        assert!(frames.iter().map(Frame::bytes).eq(seen.iter().map(|(bytes, _)| &bytes[..])), "{case}");
        for worker in workers {
            assert_eq!(receive(worker, 0), [], "{case}: a frame of the computer itself");
        }
    }
}

/// Sends frames, and lets the workers move them until all have arrived: each once and unchanged,
/// and the frames of a flow in order and by one worker. Returns which workers had frames.
fn send_and_wait(case: &str, between: &mut Between, frames: &[OfFlow]) -> BTreeSet<usize> {
    let Between { generator, from, to, sink } = between;
    let mut workers: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for burst in frames.chunks(32) {
        let copies: Vec<_> =
            burst.iter().map(|(_, frame)| Frame::copy_of(frame.bytes(), frame.metadata)).collect();
        send(generator, &copies);
        let mut left: Vec<&OfFlow> = burst.iter().collect();
        let end = Instant::now() + Duration::from_secs(5);
        while !left.is_empty() {
            assert!(Instant::now() < end, "{case}: {} of {} frames are missing", left.len(), burst.len());
            for (number, (from, to)) in from.iter_mut().zip(to.iter_mut()).enumerate() {
                let mut batch = Batch::new(64);
                from.receive.receive(&mut batch).unwrap();
                for frame in batch.frames() {
                    let (flow, _) = matching_frame(burst.iter(), frame).1;
                    workers.entry(*flow).or_default().insert(number);
                }
                send(to, batch.frames());
            }
            let mut batch = Batch::new(64);
            sink.receive.receive(&mut batch).unwrap();
            for frame in batch.frames() {
                let (place, (flow, _)) = matching_frame(left.iter().copied(), frame);
                let overtaken = left[..place].iter().any(|(other, _)| other == flow);
                assert!(!overtaken, "{case}: flow {flow} is out of order");
                left.remove(place);
            }
        }
    }
    for (flow, workers) in &workers {
        assert_eq!(workers.len(), 1, "{case}: flow {flow} was torn apart");
    }
    workers.into_values().flatten().collect()
}

/// Returns the index of the arrived frame among the frames that were sent.
fn matching_frame<'f>(
    mut sent: impl Iterator<Item = &'f OfFlow>,
    arrived: &Frame<'_>,
) -> (usize, &'f OfFlow) {
    let is_same = |(_, frame): &OfFlow| {
        frame.bytes() == arrived.bytes()
            && remaining_offloads(&frame.metadata) == remaining_offloads(&arrived.metadata)
    };
    let mut place = 0;
    let matching = sent.find(|frame| {
        is_same(frame) || {
            place += 1;
            false
        }
    });
    let matching =
        matching.unwrap_or_else(|| panic!("nobody sent {:02x?}, {:?}", arrived.bytes(), arrived.metadata));
    (place, matching)
}

/// Makes frames of each kind, with the name of the kind.
fn frames_of_all_kinds() -> Vec<(&'static str, Vec<OfFlow>)> {
    let vlan: &[u8] = &[0x81, 0, 0x20, 100];
    let q_in_q: &[u8] = &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 9];
    let mut sorts = Vec::new();
    for (sort, tags) in [("IPv4 fragments", &[][..]), ("with a tag", vlan), ("with two tags", q_in_q)] {
        sorts.push((sort, datagrams(|flow| fragments4(flow, tags))));
    }
    sorts.push(("IPv4 fragments, last first", datagrams(|flow| reverse_addresses(fragments4(flow, &[])))));
    sorts.push(("IPv4 fragments without the first", datagrams(|flow| fragments4(flow, &[]).split_off(1))));
    for (sort, tags) in [("IPv6 fragments", &[][..]), ("with two tags", q_in_q)] {
        sorts.push((sort, datagrams(|flow| fragments6(flow, tags))));
    }
    sorts.push(("IPv6 fragments, last first", datagrams(|flow| reverse_addresses(fragments6(flow, &[])))));
    for (sort, tags) in [("usual frames", &[][..]), ("VLAN", vlan), ("QinQ", q_in_q)] {
        sorts.push((sort, datagrams(|flow| usual(flow, tags))));
    }
    sorts.push(("IPv6 extension headers", datagrams(extension_headers)));
    sorts.push(("runts", (14..60).map(|length| (u32::from(length), runt_frame(length))).collect()));
    sorts.push(("jumbo frames", datagrams(|flow| large(flow, 7900, false))));
    sorts.push(("GSO frames", datagrams(|flow| large(flow, 20_000, true))));
    sorts
}

/// Returns the frames of some flows, mixed.
fn datagrams(frames_of: impl Fn(u32) -> Vec<Frame<'static>>) -> Vec<OfFlow> {
    let mut flows: Vec<_> = (0..24).map(|flow| (flow, frames_of(flow).into_iter())).collect();
    let mut mixed = Vec::new();
    loop {
        let before = mixed.len();
        for (flow, frames) in &mut flows {
            mixed.extend(frames.next().map(|frame| (*flow, frame)));
        }
        if mixed.len() == before {
            return mixed;
        }
    }
}

fn reverse_addresses(mut frames: Vec<Frame<'static>>) -> Vec<Frame<'static>> {
    frames.reverse();
    frames
}

/// Returns a frame with tags after the addresses.
fn tagged_frame(tags: &[u8], rest: &[&[u8]]) -> Frame<'static> {
    let mut bytes = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    bytes.extend(tags);
    rest.iter().for_each(|part| bytes.extend(*part));
    plain(&bytes)
}

/// Returns the payload of a part of a datagram: the first has a UDP header.
fn part_payload(flow: u32, number: u8) -> Vec<u8> {
    let mut payload = vec![number ^ flow as u8; 200];
    payload[..8].copy_from_slice(&[0x30, flow as u8, 0x20, number, 2, 96, 0, 0]);
    payload
}

/// Makes three fragments of a datagram over IPv4.
fn fragments4(flow: u32, tags: &[u8]) -> Vec<Frame<'static>> {
    let fragment = |number: u8| {
        let more = if number < 2 { 0x20 } else { 0 };
        let mut header =
            [0x45, 0, 0, 220, 7, flow as u8, more, number * 25, 64, 17, 0, 0, 10, 1, 0, 0, 10, 2, 0, 1];
        header[15] = flow as u8;
        let sum = !weir_ports::offload::internet_sum(0, &header);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        tagged_frame(tags, &[&[8, 0], &header, &part_payload(flow, number)])
    };
    (0..3).map(fragment).collect()
}

/// Returns the IPv6 header for a payload of this many bytes.
fn header6(flow: u32, next: u8, payload: usize) -> Vec<u8> {
    let mut header = vec![0x60, 0, 0, 0, (payload >> 8) as u8, payload as u8, next, 64];
    header.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, flow as u8]);
    header.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1]);
    header
}

/// Makes three fragments of a datagram over IPv6, after hop-by-hop options.
fn fragments6(flow: u32, tags: &[u8]) -> Vec<Frame<'static>> {
    let fragment = |number: u8| {
        let offset = (u16::from(number) * 200) | u16::from(number < 2);
        let [high, low] = offset.to_be_bytes();
        let options = [44, 0, 1, 4, 0, 0, 0, 0];
        let fragment = [17, 0, high, low, 0, 0, 3, flow as u8];
        tagged_frame(
            tags,
            &[&[0x86, 0xdd], &header6(flow, 0, 216), &options, &fragment, &part_payload(flow, number)],
        )
    };
    (0..3).map(fragment).collect()
}

/// Makes whole datagrams after options, a routing header, and options again.
fn extension_headers(flow: u32) -> Vec<Frame<'static>> {
    let frame = |number: u8| {
        let headers = [43, 0, 1, 4, 0, 0, 0, 0, 60, 0, 4, 0, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0];
        tagged_frame(&[], &[&[0x86, 0xdd], &header6(flow, 0, 224), &headers, &udp(flow, number)])
    };
    (0..3).map(frame).collect()
}

/// Returns a datagram of 200 bytes, without a checksum.
fn udp(flow: u32, number: u8) -> Vec<u8> {
    let mut datagram = vec![number; 200];
    datagram[..8].copy_from_slice(&[0x30, flow as u8, 0x20, 1, 0, 200, 0, 0]);
    datagram
}

/// Makes TCP segments with partial checksums.
fn usual(flow: u32, tags: &[u8]) -> Vec<Frame<'static>> {
    let frame = |number: usize| {
        let shape = Shape { seed: flow.into(), v6: flow % 2 == 1, payload: 100 + number, ..TCP };
        let (mut bytes, metadata) = packet(shape);
        bytes.splice(12..12, tags.iter().copied());
        let Checksum::Partial { start, offset } = metadata.checksum else { unreachable!() };
        let checksum = Checksum::Partial { start: start + tags.len() as u16, offset };
        Frame::copy_of(&bytes, Metadata { checksum, gso: None, ..metadata })
    };
    (0..3).map(frame).collect()
}

/// Makes long packets, whole or as GSO frames.
fn large(flow: u32, payload: usize, is_gso: bool) -> Vec<Frame<'static>> {
    let frame = |number: usize| {
        let udp = flow / 2 % 2 == 1;
        let shape = Shape { seed: flow.into(), v6: flow % 2 == 1, udp, payload: payload + number, ..TCP };
        let (bytes, metadata) = packet(shape);
        let gso = metadata.gso.filter(|_| is_gso).map(|gso| Gso { size: 1200, ..gso });
        Frame::copy_of(&bytes, Metadata { gso, ..metadata })
    };
    (0..3).map(frame).collect()
}

/// Returns a frame that ends before or in its IP header.
fn runt_frame(length: u8) -> Frame<'static> {
    let whole = fragments4(u32::from(length), &[]).remove(0);
    plain(&whole.bytes()[..usize::from(length)])
}

#[test]
fn the_kernel_numbers_the_groups() {
    in_namespace("workers::the_kernel_numbers_the_groups", || {
        for pair in 0..3 {
            veth(&format!("left{pair}"), &format!("right{pair}"));
        }
        let group = |pair: usize| open_shared_ports(&format!("right{pair}"), Settings::default(), 2);
        // The last socket has the interface of the first one: each gets all frames.
        let mut groups = [group(0), group(1), group(2), group(0)];
        for pair in 0..3 {
            send(&mut open_port(&format!("left{pair}"), Settings::default()), &usual(1, &[]));
        }
        for (number, group) in groups.iter_mut().enumerate() {
            let seen: usize = group.iter_mut().map(|port| receive_about(port, 0).len()).sum();
            assert_eq!(seen, 3, "group {number}");
        }
    });
}

#[test]
fn workers_share_an_interface_that_comes_back() {
    in_namespace("workers::workers_share_an_interface_that_comes_back", || {
        for (_, ring, direct) in KINDS {
            let settings = Settings { ring, direct, ..Settings::default() };
            veth("left", "right");
            let mut left = open_port("left", settings);
            let mut group = open_shared_ports("right", settings, 2);
            let goes: [fn(); 2] = [
                || {
                    ip("link del left");
                    veth("left", "right");
                },
                || move_through_namespace("right"),
            ];
            for goes in goes {
                goes();
                // Rings are read before queues, so each worker receives twice.
                for _ in 0..2 {
                    group.iter_mut().for_each(|port| {
                        port.link.check().unwrap();
                        receive(port, 0);
                    });
                }
                group.iter_mut().for_each(wait_for_link);
                wait_for_link(&mut left);
                let frames: Vec<_> = (0..20).flat_map(|flow| usual(flow, &[])).collect();
                send(&mut left, &frames);
                let seen: Vec<_> = group.iter_mut().map(|port| receive_about(port, 0).len()).collect();
                assert_eq!(seen.iter().sum::<usize>(), frames.len(), "{seen:?}: none is lost or doubled");
                assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}: both get some");
            }
            drop((left, group));
            ip("link del left");
        }
    });
}

#[test]
fn a_shared_interface_that_does_not_exist_is_an_error() {
    in_namespace("workers::a_shared_interface_that_does_not_exist_is_an_error", || {
        let failed = open_shared("nowhere", Settings::default(), &Fanout::default());
        assert!(failed.err().unwrap().to_string().starts_with("there is no interface \"nowhere\"; "));
        // A port that is not shared is not in a group.
        veth("left", "right");
        assert!(open("right", Settings::default()).is_ok());
    });
}
