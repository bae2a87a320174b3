//! Tests files that are written, read, cut off and damaged.

use weir_capture::{
    CaptureError, CaptureReader, CaptureWriter, CapturedFrame, Direction, ETHERNET, PcapCaptureWriter,
    read_packets,
};

fn capture_file() -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new()).unwrap();
    assert_eq!(writer.add_interface("s1-eth1", "the first").unwrap(), 0);
    assert_eq!(writer.add_interface("s1-eth2", "the second").unwrap(), 1);
    writer.write_frame(0, Direction::Inbound, 1_700_000_000_123_456_789, b"first frame").unwrap();
    writer.write_frame(1, Direction::Outbound, 2, b"").unwrap();
    writer.into_inner()
}

fn read(file: &[u8]) -> Result<Vec<CapturedFrame>, CaptureError> {
    CaptureReader::new(file)?.collect()
}

#[test]
fn frames_come_back_with_their_nanoseconds() {
    let frame = |time, bytes: &[u8]| CapturedFrame {
        time,
        bytes: bytes.to_vec(),
        original_len: bytes.len() as u32,
        link_type: ETHERNET,
    };
    assert_eq!(
        read(&capture_file()).unwrap(),
        [frame(1_700_000_000_123_456_789, b"first frame"), frame(2, b"")]
    );
}

#[test]
fn pcap_files_come_back_too() {
    let mut file = Vec::new();
    let mut writer = PcapCaptureWriter::new(&mut file).unwrap();
    let time = 1_700_000_000_123_456_789;
    writer.write_frame(time, b"a frame").unwrap();
    let bytes = b"a frame".to_vec();
    let frame = CapturedFrame { time, original_len: bytes.len() as u32, bytes, link_type: ETHERNET };
    assert_eq!(read(&file).unwrap(), [frame]);
}

#[test]
fn a_file_cut_off_anywhere_is_an_error_or_ends_between_blocks() {
    let file = capture_file();
    let whole = read(&file).unwrap();
    let mut between = 0;
    for end in 0..file.len() {
        match read(&file[..end]) {
            Ok(frames) => {
                assert!(whole.starts_with(&frames), "cut off after {end} bytes");
                between += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("ends in the middle") || text.contains("neither"), "{end}: {text}");
            }
        }
    }
    assert_eq!(between, 4, "after the section header, each interface and the first frame");
}

#[test]
fn the_four_forms_of_pcap_are_read() {
    for (big, nano) in [(false, false), (false, true), (true, false), (true, true)] {
        let word = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
        let half = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut file = word(if nano { 0xa1b2_3c4d } else { 0xa1b2_c3d4 }).to_vec();
        file.extend([half(2), half(4)].concat());
        file.extend([word(0), word(0), word(65_535), word(101)].concat());
        file.extend([word(7), word(5), word(3), word(60)].concat());
        file.extend(b"abc");
        let time = 7_000_000_000 + if nano { 5 } else { 5000 };
        let frame = CapturedFrame { time, bytes: b"abc".to_vec(), original_len: 60, link_type: 101 };
        assert_eq!(read(&file).unwrap(), [frame]);
    }
}

#[test]
fn another_format_is_refused() {
    assert!(matches!(read(b"#!/bin/sh"), Err(CaptureError::Format)));
    assert!(matches!(read(b""), Err(CaptureError::Format)));
}

/// Returns a pcap file with this link type and these packets. A packet is its time in seconds, its
/// bytes, and its length on the wire.
fn pcap(link_type: u32, packets: &[(u32, &[u8], u32)]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32.to_le_bytes(), (4 << 16 | 2_u32).to_le_bytes()].concat();
    file.extend([0, 0, 65_535, link_type].map(u32::to_le_bytes).as_flattened());
    for (seconds, bytes, length) in packets {
        file.extend([*seconds, 0, bytes.len() as u32, *length].map(u32::to_le_bytes).as_flattened());
        file.extend(*bytes);
    }
    file
}

