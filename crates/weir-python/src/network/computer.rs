//! Bindings for the computer that the nodes of a network share.

use pyo3::prelude::*;
use weir_sim::{ComputerConfig, Cost};

use super::Network;
use crate::errors;

/// The settings of a computer. Times are in nanoseconds, costs in nanoseconds per packet and
/// picoseconds per byte.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ComputerSettings {
    processors: usize,
    wake_up_ns: u64,
    wake_up_jitter_ns: u64,
    deep_sleep_after_ns: u64,
    deep_wake_up_jitter_ns: u64,
    context_switch_ns: u64,
    quantum_ns: u64,
    interrupted_every_ns: u64,
    interrupted_for_ns: u64,
    pipelined: bool,
    receive: (u64, u64),
    ingress: (u64, u64),
    egress: (u64, u64),
    send: (u64, u64),
    link: (u64, u64),
    stack: (u64, u64),
    app: (u64, u64),
    stream: (u64, u64),
    buffer: usize,
    egress_queue: usize,
}

#[pymethods]
impl Network {
    /// Lets all nodes that are added from now on share a computer.
    fn share_computer(&self, settings: ComputerSettings) -> PyResult<()> {
        let cost = |(packet, byte): (u64, u64)| Cost { packet, byte };
        let config = ComputerConfig {
            processors: settings.processors,
            quantum: settings.quantum_ns,
            wake_up: settings.wake_up_ns,
            wake_up_jitter: settings.wake_up_jitter_ns,
            deep_sleep_after: settings.deep_sleep_after_ns,
            deep_wake_up_jitter: settings.deep_wake_up_jitter_ns,
            context_switch: settings.context_switch_ns,
            interrupted_every: settings.interrupted_every_ns,
            interrupted_for: settings.interrupted_for_ns,
            pipelined: settings.pipelined,
            receive: cost(settings.receive),
            ingress: cost(settings.ingress),
            egress: cost(settings.egress),
            send: cost(settings.send),
            link: cost(settings.link),
            stack: cost(settings.stack),
            app: cost(settings.app),
            stream: cost(settings.stream),
            buffer: settings.buffer,
            egress_queue: settings.egress_queue,
        };
        self.state()?.world.share_computer(config).map_err(errors::network_error)
    }
}
