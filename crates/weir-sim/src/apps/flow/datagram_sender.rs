//! The sender of a UDP flow, at the client or at the server.

use std::net::IpAddr;

use weir_device::Nanos;

use super::pattern::Departures;
use super::{MAX_DATAGRAMS, STAMP_BYTES, SharedRecord, UdpFlowConfig, write_stamp};
use crate::Random;
use crate::host::app::HostContext;
use crate::host::socket::SendError;

/// Sends numbered datagrams in the flow's pattern.
pub(crate) struct DatagramSender {
    record: SharedRecord,
    /// The flow number at the servers.
    number: u64,
    departures: Departures,
    started: bool,
    duration: Option<Nanos>,
    max_datagrams: u64,
    ends: Nanos,
    payload_bytes: usize,
    class: u8,
}

impl DatagramSender {
    pub(crate) fn new(config: &UdpFlowConfig, record: SharedRecord, number: u64, random: Random) -> Self {
        DatagramSender {
            record,
            number,
            departures: Departures::new(config.pattern, config.payload_bytes, random),
            started: false,
            duration: config.duration,
            max_datagrams: config.datagrams.unwrap_or(MAX_DATAGRAMS),
            ends: Nanos::MAX,
            payload_bytes: config.payload_bytes,
            class: config.class,
        }
    }

    /// Returns the record that both ends of the flow share.
    pub(crate) fn record(&self) -> &SharedRecord {
        &self.record
    }

    /// Returns whether the first datagram has left.
    pub(crate) fn is_started(&self) -> bool {
        self.started
    }

    /// Starts the flow: the first datagram is sent now.
    pub(crate) fn start(&mut self, now: Nanos) {
        self.started = true;
        self.ends = self.duration.map_or(Nanos::MAX, |duration| now.saturating_add(duration));
        self.departures.start(now);
    }

    /// Sends the datagrams that are due. Returns the time of the next datagram; `None` after the
    /// last one.
    pub(crate) fn send(&mut self, port: u16, to: (IpAddr, u16), host: &mut HostContext<'_>) -> Option<Nanos> {
        let now = host.now();
        loop {
            let (tried, stopped) = {
                let record = self.record.lock();
                (record.report.sent + record.report.refused, record.sending_done)
            };
            if stopped || tried >= self.max_datagrams || now >= self.ends {
                break;
            }
            let (flow, bytes) = (self.number, self.payload_bytes);
            let sent = host.send_udp_in_class(port, to, self.class, bytes, |payload| {
                write_stamp(payload, flow, tried, now);
                payload[STAMP_BYTES..].fill(0);
            });
            match sent {
                Ok(()) => self.record.lock().note_sent(now, bytes),
                Err(SendError::NoRoute(_)) => self.record.lock().report.refused += 1,
                Err(error) => {
                    self.record.lock().fail(error.to_string());
                    return None;
                }
            }
            let next = self.departures.next();
            if tried + 1 >= self.max_datagrams || next >= self.ends {
                break;
            }
            if next > now {
                return Some(next);
            }
        }
        self.record.lock().note_all_sent();
        None
    }
}
