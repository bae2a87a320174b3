//! Programs that live outside the world: what arrives for them is kept, and the run stops so that they can react at this very time.

use std::net::IpAddr;

use weir_device::Nanos;

use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, BindError, Binding, IcmpError};

/// Something that arrived for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
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
    messages: Vec<Message>,
    port: Option<u16>,
}

impl Mailbox {
    /// The UDP port it listens on.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Takes what has arrived, in that order.
    pub fn take(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
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

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let time = host.now();
        let message = match *arrival {
            AppEvent::Udp { from, to, payload } => Message::Udp { time, from, to, payload: payload.to_vec() },
            AppEvent::Error { error, original } => {
                Message::Error { time, error, original: original.to_vec() }
            }
            AppEvent::EchoReply { .. } | AppEvent::Tcp { .. } | AppEvent::SynOptions { .. } => return,
        };
        self.messages.push(message);
        host.request_stop();
    }

    fn finished(&self) -> bool {
        true
    }
}
