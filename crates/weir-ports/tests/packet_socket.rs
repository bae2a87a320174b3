//! Packet sockets on the ends of veth pairs, in network namespaces that the tests make.

mod common;
#[path = "packet_socket/many.rs"]
mod many;
#[path = "packet_socket/workers.rs"]
mod workers;
#[path = "packet_socket/xdp.rs"]
mod xdp;

use common::{Shape, in_namespace, ip, packet, receive, receive_about, veth, wait_for_link, wait_until};
use weir_ports::packet_socket::{Settings, open, open_shared};
use weir_ports::{Batch, Checksum, Fanout, Frame, Gso, LinkState, Metadata, Offloads, Port, offload};

/// Runs a test in a namespace: with frames from the socket's queue, with a ring, and with frames
/// that leave through AF_XDP.
fn with_each_kind(test: &str, body: impl Fn(Settings)) {
    in_namespace(test, || {
        for (ring, direct) in [(false, false), (true, false), (true, true)] {
            veth("left", "right");
            body(Settings { ring, direct, ..Settings::default() });
            ip("link del left");
        }
    });
}

fn ports(settings: Settings) -> [Port; 2] {
    ["left", "right"].map(|name| open_port(name, settings))
}

fn open_port(name: &str, settings: Settings) -> Port {
    wait_for_port(open(name, settings).unwrap(), settings)
}

/// Returns the ports of this many workers, which share the frames of an interface.
fn open_shared_ports(name: &str, settings: Settings, workers: usize) -> Vec<Port> {
    let fanout = Fanout::default();
    (0..workers).map(|_| wait_for_port(open_shared(name, settings, &fanout).unwrap(), settings)).collect()
}

fn wait_for_port(mut port: Port, settings: Settings) -> Port {
    if settings.direct {
        let mappings = std::fs::read_to_string("/proc/self/maps").unwrap();
        // The offset of a ring for sending (`XDP_PGOFF_TX_RING`).
        assert!(mappings.contains(" 80000000 "), "AF_XDP is not used: this case tests nothing");
    }
    wait_for_link(&mut port);
    port
}

fn send(port: &mut Port, frames: &[Frame<'_>]) {
    let numbers: Vec<u16> = (0..frames.len() as u16).collect();
    assert_eq!(port.transmit.transmit(frames, &numbers).unwrap(), frames.len());
}

fn plain(bytes: &[u8]) -> Frame<'static> {
    Frame::copy_of(bytes, Metadata::default())
}

const TCP: Shape = Shape { v6: false, udp: false, tags: 0, flags: 0x18, options: 12, payload: 1000, seed: 1 };

#[test]
fn frames_of_all_lengths_pass_unchanged() {
    with_each_kind("frames_of_all_lengths_pass_unchanged", |settings| {
        let [mut left, mut right] = ports(settings);
        let frames: Vec<_> = (14..=1514)
            .step_by(100)
            .map(|length| {
                let mut bytes = vec![length as u8; length];
                bytes[12..14].copy_from_slice(&[0x88, 0xb5]);
                plain(&bytes)
            })
            .collect();
        send(&mut left, &frames);
        let received = receive(&mut right, frames.len());
        for (frame, (bytes, metadata)) in frames.iter().zip(received) {
            assert_eq!(frame.bytes(), bytes);
            assert_eq!(metadata.gso, None);
        }
        assert_eq!(receive(&mut left, 0), [], "a port ignores what it sends itself");
        assert_eq!(left.transmit.counts().frames, frames.len() as u64);
        assert_eq!(right.receive.counts().frames, frames.len() as u64);
    });
}

#[test]
fn partial_checksums_and_gso_frames_pass_whole() {
    with_each_kind("partial_checksums_and_gso_frames_pass_whole", |settings| {
        let [mut left, mut right] = ports(settings);
        let mut frames = Vec::new();
        for (v6, udp, tags) in (0..12).map(|n| (n % 2 == 1, n / 2 % 2 == 1, n / 4)) {
            for payload in [1000, 40_000] {
                let (bytes, metadata) = packet(Shape { v6, udp, tags, payload, ..TCP });
                let gso = metadata.gso.filter(|_| payload > 1400).map(|gso| Gso { size: 1400, ..gso });
                frames.push(Frame::copy_of(&bytes, Metadata { gso, ..metadata }));
            }
        }
        send(&mut left, &frames);
        for (frame, (bytes, metadata)) in frames.iter().zip(receive(&mut right, frames.len())) {
            assert!(frame.bytes() == bytes, "{:?}", frame.metadata);
            assert_eq!(frame.metadata, metadata);
        }
    });
}

