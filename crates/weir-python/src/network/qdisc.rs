//! Bindings for queueing disciplines.

use pyo3::prelude::*;
use weir_sim::{
    CodelConfig, DualPi2Config, Filter, FqCodelConfig, FqConfig, Framing, HtbClass, HtbConfig, HtbFilter,
    Impairments, LinkEnd, NetemConfig, PeakRate, QdiscConfig, RedConfig, Slot, TbfConfig,
};

use super::Network;
use super::impairments::{CorrelationsOf, JitterModel, LossModel, jitter, loss};
use crate::errors;

/// A queueing discipline's settings.
#[pyclass(frozen)]
pub struct Qdisc(pub(crate) QdiscConfig);

/// The settings of CoDel: target and interval in nanoseconds, whether ECN is on, and the marking
/// threshold in nanoseconds.
type Control = (u64, u64, bool, Option<u64>);

fn codel_config(limit: usize, (target, interval, ecn, ce_threshold): Control) -> CodelConfig {
    CodelConfig { limit, target, interval, ecn, ce_threshold }
}

/// A slot of netem: the minimum and maximum time until the slot in nanoseconds, and the maximum
/// numbers of packets and bytes in it.
type SlotOf = (u64, u64, Option<u64>, Option<u64>);

/// A class of HTB.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ClassSettings<'py> {
    id: u32,
    parent: Option<u32>,
    rate: u64,
    ceil: u64,
    burst: u64,
    cburst: u64,
    priority: u8,
    /// The quantum in bytes; `None` if it is computed from the rate.
    quantum: Option<u32>,
    queue: Option<PyRef<'py, Qdisc>>,
}

fn child_config(queue: Option<PyRef<'_, Qdisc>>) -> Option<Box<QdiscConfig>> {
    queue.map(|queue| Box::new(queue.0.clone()))
}

#[pymethods]
impl Qdisc {
    #[staticmethod]
    fn fifo(packets: Option<usize>, bytes: Option<u64>) -> Self {
        Qdisc(QdiscConfig::Fifo { packets, bytes })
    }

    /// Makes TBF. `peak` contains the rate and burst of the second bucket. The limit is in bytes,
    /// or derived from a latency.
    #[staticmethod]
    fn tbf(
        rate_bps: u64,
        burst: u64,
        peak: Option<(u64, u64)>,
        limit: Option<u64>,
        latency_ns: u64,
        queue: Option<PyRef<'_, Qdisc>>,
    ) -> Self {
        let peak = peak.map(|(rate, burst)| PeakRate { rate, burst });
        let limit = limit.unwrap_or_else(|| TbfConfig::limit_of(latency_ns, rate_bps, burst, peak));
        Qdisc(QdiscConfig::Tbf(TbfConfig { rate: rate_bps, burst, peak, limit, queue: child_config(queue) }))
    }

    #[staticmethod]
    fn codel(limit: usize, control: Control) -> Self {
        Qdisc(QdiscConfig::Codel(codel_config(limit, control)))
    }

    #[staticmethod]
    fn fq_codel(
        limit: usize,
        control: Control,
        flows: u32,
        quantum: u32,
        memory_limit: u64,
        drop_batch: usize,
    ) -> Self {
        let codel = codel_config(limit, control);
        Qdisc(QdiscConfig::FqCodel(FqCodelConfig { codel, flows, quantum, memory_limit, drop_batch }))
    }

    /// Makes DualPI2. `times_ns` contains the target, the time between updates, and the threshold.
    /// `factors` contains alpha and beta in 1/s.
    #[staticmethod]
    fn dualpi2(
        limit: usize,
        times_ns: (u64, u64, u64),
        factors: (f64, f64),
        coupling_factor: u8,
        classic_protection: u8,
        drop_on_overload: bool,
    ) -> Self {
        let ((target, tupdate, step_thresh), (alpha, beta)) = (times_ns, factors);
        Qdisc(QdiscConfig::DualPi2(DualPi2Config {
            limit,
            target,
            tupdate,
            alpha,
            beta,
            coupling_factor,
            step_thresh,
            classic_protection,
            drop_on_overload,
        }))
    }

