//! Two ports in memory: frames, waiting, limits, and a cable that is unplugged.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_device::HEADROOM;
use weir_ports::{
    Batch, Checksum, Frame, LinkState, Metadata, Offloads, Port, Receive, TransmitCounts, WaitOn, memory,
};

const ALL: Offloads = Offloads { checksum: true, gso: true };

fn frame(text: &str) -> Frame<'static> {
    Frame::copy_of(text.as_bytes(), Metadata::default())
}

fn send(port: &mut Port, texts: &[&str]) -> usize {
    let frames: Vec<_> = texts.iter().map(|text| frame(text)).collect();
    let numbers: Vec<u16> = (0..frames.len() as u16).collect();
    port.transmit.transmit(&frames, &numbers).unwrap()
}

fn receive_texts(port: &mut Port, limit: usize) -> Vec<String> {
    let mut batch = Batch::new(limit);
    port.receive.receive(&mut batch).unwrap();
    batch.frames().iter().map(|frame| String::from_utf8(frame.bytes().to_vec()).unwrap()).collect()
}

fn is_readable(port: &Port) -> bool {
    let WaitOn::Readable(descriptor) = port.receive.wait_on() else { panic!("not a descriptor") };
    let mut waits = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    poll(&mut waits, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap() == 1
}

#[test]
fn frames_arrive_in_order_at_the_other_end() {
    let ([mut left, mut right], _) = memory::connect(["left", "right"], 8, ALL).unwrap();
    assert!(!is_readable(&right));
    assert_eq!(send(&mut left, &["one", "two", "three"]), 3);
    assert_eq!(send(&mut right, &["back"]), 1);
    assert!(is_readable(&right));
    assert_eq!(receive_texts(&mut right, 2), ["one", "two"]);
    assert!(is_readable(&right), "one frame is still there");
    assert_eq!(receive_texts(&mut right, 2), ["three"]);
    assert!(!is_readable(&right));
    assert_eq!(receive_texts(&mut right, 2), [""; 0]);
    assert_eq!(receive_texts(&mut left, 2), ["back"]);
    assert_eq!((right.receive.counts().frames, right.receive.counts().bytes), (3, 11));
}

#[test]
fn a_full_queue_keeps_the_first_frames() {
    let ([mut left, mut right], _) = memory::connect(["left", "right"], 2, ALL).unwrap();
    assert_eq!(send(&mut left, &["one", "two", "three"]), 2);
    assert_eq!(send(&mut left, &["three"]), 0);
    assert_eq!(receive_texts(&mut right, 8), ["one", "two"]);
    assert_eq!(send(&mut left, &["three"]), 1);
    assert_eq!(left.transmit.counts().frames, 3);
}

/// A frame leaves through the port that lent it, with a header in its headroom.
#[test]
fn lent_frames_are_changed_and_sent_back() {
    let ([mut left, mut right], _) = memory::connect(["left", "right"], 8, ALL).unwrap();
    let mut batch = Batch::new(4);
    for round in 0..3 {
        send(&mut left, &["ping", "drop", "ping"]);
        let mut lent = batch;
        right.receive.receive(&mut lent).unwrap();
        let with_header = |frame| {
            let (memory, start, end) = Frame::memory_mut(frame);
            assert_eq!(start, HEADROOM);
            memory[start - 2..start].copy_from_slice(b"r:");
            Frame::borrowing(memory, start - 2, end, Metadata::default())
        };
        let leaving: Vec<_> = lent.frames_mut().iter_mut().map(with_header).collect();
        assert_eq!(right.transmit.transmit(&leaving, &[2, 0]).unwrap(), 2);
        assert_eq!(receive_texts(&mut left, 4), ["r:ping", "r:ping"], "round {round}");
        batch = lent.into_empty();
    }
}

#[test]
fn a_pulled_cable_and_a_small_mtu_drop_frames_and_count_them() {
    let ([mut left, mut right], cable) = memory::connect(["left", "right"], 8, ALL).unwrap();
    cable.set_mtu(10);
    assert_eq!(send(&mut left, &["fits", "this one has more than thirty-two bytes"]), 2);
    cable.set_up(false);
    assert_eq!(right.link.check().unwrap(), LinkState::Present { up: false, mtu: 10 });
    assert_eq!(send(&mut left, &["lost"]), 1);
    cable.set_up(true);
    assert_eq!(send(&mut left, &["there"]), 1);
    assert_eq!(receive_texts(&mut right, 8), ["fits", "there"]);
    let expected =
        TransmitCounts { frames: 2, bytes: 9, no_link: 1, too_long: 1, too_short: 0, malformed: 0 };
    assert_eq!(left.transmit.counts(), expected);
}

/// One port accepts partial checksums and one does not; the checksum's field of one frame is
/// outside the frame.
#[test]
fn partial_checksums_are_completed_for_a_port_without_offloads() {
    let partial =
        |offset| Metadata { checksum: Checksum::Partial { start: 4, offset }, ..Metadata::default() };
    for offloads in [ALL, Offloads::default()] {
        let ([mut left, mut right], _) = memory::connect(["left", "right"], 8, offloads).unwrap();
        let frames = [Frame::copy_of(b"headab\0\0c", partial(2)), Frame::copy_of(b"headab\0\0c", partial(4))];
        left.transmit.transmit(&frames, &[0, 1]).unwrap();
        let mut batch = Batch::new(4);
        right.receive.receive(&mut batch).unwrap();
        if offloads == ALL {
            assert_eq!(batch.frames()[1].metadata, partial(4), "it is the next one's business");
            assert_eq!(batch.frames()[0].bytes(), b"headab\0\0c");
        } else {
            // The complement of 0x6162 + 0x6300.
            assert_eq!(batch.frames()[0].bytes(), b"headab\x3b\x9dc");
            assert_eq!(batch.frames()[0].metadata.checksum, Checksum::Valid);
            assert_eq!((batch.frames().len(), left.transmit.counts().malformed), (1, 1));
        }
    }
}

#[test]
fn long_frames_pass_and_their_memory_is_used_again() {
    let ([mut left, mut right], cable) = memory::connect(["left", "right"], 8, ALL).unwrap();
    cable.set_mtu(70_000);
    for length in [10, 66_000, 60, 5000, 66_000] {
        let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
        left.transmit.transmit(&[Frame::copy_of(&bytes, Metadata::default())], &[0]).unwrap();
        let mut batch = Batch::new(1);
        right.receive.receive(&mut batch).unwrap();
        assert!(batch.frames()[0].bytes() == bytes, "{length} bytes");
    }
}

#[test]
fn halves_work_in_threads_of_their_own() {
    let ([mut left, right], _) = memory::connect(["left", "right"], 64, ALL).unwrap();
    let mut receive = right.receive;
    let (count, sender) = (20_000_u32, move || {
        for number in 0..20_000_u32 {
            let frame = [Frame::copy_of(&number.to_be_bytes(), Metadata::default())];
            while left.transmit.transmit(&frame, &[0]).unwrap() == 0 {
                std::thread::yield_now();
            }
        }
    });
    let sender = std::thread::spawn(sender);
    let mut next = 0;
    while next < count {
        next = receive_from(&mut *receive, next);
    }
    sender.join().unwrap();
}

/// Waits for frames and checks that they continue from `next`.
fn receive_from(receive: &mut dyn Receive, mut next: u32) -> u32 {
    let WaitOn::Readable(descriptor) = receive.wait_on() else { panic!("not a descriptor") };
    let mut waits = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let ready = poll(&mut waits, Some(&Timespec { tv_sec: 20, tv_nsec: 0 })).unwrap();
    assert_eq!(ready, 1, "no frame for 20 seconds after {next}");
    let mut batch = Batch::new(16);
    receive.receive(&mut batch).unwrap();
    for frame in batch.frames() {
        assert_eq!(frame.bytes(), next.to_be_bytes());
        next += 1;
    }
    next
}
