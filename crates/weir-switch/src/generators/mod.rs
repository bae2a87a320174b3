//! The packet generators of a chip: each pipe has one, with a buffer for packets and several
//! applications, which make packets at certain events.

mod config;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use weir_device::{Nanos, Port};

pub use config::{
    GeneratorApp, GeneratorCounts, GeneratorError, GeneratorFormat, GeneratorPort, GeneratorTrigger,
};

/// The bytes of a pipe's buffer.
pub const BUFFER_BYTES: usize = 16 * 1024;

/// The number of pipes of a chip, and the bits of a port's number that are the port in its pipe.
const PIPES: Port = 4;
const LOCAL_BITS: u32 = 7;

/// The largest number of triggers of an application whose packets are not made yet. Further
/// triggers are lost.
const MAX_WAITING: usize = 256;

/// The rate of a generator's port in bits per nanosecond, and the bytes of each packet on a wire
/// that are not part of it: preamble, frame check sequence and gap.
const PORT_RATE: u64 = 100;
const WIRE_BYTES: usize = 24;

/// The packet generators of all pipes.
#[derive(Clone, Debug)]
pub(crate) struct Generators {
    /// `None` if there are no generators.
    format: Option<GeneratorFormat>,
    pipes: BTreeMap<Port, Pipe>,
    ports: BTreeMap<Port, GeneratorPort>,
    /// The ports that went down and do not trigger again.
    triggered_ports: BTreeSet<Port>,
    /// The time of the next timer or packet.
    next: Option<Nanos>,
    random: Pcg64Mcg,
}

#[derive(Clone, Debug, Default)]
struct Pipe {
    buffer: Arc<Vec<u8>>,
    apps: BTreeMap<u8, App>,
}

#[derive(Clone, Debug, Default)]
struct App {
    config: Option<GeneratorApp>,
    counts: GeneratorCounts,
    /// The time of the next event of a timer.
    timer: Option<Nanos>,
    /// The events whose packets are not all made yet; the packets of the first one come first.
    runs: VecDeque<Run>,
}

/// The progress of the packets of one event.
#[derive(Clone, Debug)]
struct Run {
    cause: Cause,
    batch: u32,
    packet: u32,
    /// The start of the first packet of the batch.
    batch_start: Nanos,
    /// The start of the next packet.
    next: Nanos,
}

/// What the header of a packet says about its event.
#[derive(Clone, Debug)]
enum Cause {
    Timer,
    Port(Port),
    /// The bytes that matched.
    Recirculated(Vec<u8>),
}

/// A packet that a generator has made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GeneratedPacket {
    pub time: Nanos,
    pub port: Port,
    pub bytes: Vec<u8>,
}

impl Generators {
    /// Creates generators without applications.
    pub(crate) fn new(format: Option<GeneratorFormat>, seed: u64) -> Self {
        Self {
            format,
            pipes: BTreeMap::new(),
            ports: BTreeMap::new(),
            triggered_ports: BTreeSet::new(),
            next: None,
            random: Pcg64Mcg::seed_from_u64(seed),
        }
    }

    /// Returns the settings and counts of an application.
    pub(crate) fn app(&self, pipe: Port, app: u8) -> (Option<&GeneratorApp>, GeneratorCounts) {
        let found = self.pipes.get(&pipe).and_then(|pipe| pipe.apps.get(&app));
        found.map_or((None, GeneratorCounts::default()), |app| (app.config.as_ref(), app.counts))
    }

    /// Returns the buffer of a pipe up to the last byte that was written.
    pub(crate) fn buffer(&self, pipe: Port) -> &[u8] {
        self.pipes.get(&pipe).map_or_else(Default::default, |pipe| pipe.buffer.as_slice())
    }

    pub(crate) fn port(&self, port: Port) -> GeneratorPort {
        self.ports.get(&port).copied().unwrap_or_default()
    }

    /// Sets an application, whose timer begins now. Its earlier events make no more packets, and
    /// its counts stay.
    pub(crate) fn set_app(
        &mut self,
        now: Nanos,
        (pipe, number): (Port, u8),
        config: Option<GeneratorApp>,
    ) -> Result<(), GeneratorError> {
        self.check_app(pipe, number)?;
        config.as_ref().map_or(Ok(()), check_config)?;
        let app = self.pipes.entry(pipe).or_default().apps.entry(number).or_default();
        app.runs.clear();
        app.timer = match config.as_ref().map(|config| &config.trigger) {
            Some(GeneratorTrigger::Once(after) | GeneratorTrigger::Periodic(after)) => {
                Some(now.saturating_add(*after))
            }
            _ => None,
        };
        app.config = config;
        self.find_next();
        Ok(())
    }

