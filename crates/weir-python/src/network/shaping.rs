//! Queueing disciplines as Python sees them.

use pyo3::prelude::*;
use weir_sim::{
    End, Filter, FqConfig, HtbClass, HtbConfig, HtbFilter, Impairments, NetemConfig, QdiscConfig, TbfConfig,
    TcCommand,
};

use super::Network;
use super::links::{CorrelationRow, correlations, jitter, loss};
use crate::errors;

/// A queueing discipline's settings.
#[pyclass(frozen)]
pub struct Qdisc(pub(super) QdiscConfig);

/// Id, parent, rate, ceil, burst, cburst, priority, quantum (None: by the rate), queue.
type ClassRow<'py> = (u32, Option<u32>, u64, u64, u64, u64, u8, Option<u32>, Option<PyRef<'py, Qdisc>>);

fn below(queue: Option<PyRef<'_, Qdisc>>) -> Option<Box<QdiscConfig>> {
    queue.map(|queue| Box::new(queue.0.clone()))
}

#[pymethods]
impl Qdisc {
    #[staticmethod]
    fn fifo(packets: Option<usize>, bytes: Option<u64>) -> Self {
        Qdisc(QdiscConfig::Fifo { packets, bytes })
    }

    #[staticmethod]
    fn tbf(rate_bps: u64, burst: u64, limit: u64, queue: Option<PyRef<'_, Qdisc>>) -> Self {
        Qdisc(QdiscConfig::Tbf(TbfConfig { rate: rate_bps, burst, limit, queue: below(queue) }))
    }

    #[staticmethod]
    fn fq(
        limit: usize,
        flow_limit: usize,
        quantum: u32,
        initial_quantum: u32,
        maxrate_bps: Option<u64>,
        pacing: bool,
        horizon_ns: u64,
    ) -> Self {
        Qdisc(QdiscConfig::Fq(FqConfig {
            limit,
            flow_limit,
            quantum,
            initial_quantum,
            maxrate: maxrate_bps,
            pacing,
            horizon: horizon_ns,
        }))
    }

    /// `filters` are filter, class (0: past all classes) and the inner class at which they are.
    #[staticmethod]
    fn htb(
        default: Option<u32>,
        classes: Vec<ClassRow<'_>>,
        filters: Vec<(String, u32, Option<u32>)>,
    ) -> PyResult<Self> {
        let class = |row: ClassRow<'_>| {
            let (id, parent, rate, ceil, burst, cburst, priority, quantum, queue) = row;
            HtbClass {
                parent,
                ceil,
                burst,
                cburst,
                priority,
                quantum: quantum.unwrap_or(HtbClass::usual_quantum(rate)),
                queue: queue.map_or(QdiscConfig::default(), |queue| queue.0.clone()),
                ..HtbClass::new(id, rate)
            }
        };
        let filters = filters.into_iter().map(|(filter, class, parent)| {
            let filter = Filter::parse(&filter).map_err(errors::network)?;
            Ok(HtbFilter { parent, ..HtbFilter::new(filter, class) })
        });
        let filters = filters.collect::<PyResult<_>>()?;
        let classes = classes.into_iter().map(class).collect();
        Ok(Qdisc(QdiscConfig::Htb(HtbConfig { default, classes, filters })))
    }

    /// Jitter and loss as for a link.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "all of netem's settings, as Python gives them")]
    fn netem(
        delay_ns: u64,
        jitter_of: (String, Vec<u64>, f64),
        loss_of: (String, Vec<f64>, Vec<u64>),
        duplicate: f64,
        corrupt: f64,
        correlation: CorrelationRow,
        reorder: Option<(f64, u64)>,
        rate_bps: Option<u64>,
        limit: usize,
        queue: Option<PyRef<'_, Qdisc>>,
    ) -> PyResult<Self> {
        let impairments = Impairments {
            jitter: jitter(&jitter_of)?,
            loss: loss(&loss_of)?,
            duplicate,
            corrupt,
            correlation: correlations(correlation),
            overtake: true,
            reorder: None,
        };
        Ok(Qdisc(QdiscConfig::Netem(NetemConfig {
            delay: delay_ns,
            impairments,
            hurry: reorder,
            rate: rate_bps,
            limit,
            queue: below(queue),
            ..NetemConfig::default()
        })))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

/// Whether a `tc` command can be read at all, and the interface that it is for, if it names one.
#[pyfunction]
pub fn tc_device(line: &str) -> PyResult<Option<String>> {
    Ok(TcCommand::parse(line).map_err(errors::network)?.device().map(str::to_owned))
}

/// Refuses what is no filter of frames.
#[pyfunction]
pub fn check_filter(text: &str) -> PyResult<()> {
    Filter::parse(text).map(drop).map_err(errors::network)
}

/// An end of a link: the sending side of a node's port.
#[pyclass(frozen)]
pub struct Interface {
    network: Py<Network>,
    end: End,
}

#[pymethods]
impl Interface {
    /// Its queueing discipline in words.
    #[getter]
    fn queue(&self) -> PyResult<String> {
        let state = self.network.get().state()?;
        Ok(state.world.queue(&self.end).map_err(errors::network)?.to_string())
    }

    fn set_queue(&self, queue: &Qdisc) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        state.world.set_queue(&self.end, queue.0.clone()).map_err(errors::network)
    }
}

impl Interface {
    pub(super) fn new(network: Py<Network>, end: End) -> PyResult<Self> {
        network.get().state()?.world.link_at(&end).map_err(errors::network)?;
        Ok(Interface { network, end })
    }
}
