//! Files that are written, read, cut off and damaged.

use weir_capture::{
    CaptureError, CaptureReader, CaptureWriter, CapturedFrame, Direction, ETHERNET, PcapCaptureWriter,
    read_packets,
};

fn file() -> Vec<u8> {
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
    assert_eq!(read(&file()).unwrap(), [frame(1_700_000_000_123_456_789, b"first frame"), frame(2, b"")]);
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
    let file = file();
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

/// A pcap file of this link type, with packets as time in seconds, bytes and length on the wire.
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
    let mut file = file();
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
