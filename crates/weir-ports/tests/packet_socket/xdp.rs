//! Ports that receive with AF_XDP, on the right ends of veth pairs; packet sockets are on the left
//! ends.

use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Command, Stdio};

use weir_ports::packet_socket::{self, Settings};
use weir_ports::xdp::{Mode, open};
use weir_ports::{Frame, Gso, LinkState, Metadata, Port, PortError};

use crate::common::{self, Shape, in_namespace, in_root_namespace, ip, packet, receive, veth};
use crate::common::{wait_for_link, wait_until};
use crate::{TCP, check_link_changes, open_port, plain, send};

/// Runs a test with the program in the driver, and with the program in the kernel.
fn with_each_mode(test: &str, body: impl Fn(Mode)) {
    in_root_namespace(&format!("xdp::{test}"), || {
        for mode in [Mode::Native, Mode::Generic] {
            veth("left", "right");
            body(mode);
            ip("link del left");
        }
    });
}

pub fn opened_by_xdp(name: &str, mode: Mode) -> Port {
    let (mut port, found) = open(name, Some(mode)).unwrap();
    assert_eq!(found, mode);
    wait_for_link(&mut port);
    port
}

fn ports(mode: Mode) -> [Port; 2] {
    let right = open("right", Some(mode)).unwrap().0;
    let mut ports = [open_port("left", Settings::default()), right];
    ports.iter_mut().for_each(wait_for_link);
    ports
}

/// Makes frames with different lengths and EtherTypes.
fn frames() -> Vec<Frame<'static>> {
    let frame = |length: usize| {
        let mut bytes: Vec<u8> = (0..length).map(|at| (at * length) as u8).collect();
        bytes[..6].fill(2);
        bytes[12..14].copy_from_slice(&[0x88, if length < 700 { 0xb5 } else { 0xb6 }]);
        plain(&bytes)
    };
    (14..=1514).step_by(25).map(frame).collect()
}

#[test]
fn frames_of_all_lengths_pass_both_ways() {
    with_each_mode("frames_of_all_lengths_pass_both_ways", |mode| {
        let [mut left, mut right] = ports(mode);
        let frames = frames();
        // More frames than places, so that each place is reused.
        for _ in 0..12 {
            for (from, to) in [(0, 1), (1, 0)] {
                let pair = [&mut left, &mut right];
                send(pair[from], &frames);
                let received = receive(pair[to], frames.len());
                assert!(frames.iter().map(Frame::bytes).eq(received.iter().map(|(bytes, _)| &bytes[..])));
            }
        }
        assert_eq!(right.transmit.counts().frames, 12 * frames.len() as u64);
        assert_eq!(right.receive.counts().frames, 12 * frames.len() as u64);
        assert_eq!(right.receive.counts().missed, 0);
    });
}

/// A packet socket with `direct` sends with a program if it is allowed to: a queueing discipline
/// counts the frames, which it would not do if they left through AF_XDP.
#[test]
fn direct_ports_of_root_use_queueing_disciplines() {
    in_root_namespace("xdp::direct_ports_of_root_do_not_pass_by_queueing_disciplines", || {
        veth("left", "right");
        let tc = |words: &str| Command::new("tc").args(words.split(' ')).output().unwrap();
        assert!(tc("qdisc add dev left root pfifo limit 1000").status.success());
        let settings = Settings { direct: true, ..Settings::default() };
        let [mut left, mut right] = [("left", settings), ("right", Settings::default())]
            .map(|(name, settings)| packet_socket::open(name, settings).unwrap());
        [&mut left, &mut right].into_iter().for_each(wait_for_link);
        let frames = frames();
        // All frames, fewer frames than a program is used for, and one frame.
        for some in [&frames[..], &frames[..3], &frames[..1]] {
            send(&mut left, some);
            let received = receive(&mut right, some.len());
            assert!(some.iter().map(Frame::bytes).eq(received.iter().map(|(bytes, _)| &bytes[..])));
        }
        let counts = tc("-s qdisc show dev left").stdout;
        let counts = String::from_utf8(counts).unwrap();
        assert!(counts.contains(&format!(" {} pkt ", frames.len() + 4)), "{counts}");
    });
}

#[test]
fn partial_checksums_are_found_and_gso_frames_are_recognized() {
    let test = "partial_checksums_are_found_and_gso_frames_are_not_taken_for_frames";
    with_each_mode(test, |mode| {
        let [mut left, mut right] = ports(mode);
        for (v6, udp, tags) in (0..12).map(|n| (n % 2 == 1, n / 2 % 2 == 1, n / 4)) {
            let (bytes, metadata) = packet(Shape { v6, udp, tags, ..TCP });
            let partial = Metadata { gso: None, ..metadata };
            let frame = Frame::copy_of(&bytes, partial);
            send(&mut left, std::slice::from_ref(&frame));
            assert_eq!(receive(&mut right, 1), [(bytes.clone(), partial)]);
            send(&mut right, std::slice::from_ref(&frame));
            assert_eq!(receive(&mut left, 1), [(bytes, partial)]);
            let mut whole = frame;
            weir_ports::offload::complete(&mut whole).unwrap();
            send(&mut left, std::slice::from_ref(&whole));
            assert_eq!(receive(&mut right, 1), [(whole.bytes().to_vec(), Metadata::default())]);
        }
        let (bytes, metadata) = packet(Shape { payload: 2800, ..TCP });
        let gso = metadata.gso.map(|gso| Gso { size: 1400, ..gso });
        send(&mut left, &[Frame::copy_of(&bytes, Metadata { gso, ..metadata })]);
        match mode {
            // The kernel cuts the GSO frames.
            Mode::Native => {
                for (bytes, metadata) in receive(&mut right, 2) {
                    assert_eq!((bytes.len(), metadata.gso), (14 + 20 + 32 + 1400, None));
                }
            }
            Mode::Generic => {
                receive(&mut right, 0);
                assert_eq!(right.receive.counts().unknown_offload, 1);
            }
        }
    });
}

