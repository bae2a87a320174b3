//! Bindings for the P4Runtime server of a network's switches.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use weir_device::{Nanos, Port};
use weir_p4runtime::{
    ClientState, Folders, Limits, MessageCounts, RoleName, Server, ServerConfig, SwitchOwner, Texts,
    TlsConfig, Unavailable,
};
use weir_switch::Switch as Core;

use super::Network;
use crate::errors;

/// A switch of a server: its name, its device number, and the node and port of its controller.
type ServedSwitch = (String, u64, Option<(String, Port)>);

/// The certificate, its key, and the authority of clients, in PEM.
type TlsRow = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

/// A running server, and its warnings.
#[pyclass(frozen)]
pub struct P4RuntimeServer(Mutex<Option<Server>>, Warnings);

/// Warnings that have not been taken yet, up to a maximum number.
type Warnings = Arc<Mutex<Vec<String>>>;

/// The maximum number of waiting warnings.
const MAX_WARNINGS: usize = 100;

/// Keeps a warning until Python takes it.
fn store_warning(warnings: &Warnings, warning: String) {
    let mut heard = warnings.lock().unwrap_or_else(PoisonError::into_inner);
    if heard.len() < MAX_WARNINGS {
        heard.push(warning);
    }
}

#[pymethods]
impl Network {
    /// Starts a P4Runtime server for switches. Addresses are `HOST:PORT` or `unix:PATH`. Programs
    /// of controllers may use the files in `folders`. `limits` contains the maximum size of a
    /// message and of the server's memory in bytes. `texts` contains the name and the content of a
    /// file that translates texts to numbers.
    #[expect(clippy::too_many_arguments, reason = "the settings of a server, as Python gives them")]
    fn serve_p4runtime(
        this: Py<Self>,
        py: Python<'_>,
        addresses: Vec<String>,
        switches: Vec<ServedSwitch>,
        tls: Option<TlsRow>,
        plaintext: bool,
        folders: Vec<PathBuf>,
        limits: (usize, usize),
        executor: Option<String>,
        texts: Option<(String, String)>,
    ) -> PyResult<P4RuntimeServer> {
        let warnings = Warnings::default();
        let listed = addresses.join(", ");
        let heard = Arc::clone(&warnings);
        let make = move |program| {
            let started =
                weir_load::executors(program, executor.as_deref()).map_err(|error| error.to_string())?;
            if let Some(why) = started.refusal {
                store_warning(
                    &heard,
                    format!(
                        "a controller's program (P4Runtime at {listed}) runs in the interpreter, which is slower: {why}"
                    ),
                );
            }
            Ok(started.traced)
        };
        let mut config = ServerConfig::new(make, Folders(folders));
        config.listen = addresses
            .iter()
            .map(|address| address.parse())
            .collect::<Result<_, _>>()
            .map_err(errors::network_error)?;
        config.tls =
            tls.map(|(certificate, key, client_authority)| TlsConfig { certificate, key, client_authority });
        config.plaintext_beyond_loopback = plaintext;
        let (message_bytes, memory) = limits;
        config.limits = Limits { message_bytes, memory, ..Limits::default() };
        let devices = switches.into_iter().map(|(switch, device, controller)| {
            let texts = match &texts {
                Some((file, text)) => Texts::read(file, text).map_err(errors::network_error)?,
                None => Arc::default(),
            };
            let warnings = Arc::clone(&warnings);
            let owner = NetworkSwitch { network: this.clone_ref(py), switch, controller, texts, warnings };
            Ok((device, Arc::new(owner) as Arc<dyn SwitchOwner>))
        });
        let devices = devices.collect::<PyResult<_>>()?;
        let server = py.detach(|| Server::start(config, devices)).map_err(errors::network_error)?;
        Ok(P4RuntimeServer(Mutex::new(Some(server)), warnings))
    }
}

#[pymethods]
impl P4RuntimeServer {
    /// Returns the addresses on which the server listens.
    fn addresses(&self) -> PyResult<Vec<String>> {
        self.with_server(|server| Ok(server.addresses().iter().map(ToString::to_string).collect()))
    }

