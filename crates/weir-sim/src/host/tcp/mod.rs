//! TCP on a host: finding the connection of a segment, listeners, timers, TIME-WAIT.
//!
//! The endpoints themselves are [`weir_tcp::Connection`]s. A call only marks a connection as ready;
//! at the end of the host's call [`Host::process_ready_connections`] passes its events to its
//! application and sends its segments. So no application is called during another application's
//! call.

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

/// The length of the TCP header without options; the MTU leaves the rest to options and payload.
const TCP_HEADER: usize = 20;
/// The maximum number of incomplete handshakes of a listener; further SYNs are not answered.
const MAX_HALF_OPEN: usize = 4096;
/// The time before its departure at which a segment is passed to a queue that paces frames, in
/// nanoseconds.
const PACED_AHEAD: Nanos = 10_000_000;
/// The range of ephemeral ports, as in Linux.
const EPHEMERAL_PORTS: std::ops::RangeInclusive<u16> = 32_768..=60_999;

/// The addresses and ports of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Endpoints {
    local: (IpAddr, u16),
    remote: (IpAddr, u16),
}

impl Endpoints {
    /// Makes the IP header of a segment that leaves.
    fn header(&self) -> Header<'static> {
        Header::new(self.local.0, self.remote.0, TCP)
    }
}

/// The TCP part of a listener, in addition to its binding.
struct Listener {
    config: Config,
    half_open: usize,
}

/// Listeners by port. The map is never iterated, so its order does not matter.
type Listeners = FxHashMap<u16, Listener>;

/// Returns the maximum segment size in packets of `mtu` bytes, including TCP options.
fn segment_size(mtu: usize, address: IpAddr) -> u16 {
    let headers = TCP_HEADER + if address.is_ipv4() { ip::v4::HEADER } else { ip::v6::HEADER };
    mtu.saturating_sub(headers).clamp(1, usize::from(u16::MAX)) as u16
}

impl Host {
    /// Returns the settings of a connection to `remote`, with a segment size that fits the path.
    fn fit_to_path(&self, now: Nanos, mut config: Config, remote: IpAddr) -> Config {
        let mtu = self.path_mtu(now, remote).unwrap_or(ip::MAX_PACKET);
        config.mss = config.mss.min(segment_size(mtu, remote));
        config.ack_on_read = self.unread.is_some();
        config.ip_header = if remote.is_ipv4() { ip::v4::HEADER } else { ip::v6::HEADER } as u16;
        (config.pacing, config.paced_ahead) =
            self.effective_pacing(remote, config.pacing, config.paced_ahead);
        config
    }

    /// Returns the effective pacing of a connection to `remote`, given the requested one: if the
    /// interface's queue holds frames until their departure times, segments are always paced and
    /// passed to the queue early, as Linux does with `fq`.
    fn effective_pacing(&self, remote: IpAddr, requested_pacing: Pacing, ahead: Nanos) -> (Pacing, Nanos) {
        let paces = self.route(remote).is_some_and(|(port, _)| self.queues[port as usize] == Some(true));
        match requested_pacing {
            Pacing::Controller if paces => (Pacing::Always, PACED_AHEAD.max(ahead)),
            other => (other, if paces { PACED_AHEAD.max(ahead) } else { ahead }),
        }
    }

    /// Adapts connections after a change of the interfaces' queues.
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
