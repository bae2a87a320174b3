//! Measures frames of 64 bytes in one direction.

use std::time::{Duration, Instant};

use weir_ports::offload::internet_sum;
use weir_ports::packet_socket::{self, Settings};
use weir_ports::{Frame, Metadata, Port};

use crate::forwarder::{Forwarder, Kind, ports};
use crate::wires::{median, pair, received};

/// The number of frames in a burst. They wait in the forwarder's memory while it is stopped, so
/// that it always has full batches and no other process affects its time.
const BURST: usize = 448;
/// The number of bursts in a round. It is large enough that regular work of a forwarder, such as
/// checking its links four times a second, takes the same share of time as under a continuous load.
const BURSTS: usize = 20;

/// After this time without frames, all missing frames count as lost.
const LOST: Duration = Duration::from_millis(300);

/// A forwarder between two veth pairs.
struct Subject {
    name: String,
    forwarder: Forwarder,
    generator: Port,
    sink: String,
    /// The number of frames that the forwarder can receive while it is stopped.
    room: usize,
    /// The nanoseconds of processor time per frame, by round.
    times: Vec<f64>,
    lost: usize,
}

/// Measures and prints.
pub fn report(rounds: u64) {
    println!("frames of 64 bytes from veth to veth, {rounds} rounds of {BURSTS} bursts of {BURST}");
    let kinds = [Kind::CopyLoop { vnet: false }].into_iter().chain(ports()).chain(Kind::simple_switch());
    let mut subjects: Vec<_> = kinds.enumerate().filter_map(|(n, kind)| Subject::start(n, &kind)).collect();
    // The kernel switches links on a moment after their interfaces.
    std::thread::sleep(Duration::from_millis(500));
    let frames: Vec<_> = (0..BURST).map(|flow| frame(flow as u16)).collect();
    for _ in 0..=rounds {
        subjects.iter_mut().for_each(|subject| subject.measure_round(&frames));
    }
    let base = subjects[0].times.clone();
    for subject in &subjects {
        // The first round warms up the forwarder.
        let ratios = subject.times.iter().zip(&base).skip(1).map(|(time, base)| time / base).collect();
        let time = median(subject.times[1..].to_vec());
        let lost = if subject.lost > 0 { format!(", {} frames lost", subject.lost) } else { String::new() };
        println!(
            "  {:<42} {time:>6.0} ns a frame, {:.2} of the copy loop{lost}",
            subject.name,
            median(ratios)
        );
    }
    let switches = || subjects.iter().skip(1);
    if let Some(other) = switches().find(|subject| subject.name == Kind::SIMPLE_SWITCH) {
        for subject in switches().filter(|subject| subject.name != Kind::SIMPLE_SWITCH) {
            let ratios = other.times.iter().zip(&subject.times).skip(1).map(|(time, ours)| time / ours);
            println!("  simple_switch takes {:.1} times {}", median(ratios.collect()), subject.name);
        }
    }
}

impl Subject {
    fn start(number: usize, kind: &Kind) -> Option<Self> {
        let name = |what: &str| format!("{what}{number}");
        pair(&name("gen"), &name("in"));
        pair(&name("out"), &name("sink"));
        let forwarder = kind.start(&name("in"), &name("out"))?;
        let generator = packet_socket::open(&name("gen"), Settings::default()).expect("a port");
        let (times, lost) = (Vec::new(), 0);
        let (sink, room) = (name("sink"), kind.receive_capacity());
        Some(Self { name: kind.name().to_owned(), forwarder, generator, sink, room, times, lost })
    }

    fn measure_round(&mut self, frames: &[Frame<'_>]) {
        let frames = &frames[..self.room.min(frames.len())];
        let spent = self.forwarder.processor_time();
        let arrived: usize = (0..BURSTS).map(|_| self.send_burst(frames)).sum();
        self.times.push((self.forwarder.processor_time() - spent) / arrived.max(1) as f64);
        self.lost += BURSTS * frames.len() - arrived;
    }

    /// Sends frames through the forwarder, and returns how many arrived.
    fn send_burst(&mut self, frames: &[Frame<'_>]) -> usize {
        self.forwarder.set_running(false);
        std::thread::sleep(Duration::from_millis(1));
        let before = received(&self.sink);
        let numbers: Vec<u16> = (0..frames.len() as u16).collect();
        let sent = self.generator.transmit.transmit(frames, &numbers).expect("it sends");
        assert_eq!(sent, frames.len(), "the generator's queue is full");
        self.forwarder.set_running(true);
        let (mut arrived, mut since) = (0, Instant::now());
        while arrived < sent && since.elapsed() < LOST {
            std::thread::sleep(Duration::from_millis(1));
            let now = (received(&self.sink) - before) as usize;
            if now > arrived {
                (arrived, since) = (now, Instant::now());
            }
        }
        // Gives the forwarder time to see that there are no more frames.
        std::thread::sleep(Duration::from_millis(1));
        arrived
    }
}

/// Returns a frame of a flow: UDP from 10.0.0.1 to 10.1.0.0/16, 64 bytes.
fn frame(flow: u16) -> Frame<'static> {
    let mut bytes = vec![0x08, 0, 0, 0, 0, 0xff, 0x08, 0, 0, 0, 0, 1, 0x08, 0x00];
    let mut header = vec![0x45, 0, 0, 50, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 1];
    header.extend(flow.to_be_bytes());
    let sum = !internet_sum(0, &header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes.extend(header);
    bytes.extend([0x30, 0x39, 0x30, 0x39, 0, 30, 0, 0]);
    bytes.resize(64, 0);
    Frame::copy_of(&bytes, Metadata::default())
}