    pub(crate) fn set_counts(
        &mut self,
        (pipe, app): (Port, u8),
        counts: GeneratorCounts,
    ) -> Result<(), GeneratorError> {
        self.check_app(pipe, app)?;
        self.pipes.entry(pipe).or_default().apps.entry(app).or_default().counts = counts;
        Ok(())
    }

    /// Writes bytes into the buffer of a pipe.
    pub(crate) fn write_buffer(
        &mut self,
        pipe: Port,
        offset: usize,
        bytes: &[u8],
    ) -> Result<(), GeneratorError> {
        self.check_app(pipe, 0)?;
        check_range(
            "the end of the packet in the buffer",
            offset.saturating_add(bytes.len()),
            0,
            BUFFER_BYTES,
        )?;
        let buffer = Arc::make_mut(&mut self.pipes.entry(pipe).or_default().buffer);
        let end = offset + bytes.len();
        buffer.resize(buffer.len().max(end), 0);
        buffer[offset..end].copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn set_port(&mut self, port: Port, settings: GeneratorPort) -> Result<(), GeneratorError> {
        self.check_app(port >> LOCAL_BITS, 0)?;
        self.ports.insert(port, settings);
        self.find_next();
        Ok(())
    }

    /// Lets a port trigger applications when it goes down the next time.
    pub(crate) fn rearm(&mut self, port: Port) -> Result<(), GeneratorError> {
        self.check_app(port >> LOCAL_BITS, 0)?;
        self.triggered_ports.remove(&port);
        Ok(())
    }

    fn check_app(&self, pipe: Port, app: u8) -> Result<(), GeneratorError> {
        let format = self.format.ok_or(GeneratorError::NoGenerators)?;
        check_range("a pipe", pipe as usize, 0, PIPES as usize - 1)?;
        check_range("an application", usize::from(app), 0, (1 << format.app_bits) - 1)
    }

    /// Returns the time of the next timer or packet.
    #[inline]
    pub(crate) fn next_time(&self) -> Option<Nanos> {
        self.next
    }

    /// Handles a port that has gone down.
    pub(crate) fn port_down(&mut self, now: Nanos, port: Port) {
        if self.format.is_none() || !self.triggered_ports.insert(port) {
            return;
        }
        self.trigger(now, port >> LOCAL_BITS, &Cause::Port(port), |trigger| {
            matches!(trigger, GeneratorTrigger::PortDown(ports)
                if ports.as_ref().is_none_or(|ports| ports.contains(&port)))
        });
    }

    /// Handles a packet that is recirculated through a port.
    pub(crate) fn recirculated(&mut self, now: Nanos, port: Port, bytes: &[u8]) {
        let Some(format) = self.format.filter(|_| self.port(port).matches_patterns) else { return };
        let Some(first) = bytes.get(..format.pattern_bytes) else { return };
        let found = first.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        self.trigger(now, port >> LOCAL_BITS, &Cause::Recirculated(first.to_vec()), |trigger| {
            matches!(trigger, GeneratorTrigger::Recirculated { value, mask }
                if (found ^ value) & mask == 0)
        });
    }

    /// Lets the applications of a pipe with such a trigger begin to make packets.
    fn trigger(&mut self, now: Nanos, pipe: Port, cause: &Cause, fits: impl Fn(&GeneratorTrigger) -> bool) {
        if !self.generates(pipe) {
            return;
        }
        for app in self.pipes.get_mut(&pipe).into_iter().flat_map(|pipe| pipe.apps.values_mut()) {
            if app.config.as_ref().is_some_and(|config| fits(&config.trigger)) {
                app.begin(now, cause.clone());
            }
        }
        self.find_next();
    }

    /// Returns whether the applications of a pipe make packets.
    fn generates(&self, pipe: Port) -> bool {
        self.ports.iter().any(|(port, settings)| port >> LOCAL_BITS == pipe && settings.generates)
    }

    fn find_next(&mut self) {
        let pipes = self.pipes.iter().filter(|(pipe, _)| self.generates(**pipe));
        self.next = pipes.flat_map(|(_, pipe)| pipe.apps.values()).filter_map(App::next_time).min();
    }

    /// Handles the first timer or packet that is due. Returns the packet, if there is one.
    pub(crate) fn take_due(&mut self, now: Nanos) -> Option<GeneratedPacket> {
        let (time, format) = (self.next.filter(|time| *time <= now)?, self.format?);
        let is_due = |app: &App| app.next_time() == Some(time);
        let generating: Vec<Port> = self.pipes.keys().copied().filter(|pipe| self.generates(*pipe)).collect();
        let Self { pipes, random, .. } = self;
        let due = generating.into_iter().find_map(|number| {
            let Pipe { buffer, apps } = pipes.get_mut(&number)?;
            let (app_number, app) = apps.iter_mut().find(|(_, app)| is_due(app))?;
            if app.timer == Some(time) {
                app.handle_timer(time, now);
                return None;
            }
            let id = (number as u8) << format.app_bits | app_number;
            app.make_packet(id, buffer, format, random).map(|(local, bytes)| {
                let port = number << LOCAL_BITS | local & ((1 << LOCAL_BITS) - 1);
                GeneratedPacket { time, port, bytes }
            })
        });
        self.find_next();
        due
    }
}

impl App {
    fn next_time(&self) -> Option<Nanos> {
        [self.timer, self.runs.front().map(|run| run.next)].into_iter().flatten().min()
    }