#[test]
fn links_and_interfaces_come_and_go_under_programs() {
    with_each_mode("links_and_interfaces_come_and_go_under_programs", |mode| {
        let [mut left, mut right] = ports(mode);
        let frame = [plain(&[2; 60])];
        check_link_changes(&mut left, &mut right);
        for count in 2..4 {
            ip("link del left");
            // The link was not checked yet.
            send(&mut right, &frame);
            assert_eq!(right.transmit.counts().no_link, 2 * count - 2);
            assert_eq!(right.link.check().unwrap(), LinkState::Gone);
            receive(&mut right, 0);
            assert!(!common::wait(&right, 0), "a port without an interface keeps its worker busy");
            send(&mut right, &frame);
            assert_eq!(right.transmit.counts().no_link, 2 * count - 1);
            veth("left", "right");
            wait_for_link(&mut right);
            wait_for_link(&mut left);
            send(&mut left, &frame);
            receive(&mut right, 1);
            send(&mut right, &frame);
            receive(&mut left, 1);
        }
        send(&mut right, &[plain(&[2; 1600]), plain(&[2; 60])]);
        receive(&mut left, 1);
        assert_eq!(right.transmit.counts().too_long, 1);
        // A GSO frame leaves by the socket, between frames that leave by the program.
        ip("link set right down");
        let (bytes, metadata) = packet(Shape { payload: 2800, ..TCP });
        let gso = metadata.gso.map(|gso| Gso { size: 1400, ..gso });
        let before = right.transmit.counts();
        send(
            &mut right,
            &[plain(&[2; 60]), Frame::copy_of(&bytes, Metadata { gso, ..metadata }), plain(&[2; 60])],
        );
        let after = right.transmit.counts();
        assert_eq!((after.frames, after.no_link), (before.frames, before.no_link + 1 + 2 + 1));
    });
}

#[test]
fn a_full_memory_is_counted_and_frames_come_again() {
    with_each_mode("a_full_memory_is_counted_and_frames_come_again", |mode| {
        let [mut left, mut right] = ports(mode);
        let frames: Vec<_> = (0..64).map(|_| plain(&[2; 60])).collect();
        for _ in 0..10 {
            send(&mut left, &frames);
            // A busy kernel has 256 places for frames in flight between the ends of the pair.
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let received = common::receive_about(&mut right, 512).len();
        let missed = right.receive.counts().missed;
        assert!(received == 512 && (1..=128).contains(&missed), "{received}, {missed} missed");
        send(&mut left, &frames);
        receive(&mut right, 64);
    });
}

fn open_error(mode: Option<Mode>) -> std::io::Error {
    match open("right", mode).err() {
        Some(PortError::System { source, .. }) => source,
        other => panic!("{other:?}"),
    }
}

#[test]
fn other_xdp_programs_stay_and_ours_ends_with_its_process() {
    with_each_mode("other_xdp_programs_stay_and_ours_ends_with_its_process", |mode| {
        let this = std::env::current_exe().unwrap();
        let arguments = ["--exact", "xdp::hold_an_interface_for_the_parent", "--nocapture"];
        let mut holder = Command::new(this);
        holder.args(arguments).env(HOLD, format!("{mode:?}")).stdout(Stdio::piped());
        let mut holder = holder.stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(holder.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("holds it")));
        let other = open_error(Some(mode));
        assert!(matches!(other.kind(), ErrorKind::ResourceBusy | ErrorKind::AlreadyExists), "{other}");
        holder.kill().unwrap();
        holder.wait().unwrap();
        drop(open("right", Some(mode)).unwrap());
        ip("link set left mtu 9000");
        ip("link set right mtu 9000");
        assert!(open_error(Some(mode)).to_string().contains("its MTU is 9000, AF_XDP allows 3818"));
    });
}

const HOLD: &str = "WEIR_TEST_HOLD";

/// The process that the test above starts.
#[test]
#[allow(clippy::print_stdout, reason = "its parent reads it")]
fn hold_an_interface_for_the_parent() {
    let Some(mode) = std::env::var_os(HOLD) else { return };
    let mode = if mode == "Native" { Mode::Native } else { Mode::Generic };
    let _port = open("right", Some(mode)).unwrap();
    println!("holds it");
    let _ended = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn user_namespaces_have_no_rights_for_programs() {
    in_namespace("xdp::user_namespaces_have_no_rights_for_programs", || {
        veth("left", "right");
        assert_eq!(open_error(None).kind(), ErrorKind::PermissionDenied);
    });
}

#[test]
fn an_interface_that_was_in_another_namespace_is_used_again() {
    with_each_mode("an_interface_that_was_in_another_namespace_is_used_again", |mode| {
        let [mut left, mut right] = ports(mode);
        common::move_through_namespace("right");
        wait_until(&mut right, |state| state == LinkState::Gone);
        // The receiving half releases the resources that it had.
        assert_eq!(receive(&mut right, 0), []);
        wait_for_link(&mut right);
        wait_for_link(&mut left);
        assert_eq!(right.link.reopened(), 1);
        send(&mut left, &[plain(&[2; 60])]);
        receive(&mut right, 1);
        send(&mut right, &[plain(&[2; 60])]);
        receive(&mut left, 1);
    });
}
