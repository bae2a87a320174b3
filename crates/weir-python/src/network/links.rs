//! Links as Python sees them.

use std::fs::File;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use weir_sim::{Direction, LinkConfig, Loss};

use super::{Network, State};
use crate::errors;

/// A link of a network. What is set acts in both directions on the packets sent from then on.
#[pyclass(frozen)]
pub struct Link {
    network: Py<Network>,
    number: usize,
}

#[pymethods]
impl Link {
    /// Bits per second; none is unlimited.
    #[getter]
    fn rate_bps(&self) -> PyResult<Option<u64>> {
        Ok(self.config()?.rate)
    }

    fn set_rate(&self, rate_bps: Option<u64>) -> PyResult<()> {
        self.change(|config| config.rate = rate_bps)
    }

    /// Propagation delay in nanoseconds.
    #[getter]
    fn delay_ns(&self) -> PyResult<u64> {
        Ok(self.config()?.delay)
    }

    fn set_delay(&self, delay_ns: u64) -> PyResult<()> {
        self.change(|config| config.delay = delay_ns)
    }

    /// The probability that a packet is lost.
    #[getter]
    fn loss(&self) -> PyResult<f64> {
        Ok(match self.config()?.impairments.loss {
            Loss::Random(probability) => probability,
            _ => 0.0,
        })
    }

    fn set_loss(&self, loss: f64) -> PyResult<()> {
        self.change(|config| config.impairments.loss = Loss::Random(loss))
    }

    /// Captures at one end (0 or 1, in the order it was connected) into a new file, until `Network.finish_captures`.
    fn capture(&self, end: usize, path: &str) -> PyResult<()> {
        let file = File::create(path).map_err(|error| errors::file(path, error))?;
        let mut state = self.network.get().state()?;
        let id = state.find_link(self.number)?;
        let ends = state.world.link(id).map_err(errors::network)?.ends;
        let listening =
            ends.get(end..=end).ok_or_else(|| PyIndexError::new_err("a link has ends 0 and 1"))?;
        let capture = state.world.capture(listening, Box::new(file)).map_err(errors::network)?;
        state.captures.push((capture, path.to_owned()));
        Ok(())
    }
}

impl Link {
    pub(super) fn new(network: Py<Network>, number: usize) -> Self {
        Link { network, number }
    }

    fn config(&self) -> PyResult<LinkConfig> {
        self.network.get().state()?.link_config(self.number)
    }

    fn change(&self, change: impl Fn(&mut LinkConfig)) -> PyResult<()> {
        self.network.get().state()?.set_link(self.number, change)
    }
}

impl State {
    fn link_config(&self, number: usize) -> PyResult<LinkConfig> {
        let [forward, _] = self.world.link(self.find_link(number)?).map_err(errors::network)?.config;
        Ok(forward)
    }

    fn set_link(&mut self, number: usize, change: impl Fn(&mut LinkConfig)) -> PyResult<()> {
        let id = self.find_link(number)?;
        let configs = self.world.link(id).map_err(errors::network)?.config;
        for (direction, mut config) in Direction::BOTH.into_iter().zip(configs) {
            change(&mut config);
            self.world.set_link(id, direction, config).map_err(errors::network)?;
        }
        Ok(())
    }
}
