//! Bindings for samplers, watches and the audit.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_device::FailedLookups;
use weir_sim::{Audit, CaptureId, EndlessLoop, Losses, PacketAccount, Sample, SamplerId};

use super::Network;
use super::traffic::column;
use crate::errors;

/// A sampler of link ends.
#[pyclass(frozen)]
pub struct Sampler {
    pub(super) network: Py<Network>,
    pub(super) id: SamplerId,
}

#[pymethods]
impl Sampler {
    /// The samples of one end (by its index in the given list): times, packets in the queue,
    /// packets and bytes sent, packets dropped and marked, nanoseconds busy; columns of 64-bit
    /// little-endian numbers.
    fn columns<'py>(&self, py: Python<'py>, end: usize) -> PyResult<[Bound<'py, PyBytes>; 7]> {
        let state = self.network.get().state()?;
        let samples = state.world.samples(self.id, end).map_err(errors::network)?;
        let of = |value: fn(&Sample) -> u64| column(py, samples.iter().map(value));
        Ok([
            of(|sample| sample.time),
            of(|sample| sample.queue_packets),
            of(|sample| sample.sent_packets),
            of(|sample| sample.sent_bytes),
            of(|sample| sample.dropped_packets),
            of(|sample| sample.marked_packets),
            of(|sample| sample.busy),
        ])
    }

    /// The queue lengths of the switch at an end: a column of 32-bit little-endian numbers for each
    /// queue of the port; empty for a host.
    fn waiting<'py>(&self, py: Python<'py>, end: usize) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let state = self.network.get().state()?;
        let queues = state.world.device_queue_samples(self.id, end).map_err(errors::network)?;
        let bytes = |queue: Vec<u32>| queue.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        Ok(queues.into_iter().map(|queue| PyBytes::new(py, &bytes(queue))).collect())
    }

    /// Stops the sampler; its samples stay.
    fn stop(&self) -> PyResult<()> {
        self.network.get().state()?.world.stop_sampler(self.id).map_err(errors::network)
    }
}

/// Drops as place, reason and packets; the beginnings of frames dropped at a place for a reason;
/// lookups that found nothing as switch, table, their number, the table's entries, and its default
/// action if it does anything; copies that switches made; switches that recirculated or resubmitted
/// packets, how many are inside now, and how often they did; hosts, the neighbours that have not
/// answered ARP or NDP yet, and how many packets wait for each.
pub type LossRows = (
    Vec<(String, String, u64)>,
    Vec<(String, String, Cow<'static, [u8]>)>,
    Vec<(String, String, u64, usize, Option<String>)>,
    Vec<(String, u64)>,
    Vec<(String, u64, u64)>,
    Vec<(String, String, u64)>,
);

pub fn loss_rows(losses: Losses) -> LossRows {
    let drops = losses.drops.into_iter().map(|drop| (drop.place, drop.reason, drop.packets));
    let frames = losses.frames.into_iter().map(|(place, reason, frame)| (place, reason, frame.into()));
    let lookups = losses.failed_lookups.into_iter();
    let lookups = lookups
        .map(|(switch, FailedLookups { place, count, size, then })| (switch, place, count, size, then));
    let waiting = losses.waiting.into_iter();
    let waiting = waiting.map(|(host, neighbour, packets)| (host, neighbour.to_string(), packets));
    (drops.collect(), frames.collect(), lookups.collect(), losses.copies, losses.repeats, waiting.collect())
}

/// The devices in which packets seem to stay forever; nanoseconds watched; the beginning of such a
/// packet; how often it arrived at devices; or else, of a single device, what it received, copied,
/// transmitted, dropped, has inside and repeated, and whether the run is not worth continuing.
pub type LoopRow = (Vec<String>, u64, Cow<'static, [u8]>, u64, Option<([u64; 6], bool)>);

pub fn loop_row(found: EndlessLoop) -> LoopRow {
    match found {
        EndlessLoop::Devices { devices, span, arrivals, frame } => {
            (devices, span, frame.into(), arrivals, None)
        }
        EndlessLoop::Device { device, span, account, frame, is_hopeless } => {
            let PacketAccount { received, created, transmitted, dropped, in_flight, repeated } = account;
            let counts = [received, created, transmitted, dropped, in_flight, repeated];
            (vec![device], span, frame.unwrap_or_default().into(), 0, Some((counts, is_hopeless)))
        }
    }
}

/// A watch, which stores frames.
#[pyclass(frozen)]
pub struct Watch {
    pub(super) network: Py<Network>,
    pub(super) id: CaptureId,
}

/// Time, index of the end, whether outbound, bytes.
type SeenRow<'py> = (u64, u32, bool, Bound<'py, PyBytes>);

#[pymethods]
impl Watch {
    /// The frames stored since the last call.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<SeenRow<'py>>> {
        let seen = self.network.get().state()?.world.take_watched(self.id).map_err(errors::network)?;
        Ok(seen
            .into_iter()
            .map(|seen| (seen.time, seen.end, seen.outbound, PyBytes::new(py, &seen.bytes)))
            .collect())
    }

    /// Ends the watch.
    fn close(&self) -> PyResult<()> {
        self.network.get().state()?.world.finish_capture(self.id).map(drop).map_err(errors::network)
    }
}

/// What happened to every packet so far.
#[pyclass(frozen, get_all)]
pub struct Account {
    created: u64,
    made_by_devices: u64,
    made_by_links: u64,
    delivered: u64,
    /// Place, reason, packets.
    drops: Vec<(String, String, u64)>,
    /// In hosts, in queues, on links, in devices.
    in_flight: (u64, u64, u64, u64),
    violations: Vec<String>,
}

impl From<Audit> for Account {
    fn from(audit: Audit) -> Self {
        let flight = audit.in_flight;
        Account {
            created: audit.created,
            made_by_devices: audit.created_by_devices,
            made_by_links: audit.created_by_links,
            delivered: audit.delivered,
            drops: audit.drops.into_iter().map(|drop| (drop.place, drop.reason, drop.packets)).collect(),
            in_flight: (flight.hosts, flight.queues, flight.wires, flight.devices),
            violations: audit.violations,
        }
    }
}