#[test]
fn packets_to_send_again_are_whole_ethernet_frames_in_order() {
    let refused = |file: &[u8]| read_packets(file, 9).unwrap_err().to_string();
    let whole = pcap(1, &[(7, b"abc", 3), (7, b"d", 1)]);
    assert_eq!(read_packets(&whole[..], 9).unwrap().len(), 2);
    assert_eq!(
        refused(&pcap(1, &[(7, b"abc", 3), (7, b"abc", 60)])),
        "packet 1 was captured with 3 of its 60 bytes"
    );
    assert_eq!(refused(&pcap(113, &[(7, b"abc", 3)])), "packet 0 has link type 113, expected 1 (Ethernet)");
    let back = pcap(1, &[(7, b"abc", 3), (3, b"abc", 3)]);
    assert!(refused(&back).starts_with("packet 1 is 4000000000 ns earlier than the packet before it"));
    assert_eq!(read_packets(&back[..], 1).unwrap().len(), 1, "later packets do not matter");
}

#[test]
fn packets_belong_to_interfaces_that_the_file_describes() {
    let mut file = capture_file();
    // The interface's number is 20 bytes before the frame (pcapng, section 4.3).
    let frame = file.windows(11).position(|bytes| bytes == b"first frame").unwrap();
    file[frame - 20] = 3;
    let error = read(&file).unwrap_err().to_string();
    assert_eq!(error, "is damaged at packet 0: it names interface 3, which the file does not describe");
    let section = CaptureWriter::new(Vec::new()).unwrap().into_inner();
    // A Simple Packet Block: type, length, length of the packet, the packet with padding, length.
    let simple = [3, 20, 3, 0, 20].map(u32::to_le_bytes);
    let error = read(&[&section[..], simple.as_flattened()].concat()).unwrap_err().to_string();
    assert!(error.contains("it names interface 0, which the file does not describe"), "{error}");
}

/// Returns a pcapng block: the type, the length, the body with padding, and the length again.
fn pcapng_block(kind: u32, mut body: Vec<u8>, big: bool) -> Vec<u8> {
    body.resize(body.len().next_multiple_of(4), 0);
    let word = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let length = word(body.len() as u32 + 12);
    [&word(kind)[..], &length, &body, &length].concat()
}

