//! Network namespaces that a test makes for itself, and packets.
#![allow(dead_code, reason = "each test uses a part")]

use std::io::Write;
use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_ports::{Batch, Checksum, Gso, GsoKind, LinkState, Metadata, Port, WaitOn};

const INSIDE: &str = "WEIR_TEST_IN_NAMESPACE";

/// Runs the test of this name again, inside its own network and user namespaces, in which it may
/// create interfaces; there it runs `body`. If the kernel refuses namespaces, it prints a message
/// and does nothing, or fails with `WEIR_REQUIRE_NAMESPACES=1`.
pub fn in_namespace(test: &str, body: impl FnOnce()) {
    let refused = "no network namespaces without privileges here";
    let kinds = ["--user", "--map-root-user", "--net"];
    in_namespaces(test, &kinds, "WEIR_REQUIRE_NAMESPACES", refused, body);
}

/// Like [`in_namespace`], but as root of the whole computer, whose rights BPF needs. Without these
/// rights, it prints a message and does nothing, or fails with `WEIR_REQUIRE_ROOT=1`.
pub fn in_root_namespace(test: &str, body: impl FnOnce()) {
    let refused = "needs real root, and network namespaces";
    let users = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    if users.split_whitespace().collect::<Vec<_>>() == ["0", "0", "4294967295"] {
        in_namespaces(test, &["--net"], "WEIR_REQUIRE_ROOT", refused, body);
    } else {
        skip(test, "WEIR_REQUIRE_ROOT", refused);
    }
}

#[allow(clippy::print_stderr, reason = "a skipped test must be seen")]
fn skip(test: &str, required: &str, refused: &str) {
    assert!(std::env::var_os(required).is_none(), "{test}: {refused}");
    eprintln!("SKIPPED {test}: {refused}");
    // `make test` shows the lines of this file, as cargo hides the output of tests that pass.
    if let Some(list) = std::env::var_os("WEIR_SKIPPED") {
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        writeln!(list, "{refused}").unwrap();
    }
}

fn in_namespaces(test: &str, kinds: &[&str], required: &str, refused: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        ip("link set lo up");
        return body();
    }
    let unshare = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(kinds).args(arguments).env(INSIDE, "1");
        command.stdin(Stdio::null()).status()
    };
    if !unshare(&["ip", "link", "add", "type", "veth"]).is_ok_and(|status| status.success()) {
        return skip(test, required, refused);
    }
    let program = std::env::current_exe().unwrap();
    // A run with more frames gets more time.
    let seconds = if std::env::var_os("WEIR_FRAMES").is_some() { "3600" } else { "60" };
    let arguments = ["timeout", seconds, program.to_str().unwrap(), "--exact", test, "--nocapture"];
    let status = unshare(&arguments).unwrap();
    assert!(status.success(), "{test} failed in its namespace: {status}");
}

/// Runs `ip`.
pub fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split_whitespace()).status().unwrap();
    assert!(status.success(), "ip {arguments}: {status}");
}

/// Creates a veth pair without IPv6 addresses, so that the kernel sends nothing on it by itself.
pub fn veth(left: &str, right: &str) {
    ip(&format!("link add {left} type veth peer name {right}"));
    for end in [left, right] {
        ip(&format!("link set {end} addrgenmode none up"));
    }
}

/// Moves an interface to another network namespace and back. The interface keeps its index, so only
/// sockets notice the move.
pub fn move_through_namespace(interface: &str) {
    let mut other = Command::new("unshare").args(["--net", "sleep", "60"]).spawn().unwrap();
    let (here, there) = (std::process::id(), other.id());
    let its_own = || std::fs::read_link(format!("/proc/{there}/ns/net")).unwrap();
    while its_own() == std::fs::read_link("/proc/self/ns/net").unwrap() {
        std::thread::yield_now();
    }
    ip(&format!("link set {interface} netns {there}"));
    let net = format!("--net=/proc/{there}/ns/net");
    let mut nsenter = Command::new("nsenter");
    nsenter.arg(net).args(["ip", "link", "set", interface, "netns"]).arg(here.to_string());
    assert!(nsenter.status().unwrap().success());
    ip(&format!("link set {interface} addrgenmode none up"));
    other.kill().unwrap();
    other.wait().unwrap();
}

/// Turns the transmit checksums of an interface off (`ethtool -K NAME tx off`).
#[allow(unsafe_code, reason = "there is no library for ETHTOOL_STXCSUM")]
pub fn turn_checksums_off(interface: &str) {
    const ETHTOOL_STXCSUM: u32 = 0x17;
    let mut command = [ETHTOOL_STXCSUM, 0];
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_data = command.as_mut_ptr().cast();
    // SAFETY: the request points to a live command of eight bytes, which is all that this command
    // reads.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut request) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
}

/// Sets how many bytes the headers of a TAP interface have, as another program may have done
/// before.
#[allow(unsafe_code, reason = "there is no library for TUNSETVNETHDRSZ")]
pub fn set_tap_header(interface: &str, bytes: libc::c_int) {
    let device = std::fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun").unwrap();
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as libc::c_short;
    // SAFETY: the requests get a live `ifreq` and a live integer.
    let results = unsafe {
        [
            libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request),
            libc::ioctl(device.as_raw_fd(), libc::TUNSETVNETHDRSZ, &raw const bytes),
        ]
    };
    assert_eq!(results, [0, 0], "{}", std::io::Error::last_os_error());
}

