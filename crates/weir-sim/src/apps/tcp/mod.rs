//! TCP traffic: bulk flows, request-response exchanges, and the server for both.
//!
//! As for UDP flows, client and server share a record of each flow. The server finds it by the
//! sequence number of the client's SYN, which data planes keep when they rewrite addresses and
//! ports. Unannounced connections are received and not answered.

mod config;
mod exchanges;
mod expected;
mod flow;
mod report;
mod sender;
mod server;

pub use self::config::{TcpFlowConfig, WriteSchedule};
pub use self::exchanges::{TcpExchanges, TcpExchangesConfig};
pub(crate) use self::expected::{Announced, ConnectionKey, Expected, ExpectedConnections, ServerRegistry};
pub use self::flow::TcpFlow;
pub use self::report::{TcpInterval, TcpReport};
pub(crate) use self::sender::Sender;
pub use self::server::TcpServer;
use weir_tcp::{Algorithm, Config, Pacing};

/// TCP settings of a flow that differ from the host's.
#[derive(Clone, Debug, Default)]
pub struct TcpOptions {
    /// The congestion control.
    pub congestion: Option<Algorithm>,
    /// The maximum segment size in bytes, in addition to the limits of interface and path.
    pub mss: Option<u16>,
    /// The send buffer in bytes, which limits the bytes in flight.
    pub window: Option<u32>,
    /// The pacing rate in bits of IP packets per second.
    pub pacing: Option<u64>,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Option<bool>,
    /// Selective acknowledgements.
    pub sack: Option<bool>,
    /// Whether to disable Nagle's algorithm (`TCP_NODELAY`).
    pub nodelay: Option<bool>,
    /// The type of service (IPv6: traffic class) of the packets of both ends, except for the
    /// SYN-ACK and the bits of ECN.
    pub class: u8,
}

impl TcpOptions {
    /// Returns the settings with these options applied.
    pub fn apply_to(&self, mut config: Config) -> Config {
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

    /// Checks whether the resulting settings are valid.
    fn check(&self, app: &'static str) -> Result<(), crate::Error> {
        let checked = self.apply_to(Config::default()).check();
        checked.map_err(|error| crate::Error::BadApp { app, reason: error.to_string() })
    }
}
