//! Many frames of mixed sizes and protocols through each kind of port. `WEIR_FRAMES` says how many.

use std::time::{Duration, Instant};

use weir_ports::packet_socket::Settings;
use weir_ports::{Batch, Checksum, Frame, Gso, Metadata, Offloads, Port, memory, offload, tap, xdp};

use crate::common::{Shape, in_namespace, in_root_namespace, ip, packet, veth, wait_for_link};
use crate::xdp::opened_by_xdp;
use crate::{open_port, open_shared_ports};

/// The number of frames for each kind of port, unless the environment sets another number.
const FRAMES: usize = 4000;
/// The number of different frames.
const POOL: usize = 997;
/// Frames in flight at a time: fewer than any port holds.
const BURST: usize = 64;

/// The sending port, the ports between which workers move frames, and the receiving port.
struct Chain {
    generator: Port,
    workers: Vec<[Port; 2]>,
    sink: Port,
}

#[test]
fn many_frames_pass_packet_sockets() {
    through_interfaces("many_frames_pass_packet_sockets", Settings::default());
}

#[test]
fn many_frames_pass_rings() {
    through_interfaces("many_frames_pass_rings", Settings { ring: true, ..Settings::default() });
}

#[test]
fn many_frames_pass_rings_and_leave_by_af_xdp() {
    let settings = Settings { ring: true, direct: true, ..Settings::default() };
    through_interfaces("many_frames_pass_rings_and_leave_by_af_xdp", settings);
}

#[test]
fn many_frames_pass_af_xdp() {
    in_root_namespace("many::many_frames_pass_af_xdp", || {
        let middle = || vec![["from", "to"].map(|name| opened_by_xdp(name, xdp::Mode::Native))];
        // The kernel cuts GSO frames before programs get them.
        run(between_interfaces(middle), |number| pool_frame(number, false));
    });
}

#[test]
fn many_frames_pass_tap_devices() {
    in_namespace("many::many_frames_pass_tap_devices", || {
        let mut taps = ["tap-left", "sink"].map(|name| {
            let port = tap::open(name).unwrap();
            // The kernel joins multicast groups with messages that would come between the frames.
            std::fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1").unwrap();
            ip(&format!("link set {name} addrgenmode none up"));
            port
        });
        taps.iter_mut().for_each(wait_for_link);
        let [from, to] = taps;
        accept_pool_addresses("sink");
        let outside = ["tap-left", "sink"].map(|name| open_port(name, Settings::default()));
        let [generator, sink] = outside;
        run(Chain { generator, workers: vec![[from, to]], sink }, |number| pool_frame(number, true));
    });
}

#[test]
fn many_frames_pass_memory() {
    let offloads = Offloads { checksum: true, gso: true };
    let pair = |names| memory::connect(names, 2 * BURST, offloads).unwrap().0;
    let ([generator, from], [to, sink]) = (pair(["generator", "from"]), pair(["to", "sink"]));
    run(Chain { generator, workers: vec![[from, to]], sink }, |number| pool_frame(number, true));
}

fn through_interfaces(test: &str, settings: Settings) {
    in_namespace(&format!("many::{test}"), || {
        for workers in [1, 2, 4] {
            let middle = || match workers {
                1 => vec![["from", "to"].map(|name| open_port(name, settings))],
                _ => {
                    let [from, to] = ["from", "to"].map(|name| open_shared_ports(name, settings, workers));
                    from.into_iter().zip(to).map(|(from, to)| [from, to]).collect()
                }
            };
            run(between_interfaces(middle), |number| pool_frame(number, true));
            ip("link del generator");
            ip("link del to");
        }
    });
}

/// Returns a chain of two wires, with the ports that `middle` opens between them.
fn between_interfaces(middle: impl FnOnce() -> Vec<[Port; 2]>) -> Chain {
    veth("generator", "from");
    veth("to", "sink");
    accept_pool_addresses("sink");
    let workers = middle();
    let [generator, sink] = ["generator", "sink"].map(|name| open_port(name, Settings::default()));
    Chain { generator, workers, sink }
}

/// Lets the kernel also accept the frames of the pool as addressed to itself.
fn accept_pool_addresses(interface: &str) {
    ip(&format!("link set {interface} address 02:00:00:00:00:02"));
    ip(&format!("address add 10.9.9.2/32 dev {interface}"));
}

/// Sends frames through a chain, and compares the frames that leave the chain with them.
fn run(mut chain: Chain, frame: impl Fn(usize) -> Frame<'static>) {
    let count =
        std::env::var("WEIR_FRAMES").map_or(FRAMES, |text| text.parse().expect("WEIR_FRAMES is a number"));
    let pool: Vec<Frame<'_>> = (0..POOL).map(&frame).collect();
    let before = kernel_errors();
    let (mut sent, mut on_wire) = (0, 0);
    while sent < count {
        let burst: Vec<u16> = (sent..count.min(sent + BURST)).map(|number| (number % POOL) as u16).collect();
        assert_eq!(chain.generator.transmit.transmit(&pool, &burst).unwrap(), burst.len());
        send_burst(&mut chain, &pool, &burst);
        on_wire +=
            burst.iter().map(|number| offload::wire_size(&pool[usize::from(*number)]).frames).sum::<u64>();
        sent += burst.len();
    }
    assert_eq!(kernel_errors(), before, "the receiving kernel counts errors");
    let counts = chain.workers.iter_mut().map(|[from, to]| (from.receive.counts(), to.transmit.counts()));
    let counts: Vec<_> = counts.collect();
    let [received, left, lost] = counts.iter().fold([0; 3], |[received, left, lost], (from, to)| {
        let gone = from.missed + from.truncated + from.unknown_offload;
        [received + from.frames, left + to.frames, lost + gone]
    });
    assert_eq!([received, left, lost], [count as u64, on_wire, 0], "{counts:?}");
}

