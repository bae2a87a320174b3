//! Bindings for samplers, watches and the audit.

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_device::FailedLookups;
use weir_sim::{Audit, CaptureId, DropCount, EndlessLoop, Losses, Sample, SamplerId};

use super::Network;
use super::traffic::number_column;
use crate::errors;
use crate::record::{Tuple, records};

/// A sampler of link ends.
#[pyclass(frozen)]
pub struct Sampler {
    pub(super) network: Py<Network>,
    pub(super) id: SamplerId,
}

#[pymethods]
impl Sampler {
    /// Returns the samples of one end, given by its index in the list of ends: times, packets in
    /// the queue, packets and bytes sent, packets dropped and marked, and nanoseconds busy. Each is
    /// a column of 64-bit little-endian numbers.
    fn columns<'py>(&self, py: Python<'py>, end: usize) -> PyResult<[Bound<'py, PyBytes>; 7]> {
        let state = self.network.get().state()?;
        let samples = state.world.samples(self.id, end).map_err(errors::network_error)?;
        let column = |value: fn(&Sample) -> u64| number_column(py, samples.iter().map(value));
        Ok([
            column(|sample| sample.time),
            column(|sample| sample.queue_packets),
            column(|sample| sample.sent_packets),
            column(|sample| sample.sent_bytes),
            column(|sample| sample.dropped_packets),
            column(|sample| sample.marked_packets),
            column(|sample| sample.busy),
        ])
    }

    /// Returns the queue lengths of the switch at an end. Each queue of the port has a column of
    /// 32-bit little-endian numbers. The list is empty for a host.
    fn waiting<'py>(&self, py: Python<'py>, end: usize) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let state = self.network.get().state()?;
        let queues = state.world.device_queue_samples(self.id, end).map_err(errors::network_error)?;
        let bytes = |queue: Vec<u32>| queue.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        Ok(queues.into_iter().map(|queue| PyBytes::new(py, &bytes(queue))).collect())
    }

    /// Stops the sampler, and keeps its samples.
    fn stop(&self) -> PyResult<()> {
        self.network.get().state()?.world.stop_sampler(self.id).map_err(errors::network_error)
    }
}

records! {
    /// The packets that were dropped at one place for one reason.
    Drop {
        /// A host's interface (`h1-eth0`), one direction of a link (`h1-eth0->s1-p1`), or a place
        /// in a switch (`s1 ingress`).
        place: String,
        /// The reason for which the packets were dropped.
        reason: String,
        /// The number of packets.
        packets: u64,
    }

    /// The lookups in one table that found no entry.
    Misses {
        /// The switch.
        switch: String,
        /// The table.
        table: String,
        /// The part of the program that applies the table: `ingress` or `egress`.
        part: String,
        /// The number of lookups that found no entry.
        misses: u64,
        /// The number of entries in the table now.
        entries: usize,
        /// The current default action of the table; `None` if this action does nothing.
        default: Option<String>,
    }

    /// The packets that a switch recirculated or resubmitted.
    Repeats {
        /// The switch.
        switch: String,
        /// The number of packets in the switch now.
        inside: u64,
        /// The number of times that the switch recirculated or resubmitted a packet.
        times: u64,
    }

    /// The packets that a host keeps until a neighbour answers ARP or NDP.
    Waiting {
        /// The host.
        host: String,
        /// The address that has not answered yet.
        neighbour: String,
        /// The number of packets that wait for the answer.
        packets: u64,
    }

    /// The packets dropped since the start, and other reasons why packets are missing.
    LossCounts {
        /// The drops, by place and reason.
        drops: Tuple<Drop>,
        /// For some places and reasons, the first bytes of a frame that was dropped there.
        frames: Tuple<(String, String, Vec<u8>)>,
        /// The tables with lookups that found no entry.
        misses: Tuple<Misses>,
        /// The number of copies that each switch made.
        copies: Tuple<(String, u64)>,
        /// Each switch's recirculated and resubmitted packets.
        repeats: Tuple<Repeats>,
        /// The packets that wait now for an answer to ARP or NDP.
        waiting: Tuple<Waiting>,
    }

    /// A device in which packets seem to stay forever.
    RepeatingDevice {
        /// The number of packets that the device received.
        received: u64,
        /// The number of copies that the device made.
        copies: u64,
        /// The number of packets inside the device now.
        inside: u64,
        /// The number of times that the device recirculated or resubmitted a packet.
        repeated: u64,
        /// Whether the packets multiply so fast that continuing the run is useless.
        is_hopeless: bool,
    }

    /// A loop: packets that seem to stay in the network forever.
    Loop {
        /// The devices that pass the packets on, or the device that repeats them.
        devices: Tuple<String>,
        /// The time for which the packets were observed, in nanoseconds.
        span_ns: u64,
        /// The first bytes of one of these packets; empty if none is known.
        frame: Vec<u8>,
        /// The number of times that the packet arrived at one of the devices.
        arrivals: u64,
        /// The packets of a single device that repeats them.
        device: Option<RepeatingDevice>,
    }

    /// The numbers of packets in flight, in hosts, in queues, on links and in switches.
    InFlight {
        /// The number of packets in hosts.
        hosts: u64,
        /// The number of packets in queues.
        queues: u64,
        /// The number of packets on links.
        wires: u64,
        /// The number of packets in switches.
        devices: u64,
    }
}