/// Returns an option of a pcapng block, with its padding.
fn pcapng_option(code: u16, value: &[u8], big: bool) -> Vec<u8> {
    let half = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut option = [&half(code)[..], &half(value.len() as u16), value].concat();
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

/// Returns a pcapng file with a section, an interface, and these other blocks.
fn pcapng(section: &[u8], interface: &[u8], others: &[Vec<u8>], big: bool) -> Vec<u8> {
    let (magic, version) = if big {
        (0x1a2b_3c4d_u32.to_be_bytes(), [0, 1, 0, 0])
    } else {
        (0x1a2b_3c4d_u32.to_le_bytes(), [1, 0, 0, 0])
    };
    let head = [&magic[..], &version, &[0xff; 8], section].concat();
    let ethernet = if big { [0, 1, 0, 0, 0, 0, 0, 0] } else { [1, 0, 0, 0, 0, 0, 0, 0] };
    let described = [&ethernet[..], interface].concat();
    [pcapng_block(0x0a0d_0d0a, head, big), pcapng_block(1, described, big), others.concat()].concat()
}

/// Returns an Enhanced Packet Block of the first interface, at 7 time units.
fn packet_block(bytes: &[u8], options: &[u8], big: bool) -> Vec<u8> {
    let length = bytes.len() as u32;
    let word = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut body = [0, 0, 7, length, length].map(word).as_flattened().to_vec();
    body.extend(bytes);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(options);
    pcapng_block(6, body, big)
}

#[test]
fn lists_of_options_need_no_end() {
    for big in [false, true] {
        let end = pcapng_option(0, b"", big);
        let flags = pcapng_option(2, &if big { 1_u32.to_be_bytes() } else { 1_u32.to_le_bytes() }, big);
        let comment = pcapng_option(1, b"not UTF-8: \xff", big);
        let nano = pcapng_option(9, &[9], big);
        let zone = pcapng_option(10, &[0; 4], big);
        // A count of drops in the statistics of an interface, and a name record.
        let statistics = pcapng_block(5, [&[0; 12][..], &pcapng_option(5, &[0; 8], big)].concat(), big);
        let names =
            pcapng_block(4, [&pcapng_option(1, b"\x0a\0\0\x01h1\0", big)[..], &end, &comment].concat(), big);
        let frame = CapturedFrame { time: 7, bytes: b"abc".to_vec(), original_len: 3, link_type: ETHERNET };
        for end in [&b""[..], &end] {
            let section = [&comment[..], end].concat();
            let interface = [&comment[..], &zone, &nano, end].concat();
            let options = [&comment[..], &flags, end].concat();
            let others = [statistics.clone(), names.clone(), packet_block(b"abc", &options, big)];
            let file = pcapng(&section, &interface, &others, big);
            assert_eq!(read(&file).unwrap(), std::slice::from_ref(&frame), "big endian: {big}, end: {end:?}");
        }
    }
}

#[test]
fn options_that_exceed_their_block_are_damage() {
    let option = [2, 0, 200, 0];
    let error =
        read(&pcapng(b"", b"", &[packet_block(b"abc", &option, false)], false)).unwrap_err().to_string();
    assert!(error.starts_with("is damaged at packet 0: "), "{error}");
}

#[test]
fn obsolete_packet_blocks_are_read() {
    // The first word is the interface and the drops, here 0 and 5.
    let body = [5 << 16, 0, 7000, 3, 3].map(u32::to_le_bytes);
    let body = [body.as_flattened(), b"abc\0"].concat();
    let frame =
        CapturedFrame { time: 7_000_000, bytes: b"abc".to_vec(), original_len: 3, link_type: ETHERNET };
    assert_eq!(read(&pcapng(b"", b"", &[pcapng_block(2, body, false)], false)).unwrap(), [frame]);
}

#[test]
fn frames_come_without_their_frame_check_sequence() {
    let frame = |file: &[u8]| {
        let frame = read(file).unwrap().remove(0);
        assert_eq!((frame.link_type, frame.original_len as usize), (ETHERNET, frame.bytes.len()));
        frame.bytes
    };
    let with = b"a framefcsx";
    // The length is two units of 16 bits. In the second file, bit 26 is not set, so the length is
    // ignored.
    assert_eq!(frame(&pcap(0x2400_0001, &[(7, with, 11)])), b"a frame");
    assert_eq!(frame(&pcap(0x2000_0001, &[(7, with, 11)])), with);
    let ng = |interface: &[u8], flags: u32| {
        let flags = pcapng_option(2, &flags.to_le_bytes(), false);
        frame(&pcapng(b"", interface, &[packet_block(with, &flags, false)], false))
    };
    assert_eq!(ng(&pcapng_option(13, &[4], false), 1), b"a frame", "in bytes");
    assert_eq!(ng(&pcapng_option(13, &[32], false), 1), b"a frame", "in bits");
    assert_eq!(ng(b"", 4 << 5), b"a frame", "of this packet");
    assert_eq!(ng(&pcapng_option(13, &[4], false), 2 << 5), b"a framefc", "the packet's goes first");
    assert_eq!(ng(b"", 1), with);
    // Frames of a capture that cut the check sequence, or more, keep all captured bytes.
    let cut = read(&pcap(0x2400_0001, &[(7, b"a frame", 11), (8, b"a fr", 11)])).unwrap();
    let cut: Vec<_> = cut.iter().map(|frame| (&frame.bytes[..], frame.original_len)).collect();
    assert_eq!(cut, [(&b"a frame"[..], 7), (b"a fr", 7)]);
}

#[test]
fn packets_may_be_longer_than_the_snap_length() {
    let long = vec![1; 70_000];
    let frame =
        CapturedFrame { time: 7_000_000_000, bytes: long.clone(), original_len: 70_000, link_type: ETHERNET };
    assert_eq!(read(&pcap(1, &[(7, &long, 70_000)])).unwrap(), [frame]);
    let cut = read(&pcap(1, &[(7, b"abc", 70_000)])).unwrap();
    assert_eq!((cut[0].bytes.len(), cut[0].original_len), (3, 70_000));
}