/// Without transmit checksums, an interface has no segmentation either: the kernel does both before
/// a frame leaves.
#[test]
fn our_segments_and_checksums_are_those_of_the_kernel() {
    with_each_kind("our_segments_and_checksums_are_those_of_the_kernel", |settings| {
        let [mut left, mut right] = ports(settings);
        common::turn_checksums_off("left");
        let mut checked = 0;
        for seed in 0..96 {
            let (v6, udp) = (seed % 2 == 1, seed / 2 % 2 == 1);
            let (tags, flags) = (seed as usize / 4 % 3, [0x18, 0x11, 0x98, 0xd9][seed as usize / 12 % 4]);
            let (size, payload) = (1000 - seed as u16 * 8, 1 + seed as usize * 131);
            let shape = Shape { v6, udp, tags, flags, options: seed as usize % 11 * 4, payload, seed };
            let (bytes, metadata) = packet(shape);
            let gso = metadata.gso.filter(|_| payload > usize::from(size)).map(|gso| Gso { size, ..gso });
            let frame = Frame::copy_of(&bytes, Metadata { gso, ..metadata });
            let mut ours = Vec::new();
            offload::for_interface(&frame, Offloads::default(), |frame| {
                ours.push(frame.bytes().to_vec());
                Ok::<(), offload::Malformed>(())
            })
            .unwrap();
            send(&mut left, std::slice::from_ref(&frame));
            let received = receive_about(&mut right, ours.len());
            let counts = left.transmit.counts();
            assert_eq!(received.len(), ours.len(), "{shape:?}, {gso:?}, {counts:?}");
            for (number, (kernels, metadata)) in received.iter().enumerate() {
                assert_eq!(*metadata, Metadata::default(), "{shape:?}: the kernel left something to do");
                let ours = &ours[number];
                assert!(kernels == ours, "{shape:?}, segment {number}:\n{kernels:02x?}\n{ours:02x?}");
                checked += 1;
            }
        }
        assert!(checked > 500, "{checked} frames");
    });
}

#[test]
fn vlan_tags_are_in_the_bytes() {
    with_each_kind("vlan_tags_are_in_the_bytes", |settings| {
        let [mut left, mut right] = ports(settings);
        // The kernel removes the first tag of an arriving frame from the frame's bytes.
        for tags in [&[0x81, 0, 0, 100][..], &[0x88, 0xa8, 0x2f, 0xff], &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 0]] {
            let (mut bytes, metadata) = packet(TCP);
            bytes.splice(12..12, tags.iter().copied());
            let start = 34 + tags.len() as u16;
            let checksum = Checksum::Partial { start, offset: 16 };
            let metadata = Metadata { checksum, gso: None, ..metadata };
            send(&mut left, &[Frame::copy_of(&bytes, metadata)]);
            assert_eq!(receive(&mut right, 1), [(bytes, metadata)]);
        }
    });
}

#[test]
fn long_frames_and_nonsense_are_dropped_and_counted() {
    with_each_kind("long_frames_and_nonsense_are_dropped_and_counted", |settings| {
        let [mut left, mut right] = ports(settings);
        let nonsense =
            Metadata { checksum: Checksum::Partial { start: 90, offset: 16 }, ..Metadata::default() };
        let mut small = [0x88; 60];
        small[0] = 2;
        let frames = [
            plain(&small),
            plain(&[2; 1600]),
            plain(&[2; 13]),
            Frame::copy_of(&small, nonsense),
            plain(&small),
        ];
        send(&mut left, &frames);
        receive(&mut right, 2);
        let counts = left.transmit.counts();
        assert_eq!((counts.frames, counts.too_long, counts.too_short, counts.malformed), (2, 1, 1, 1));
        ip("link set left mtu 9000");
        ip("link set right mtu 9000");
        assert_eq!(left.link.check().unwrap(), LinkState::Present { up: true, mtu: 9000 });
        send(&mut left, &[plain(&[2; 1600])]);
        receive(&mut right, 1);
    });
}

/// Takes the link of the right end down and up, and checks the states and counts of both ports.
fn check_link_changes(left: &mut Port, right: &mut Port) {
    let frame = [plain(&[2; 60])];
    ip("link set right down");
    wait_until(left, |state| state == LinkState::Present { up: false, mtu: 1500 });
    assert_eq!(right.link.check().unwrap(), LinkState::Present { up: false, mtu: 1500 });
    receive(right, 0);
    send(right, &frame);
    assert_eq!(right.transmit.counts().no_link, 1);
    // The other end is switched on, and has lost its carrier.
    send(left, &frame);
    let counts = left.transmit.counts();
    assert_eq!((counts.frames, counts.no_link), (0, 1));
    ip("link set right up");
    wait_for_link(right);
    wait_for_link(left);
    send(left, &frame);
    receive(right, 1);
}

#[test]
fn a_link_goes_down_and_comes_up_and_its_interface_goes_and_returns() {
    let test = "a_link_goes_down_and_comes_up_and_its_interface_goes_and_returns";
    with_each_kind(test, |settings| {
        let [mut left, mut right] = ports(settings);
        let frame = [plain(&[2; 60])];
        check_link_changes(&mut left, &mut right);
        for is_shared in [false, true] {
            let mut port = match is_shared {
                false => open_port("right", settings),
                true => open_shared_ports("right", settings, 1).remove(0),
            };
            ip("link del left");
            assert_eq!(port.link.check().unwrap(), LinkState::Gone);
            receive(&mut port, 0);
            assert!(!common::wait(&port, 0), "a port without an interface keeps its worker busy");
            send(&mut port, &frame);
            assert_eq!(port.transmit.counts().no_link, 1);
            assert_eq!(port.link.check().unwrap(), LinkState::Gone);
            veth("left", "right");
            wait_for_link(&mut port);
            wait_for_link(&mut left);
            send(&mut left, &frame);
            receive(&mut port, 1);
            send(&mut port, &frame);
            receive(&mut left, 1);
        }
    });
}

