//! Traffic over TCP: bulk flows, exchanges of requests and responses, and the server that answers both.
//!
//! As with flows of datagrams, client and server share a record of each flow. The server finds it by the sequence number of the client's
//! SYN, which stays what it is where a data plane rewrites addresses and ports. What comes without being announced is received and not answered.

mod config;
mod exchanges;
mod expected;
mod flow;
mod report;
mod sender;
mod server;

pub use self::config::{Offer, TcpFlowConfig};
pub use self::exchanges::{TcpExchanges, TcpExchangesConfig};
pub(crate) use self::expected::{ConnectionKey, Expected, ExpectedConnections, ServerRegistry};
pub use self::flow::TcpFlow;
pub use self::report::{TcpInterval, TcpReport};
pub(crate) use self::sender::Sender;
pub use self::server::TcpServer;
use weir_tcp::{Algorithm, Config, Pacing};

/// What of a host's settings of TCP a flow has otherwise.
#[derive(Clone, Debug, Default)]
pub struct TcpOptions {
    /// The congestion control.
    pub congestion: Option<Algorithm>,
    /// The largest payload of a segment in bytes, beside what interface and path allow.
    pub mss: Option<u16>,
    /// Bytes of the send buffer: the most that may be in flight.
    pub window: Option<u32>,
    /// Pacing at this rate in bits of IP packets per second.
    pub pacing: Option<u64>,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Option<bool>,
    /// Selective acknowledgements.
    pub sack: Option<bool>,
    /// What is written leaves at once, without Nagle's rule (`TCP_NODELAY`).
    pub nodelay: Option<bool>,
}

impl TcpOptions {
    /// Settings with these changes.
    pub fn applied(&self, mut config: Config) -> Config {
        if let Some(congestion) = &self.congestion {
            config.congestion = congestion.clone();
        }
        config.mss = self.mss.unwrap_or(config.mss);
        config.send_buffer = self.window.unwrap_or(config.send_buffer);
        config.pacing = self.pacing.map_or(config.pacing, Pacing::Rate);
        config.ecn = self.ecn.unwrap_or(config.ecn);
        config.sack = self.sack.unwrap_or(config.sack);
        config.nagle = self.nodelay.map_or(config.nagle, |nodelay| !nodelay);
        config
    }

    /// Whether a connection could live by them.
    fn check(&self, app: &'static str) -> Result<(), crate::Error> {
        let checked = self.applied(Config::default()).check();
        checked.map_err(|error| crate::Error::BadApp { app, reason: error.to_string() })
    }
}