    /// Makes RED. `bounds` contains min and max (bytes) and burst (packets), with the defaults of
    /// tc. `flags` contains ecn, harddrop, nodrop and adaptive.
    #[staticmethod]
    fn red(
        limit: u64,
        avpkt: u64,
        bounds: (Option<u64>, Option<u64>, Option<u64>),
        probability: f64,
        bandwidth_bps: u64,
        flags: (bool, bool, bool, bool),
        queue: Option<PyRef<'_, Qdisc>>,
    ) -> Self {
        let (min, max, burst) = bounds;
        let (ecn, harddrop, nodrop, adaptive) = flags;
        Qdisc(QdiscConfig::Red(RedConfig {
            probability,
            bandwidth: bandwidth_bps,
            ecn,
            harddrop,
            nodrop,
            adaptive,
            queue: child_config(queue),
            ..RedConfig::new(limit, avpkt, min, max, burst)
        }))
    }

    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "all of FQ's settings, as Python gives them")]
    fn fq(
        limit: usize,
        flow_limit: usize,
        quantum: u32,
        initial_quantum: u32,
        maxrate_bps: Option<u64>,
        pacing: bool,
        horizon_ns: u64,
        ce_threshold_ns: Option<u64>,
    ) -> Self {
        Qdisc(QdiscConfig::Fq(FqConfig {
            limit,
            flow_limit,
            quantum,
            initial_quantum,
            maxrate: maxrate_bps,
            pacing,
            horizon: horizon_ns,
            ce_threshold: ce_threshold_ns,
        }))
    }

    /// Makes HTB. Each item of `filters` consists of a filter, a class (0 means that frames bypass
    /// all classes), and the inner class to which the filter is attached.
    #[staticmethod]
    fn htb(
        default: Option<u32>,
        classes: Vec<ClassSettings<'_>>,
        filters: Vec<(String, u32, Option<u32>)>,
    ) -> PyResult<Self> {
        let class = |of: ClassSettings<'_>| HtbClass {
            parent: of.parent,
            ceil: of.ceil,
            burst: of.burst,
            cburst: of.cburst,
            priority: of.priority,
            quantum: of.quantum.unwrap_or(HtbClass::default_quantum(of.rate)),
            queue: of.queue.map_or(QdiscConfig::default(), |queue| queue.0.clone()),
            ..HtbClass::new(of.id, of.rate)
        };
        let filters = filters.into_iter().map(|(filter, class, parent)| {
            let filter = Filter::parse(&filter).map_err(errors::network_error)?;
            Ok(HtbFilter { parent, ..HtbFilter::new(filter, class) })
        });
        let filters = filters.collect::<PyResult<_>>()?;
        let classes = classes.into_iter().map(class).collect();
        Ok(Qdisc(QdiscConfig::Htb(HtbConfig { default, classes, filters })))
    }

    /// Makes netem, with jitter and loss as for a link. `framing` contains the overhead of a
    /// packet, the cell size, and the overhead of a cell, in bytes.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "all of netem's settings, as Python gives them")]
    fn netem(
        delay_ns: u64,
        jitter_of: JitterModel,
        loss_of: LossModel,
        duplicate: f64,
        corrupt: f64,
        correlation: CorrelationsOf,
        reorder: Option<(f64, u64)>,
        rate_bps: Option<u64>,
        framing: (i32, u32, i32),
        ecn: bool,
        slot: Option<SlotOf>,
        seed: Option<u64>,
        limit: usize,
        queue: Option<PyRef<'_, Qdisc>>,
    ) -> PyResult<Self> {
        let (packet_overhead, cell_size, cell_overhead) = framing;
        let impairments = Impairments {
            jitter: jitter(&jitter_of)?,
            loss: loss(&loss_of)?,
            duplicate,
            corrupt,
            correlation: correlation.into(),
            overtake: true,
            reorder: None,
        };
        Ok(Qdisc(QdiscConfig::Netem(NetemConfig {
            delay: delay_ns,
            impairments,
            reorder,
            rate: rate_bps,
            framing: Framing { packet_overhead, cell_size, cell_overhead },
            ecn,
            slot: slot.map(|(min, max, packets, bytes)| Box::new(Slot { min, max, packets, bytes })),
            seed,
            limit,
            queue: child_config(queue),
        })))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

/// The sending side of a node's port at a link end.
#[pyclass(frozen)]
pub struct Interface {
    network: Py<Network>,
    end: LinkEnd,
}

#[pymethods]
impl Interface {
    /// The queueing discipline as text.
    #[getter]
    fn queue(&self) -> PyResult<String> {
        let state = self.network.get().state()?;
        Ok(state.world.queue(&self.end).map_err(errors::network_error)?.to_string())
    }

    /// The limit in packets, if the discipline has no other property.
    #[getter]
    fn packet_limit(&self) -> PyResult<Option<usize>> {
        let state = self.network.get().state()?;
        Ok(match state.world.queue(&self.end).map_err(errors::network_error)? {
            QdiscConfig::Fifo { packets, bytes: None } => packets,
            _ => None,
        })
    }

    fn set_queue(&self, queue: &Qdisc) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        state.world.set_queue(&self.end, queue.0.clone()).map_err(errors::network_error)
    }
}

impl Interface {
    pub(super) fn new(network: Py<Network>, end: LinkEnd) -> PyResult<Self> {
        network.get().state()?.world.link_at(&end).map_err(errors::network_error)?;
        Ok(Interface { network, end })
    }
}