#[test]
fn an_interface_that_was_in_another_namespace_for_a_moment_is_used_again() {
    let test = "an_interface_that_was_in_another_namespace_for_a_moment_is_used_again";
    with_each_kind(test, |settings| {
        let [mut left, mut right] = ports(settings);
        common::move_through_namespace("right");
        wait_for_link(&mut right);
        wait_for_link(&mut left);
        assert_eq!((left.link.reopened(), right.link.reopened()), (0, 1));
        send(&mut left, &[plain(&[2; 60])]);
        receive(&mut right, 1);
        send(&mut right, &[plain(&[2; 60])]);
        receive(&mut left, 1);
    });
}

#[test]
fn frames_after_a_lost_carrier_are_not_old_ones() {
    with_each_kind("frames_after_a_link_without_carrier_are_their_own", |settings| {
        let [mut left, mut right] = ports(settings);
        ip("link set right down");
        wait_until(&mut left, |state| state == LinkState::Present { up: false, mtu: 1500 });
        let lost: Vec<_> = (0..64).map(|_| plain(&[3; 60])).collect();
        let numbers: Vec<u16> = (0..64).collect();
        for _ in 0..5 {
            // Without a receiver, the kernel accepts some or all of the frames, and nothing else
            // happens.
            assert!(left.transmit.transmit(&lost, &numbers).unwrap() <= 64);
        }
        ip("link set right up");
        wait_for_link(&mut right);
        wait_for_link(&mut left);
        let marked: Vec<_> = (0..200_u8).map(|number| plain(&[number; 100])).collect();
        for ten in marked.chunks(10) {
            send(&mut left, ten);
            // Earlier frames may arrive late, but each place holds one frame.
            let mut arrived = Vec::new();
            while arrived.len() < ten.len() {
                let frames = receive_about(&mut right, ten.len() - arrived.len());
                assert!(!frames.is_empty(), "{} of {} frames arrived", arrived.len(), ten.len());
                for (bytes, _) in frames {
                    if bytes.len() == 100 {
                        arrived.push(bytes);
                    } else {
                        assert_eq!(bytes, [3; 60]);
                    }
                }
            }
            assert!(arrived.iter().map(Vec::as_slice).eq(ten.iter().map(|frame| frame.bytes())));
        }
    });
}

#[test]
fn a_fanout_group_shares_the_flows_of_an_interface() {
    with_each_kind("a_fanout_group_shares_the_flows_of_an_interface", |settings| {
        let mut left = open_port("left", settings);
        let mut group = open_shared_ports("right", settings, 2);
        let frames: Vec<_> = (0..64)
            .map(|seed| {
                let (bytes, metadata) = packet(Shape { seed: seed / 2, payload: 50, ..TCP });
                Frame::copy_of(&bytes, Metadata { gso: None, ..metadata })
            })
            .collect();
        send(&mut left, &frames);
        let mut seen = Vec::new();
        for port in &mut group {
            common::wait(port, 1000);
            let mut batch = Batch::new(64);
            port.receive.receive(&mut batch).unwrap();
            assert!(!batch.frames().is_empty(), "each socket gets some of 32 flows");
            let bytes: Vec<_> = batch.frames().iter().map(|frame| frame.bytes().to_vec()).collect();
            // Frames of one flow come in pairs.
            assert!(bytes.chunks(2).all(|pair| pair[0] == pair[1]), "a flow was torn apart");
            seen.extend(bytes);
        }
        assert_eq!(seen.len(), 64);
    });
}

#[test]
fn frames_have_times_if_asked_for() {
    with_each_kind("frames_have_times_if_asked_for", |settings| {
        let mut left = open_port("left", settings);
        let mut right = open_port("right", Settings { timestamps: true, ..settings });
        let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
        let before = now();
        send(&mut left, &[plain(&[2; 60])]);
        let time = receive(&mut right, 1)[0].1.time.unwrap();
        assert!((before..now()).contains(&time), "{before} <= {time} <= {}", now());
    });
}

#[test]
fn an_interface_that_does_not_exist_is_an_error() {
    in_namespace("an_interface_that_does_not_exist_is_an_error", || {
        for name in ["nowhere", "", "a-name-that-no-interface-can-have"] {
            let error = open(name, Settings::default()).err().unwrap().to_string();
            assert!(error.starts_with(&format!("there is no interface \"{name}\"; ")), "{error}");
            assert!(error.contains("lo") && error.ends_with("(`ip link`)"), "{error}");
        }
    });
}