/// Waits until the link of a port is up, which happens a moment after both ends are up.
pub fn wait_for_link(port: &mut Port) {
    wait_until(port, |state| matches!(state, LinkState::Present { up: true, .. }));
}

/// Waits until the link of a port is in a state: the kernel notifies the other end of a pair with a
/// delay.
pub fn wait_until(port: &mut Port, is_expected: impl Fn(LinkState) -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !is_expected(port.link.check().unwrap()) {
        assert!(Instant::now() < end, "{} has another link: {:?}", port.name, port.link.check());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Receives exactly `count` frames, and checks that no more come.
pub fn receive(port: &mut Port, count: usize) -> Vec<(Vec<u8>, Metadata)> {
    let frames = receive_about(port, count);
    assert_eq!(frames.len(), count, "frames received");
    frames
}

/// Receives until `count` frames have arrived and no more arrive, or for some seconds.
pub fn receive_about(port: &mut Port, count: usize) -> Vec<(Vec<u8>, Metadata)> {
    let (mut frames, end) = (Vec::new(), Instant::now() + Duration::from_secs(5));
    let mut take = |milliseconds| {
        wait(port, milliseconds);
        let mut batch = Batch::new(64);
        port.receive.receive(&mut batch).unwrap();
        frames.extend(batch.frames().iter().map(|frame| (frame.bytes().to_vec(), frame.metadata)));
        frames.len()
    };
    while take(100) < count && Instant::now() < end {}
    take(if count > 0 { 2 } else { 20 });
    frames
}

/// Waits until a port has frames, for some milliseconds. Returns whether it has, or may have.
pub fn wait(port: &Port, milliseconds: i64) -> bool {
    let WaitOn::Readable(descriptor) = port.receive.wait_on() else { return true };
    let mut waits = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let time = Timespec { tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000 };
    poll(&mut waits, Some(&time)).unwrap() > 0
}

/// The contents of a frame made by [`packet`].
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub v6: bool,
    pub udp: bool,
    /// The number of VLAN tags.
    pub tags: usize,
    /// TCP's flags, or nothing for UDP.
    pub flags: u8,
    /// The number of bytes of TCP options.
    pub options: usize,
    pub payload: usize,
    pub seed: u64,
}

/// Returns a TCP or UDP packet with a partial checksum.
pub fn packet(shape: Shape) -> (Vec<u8>, Metadata) {
    let mut seed = shape.seed;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as u8
    };
    let mut frame = vec![0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1];
    for _ in 0..shape.tags {
        frame.extend([0x81, 0x00, 0x20, 0x64]);
    }
    let transport_bytes = if shape.udp { 8 } else { 20 + shape.options } + shape.payload;
    let protocol = if shape.udp { 17 } else { 6 };
    let mut pseudo: Vec<u8> = (transport_bytes as u32).to_be_bytes().to_vec();
    pseudo.extend([0, protocol]);
    let network = frame.len() + 2;
    if shape.v6 {
        frame.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
        frame.extend((transport_bytes as u16).to_be_bytes());
        frame.extend([protocol, 64]);
        let addresses: Vec<u8> = (0..32).map(|_| random()).collect();
        frame.extend(&addresses);
        pseudo.extend(&addresses);
    } else {
        let mut header = vec![0x45, 0];
        header.extend((20 + transport_bytes as u16).to_be_bytes());
        header.extend([
            random(),
            random(),
            0x40,
            0,
            64,
            protocol,
            0,
            0,
            10,
            random(),
            random(),
            1,
            10,
            9,
            9,
            2,
        ]);
        let sum = !weir_ports::offload::internet_sum(0, &header);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        pseudo.extend(&header[12..]);
        frame.extend([0x08, 0x00]);
        frame.extend(header);
    }
    let start = frame.len();
    frame.extend([0x30, 0x39, random(), random()]);
    let offset = if shape.udp {
        frame.extend((transport_bytes as u16).to_be_bytes());
        frame.extend([0, 0]);
        6
    } else {
        frame.extend((0..8).map(|_| random()));
        frame.extend([((20 + shape.options) << 2) as u8, shape.flags, 0xff, 0xff, 0, 0, 0, 0]);
        frame.extend(std::iter::repeat_n(1, shape.options));
        16
    };
    frame.extend((0..shape.payload).map(|_| random()));
    let sum = weir_ports::offload::internet_sum(0, &pseudo);
    frame[start + offset..start + offset + 2].copy_from_slice(&sum.to_be_bytes());
    let checksum = Checksum::Partial { start: start as u16, offset: offset as u16 };
    let kind = match (shape.udp, shape.v6) {
        (true, _) => GsoKind::Udp,
        (false, false) => GsoKind::TcpV4,
        (false, true) => GsoKind::TcpV6,
    };
    let ecn = !shape.udp && shape.flags & 0x80 != 0;
    let gso = Gso { kind, size: 0, network: network as u16, in_tunnel: false, ecn };
    (frame, Metadata { checksum, gso: Some(gso), time: None })
}
