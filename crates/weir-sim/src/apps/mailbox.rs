//! UDP sockets of programs outside the simulation. Received messages are stored, and the run stops
//! so that the program can react at this exact time.

use std::net::IpAddr;

use weir_device::Nanos;

use crate::host::app::{App, HostContext};
use crate::host::socket::{AppEvent, BindError, Binding, IcmpError};

/// A message that a host's program receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A UDP datagram.
    Udp {
        /// The time in nanoseconds.
        time: Nanos,
        /// The sender's address and port.
        from: (IpAddr, u16),
        /// The destination address.
        to: IpAddr,
        /// The bytes after the UDP header.
        payload: Vec<u8>,
    },
    /// An ICMP error about a datagram that the program sent.
    Error {
        /// The time in nanoseconds.
        time: Nanos,
        /// The error.
        error: IcmpError,
        /// The beginning of the datagram that caused the error, from its UDP header on.
        original: Vec<u8>,
    },
}

/// Stores the messages for a program. It counts as finished, because it only reacts to
/// messages.
#[derive(Default)]
pub struct Mailbox {
    messages: Vec<Message>,
    port: Option<u16>,
}

impl Mailbox {
    /// Returns the bound UDP port.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Takes the stored messages in the order of arrival.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    /// Binds a UDP port and unbinds the previous one.
    ///
    /// # Errors
    /// The port is 0, or another application has it.
    pub fn listen(&mut self, port: u16, host: &mut HostContext<'_>) -> Result<(), BindError> {
        host.bind(Binding::Udp(port))?;
        self.close(host);
        self.port = Some(port);
        Ok(())
    }

    /// Unbinds the mailbox's UDP port.
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
