//! Captures and watches of a network.

use std::io::{BufWriter, Write};

use weir_capture::Direction;
use weir_device::Nanos;

use super::{LinkEnd, LinkId, LinkState, Network, NodeKind};
use crate::capture::{Capture, CaptureId, Sink, Watch, WatchConfig, WatchedFrame};
use crate::frames::FrameId;
use crate::{Error, Filter};

impl LinkState {
    /// Tells the transmitters whether a capture or watch listens at their ends.
    fn note_taps(&mut self) {
        let listens = self.taps.each_ref().map(|taps| !taps.is_empty());
        for (side, transmitter) in self.transmitters.iter_mut().enumerate() {
            transmitter.tapped = [listens[side], listens[1 - side]];
        }
    }
}

/// A capture or a watch at a link end.
pub(super) enum Tap {
    Capture(Box<Capture>),
    Watch(Watch),
}

impl Tap {
    /// Returns whether frames can stop the run.
    pub(super) fn stops(&self) -> bool {
        matches!(self, Tap::Watch(watch) if watch.stops())
    }
}

impl Network {
    /// Captures the frames that pass these link ends from now on into a caller's writer, as a
    /// pcapng file with an interface for each end. [`Network::finish_capture`] completes it.
    ///
    /// # Errors
    /// A node does not exist, or nothing is connected at a port.
    pub fn capture(&mut self, ends: &[LinkEnd], writer: Box<dyn Write + Send>) -> Result<CaptureId, Error> {
        self.start_capture(ends, Sink::Writer(BufWriter::new(writer)), None)
    }

    /// Like [`Network::capture`], for the frames that match a filter.
    ///
    /// # Errors
    /// A node does not exist, or nothing is connected at a port.
    pub fn capture_matching(
        &mut self,
        ends: &[LinkEnd],
        filter: Filter,
        writer: Box<dyn Write + Send>,
    ) -> Result<CaptureId, Error> {
        self.start_capture(ends, Sink::Writer(BufWriter::new(writer)), Some(filter))
    }

    /// Captures the frames that pass these link ends from now on in memory;
    /// [`Network::finish_capture`] returns the file.
    ///
    /// # Errors
    /// A node does not exist, or nothing is connected at a port.
    pub fn capture_to_memory(&mut self, ends: &[LinkEnd]) -> Result<CaptureId, Error> {
        self.start_capture(ends, Sink::Memory(Vec::new()), None)
    }

    fn start_capture(
        &mut self,
        ends: &[LinkEnd],
        sink: Sink,
        filter: Option<Filter>,
    ) -> Result<CaptureId, Error> {
        let places = self.places(ends)?;
        let id = self.captures.len();
        let mut capture = Capture::new(sink, filter);
        for (link, side) in places {
            let [here, there] = [side, 1 - side].map(|side| self.end_name(self.links[link].ends[side]));
            let interface = capture.add_interface(&here, &format!("{here}, linked to {there}"));
            self.links[link].taps[side].push((id, interface));
            self.links[link].note_taps();
        }
        self.captures.push(Some(Tap::Capture(Box::new(capture))));
        Ok(CaptureId(id))
    }

    /// Stores the frames that pass these link ends from now on until [`Network::take_watched`].
    /// [`Network::finish_capture`] ends the watch.
    ///
    /// # Errors
    /// A node does not exist, or nothing is connected at a port.
    pub fn watch(&mut self, ends: &[LinkEnd], config: WatchConfig) -> Result<CaptureId, Error> {
        let places = self.places(ends)?;
        let id = self.captures.len();
        for ((link, side), end) in places.into_iter().zip(0..) {
            self.links[link].taps[side].push((id, end));
            self.links[link].note_taps();
        }
        self.captures.push(Some(Tap::Watch(Watch::new(config))));
        Ok(CaptureId(id))
    }

    /// Takes the frames that a watch has stored since the last call, in the order of events.
    ///
    /// # Errors
    /// There is no such watch, or it has ended.
    pub fn take_watched(&mut self, id: CaptureId) -> Result<Vec<WatchedFrame>, Error> {
        match self.captures.get_mut(id.0) {
            Some(Some(Tap::Watch(watch))) => Ok(watch.take_frames()),
            _ => Err(Error::UnknownId { what: "watch", number: id.0 }),
        }
    }

    /// Returns the links and sides of link ends.
    pub(crate) fn places(&self, ends: &[LinkEnd]) -> Result<Vec<(usize, usize)>, Error> {
        let place = |end: &LinkEnd| {
            let LinkId(link) = self.link_at(end)?;
            let node = self.index(&end.node)?;
            // Both ends of a link may be at the same node.
            Ok((link, usize::from(self.links[link].ends[0] != (node, end.port))))
        };
        ends.iter().map(place).collect()
    }

    /// Returns the part of a link side's busy time that is still in the future.
    pub(crate) fn remaining_busy_time(&self, link: usize, side: usize) -> Nanos {
        self.links[link].transmitters[side].remaining_busy_time(self.now)
    }

    /// Returns the lengths of the device's queues for the port at one side of a link; empty for a
    /// host.
    pub(crate) fn waiting_at(&self, link: usize, side: usize) -> Vec<usize> {
        let (node, port) = self.links[link].ends[side];
        match &self.nodes[node].kind {
            NodeKind::Device(state) => state.device.queue_lengths(port),
            NodeKind::Host(..) => Vec::new(),
        }
    }

    /// Ends a capture. Returns the file if it was in memory; a caller's writer is flushed and
    /// dropped.
    ///
    /// # Errors
    /// There is no such capture, or it has ended; or writing failed, now or earlier, so that the
    /// file is incomplete.
    pub fn finish_capture(&mut self, id: CaptureId) -> Result<Vec<u8>, Error> {
        let capture = self.captures.get_mut(id.0).and_then(Option::take);
        let capture = capture.ok_or(Error::UnknownId { what: "capture", number: id.0 })?;
        for link in &mut self.links {
            link.taps.iter_mut().for_each(|taps| taps.retain(|(capture, _)| *capture != id.0));
            link.note_taps();
        }
        match capture {
            Tap::Capture(capture) => capture.finish().map_err(Error::Capture),
            Tap::Watch(_) => Ok(Vec::new()),
        }
    }

    /// Passes a frame to the captures and watches at one end of a link.
    pub(super) fn tap(&mut self, link: usize, side: usize, direction: Direction, frame: FrameId) {
        for (tap, interface) in &self.links[link].taps[side] {
            let bytes = self.frames.bytes(frame);
            match &mut self.captures[*tap] {
                Some(Tap::Capture(capture)) => capture.write_frame(*interface, direction, self.now, bytes),
                Some(Tap::Watch(watch)) => {
                    self.stop_requested |= watch.store_if_matching(*interface, direction, self.now, bytes);
                }
                None => {}
            }
        }
    }
}