/// Moves the frames of a burst, and checks that all arrive: in order if there is one worker.
/// Several workers pass them to their interfaces one after the other.
fn send_burst(Chain { workers, sink, .. }: &mut Chain, pool: &[Frame<'_>], burst: &[u16]) {
    let (mut left, end) = (burst.to_vec(), Instant::now() + Duration::from_secs(5));
    let (is_one, mut seen) = (workers.len() == 1, Batch::new(BURST));
    while !left.is_empty() {
        assert!(Instant::now() < end, "{} of {} frames are missing", left.len(), burst.len());
        for [from, to] in workers.iter_mut() {
            let mut moved = Batch::new(BURST);
            from.receive.receive(&mut moved).unwrap();
            let numbers: Vec<u16> = (0..moved.frames().len() as u16).collect();
            assert_eq!(to.transmit.transmit(moved.frames(), &numbers).unwrap(), numbers.len());
        }
        sink.receive.receive(&mut seen).unwrap();
        for frame in seen.frames() {
            let is_it = |number: &u16| pool[usize::from(*number)].bytes() == frame.bytes();
            let place = if is_one { Some(0) } else { left.iter().position(is_it) };
            let number = left.remove(place.expect("nobody sent this frame"));
            let expected = &pool[usize::from(number)];
            assert!(frame.bytes() == expected.bytes(), "frame {number}: {:?}", expected.metadata);
            assert_eq!(
                remaining_offloads(&frame.metadata),
                remaining_offloads(&expected.metadata),
                "frame {number}"
            );
        }
        seen = seen.into_empty();
    }
}

/// Returns the offloads that must still be done for a frame.
pub fn remaining_offloads(metadata: &Metadata) -> (Option<Checksum>, Option<Gso>) {
    let is_partial = matches!(metadata.checksum, Checksum::Partial { .. });
    (is_partial.then_some(metadata.checksum), metadata.gso)
}

/// Returns a frame of the pool: TCP, UDP or something else, with up to two VLAN tags; whole, with a
/// partial checksum, or a GSO frame if there may be some.
fn pool_frame(number: usize, gso: bool) -> Frame<'static> {
    let payload = [0, 1, 22, 200, 511, 1000, 1380][number % 7] + number % 5;
    if number.is_multiple_of(11) {
        let mut bytes: Vec<u8> = (0..60 + payload).map(|at| (at * number) as u8).collect();
        bytes[..14].copy_from_slice(&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5]);
        return Frame::copy_of(&bytes, Metadata::default());
    }
    let is_gso = gso && number.is_multiple_of(13);
    let payload = if is_gso { 3000 + number * 57 } else { payload };
    let shape = Shape {
        v6: number % 2 == 1,
        udp: number / 2 % 2 == 1,
        tags: number / 4 % 3,
        flags: 0x10,
        options: 12,
        payload,
        seed: number as u64,
    };
    let (bytes, metadata) = packet(shape);
    let gso = metadata.gso.filter(|_| is_gso).map(|gso| Gso { size: 1200, ..gso });
    let mut frame = Frame::copy_of(&bytes, Metadata { gso, ..metadata });
    if !is_gso && number.is_multiple_of(3) {
        offload::complete(&mut frame).unwrap();
    }
    frame
}

/// Returns the kernel's counts of wrong checksums, lengths and headers, by name.
fn kernel_errors() -> Vec<(String, String)> {
    let read = |file| std::fs::read_to_string(format!("/proc/self/net/{file}")).unwrap_or_default();
    let mut counts = Vec::new();
    for text in [read("snmp"), read("netstat")] {
        // A line of names, and one of values.
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.chunks_exact(2) {
            let words = pair[0].split(' ').zip(pair[1].split(' '));
            let protocol = pair[0].split(' ').next().unwrap_or_default().to_owned();
            counts.extend(words.skip(1).map(|(name, value)| (protocol.clone() + name, value.to_owned())));
        }
    }
    let v6 = read("snmp6");
    let words = v6.lines().filter_map(|line| line.split_once(char::is_whitespace));
    counts.extend(words.map(|(name, value)| (name.to_owned(), value.trim().to_owned())));
    let is_error = |name: &str| {
        ["CsumErrors", "InErrs", "InErrors", "HdrErrors", "Truncated"].iter().any(|end| name.contains(end))
    };
    counts.retain(|(name, _)| is_error(name));
    counts
}
