//! Any bytes as a capture, in pcap or pcapng format. The frames are written and read again.

use weir_capture::{CaptureReader, ETHERNET, PcapCaptureWriter, read_packets};

/// The latest time that pcap can write, in nanoseconds: it has 32 bits for seconds.
const MAX_TIME_NS: u64 = u32::MAX as u64 * 1_000_000_000;

pub fn run(bytes: &[u8]) {
    let Ok(reader) = CaptureReader::new(bytes) else { return };
    let mut kept = Vec::new();
    let mut ended = false;
    for frame in reader {
        assert!(!ended, "after an error there are no more frames");
        match frame {
            Ok(frame) => kept.push(frame),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                ended = true;
            }
        }
    }
    let total: usize = kept.iter().map(|frame| frame.bytes.len()).sum();
    assert!(total <= bytes.len(), "the frames are parts of the file");
    if let Ok(packets) = read_packets(bytes, 100) {
        assert!(packets.iter().zip(&kept).all(|(packet, frame)| packet.bytes == frame.bytes));
    }
    kept.retain(|frame| frame.link_type == ETHERNET && frame.time <= MAX_TIME_NS);
    let mut writer = PcapCaptureWriter::new(Vec::new()).expect("memory takes everything");
    for frame in &kept {
        writer.write_frame(frame.time, &frame.bytes).expect("memory takes everything");
    }
    let again: Vec<_> = CaptureReader::new(&writer.get_mut()[..]).expect("it was written").collect();
    assert_eq!(again.len(), kept.len());
    for (frame, again) in kept.iter().zip(again) {
        let again = again.expect("it was written");
        assert_eq!((again.time, &again.bytes), (frame.time, &frame.bytes));
    }
}
