//! A link: two interfaces, and a path in each direction.

use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use weir_device::Nanos;
use weir_ports::packet_socket::{self, Settings};
use weir_ports::{Batch, ErrorLog, Frame, Link as Watch, PortError, Receive, Transmit, WaitOn, send_all};

use crate::clock;
use crate::direction::LinkDirection;
use crate::namespace::run_inside;
use crate::settings::{End, LinkSettings};

/// The maximum number of frames that are received or sent at a time.
const BATCH_FRAMES: usize = 64;
/// The number of batches that one link receives before other links have their turn.
const BATCHES_PER_TURN: usize = 4;

/// A link that forwards frames between two interfaces.
pub struct Link {
    /// The current settings.
    pub settings: LinkSettings,
    /// The state of logging errors of the link's ends.
    pub trouble: ErrorLog,
    ends: [OpenEnd; 2],
    /// The direction from the first end to the second, and the opposite direction.
    ways: [LinkDirection; 2],
    leaving: Vec<Frame<'static>>,
    carrier: bool,
}

struct OpenEnd {
    receive: Box<dyn Receive>,
    transmit: Box<dyn Transmit>,
}

/// Watches an end of a link, from inside the end's network namespace.
pub struct WatchedEnd {
    /// The end's name in messages.
    pub name: String,
    /// The network namespace in which to look for the interface.
    pub netns: Option<PathBuf>,
    /// The watch over the interface.
    pub watch: Box<dyn Watch>,
    /// The state of logging errors that occur when the interface is checked.
    pub trouble: ErrorLog,
}

impl Link {
    /// Opens the interfaces of a link.
    ///
    /// # Errors
    /// There is no such interface or namespace, or the process does not have the permission
    /// for packet sockets.
    pub fn open(settings: LinkSettings, seed: u64) -> Result<(Self, [WatchedEnd; 2]), String> {
        let (first, first_watch) = open_end(&settings.ends[0])?;
        let (second, second_watch) = open_end(&settings.ends[1])?;
        let way = |direction: usize| {
            let direction_settings = settings.directions[direction].clone();
            LinkDirection::new(direction_settings, seed, &settings.direction_name(direction), settings.up)
        };
        let ways = [way(0), way(1)];
        let ends = [first, second];
        Ok((
            Self { settings, trouble: ErrorLog::default(), ends, ways, leaving: Vec::new(), carrier: true },
            [first_watch, second_watch],
        ))
    }

    /// Creates a link between these ports. The ports are not watched.
    #[cfg(test)]
    pub fn between(settings: LinkSettings, ports: [weir_ports::Port; 2]) -> Self {
        let way =
            |direction: usize| LinkDirection::new(settings.directions[direction].clone(), 0, "test", true);
        let ways = [way(0), way(1)];
        let ends = ports.map(|port| OpenEnd { receive: port.receive, transmit: port.transmit });
        Self { settings, trouble: ErrorLog::default(), ends, ways, leaving: Vec::new(), carrier: true }
    }

    /// Changes the settings. They apply to frames whose transmission has not begun.
    pub fn set_settings(&mut self, settings: LinkSettings) {
        let now = clock::now();
        for (way, own) in self.ways.iter_mut().zip(&settings.directions) {
            way.set_settings(now, own.clone());
        }
        self.settings = settings;
        self.apply_state();
    }

    /// Sets whether both interfaces are up.
    pub fn set_carrier(&mut self, carrier: bool) {
        self.carrier = carrier;
        self.apply_state();
    }

    fn apply_state(&mut self) {
        let up = self.settings.up && self.carrier;
        self.ways.iter_mut().for_each(|way| way.set_up(up));
    }

    /// Returns the descriptor to wait for at an end.
    pub fn wait_on(&self, end: usize) -> Option<BorrowedFd<'_>> {
        match self.ends[end].receive.wait_on() {
            WaitOn::Readable(descriptor) => Some(descriptor),
            WaitOn::Nothing | WaitOn::Finished => None,
        }
    }

    /// Takes frames that have arrived at an end.
    ///
    /// # Errors
    /// The operating system reports an error of the interface.
    pub fn receive(&mut self, end: usize) -> Result<(), PortError> {
        let (receive, way) = (&mut self.ends[end].receive, &mut self.ways[end]);
        for _ in 0..BATCHES_PER_TURN {
            let mut batch = Batch::new(BATCH_FRAMES);
            receive.receive(&mut batch)?;
            for frame in batch.frames() {
                way.receive(clock::arrival(frame.metadata.time), frame);
            }
            if batch.remaining_capacity() > 0 {
                break;
            }
        }
        Ok(())
    }

    /// Returns the time when the next frame leaves.
    pub fn next_deadline(&self) -> Option<Nanos> {
        self.ways.iter().filter_map(LinkDirection::next_departure).min()
    }

    /// Sends the frames that are due.
    ///
    /// # Errors
    /// The operating system reports an error of the interface; the frames of this batch are lost.
    pub fn send(&mut self, now: Nanos) -> Result<(), PortError> {
        for direction in 0..2 {
            let (way, transmit) = (&mut self.ways[direction], &mut self.ends[1 - direction].transmit);
            while way.next_departure().is_some_and(|due| due <= now) {
                self.leaving.clear();
                way.take_due(now, BATCH_FRAMES, &mut self.leaving);
                let before = transmit.counts();
                let numbers: Vec<u16> = (0..self.leaving.len() as u16).collect();
                let result = send_all(transmit.as_mut(), &self.leaving, &numbers, |_| {});
                way.count_left(&self.leaving, before, transmit.counts());
                result.map_err(|(error, _)| error)?;
            }
        }
        Ok(())
    }

    /// Returns both directions, each with the number of frames that its receiving socket missed.
    pub fn direction_counts(&mut self) -> [(&LinkDirection, u64); 2] {
        let now = clock::now();
        self.ways.iter_mut().for_each(|way| way.advance(now));
        let [first, second] = &mut self.ends;
        let missed = [first.receive.counts().missed, second.receive.counts().missed];
        [(&self.ways[0], missed[0]), (&self.ways[1], missed[1])]
    }
}

