//! A BfRt server for a switch of a virtual network.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use weir_bfrt::{Server, ServerConfig, SwitchOwner, Unavailable};
use weir_device::Nanos;
use weir_switch::Switch as Core;

use crate::errors;
use crate::switch::Switch;

/// A running server.
#[pyclass(frozen)]
pub struct BfrtServer(Mutex<Option<Server>>);

/// A switch that is lent to a server.
struct Lent {
    switch: Py<Switch>,
    program: String,
}

impl SwitchOwner for Lent {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Core, Nanos)) -> Result<(), Unavailable> {
        self.switch.get().0.with_switch(act).map_err(|_| Unavailable)
    }

    fn program_name(&self) -> String {
        self.program.clone()
    }
}

#[pymethods]
impl Switch {
    /// Starts a BfRt server for the switch, as the device 0, at `HOST:PORT` or `unix:PATH`. Clients
    /// bind to the program by this name.
    fn serve_bfrt(
        this: Py<Self>,
        py: Python<'_>,
        address: &str,
        program: String,
        plaintext: bool,
    ) -> PyResult<BfrtServer> {
        let config = ServerConfig {
            listen: vec![address.parse().map_err(errors::network_error)?],
            plaintext_beyond_loopback: plaintext,
            ..ServerConfig::default()
        };
        let owner: Arc<dyn SwitchOwner> = Arc::new(Lent { switch: this, program });
        let server = py.detach(|| Server::start(&config, vec![(0, owner)])).map_err(errors::network_error)?;
        Ok(BfrtServer(Mutex::new(Some(server))))
    }
}

#[pymethods]
impl BfrtServer {
    /// Returns the address on which the server listens.
    fn address(&self) -> PyResult<String> {
        let server = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let addresses = server.as_ref().map(Server::addresses).unwrap_or_default();
        let first = addresses.first().map(ToString::to_string);
        first.ok_or_else(|| errors::network_error("the BfRt server is closed"))
    }

    /// Stops the server.
    fn close(&self, py: Python<'_>) {
        let server = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(server));
    }
}
