//! The packet generators of a chip: each pipe has one, with a buffer for packets and several
//! applications, which make packets at certain events.

mod app;
mod config;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use weir_device::{Nanos, Port};

use app::{App, Cause};
pub use config::{
    GeneratorApp, GeneratorCounts, GeneratorError, GeneratorFormat, GeneratorPort, GeneratorTrigger,
};

/// The bytes of a pipe's buffer.
pub const BUFFER_BYTES: usize = 16 * 1024;

/// The number of pipes of a chip, and the bits of a port's number that are the port in its pipe.
const PIPES: Port = 4;
const LOCAL_BITS: u32 = 7;

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

    /// Lets those applications of a pipe whose trigger fits begin to make packets.
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