fn open_end(end: &End) -> Result<(OpenEnd, WatchedEnd), String> {
    // Frames bypass the interface's queueing discipline, because they must leave at the time when
    // they are due.
    let settings = Settings { timestamps: true, bypass_queue: true, ..Settings::default() };
    let open = || packet_socket::open(&end.interface, settings);
    let opened = run_inside(end.netns.as_deref(), open).map_err(|error| error.to_string())?;
    let mut port = opened.map_err(|error| explain_port_error(&error, end))?;
    warn_of_claim(&mut *port.link);
    let watched = WatchedEnd {
        name: end.to_string(),
        netns: end.netns.clone(),
        watch: port.link,
        trouble: ErrorLog::default(),
    };
    Ok((OpenEnd { receive: port.receive, transmit: port.transmit }, watched))
}

/// Warns if another program had already claimed the interface when it was opened.
pub fn warn_of_claim(watch: &mut dyn Watch) {
    if let Some(already) = watch.take_already_claimed() {
        tracing::warn!("{already}");
    }
}

/// The error number `EPERM`.
const NOT_PERMITTED: i32 = 1;

/// Explains an error of an interface, and what may help.
fn explain_port_error(error: &PortError, end: &End) -> String {
    let number = match error {
        PortError::System { source, .. } => source.raw_os_error(),
        _ => None,
    };
    let place = end.netns.as_ref().map_or(String::new(), |netns| format!("in {}: ", netns.display()));
    let help = match number {
        Some(NOT_PERMITTED) => {
            "; run it as root, give it CAP_NET_RAW and CAP_NET_ADMIN, or start it in a user namespace \
             (unshare -Urn)"
        }
        _ => "",
    };
    format!("{place}{error}{help}")
}

#[cfg(test)]
mod tests {
    use weir_ports::{Checksum, Gso, GsoKind, Metadata, Offloads, memory};

    use super::*;

    #[test]
    fn drops_are_counted_by_the_frames_that_did_not_leave() {
        let offloads = Offloads { checksum: true, gso: true };
        let ([near, mut far], _) = memory::connect(["a", "h1"], 64, offloads).unwrap();
        let ([second, _far], cable) = memory::connect(["b", "h2"], 64, offloads).unwrap();
        let ends = ["a", "b"].map(|name| End::new(name, None).unwrap());
        let mut link = Link::between(LinkSettings::new(None, ends), [near, second]);
        cable.set_mtu(1000);
        // A GSO frame with three segments of 1000 bytes, between a frame that is too long and other
        // frames.
        let mut bytes = vec![0; 14 + 20 + 20 + 3000];
        (bytes[12], bytes[14], bytes[14 + 9], bytes[34 + 12]) = (8, 0x45, 6, 0x50);
        let gso = Gso { kind: GsoKind::TcpV4, size: 1448, network: 14, in_tunnel: false, ecn: false };
        let checksum = Checksum::Partial { start: 34, offset: 16 };
        let whole = Metadata { checksum, gso: Some(gso), ..Metadata::default() };
        let plain = |length| Frame::copy_of(&vec![0; length], Metadata::default());
        let frames = [plain(1200), plain(100), Frame::copy_of(&bytes, whole), plain(60)];
        assert_eq!(far.transmit.transmit(&frames, &[0, 1, 2, 3]).unwrap(), 4);
        link.receive(0).unwrap();
        link.send(Nanos::MAX).unwrap();
        let counts = link.ways[0].counts();
        assert_eq!((counts.delivered_packets, counts.dropped_output), (1 + 3 + 1, 1));
        assert_eq!(counts.delivered_bytes, 100 + (3054 + 2 * 54) + 60);
    }
}
