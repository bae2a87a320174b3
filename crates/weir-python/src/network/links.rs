//! Bindings for links.

use std::fs::File;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use weir_sim::{Direction, LinkConfig};

use super::impairments::{CorrelationsOf, JitterModel, LossModel, jitter, loss};
use super::qdisc::Qdisc;
use super::{Network, State};
use crate::errors;

/// A link of a network. Changed settings apply to both directions, and only to frames that are sent
/// from then on.
#[pyclass(frozen)]
pub struct Link {
    network: Py<Network>,
    number: usize,
}

#[pymethods]
impl Link {
    /// The rate in bits per second; `None` if it is unlimited.
    #[getter]
    fn rate_bps(&self) -> PyResult<Option<u64>> {
        Ok(self.config()?.rate)
    }

    fn set_rate(&self, rate_bps: Option<u64>) -> PyResult<()> {
        self.change(|config| config.rate = rate_bps)
    }

    /// The propagation delay in nanoseconds.
    #[getter]
    fn delay_ns(&self) -> PyResult<u64> {
        Ok(self.config()?.delay)
    }

    fn set_delay(&self, delay_ns: u64) -> PyResult<()> {
        self.change(|config| config.delay = delay_ns)
    }

    fn set_jitter(&self, jitter: JitterModel, overtake: bool) -> PyResult<()> {
        let jitter = self::jitter(&jitter)?;
        self.change(|config| {
            config.impairments.jitter = jitter.clone();
            config.impairments.overtake = overtake;
        })
    }

    fn set_loss(&self, loss: LossModel) -> PyResult<()> {
        let loss = self::loss(&loss)?;
        self.change(|config| config.impairments.loss = loss.clone())
    }

    /// Sets the probability that a frame is duplicated.
    fn set_duplicate(&self, share: f64) -> PyResult<()> {
        self.change(|config| config.impairments.duplicate = share)
    }

    /// Sets the probability that a bit of a frame is flipped.
    fn set_corrupt(&self, share: f64) -> PyResult<()> {
        self.change(|config| config.impairments.corrupt = share)
    }

    /// Sets how strongly the impairments of a frame depend on the impairments of the previous
    /// frame.
    fn set_correlation(&self, correlation: CorrelationsOf) -> PyResult<()> {
        let correlation = correlation.into();
        self.change(|config| config.impairments.correlation = correlation)
    }

    /// Sets the probability that a frame is delayed, and its delay.
    fn set_reorder(&self, reorder: Option<(f64, u64)>) -> PyResult<()> {
        self.change(|config| config.impairments.reorder = reorder)
    }

    fn set_queue(&self, queue: &Qdisc) -> PyResult<()> {
        self.change(|config| config.queue = queue.0.clone())
    }

    /// The text forms of the queueing disciplines at the first and the second end.
    #[getter]
    fn queues(&self) -> PyResult<(String, String)> {
        let state = self.network.get().state()?;
        let [first, second] =
            state.world.link(state.find_link(self.number)?).map_err(errors::network_error)?.config;
        Ok((first.queue.to_string(), second.queue.to_string()))
    }

    /// The maximum length of a packet in bytes, without the Ethernet header; `None` if it is
    /// unlimited.
    #[getter]
    fn mtu(&self) -> PyResult<Option<usize>> {
        Ok(self.config()?.mtu)
    }

    fn set_mtu(&self, mtu: Option<usize>) -> PyResult<()> {
        self.change(|config| config.mtu = mtu)
    }

    #[getter]
    fn up(&self) -> PyResult<bool> {
        let state = self.network.get().state()?;
        Ok(state.world.link(state.find_link(self.number)?).map_err(errors::network_error)?.up)
    }

    fn set_up(&self, up: bool) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let id = state.find_link(self.number)?;
        state.world.set_link_up(id, up).map_err(errors::network_error)
    }

    /// Captures the frames at one end of the link in a new file, until `Network.finish_captures`.
    /// The ends have the numbers 0 and 1, in the order in which they were connected.
    fn capture(&self, end: usize, path: &str) -> PyResult<()> {
        let file = File::create(path).map_err(|error| errors::file(path, error))?;
        let mut state = self.network.get().state()?;
        let id = state.find_link(self.number)?;
        let ends = state.world.link(id).map_err(errors::network_error)?.ends;
        let listening =
            ends.get(end..=end).ok_or_else(|| PyIndexError::new_err("a link has ends 0 and 1"))?;
        let capture = state.world.capture(listening, Box::new(file)).map_err(errors::network_error)?;
        state.captures.push((capture, path.to_owned()));
        Ok(())
    }
}

impl Link {
    pub(super) fn new(network: Py<Network>, number: usize) -> Self {
        Link { network, number }
    }

    /// Returns the link's current settings.
    fn config(&self) -> PyResult<LinkConfig> {
        self.network.get().state()?.link_config(self.number)
    }

    /// Changes the link's settings with a function.
    fn change(&self, change: impl Fn(&mut LinkConfig)) -> PyResult<()> {
        self.network.get().state()?.set_link(self.number, change)
    }
}

impl State {
    fn link_config(&self, number: usize) -> PyResult<LinkConfig> {
        let [forward, _] = self.world.link(self.find_link(number)?).map_err(errors::network_error)?.config;
        Ok(forward)
    }

    fn set_link(&mut self, number: usize, change: impl Fn(&mut LinkConfig)) -> PyResult<()> {
        let id = self.find_link(number)?;
        let configs = self.world.link(id).map_err(errors::network_error)?.config;
        for (direction, mut config) in Direction::BOTH.into_iter().zip(configs) {
            change(&mut config);
            self.world.set_link(id, direction, config).map_err(errors::network_error)?;
        }
        Ok(())
    }
}
