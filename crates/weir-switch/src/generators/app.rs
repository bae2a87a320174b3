//! An application of a packet generator: its timer, and the packets that it makes.

use std::collections::VecDeque;

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_device::{Nanos, Port};

use super::config::{GeneratorApp, GeneratorCounts, GeneratorFormat, GeneratorTrigger};

/// The largest number of triggers of an application whose packets are not made yet. Further
/// triggers are lost.
const MAX_WAITING: usize = 256;

/// The rate of a generator's port in bits per nanosecond, and the bytes of each packet on a wire
/// that are not part of it: preamble, frame check sequence and gap.
const PORT_RATE: u64 = 100;
const WIRE_BYTES: usize = 24;

/// An application with its state.
#[derive(Clone, Debug, Default)]
pub(super) struct App {
    pub config: Option<GeneratorApp>,
    pub counts: GeneratorCounts,
    /// The time of the next event of a timer.
    pub timer: Option<Nanos>,
    /// The events whose packets are not all made yet; the packets of the first one come first.
    pub runs: VecDeque<Run>,
}

/// The progress of the packets of one event.
#[derive(Clone, Debug)]
pub(super) struct Run {
    cause: Cause,
    batch: u32,
    packet: u32,
    /// The start of the first packet of the batch.
    batch_start: Nanos,
    /// The start of the next packet.
    next: Nanos,
}

/// The event that the header of a packet describes.
#[derive(Clone, Debug)]
pub(super) enum Cause {
    Timer,
    Port(Port),
    /// The bytes that matched.
    Recirculated(Vec<u8>),
}

impl App {
    pub fn next_time(&self) -> Option<Nanos> {
        [self.timer, self.runs.front().map(|run| run.next)].into_iter().flatten().min()
    }

    /// Begins to make the packets of an event.
    pub fn begin(&mut self, now: Nanos, cause: Cause) {
        if self.runs.len() < MAX_WAITING {
            self.counts.triggers += 1;
            self.runs.push_back(Run { cause, batch: 0, packet: 0, batch_start: now, next: now });
        }
    }

    pub fn handle_timer(&mut self, time: Nanos, now: Nanos) {
        self.timer = match self.config.as_ref().map(|config| &config.trigger) {
            Some(GeneratorTrigger::Periodic(period)) => {
                // Events that are lost anyway are skipped.
                let lost = if self.runs.len() < MAX_WAITING { 0 } else { (now - time) / period };
                Some(time.saturating_add(period.saturating_mul(lost + 1)))
            }
            _ => None,
        };
        self.begin(time, Cause::Timer);
    }

    /// Makes the next packet. Returns its port in the pipe and its bytes.
    pub fn make_packet(
        &mut self,
        id: u8,
        buffer: &[u8],
        format: GeneratorFormat,
        random: &mut Pcg64Mcg,
    ) -> Option<(Port, Vec<u8>)> {
        let (config, run) = (self.config.as_ref()?, self.runs.front_mut()?);
        let mut bytes = header(id, run, format);
        let packet = buffer.iter().copied().skip(config.offset).chain(std::iter::repeat(0));
        bytes.extend(packet.take(config.length));
        let port = config.source_port + if config.increments_source_port { run.packet } else { 0 };
        self.counts.packets += 1;
        self.counts.batches += u64::from(run.packet == 0);
        let mut drawn =
            |(gap, jitter): (Nanos, Nanos)| gap.saturating_add(random.next_u64() % jitter.saturating_add(1));
        let start = run.next;
        let end = start.saturating_add(((bytes.len() + WIRE_BYTES) as u64 * 8).div_ceil(PORT_RATE));
        let after = |start: Nanos, gap: Nanos| {
            let from = if format.gaps_begin_at_end { end } else { start };
            from.saturating_add(gap).max(end)
        };
        run.packet += 1;
        if run.packet < config.packets_per_batch {
            run.next = after(start, drawn(config.packet_gap));
        } else if run.batch + 1 < config.batches {
            run.next = after(run.batch_start, drawn(config.batch_gap));
            (run.batch, run.packet, run.batch_start) = (run.batch + 1, 0, run.next);
        } else {
            self.runs.pop_front();
            // The packets of the next event follow.
            if let Some(run) = self.runs.front_mut() {
                run.next = run.next.max(end);
                run.batch_start = run.next;
            }
        }
        Some((port, bytes))
    }
}

/// Returns the header of the next packet.
fn header(id: u8, run: &Run, format: GeneratorFormat) -> Vec<u8> {
    let (batch, packet) = ((run.batch as u16).to_be_bytes(), (run.packet as u16).to_be_bytes());
    let numbered = |[upper, lower]: [u8; 2]| vec![id, 0, upper, lower, packet[0], packet[1]];
    match &run.cause {
        Cause::Timer => numbered(batch),
        Cause::Port(port) => numbered((*port as u16).to_be_bytes()),
        Cause::Recirculated(matched) if format.has_context => [numbered(batch), matched.clone()].concat(),
        Cause::Recirculated(matched) => {
            let key = matched.iter().fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
            let [_, upper, middle, lower] = key.wrapping_add(run.batch).to_be_bytes();
            vec![id, upper, middle, lower, packet[0], packet[1]]
        }
    }
}