    /// Begins to make the packets of an event.
    fn begin(&mut self, now: Nanos, cause: Cause) {
        if self.runs.len() < MAX_WAITING {
            self.counts.triggers += 1;
            self.runs.push_back(Run { cause, batch: 0, packet: 0, batch_start: now, next: now });
        }
    }

    fn handle_timer(&mut self, time: Nanos, now: Nanos) {
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
    fn make_packet(
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

fn check_config(config: &GeneratorApp) -> Result<(), GeneratorError> {
    let end = config.offset.saturating_add(config.length);
    check_range("the end of the packet in the buffer", end, 0, BUFFER_BYTES)?;
    check_range("the source port", config.source_port as usize, 0, (1 << LOCAL_BITS) - 1)?;
    let most = GeneratorApp::MAX_COUNT as usize;
    check_range("the number of batches", config.batches as usize, 1, most)?;
    check_range("the number of packets", config.packets_per_batch as usize, 1, most)?;
    match config.trigger {
        GeneratorTrigger::Periodic(0) => check_range("the time in nanoseconds", 0, 1, usize::MAX),
        _ => Ok(()),
    }
}

fn check_range(what: &'static str, value: usize, least: usize, most: usize) -> Result<(), GeneratorError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let [value, least, most] = [value, least, most].map(|number| number as u64);
    Err(GeneratorError::OutOfRange { what, value, least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOFINO1: GeneratorFormat =
        GeneratorFormat { app_bits: 3, pattern_bytes: 4, has_context: false, gaps_begin_at_end: false };
    const TOFINO2: GeneratorFormat =
        GeneratorFormat { app_bits: 4, pattern_bytes: 16, has_context: true, gaps_begin_at_end: true };

    /// An application with two batches of two packets of one byte each.
    fn app(trigger: GeneratorTrigger) -> GeneratorApp {
        GeneratorApp {
            trigger,
            offset: 16,
            length: 1,
            source_port: 68,
            increments_source_port: false,
            batches: 2,
            packets_per_batch: 2,
            batch_gap: (1000, 0),
            packet_gap: (100, 0),
        }
    }

    /// Generators with this application in pipe 1 as number 5, whose packets are the byte 0xaa.
    fn generators(format: GeneratorFormat, app: GeneratorApp) -> Generators {
        let mut generators = Generators::new(Some(format), 0);
        generators.write_buffer(1, 16, &[0xaa]).expect("it fits");
        generators.set_app(0, (1, 5), Some(app)).expect("it fits");
        generators.set_port(196, GeneratorPort { generates: true, matches_patterns: true }).expect("a port");
        generators
    }

    /// Returns the times, ports and bytes of the packets up to a time.
    fn packets(generators: &mut Generators, until: Nanos) -> Vec<(Nanos, Port, Vec<u8>)> {
        let mut made = Vec::new();
        while let Some(time) = generators.next_time().filter(|time| *time <= until) {
            let packet = generators.take_due(time);
            made.extend(packet.map(|GeneratedPacket { time, port, bytes }| (time, port, bytes)));
        }
        made
    }

    #[test]
    fn timers_make_batches() {
        let mut generators = generators(TOFINO1, app(GeneratorTrigger::Once(500)));
        let packet = |batch, packet| vec![1 << 3 | 5, 0, 0, batch, 0, packet, 0xaa];
        let expected = [
            (500, 196, packet(0, 0)),
            (600, 196, packet(0, 1)),
            (1500, 196, packet(1, 0)),
            (1600, 196, packet(1, 1)),
        ];
        assert_eq!(packets(&mut generators, 10_000), expected);
        assert_eq!(generators.app(1, 5).1, GeneratorCounts { triggers: 1, batches: 2, packets: 4 });
        // In Tofino 2, a gap begins when the packet of 31 bytes has left at 100 Gbit/s.
        let mut generators = self::generators(TOFINO2, app(GeneratorTrigger::Periodic(10_000)));
        let times: Vec<_> = packets(&mut generators, 20_000).into_iter().map(|(time, ..)| time).collect();
        assert_eq!(times, [10_000, 10_103, 11_106, 11_209, 20_000]);
    }

    #[test]
    fn events_of_a_busy_application_wait() {
        let mut generators = generators(TOFINO1, app(GeneratorTrigger::Periodic(700)));
        let times: Vec<_> = packets(&mut generators, 3000).into_iter().map(|(time, ..)| time).collect();
        assert_eq!(times, [700, 800, 1700, 1800, 1803, 1903, 2803, 2903, 2906]);
    }

    #[test]
    fn a_port_that_goes_down_triggers_once() {
        let mut generators = generators(TOFINO1, app(GeneratorTrigger::PortDown(None)));
        generators.port_down(0, 3);
        assert_eq!(generators.next_time(), None, "the port is in another pipe");
        generators.port_down(0, 130);
        let made = packets(&mut generators, 10_000);
        assert_eq!((made.len(), &made[1].2), (4, &vec![1 << 3 | 5, 0, 0, 130, 0, 1, 0xaa]));
        generators.port_down(20_000, 130);
        assert_eq!(generators.next_time(), None);
        generators.rearm(130).expect("a port");
        generators.port_down(20_000, 130);
        assert_eq!(packets(&mut generators, 50_000).len(), 4);
    }

    #[test]
    fn recirculated_packets_trigger_by_their_first_bytes() {
        let trigger = GeneratorTrigger::Recirculated { value: 0x1122_3344, mask: 0xffff_0000 };
        let mut generators = generators(TOFINO1, app(trigger));
        generators.recirculated(0, 196, &[0x11, 0x23, 0x33, 0x44]);
        generators.recirculated(0, 196, &[0x11, 0x22, 0x33]);
        generators.recirculated(0, 197, &[0x11, 0x22, 0x33, 0x44]);
        assert_eq!(generators.next_time(), None);
        generators.recirculated(0, 196, &[0x11, 0x22, 0x33, 0x55]);
        let made = packets(&mut generators, 10_000);
        assert_eq!(made[3].2, [1 << 3 | 5, 0x22, 0x33, 0x56, 0, 1, 0xaa]);
        let trigger = GeneratorTrigger::Recirculated { value: 7, mask: u128::MAX };
        let mut generators = self::generators(TOFINO2, app(trigger));
        let first = [&[0; 15][..], &[7]].concat();
        generators.recirculated(0, 196, &first);
        let made = packets(&mut generators, 10_000);
        assert_eq!(made[3].2, [&[1 << 4 | 5, 0, 0, 1, 0, 1][..], &first, &[0xaa]].concat());
    }

    #[test]
    fn settings_are_checked() {
        let mut generators = generators(TOFINO1, app(GeneratorTrigger::Once(0)));
        let mut wrong = |number, change: fn(&mut GeneratorApp)| {
            let mut app = app(GeneratorTrigger::Once(0));
            change(&mut app);
            generators.set_app(0, number, Some(app)).expect_err("it is out of range").to_string()
        };
        assert_eq!(wrong((4, 0), |_| {}), "a pipe is a number from 0 to 3, not 4");
        assert_eq!(wrong((0, 8), |_| {}), "an application is a number from 0 to 7, not 8");
        let long = "the end of the packet in the buffer is a number from 0 to 16384, not 16385";
        assert_eq!(wrong((0, 0), |app| app.length = BUFFER_BYTES - 15), long);
        assert!(wrong((0, 0), |app| app.batches = 0).contains("from 1 to 65536, not 0"));
        let none = Generators::new(None, 0).write_buffer(0, 0, &[]);
        assert_eq!(none, Err(GeneratorError::NoGenerators));
    }
}
