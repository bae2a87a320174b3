//! Capture files as ports.

use weir_capture::{CaptureReader, CaptureWriter, Direction};
use weir_device::HEADROOM;
use weir_ports::file::{FileReceiver, FileTransmitter, Stamp};
use weir_ports::{Batch, Checksum, Frame, Metadata, PortError, Receive, Transmit, WaitOn};

fn capture(frames: &[(u64, &[u8])]) -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new()).unwrap();
    writer.add_interface("eth0", "").unwrap();
    for (time, bytes) in frames {
        writer.write_frame(0, Direction::Inbound, *time, bytes).unwrap();
    }
    writer.into_inner()
}

/// Returns a pcap file in microseconds with one frame.
fn pcap(link_type: u32, bytes: &[u8], original_len: u32) -> Vec<u8> {
    let mut file = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    file.extend([2_u16.to_le_bytes(), 4_u16.to_le_bytes()].concat());
    for word in [0, 0, 65_535, link_type, 0, 7, bytes.len() as u32, original_len] {
        file.extend(word.to_le_bytes());
    }
    file.extend(bytes);
    file
}

#[test]
fn frames_of_a_file_arrive_in_batches_with_their_times() {
    let long = vec![7; 3000];
    let file = capture(&[(5, b"first"), (6, &long), (9, b"third")]);
    let mut port = FileReceiver::new("in.pcapng", &file[..]).unwrap();
    let mut seen = Vec::new();
    while !matches!(port.wait_on(), WaitOn::Finished) {
        let mut batch = Batch::new(2);
        port.receive(&mut batch).unwrap();
        for frame in batch.frames_mut() {
            assert_eq!(frame.memory_mut().1, HEADROOM);
            seen.push((frame.metadata.time.unwrap(), frame.bytes().to_vec()));
        }
    }
    assert_eq!(seen, [(5, b"first".to_vec()), (6, long), (9, b"third".to_vec())]);
    assert_eq!((port.counts().frames, port.counts().bytes), (3, 3010));
}

#[test]
fn cut_frames_are_counted_and_other_link_types_refused() {
    let mut batch = Batch::new(8);
    let cut = pcap(1, b"abc", 60);
    let mut port = FileReceiver::new("cut.pcap", &cut[..]).unwrap();
    port.receive(&mut batch).unwrap();
    assert_eq!(batch.frames().len(), 0);
    drop(batch);
    assert_eq!((port.counts().frames, port.counts().truncated), (0, 1));

    let raw = pcap(101, b"abc", 3);
    let mut port = FileReceiver::new("raw.pcap", &raw[..]).unwrap();
    let error = port.receive(&mut Batch::new(8)).unwrap_err();
    assert_eq!(error.to_string(), "raw.pcap: link type 101, expected 1 (Ethernet)");

    let error = FileReceiver::new("a.txt", &b"text"[..]).err().unwrap();
    assert_eq!(error.to_string(), "a.txt: is neither a pcap nor a pcapng file");
}

#[test]
fn written_frames_are_complete_and_have_the_time_that_was_asked_for() {
    let partial = Metadata {
        time: Some(77),
        checksum: Checksum::Partial { start: 4, offset: 2 },
        ..Metadata::default()
    };
    let frames = [
        Frame::copy_of(b"plain", Metadata::default()),
        Frame::copy_of(b"headab\0\0c", partial),
        Frame::copy_of(b"not sent", Metadata::default()),
    ];
    let mut now = 1000;
    let clock = Stamp::Clock(Box::new(move || {
        now += 1;
        now
    }));
    for (stamp, times) in [(Stamp::Arrival, [0, 77]), (clock, [1001, 1002])] {
        let mut file = Vec::new();
        let mut port = FileTransmitter::new("out.pcapng", &mut file, stamp).unwrap();
        assert_eq!(port.transmit(&frames, &[0, 1]).unwrap(), 2);
        assert_eq!(port.counts().frames, 2);
        drop(port);
        let read: Vec<_> = CaptureReader::new(&file[..]).unwrap().map(Result::unwrap).collect();
        assert_eq!([read[0].time, read[1].time], times);
        assert_eq!(read[0].bytes, b"plain");
        assert_eq!(read[1].bytes, b"headab\x3b\x9dc");
        assert_eq!(read.len(), 2);
    }
}

/// A writer with room for a few bytes, like a full disk.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            Some(rest) => self.0 = rest,
            None => return Err(std::io::ErrorKind::StorageFull.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let frame = [Frame::copy_of(&[0; 200], Metadata::default())];
    let mut port = FileTransmitter::new("out.pcapng", Full(300), Stamp::Arrival).unwrap();
    let error: PortError = port.transmit(&frame, &[0]).unwrap_err();
    assert_eq!(error.to_string(), "out.pcapng: no storage space");
    assert_eq!(port.counts().frames, 0);
}
