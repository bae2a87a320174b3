//! Bindings for the UDP sockets of Python programs.

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_sim::{AppId, Message};

use super::Network;
use crate::errors;

/// A UDP port bound by a program. The run stops after each message.
#[pyclass(frozen)]
pub struct Mailbox {
    pub(super) network: Py<Network>,
    pub(super) app: AppId,
}

/// A message: its time, its kind (`udp` or `error`), the sender's address and port (for an error,
/// the ICMP type), the destination address (empty for an error), the payload (for an error, the
/// beginning of the datagram that was sent), and the ICMP code (0 for a datagram).
type Row<'py> = (u64, &'static str, String, u16, String, Bound<'py, PyBytes>, u8);

#[pymethods]
impl Mailbox {
    /// Takes the messages since the last call.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<Row<'py>>> {
        let mut state = self.network.get().state()?;
        let messages =
            state.world.app_mut::<weir_sim::Mailbox>(self.app).map(weir_sim::Mailbox::take_messages);
        let row = |message| match message {
            Message::Udp { time, from, to, payload } => {
                (time, "udp", from.0.to_string(), from.1, to.to_string(), PyBytes::new(py, &payload), 0)
            }
            Message::Error { time, error, original } => {
                let (from, kind) = (error.from.to_string(), u16::from(error.icmp_type));
                (time, "error", from, kind, String::new(), PyBytes::new(py, &original), error.code)
            }
        };
        Ok(messages.unwrap_or_default().into_iter().map(row).collect())
    }

    /// Sends a datagram from the port immediately.
    fn send(&self, address: &str, port: u16, payload: &[u8]) -> PyResult<()> {
        let address: IpAddr = address.parse().map_err(errors::network_error)?;
        let mut state = self.network.get().state()?;
        let sent = state.world.call_app(self.app, |mailbox: &mut weir_sim::Mailbox, host| {
            mailbox.port().map(|from| host.send_udp(from, (address, port), payload))
        });
        match sent.flatten() {
            Some(result) => result.map_err(errors::network_error),
            None => Err(errors::network_error("the port is closed")),
        }
    }

    /// Closes the port.
    fn close(&self) -> PyResult<()> {
        self.network.get().state()?.world.release_app(self.app);
        Ok(())
    }
}

impl Mailbox {
    pub(super) fn listen(&self, port: u16, host: &str) -> PyResult<()> {
        let mut state = self.network.get().state()?;
        let listen =
            |app: &mut weir_sim::Mailbox, host: &mut weir_sim::HostContext<'_>| app.listen(port, host);
        match state.world.call_app(self.app, listen) {
            Some(Ok(())) => Ok(()),
            _ => Err(errors::network_error(format!("UDP port {port} of {host} is in use or invalid"))),
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.network.get().dropped.note(self.app);
    }
}
