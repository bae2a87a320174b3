//! Files that are written, read, cut off and damaged.

use weir_capture::{
    CaptureError, CaptureReader, CaptureWriter, CapturedFrame, Direction, ETHERNET, PcapCaptureWriter,
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
