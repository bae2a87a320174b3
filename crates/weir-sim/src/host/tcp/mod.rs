//! TCP on a host: which connection a segment is for, listeners, timers, and what is left of connections in TIME-WAIT.
//!
//! The end points themselves are [`weir_tcp::Connection`]s. Whatever calls one only notes that it has something to do; when the host's
//! call is over, [`Host::process_ready_connections`] hands its events to its application and sends its segments, so that no application is called within
//! another's call.

mod calls;
mod dispatch;
mod receive;
mod table;

use std::net::IpAddr;

use rustc_hash::FxHashMap;
use weir_device::Nanos;
use weir_tcp::{Config, Pacing};

pub(super) use self::receive::parse;
pub(super) use self::table::{HOT_BYTES, Tcp};
use super::Host;
use super::ip::{self, Header, TCP};

/// Bytes of the TCP header without options, which MTUs leave to payloads and options.
const TCP_HEADER: usize = 20;
/// Handshakes of one listener that may be under way; what comes beyond it is not answered.
const MAX_HALF_OPEN: usize = 4096;
/// How far ahead of its time a segment is handed to a queue that paces.
const PACED_AHEAD: Nanos = 10_000_000;
/// The ports that connections go out from where the application names none, as Linux has them.
const EPHEMERAL: std::ops::RangeInclusive<u16> = 32_768..=60_999;

/// What tells connections of a host apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ends {
    local: (IpAddr, u16),
    remote: (IpAddr, u16),
}

impl Ends {
    fn header(&self) -> Header<'static> {
        Header::new(self.local.0, self.remote.0, TCP)
    }
}

/// Who takes new connections at a port, beside its binding.
struct Listener {
    config: Config,
    half_open: usize,
}

/// Listeners by port. Never iterated: the order is that of hashes.
type Listeners = FxHashMap<u16, Listener>;

/// The largest payload of segments in packets of `mtu` bytes, options of TCP not taken off.
fn segment_size(mtu: usize, address: IpAddr) -> u16 {
    let headers = TCP_HEADER + if address.is_ipv4() { ip::v4::HEADER } else { ip::v6::HEADER };
    mtu.saturating_sub(headers).clamp(1, usize::from(u16::MAX)) as u16
}

impl Host {
    /// The settings of a connection to `remote`, whose segments fit the path.
    fn fit_to_path(&self, now: Nanos, mut config: Config, remote: IpAddr) -> Config {
        let mtu = self.path_mtu(now, remote).unwrap_or(ip::MAX_PACKET);
        config.mss = config.mss.min(segment_size(mtu, remote));
        config.ip_header = if remote.is_ipv4() { ip::v4::HEADER } else { ip::v6::HEADER } as u16;
        (config.pacing, config.paced_ahead) =
            self.effective_pacing(remote, config.pacing, config.paced_ahead);
        config
    }

    /// How a connection to `remote` spaces its segments, that wants to do so in its own way: where the interface's queue holds frames until
    /// their time, always, handing them over ahead of it, as Linux does above `fq`.
    fn effective_pacing(&self, remote: IpAddr, requested_pacing: Pacing, ahead: Nanos) -> (Pacing, Nanos) {
        let paces = self.route(remote).is_some_and(|(port, _)| self.queues[port as usize] == Some(true));
        match requested_pacing {
            Pacing::Controller if paces => (Pacing::Always, PACED_AHEAD.max(ahead)),
            other => (other, if paces { PACED_AHEAD.max(ahead) } else { ahead }),
        }
    }

    /// Queues behind interfaces have changed.
    pub(super) fn pace_connections(&mut self) {
        let mut changes = Vec::new();
        for (number, ends, requested_pacing) in self.tcp.requested_pacing() {
            let (pacing, ahead) =
                self.effective_pacing(ends.remote.0, requested_pacing.0, requested_pacing.1);
            changes.push((number, pacing, ahead));
        }
        for (number, pacing, ahead) in changes {
            self.tcp.pace(number, pacing, ahead);
        }
    }
}
