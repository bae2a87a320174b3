//! TAP devices in network namespaces that the tests make, with a packet socket as the kernel's end.

mod common;

use common::{Shape, in_namespace, ip, packet, receive, wait_for_link};
use weir_ports::packet_socket::{self, Settings};
use weir_ports::{Frame, Gso, LinkState, Metadata, Port, offload, tap};

/// Returns a TAP port, and a port on its interface.
fn ports() -> [Port; 2] {
    let mut device = tap::open("tap0").unwrap();
    assert_eq!(device.link.check().unwrap(), LinkState::Present { up: false, mtu: 1500 });
    // The two commands together would switch the interface on first, and the kernel would look for
    // other routers.
    ip("link set tap0 addrgenmode none");
    ip("link set tap0 up");
    wait_for_link(&mut device);
    let interface = packet_socket::open("tap0", Settings::default()).unwrap();
    [device, interface]
}

fn send(port: &mut Port, frames: &[Frame<'_>]) {
    let numbers: Vec<u16> = (0..frames.len() as u16).collect();
    assert_eq!(port.transmit.transmit(frames, &numbers).unwrap(), frames.len());
}

/// Frames of all kinds pass in both directions: plain, with a partial checksum, GSO, tagged.
#[test]
fn frames_pass_whole_in_both_directions() {
    in_namespace("frames_pass_whole_in_both_directions", || {
        let [mut device, mut interface] = ports();
        let mut frames = vec![Frame::copy_of(&[[0x02; 12], [0x88; 12]].concat(), Metadata::default())];
        for (number, payload) in (0..12).zip([100, 40_000, 1400].into_iter().cycle()) {
            let (v6, tags) = (number % 2 == 1, number / 2 % 2);
            let shape =
                Shape { v6, udp: false, tags, flags: 0x18, options: 12, payload, seed: number as u64 };
            let (bytes, metadata) = packet(shape);
            let gso = metadata.gso.filter(|_| payload > 1400).map(|gso| Gso { size: 1400, ..gso });
            frames.push(Frame::copy_of(&bytes, Metadata { gso, ..metadata }));
        }
        for to_kernel in [true, false] {
            let [from, to] =
                if to_kernel { [&mut device, &mut interface] } else { [&mut interface, &mut device] };
            send(from, &frames);
            for (frame, (bytes, metadata)) in frames.iter().zip(receive(to, frames.len())) {
                assert!(frame.bytes() == bytes, "to the kernel: {to_kernel}, {:?}", frame.metadata);
                assert_eq!(frame.metadata, metadata, "to the kernel: {to_kernel}");
            }
        }
        assert_eq!(device.receive.counts().frames, frames.len() as u64);
        let on_wire: u64 = frames.iter().map(|frame| offload::wire_size(frame).frames).sum();
        assert_eq!(device.transmit.counts().frames, on_wire);
    });
}

/// An interface that a virtual machine used before has longer headers.
#[test]
fn an_interface_with_longer_headers_gets_ours() {
    in_namespace("an_interface_with_longer_headers_gets_ours", || {
        ip("tuntap add tap0 mode tap vnet_hdr");
        common::set_tap_header("tap0", 12);
        let [mut device, mut interface] = ports();
        let frame = [Frame::copy_of(&[[0x02; 12], [0x88; 12]].concat(), Metadata::default())];
        send(&mut device, &frame);
        assert_eq!(receive(&mut interface, 1)[0].0, frame[0].bytes());
        send(&mut interface, &frame);
        assert_eq!(receive(&mut device, 1)[0].0, frame[0].bytes());
    });
}

#[test]
fn an_interface_that_is_down_or_deleted_loses_frames() {
    in_namespace("an_interface_that_is_down_or_deleted_loses_frames", || {
        let [mut device, _] = ports();
        let frame = [Frame::copy_of(&[0x02; 60], Metadata::default())];
        ip("link set tap0 down");
        assert_eq!(device.link.check().unwrap(), LinkState::Present { up: false, mtu: 1500 });
        send(&mut device, &frame);
        assert_eq!(device.transmit.counts().no_link, 1);
        ip("link del tap0");
        send(&mut device, &frame);
        assert_eq!(device.transmit.counts().no_link, 2);
        receive(&mut device, 0);
        assert_eq!(device.link.check().unwrap(), LinkState::Gone);
        ip("tuntap add tap0 mode tap vnet_hdr");
        ip("link set tap0 addrgenmode none mtu 9000 up");
        wait_for_link(&mut device);
        assert_eq!(device.link.check().unwrap(), LinkState::Present { up: true, mtu: 9000 });
        send(&mut device, &frame);
        assert_eq!((device.transmit.counts().no_link, device.transmit.counts().frames), (2, 1));
    });
}

#[test]
fn an_interface_of_another_kind_is_refused() {
    in_namespace("an_interface_of_another_kind_is_refused", || {
        common::veth("left", "right");
        let error = tap::open("left").err().unwrap().to_string();
        assert_eq!(error, "left: create the TAP interface: Invalid argument (os error 22)");
    });
}
