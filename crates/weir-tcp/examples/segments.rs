//! Sends full segments through a pair of connections, where each segment is written, read and
//! acknowledged. A profiler can count the instructions (`valgrind --tool=callgrind`); otherwise,
//! the example measures the time.
//!
//! `cargo run --release -p weir-tcp --example segments -- SEGMENTS [reno|cubic|bbr] [bytes]`: with
//! `bytes` the applications write and read the bytes; otherwise they are generated and counted.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a program that measures"
)]

use std::collections::VecDeque;
use std::time::Instant;

use weir_tcp::{Algorithm, Config, Connection, Keep, PseudoSum, Segment};

const PSEUDO: PseudoSum = PseudoSum(1);
const RTT: u64 = 10_000_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let segments: u64 = words.first().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let has = |word: &str| words.iter().any(|own| own == word);
    let congestion = match () {
        () if has("reno") => Algorithm::Reno,
        () if has("bbr") => Algorithm::Bbr,
        () => Algorithm::Cubic,
    };
    let bytes = has("bytes");
    let keep = if bytes { Keep::Bytes } else { Keep::Count };
    // The window holds about 100 segments.
    let config =
        Config { congestion, keep, send_buffer: 150_000, receive_buffer: 1 << 20, ..Config::default() };
    let mut ends = [Some(Connection::connect(0, config.clone(), (1, 2), 1, 2)), None];
    let mut wire: VecDeque<(u64, usize, Vec<u8>)> = VecDeque::new();
    let mut pool: Vec<Vec<u8>> = Vec::new();
    let block = vec![7; 16_384];
    let mut buffer = vec![0; 65_536];
    let mut now = 0;
    let mut deadlines = [u64::MAX; 2];
    let (mut data, mut count) = (0, 0);
    let from = Instant::now();
    let mut pump = 0;
    while data < segments {
        if let Some(end) = &mut ends[pump] {
            while end.next_event().is_some() {}
            match (pump, bytes) {
                (0, false) => _ = end.write_pattern(u64::MAX),
                (0, true) => while end.write(&block) > 0 {},
                (_, false) => _ = end.discard(),
                (_, true) => while end.read(&mut buffer) > 0 {},
            }
            while let Some(outgoing) = end.next_segment(now) {
                let mut packet = pool.pop().unwrap_or_default();
                packet.resize(outgoing.len as usize, 0);
                end.emit(&outgoing, PSEUDO, &mut packet);
                end.on_departed(outgoing.len);
                count += 1;
                data += u64::from(outgoing.payload > 0);
                wire.push_back((now + RTT / 2, 1 - pump, packet));
            }
            deadlines[pump] = end.next_deadline().unwrap_or(u64::MAX);
        }
        let arrival = wire.front().map_or(u64::MAX, |front| front.0);
        let deadline = deadlines[0].min(deadlines[1]);
        now = now.max(arrival.min(deadline));
        if arrival <= deadline {
            let Some((_, to, packet)) = wire.pop_front() else { break };
            let Ok(segment) = Segment::parse(&packet, PSEUDO) else { break };
            match &mut ends[to] {
                Some(end) => end.on_segment(now, &segment, false),
                none => *none = Some(Connection::accept(now, config.clone(), &segment, 3, 4, false)),
            }
            pool.push(packet);
            pump = to;
        } else {
            pump = usize::from(deadlines[1] == deadline);
            if let Some(end) = &mut ends[pump] {
                end.on_timer(now);
            }
        }
    }
    let nanoseconds = from.elapsed().as_nanos() as f64 / data as f64;
    println!("{data} segments of data, {count} in all, {nanoseconds:.0} ns a segment of data");
}
