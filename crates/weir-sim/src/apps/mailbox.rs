//! Programs that live outside the world: what arrives for them is kept, and the run stops so that they can react at this very time.

use std::net::IpAddr;

use weir_device::Nanos;

use crate::host::app::{App, HostContext};
use crate::host::socket::{Arrival, BindError, Binding, IcmpError};

/// Something that arrived for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Letter {
    /// A UDP datagram.
    Udp {
        /// When, in nanoseconds.
        time: Nanos,
        /// Sender's address and port.
        from: (IpAddr, u16),
        /// The address it was sent to.
        to: IpAddr,
        /// What follows the UDP header.
        payload: Vec<u8>,
    },
    /// An ICMP error about something the program sent.
    Error {
        /// When, in nanoseconds.
        time: Nanos,
        /// The error.
        error: IcmpError,
        /// The beginning of what was sent, from its UDP header on.
        original: Vec<u8>,
    },
}

/// Keeps what arrives for a program. It never waits for anything, so it counts as finished.
#[derive(Default)]
pub struct Mailbox {
    letters: Vec<Letter>,
    port: Option<u16>,
}

impl Mailbox {
    /// The UDP port it listens on.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Takes what has arrived, in that order.
    pub fn take(&mut self) -> Vec<Letter> {
        std::mem::take(&mut self.letters)
    }

    /// Listens on a UDP port from now on, instead of the one before.
    ///
    /// # Errors
    /// It is taken, or 0.
    pub fn listen(&mut self, port: u16, host: &mut HostContext<'_>) -> Result<(), BindError> {
        host.bind(Binding::Udp(port))?;
        self.close(host);
        self.port = Some(port);
        Ok(())
    }

    /// Listens no more.
    pub fn close(&mut self, host: &mut HostContext<'_>) {
        if let Some(port) = self.port.take() {
            host.unbind(Binding::Udp(port));
        }
    }
}

impl App for Mailbox {
    fn start(&mut self, _: &mut HostContext<'_>) {}

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        let time = host.now();
        let letter = match *arrival {
            Arrival::Udp { from, to, payload } => Letter::Udp { time, from, to, payload: payload.to_vec() },
            Arrival::Error { error, original } => Letter::Error { time, error, original: original.to_vec() },
            Arrival::EchoReply { .. } | Arrival::Tcp { .. } | Arrival::SynOptions { .. } => return,
        };
        self.letters.push(letter);
        host.ask_stop();
    }

    fn finished(&self) -> bool {
        true
    }
}