    /// Sends a packet that left the port of a device's controller to the controllers.
    fn packet_in(&self, py: Python<'_>, device: u64, frame: Vec<u8>) -> PyResult<()> {
        py.detach(|| {
            self.with_server(|server| {
                server.packet_in(device, &frame);
                Ok(())
            })
        })
    }

    /// Sends the waiting digests and idle notices of a device to its controllers.
    fn deliver(&self, py: Python<'_>, device: u64) -> PyResult<()> {
        py.detach(|| self.with_server(|server| server.deliver(device).map_err(errors::network_error)))
    }

    /// Returns the virtual time in nanoseconds at which a list of digests of a device must be sent.
    fn next_deadline(&self, py: Python<'_>, device: u64) -> PyResult<Option<Nanos>> {
        py.detach(|| self.with_server(|server| Ok(server.next_deadline(device))))
    }

    /// Waits until the controllers of a device have handled its messages. Returns whether that
    /// happened before the timeout.
    fn wait_until_answered(&self, py: Python<'_>, device: u64, timeout_ms: u64) -> PyResult<bool> {
        let timeout = Duration::from_millis(timeout_ms);
        py.detach(|| self.with_server(|server| Ok(server.wait_until_answered(device, timeout))))
    }

    /// Returns the controllers of a device. Each has a role (empty for the default role), an
    /// election id, and whether it is the primary.
    fn controllers(&self, device: u64) -> PyResult<Vec<(String, Option<u128>, bool)>> {
        let role = |role: RoleName| match role {
            RoleName::Default => String::new(),
            RoleName::Named(name) => name,
            RoleName::Numbered(number) => number.to_string(),
        };
        let row = |client: ClientState| (role(client.role), client.election_id, client.is_primary);
        self.with_server(|server| Ok(server.clients(device).into_iter().map(row).collect()))
    }

    /// Returns the numbers of messages that the controllers of a device lost: packets, lists of
    /// digests, idle notices, and other messages.
    fn lost(&self, device: u64) -> PyResult<(u64, u64, u64, u64)> {
        let MessageCounts { packets, digests, notices, errors } =
            self.with_server(|server| Ok(server.lost(device)))?;
        Ok((packets, digests, notices, errors))
    }

    /// Takes the warnings since the last call: programs that cannot run as machine code, and copies
    /// to ports without a link.
    fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.1.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stops the server.
    fn close(&self, py: Python<'_>) {
        let server = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(server));
    }
}

impl P4RuntimeServer {
    fn with_server<T>(&self, act: impl FnOnce(&Server) -> PyResult<T>) -> PyResult<T> {
        let server = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(server.as_ref().ok_or_else(|| errors::network_error("the P4Runtime server is closed"))?)
    }
}

/// A switch of a network, lent to a server.
struct NetworkSwitch {
    network: Py<Network>,
    switch: String,
    controller: Option<(String, Port)>,
    texts: Arc<Texts>,
    warnings: Warnings,
}

impl SwitchOwner for NetworkSwitch {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Core, Nanos)) -> Result<(), Unavailable> {
        let mut state = self.network.get().state().map_err(|_| Unavailable)?;
        let now = state.world.now();
        act(state.switch(&self.switch).map_err(|_| Unavailable)?, now);
        Ok(())
    }

    fn receive(&self, port: Port, frame: &[u8]) -> Result<(), Unavailable> {
        let controller = self.controller.as_ref().filter(|(_, cpu_port)| *cpu_port == port);
        let (node, _) = controller.ok_or(Unavailable)?;
        let mut state = self.network.get().state().map_err(|_| Unavailable)?;
        state.world.send_frame(node, 0, frame.to_vec()).map_err(|_| Unavailable)
    }

    fn shows_program(&self) -> bool {
        let mut has_program = false;
        let lent = SwitchOwner::with_switch(self, &mut |switch, _| has_program = switch.has_program());
        lent.is_ok() && has_program
    }

    fn cpu_port(&self) -> Option<Port> {
        self.controller.as_ref().map(|(_, port)| *port)
    }

    fn warn(&self, problem: &str) {
        store_warning(&self.warnings, format!("{}: {problem}", self.switch));
    }

    fn texts(&self) -> Arc<Texts> {
        Arc::clone(&self.texts)
    }
}