#[pymethods]
impl InFlight {
    /// The number of all packets in flight.
    #[getter]
    fn total(&self) -> u64 {
        self.hosts + self.queues + self.wires + self.devices
    }
}

fn drops_of(drops: Vec<DropCount>) -> Tuple<Drop> {
    let to_drop = |drop: DropCount| Drop { place: drop.place, reason: drop.reason, packets: drop.packets };
    drops.into_iter().map(to_drop).collect()
}

impl From<Losses> for LossCounts {
    fn from(losses: Losses) -> Self {
        let misses = |(switch, FailedLookups { place, part, count, size, then })| Misses {
            switch,
            table: place,
            part: part.to_owned(),
            misses: count,
            entries: size,
            default: then,
        };
        let repeats = |(switch, inside, times)| Repeats { switch, inside, times };
        let waiting = |(host, neighbour, packets): (_, IpAddr, _)| Waiting {
            host,
            neighbour: neighbour.to_string(),
            packets,
        };
        Self {
            drops: drops_of(losses.drops),
            frames: losses.frames.into_iter().collect(),
            misses: losses.failed_lookups.into_iter().map(misses).collect(),
            copies: losses.copies.into_iter().collect(),
            repeats: losses.repeats.into_iter().map(repeats).collect(),
            waiting: losses.waiting.into_iter().map(waiting).collect(),
        }
    }
}

impl From<EndlessLoop> for Loop {
    fn from(found: EndlessLoop) -> Self {
        match found {
            EndlessLoop::Devices { devices, span, arrivals, frame } => {
                Loop { devices: devices.into_iter().collect(), span_ns: span, frame, arrivals, device: None }
            }
            EndlessLoop::Device { device, span, account, frame, is_hopeless } => Loop {
                devices: [device].into_iter().collect(),
                span_ns: span,
                frame: frame.unwrap_or_default(),
                arrivals: 0,
                device: Some(RepeatingDevice {
                    received: account.received,
                    copies: account.created,
                    inside: account.in_flight,
                    repeated: account.repeated,
                    is_hopeless,
                }),
            },
        }
    }
}

/// A watch, which stores the frames that pass link ends.
#[pyclass(frozen)]
pub struct Watch {
    pub(super) network: Py<Network>,
    pub(super) id: CaptureId,
}

/// A stored frame: its time, the index of the link end, whether it is outbound, and its bytes.
type SeenRow<'py> = (u64, u32, bool, Bound<'py, PyBytes>);

#[pymethods]
impl Watch {
    /// Takes the frames that were stored since the last call.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<SeenRow<'py>>> {
        let seen = self.network.get().state()?.world.take_watched(self.id).map_err(errors::network_error)?;
        Ok(seen
            .into_iter()
            .map(|seen| (seen.time, seen.end, seen.outbound, PyBytes::new(py, &seen.bytes)))
            .collect())
    }

    /// Ends the watch.
    fn close(&self) -> PyResult<()> {
        self.network.get().state()?.world.finish_capture(self.id).map(drop).map_err(errors::network_error)
    }
}

/// The counts of all packets, by outcome.
#[pyclass(frozen, get_all)]
pub struct Account {
    created: u64,
    made_by_devices: u64,
    made_by_links: u64,
    delivered: u64,
    drops: Tuple<Drop>,
    in_flight: InFlight,
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
            drops: drops_of(audit.drops),
            in_flight: InFlight {
                hosts: flight.hosts,
                queues: flight.queues,
                wires: flight.wires,
                devices: flight.devices,
            },
            violations: audit.violations,
        }
    }
}
